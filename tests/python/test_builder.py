"""Artifacts made in Python: what is built is what runs."""

import numpy as np
import pytest

import lattice_runtime as lattice


def test_a_graph_computes_what_was_built(tmp_path):
    builder = lattice.GraphBuilder()
    x = builder.tensor_input("x", (-1, 3))
    w = np.arange(6, dtype=np.float32).reshape(2, 3)
    y = builder.linear(x, builder.weight("w", "linear", w), builder.weight("b", "bias", [10, 20]))
    assert y.kind == "tensor" and y.shape == (-1, 2) and y.channels == 2
    builder.output("y", y)
    assert builder.operations == ("weight", "weight", "linear") and builder.parameters == 8
    builder.write(tmp_path / "net")
    rows = np.array([[1, 0, 2], [0, 1, 0]], np.float32)
    assert np.array_equal(lattice.load(tmp_path / "net")(rows), rows @ w.T + [10, 20])


# W[x] = 1, 2, 3 along x: each voxel reads its left neighbour with 1 and its right one with 3.
def test_a_convolution_of_three_taps(tmp_path):
    builder = lattice.GraphBuilder()
    x = builder.sparse_input("x", 1)
    y = builder.subm_conv3d(x, builder.weight("w", "conv3d", np.array([1, 2, 3]).reshape(1, 3, 1, 1, 1)))
    builder.output("y", y)
    builder.write(tmp_path)
    result = lattice.load(tmp_path)(([[0, 0, 0, 0], [0, 1, 0, 0]], [[1.0], [10.0]]))
    assert result.feats.tolist() == [[32], [21]]


def test_triples_may_be_one_number(tmp_path):
    builder = lattice.GraphBuilder()
    x = builder.sparse_input("x", 1, stride=2)
    assert x.stride == (2, 2, 2)
    assert builder.pool3d(x, "max", 2, (1, 2, 3)).stride == (2, 4, 6)
    w = builder.weight("w", "conv3d", np.ones((1, 2, 2, 2, 1)))
    down = builder.conv3d(x, w, stride=2)
    assert down.stride == (4, 4, 4)
    assert builder.target_conv_transpose3d(down, x, w, None, 2).stride == (2, 2, 2)


@pytest.mark.parametrize("bits", [8, 4])
@pytest.mark.parametrize("group", [32, 64, 128])
def test_quantized_weights(tmp_path, bits, group):
    w = np.random.default_rng(3).normal(size=(5, 70)).astype(np.float32)
    packed = lattice.quantize(w, bits, group)
    back = lattice.dequantize(*packed, w.shape, bits, group)
    steps = np.repeat(packed[1][0].astype(np.float32), group, axis=1)[:, :70]
    assert np.all(np.abs(back - w) <= steps * 0.51 + 1e-6) and packed[0].dtype == np.uint32

    builder = lattice.GraphBuilder()
    x = builder.tensor_input("x", (-1, 70))
    builder.output("y", builder.linear(x, builder.weight("w", "linear", w, bits=bits, group_size=group)))
    builder.write(tmp_path)
    rows = np.random.default_rng(4).normal(size=(6, 70)).astype(np.float32)
    np.testing.assert_allclose(lattice.load(tmp_path)(rows), rows @ back.T, rtol=1e-4, atol=1e-4)


def test_half_weights_and_features(tmp_path):
    builder = lattice.GraphBuilder()
    x = builder.tensor_input("x", (-1, 2), "f16")
    builder.output("y", builder.linear(x, builder.weight("w", "linear", np.eye(2), dtype="f16")))
    builder.write(tmp_path)
    rows = np.array([[1, 2]], np.float16)
    result = lattice.load(tmp_path)(rows)
    assert result.dtype == np.float16 and np.array_equal(result, rows)


def test_what_does_not_fit_is_said_at_once(tmp_path):
    builder = lattice.GraphBuilder()
    x = builder.sparse_input("x", 4)
    w = builder.weight("w", "conv3d", np.zeros((8, 3, 3, 3, 5)))
    with pytest.raises(lattice.LatticeError, match="5"):
        builder.subm_conv3d(x, w)
    with pytest.raises(lattice.LatticeError, match="relu"):
        builder.activation(x, "rely")
    with pytest.raises(TypeError):
        builder.activation(None, "relu")
    with pytest.raises(lattice.LatticeError):
        builder.write(tmp_path / "net")  # no output
    assert not (tmp_path / "net").exists()


def test_text_and_weights(tmp_path):
    builder = lattice.GraphBuilder()
    x = builder.tensor_input("x", (-1, 2))
    builder.output("y", builder.linear(x, builder.weight("w", "linear", np.eye(2))))
    program = lattice.compile_lattice_artifact(lattice.LatticeArtifact(builder.text(), builder.weights()))
    assert program(np.ones((1, 2), np.float32)).tolist() == [[1, 1]]


# Every operation of the dialect has a method of its name.
def test_every_operation_has_a_method():
    from pathlib import Path

    import re

    folder = Path(__file__).parents[2] / "dialect"
    names = [n for f in folder.glob("*.td") for n in re.findall(r'Lattice_Op<"([a-z0-9_.]+)"', f.read_text())]
    assert len(names) == 31
    for name in names:
        assert callable(getattr(lattice.GraphBuilder, name.replace(".", "_"))), name
