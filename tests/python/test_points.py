"""From a file of points to the inputs of a program."""

import numpy as np
import pytest

import lattice_runtime as lattice


def test_a_bin_of_four_columns(tmp_path):
    rows = np.array([[1, 2, 3, 0.5], [4, 5, np.nan, 1], [-1, 0, 0, 0.25]], np.float32)
    rows.tofile(tmp_path / "scan.bin")
    cloud = lattice.read_points(tmp_path / "scan.bin")
    assert len(cloud) == 3 and cloud.columns == ["i"] and "i" in cloud and "r" not in cloud
    assert np.array_equal(cloud.xyz, rows[:, :3], equal_nan=True)
    assert cloud["i"].tolist() == [0.5, 1, 0.25]
    with pytest.raises(lattice.UsageError, match="x, y, z, i"):
        cloud["ring"]
    assert cloud.drop_not_finite().tolist() == [0, 2] and len(cloud) == 2
    assert cloud.positions((1, 2, 3)).tolist() == [[0, 0, 0], [-2, -2, -3]]
    assert cloud.features("i,x,one").tolist() == [[0.5, 1, 1], [0.25, -1, 1]]


def test_voxels():
    points = np.array([[0.1, 0, 0], [0.9, 0, 0], [-0.1, 0, 0]])
    voxels = lattice.voxelize(points, 0.5, features=[[1.0], [2.0], [4.0]], stride=2, batch=3)
    assert voxels.coords.tolist() == [[3, 0, 0, 0], [3, 2, 0, 0], [3, -2, 0, 0]]
    assert voxels.voxel_of_point.tolist() == [0, 1, 2]
    same = lattice.voxelize(points, (1, 1, 1), features=[[1.0], [2.0], [4.0]])
    assert same.features.tolist() == [[1.5], [4]] and same.sparse().stride == (1, 1, 1)
    assert lattice.voxelize(points, 1, features=[[1.0], [2.0], [4.0]], reduction="sum").features.tolist() == [[3], [4]]
    assert lattice.voxelize(points, 1).features is None


def test_refusals(tmp_path):
    with pytest.raises(lattice.InputError, match="row 1"):
        lattice.voxelize([[0, 0, 0], [np.nan, 0, 0]], 1)
    with pytest.raises(lattice.LatticeError):
        lattice.voxelize([[0, 0, 0]], -1)
    with pytest.raises(lattice.UsageError, match="mean or sum"):
        lattice.voxelize([[0, 0, 0]], 1, reduction="max")
    with pytest.raises(lattice.UsageError):
        lattice.voxelize(np.zeros((2, 4)), 1)
    with pytest.raises(OSError):
        lattice.read_points(tmp_path / "none.bin")
    (tmp_path / "cut.bin").write_bytes(b"12345")
    with pytest.raises(lattice.InputError, match="cut.bin"):
        lattice.read_points(tmp_path / "cut.bin")


def test_from_a_scan_to_a_result(small, data):
    cloud = lattice.read_points(data / "../../examples/data/autzen_trim.las")
    low = cloud.xyz.min(axis=0)
    features = cloud.features("x,y,z,one", origin=low)
    voxels = lattice.voxelize(cloud.positions(low), 50, features=features)
    result = small(voxels.sparse())
    assert 0 < len(result["y"]) == len(voxels.coords) < len(cloud)
    # A point takes the row of its voxel.
    assert result["y"].feats[voxels.voxel_of_point].shape == (len(cloud), 8)
