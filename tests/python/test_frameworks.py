"""Arrays of other frameworks, where they are installed: read in place, and results of their kind."""

import numpy as np
import pytest

import lattice_runtime as lattice


def test_torch(small, cloud):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    coords, feats = cloud
    wanted = small(cloud)
    result = small((torch.from_numpy(coords), torch.from_numpy(feats)))
    assert isinstance(result["logits"], torch.Tensor) and isinstance(result["y"].feats, torch.Tensor)
    assert np.array_equal(result["logits"].numpy(), wanted["logits"])
    graph = torch.from_numpy(feats).clone().requires_grad_()
    mixed = small((torch.from_numpy(coords.astype(np.int64)), graph.t().contiguous().t()))
    assert np.array_equal(mixed["y"].feats.numpy(), wanted["y"].feats)
    topology = small.prepare((torch.from_numpy(coords), torch.from_numpy(feats)))
    assert isinstance(small(x_features=feats, topology=topology)["logits"], torch.Tensor)
    half = torch.from_numpy(feats).to(torch.bfloat16)
    with pytest.raises(lattice.InputError, match="bf16, expected f32"):
        small((coords, half))
    if torch.cuda.is_available():
        with pytest.raises(lattice.DeviceError, match="CUDA"):
            small((coords, torch.from_numpy(feats).cuda()))


def test_mlx(small, cloud):
    mx = pytest.importorskip("mlx.core", reason="mlx is not installed")
    result = small((mx.array(cloud[0]), mx.array(cloud[1])))
    assert isinstance(result["logits"], mx.array)
    assert np.array_equal(np.array(result["logits"]), small(cloud)["logits"])


def test_cupy(small, cloud):
    cupy = pytest.importorskip("cupy", reason="cupy is not installed")
    if not cupy.cuda.is_available():
        pytest.skip("cupy finds no CUDA device")
    with pytest.raises(lattice.DeviceError, match="CUDA"):
        small((cloud[0], cupy.asarray(cloud[1])))


# Stands in for an array of a framework that is not installed: the class says where it comes from.
def test_results_come_in_the_kind_of_the_inputs(small, cloud, monkeypatch):
    import sys
    import types

    class Tensor:
        requires_grad = False

        def __init__(self, array):
            self.array = array

        shape = property(lambda self: self.array.shape)
        __dlpack_device__ = property(lambda self: self.array.__dlpack_device__)

        def __dlpack__(self, **how):
            return self.array.__dlpack__()

    Tensor.__module__ = "torch"
    fake = types.SimpleNamespace(from_numpy=lambda array: Tensor(array))
    monkeypatch.setitem(sys.modules, "torch", fake)
    result = small((cloud[0], Tensor(cloud[1])))
    assert isinstance(result["logits"], Tensor) and isinstance(result["y"].coords, Tensor)
    assert isinstance(small(cloud)["logits"], np.ndarray)
