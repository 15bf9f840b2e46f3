"""The package under test (from the build tree, by PYTHONPATH, or installed) and the shared cases."""

import json
import pathlib
import sys

import numpy as np
import pytest

import lattice_runtime as lattice
from lattice_runtime import _lattice

DATA = pathlib.Path(__file__).parent.parent / "data"


def pytest_report_header(config):
    return f"lattice_runtime {lattice.__version__} from {lattice.__path__[0]}, numpy {np.__version__}, {sys.version}"


def manifest(folder):
    return json.loads((DATA / folder / "manifest.json").read_text())["cases"]


def tensors(path):
    return _lattice.read_weights(str(path))


def by_coordinate(coords, feats):
    """Rows sorted by coordinate: the format leaves their order open."""
    order = np.lexsort(coords.T[::-1])
    return coords[order], feats[order]


@pytest.fixture
def data():
    return DATA


@pytest.fixture(scope="session")
def small_directory(tmp_path_factory):
    """A sparse convolution, a batch norm, a pool: sparse output "y" and dense output "logits"."""
    builder = lattice.GraphBuilder()
    rng = np.random.default_rng(1)
    x = builder.sparse_input("x", 4)
    w = builder.weight("conv.weight", "conv3d", rng.normal(size=(8, 3, 3, 3, 4)))
    b = builder.weight("conv.bias", "bias", rng.normal(size=8))
    y = builder.activation(builder.subm_conv3d(x, w, b), "relu")
    builder.output("y", y)
    fc = builder.weight("fc.weight", "linear", rng.normal(size=(3, 8)))
    builder.output("logits", builder.linear(builder.global_pool(y, "avg", batch_size=1), fc))
    directory = tmp_path_factory.mktemp("small") / "net"
    builder.write(directory)
    return directory


@pytest.fixture(scope="session")
def small(small_directory):
    return lattice.load(small_directory)


@pytest.fixture
def cloud():
    """(coords, feats): 200 distinct voxels."""
    rng = np.random.default_rng(2)
    xyz = np.unique(rng.integers(-8, 8, size=(400, 3)), axis=0)[:200]
    coords = np.concatenate([np.zeros((200, 1)), xyz], axis=1).astype(np.int32)
    return coords, rng.normal(size=(200, 4)).astype(np.float32)


def same(a, b):
    """Two results of the small network with the same bits."""
    return (
        np.array_equal(np.asarray(a["y"].coords), np.asarray(b["y"].coords))
        and np.asarray(a["y"].feats).tobytes() == np.asarray(b["y"].feats).tobytes()
        and np.asarray(a["logits"]).tobytes() == np.asarray(b["logits"]).tobytes()
    )
