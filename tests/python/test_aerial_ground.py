"""The trained network of examples/aerial_ground: its artifact gives the scores that are committed with it."""

import importlib.util
import json
import pathlib

import numpy as np
import pytest

import lattice_runtime as lattice

ROOT = pathlib.Path(__file__).parent.parent.parent
EXAMPLE = ROOT / "examples" / "aerial_ground"
TILE = ROOT / "examples" / "data" / "autzen_trim.las"


def example(name):
    spec = importlib.util.spec_from_file_location(f"aerial_ground_{name}", EXAMPLE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def data():
    return example("data")


@pytest.fixture(scope="module")
def report():
    return json.loads((EXAMPLE / "report.json").read_text())


def test_tiles_are_classified_as_the_report_says(tmp_path, data, report):
    tile, before = data.Tile(), TILE.read_bytes()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.las").write_bytes(before)
    (tmp_path / "in" / "b.las").write_bytes(before[:5000])  # cut: told, and no reason to stop
    assert example("classify_tiles").main(EXAMPLE / "model", tmp_path / "in", tmp_path / "out") == 1
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["a.las"]

    xyz, classes = data.read_las(tmp_path / "out" / "a.las")
    assert np.array_equal(xyz, tile.xyz) and set(classes) == {1, 2}
    ground = classes == data.GROUND
    assert data.scores(ground[tile.test], tile.ground[tile.test]) == report["f32"]["held_out"]
    assert data.scores(ground, tile.ground) == report["f32"]["whole_tile"]
    changed = [a != b for a, b in zip(before, (tmp_path / "out" / "a.las").read_bytes())]
    start, length = 2038, 34
    places = {(at - start) % length for at, different in enumerate(changed) if different}
    assert places == {15}  # nothing but classes


def test_the_two_ways_to_voxels_are_one(data, report):
    tile = data.Tile()
    cloud = lattice.read_points(TILE)
    origin = tuple(tile.origin.tolist())
    mine = lattice.voxelize(cloud.positions(origin), report["voxel"], features=cloud.features("z", origin))
    coords, z, voxel = data.voxels_of(tile.xyz - tile.origin, report["voxel"])
    assert len(coords) == report["voxels"]
    assert np.array_equal(mine.coords, coords) and np.array_equal(mine.voxel_of_point, voxel)
    assert np.array_equal(mine.features, z)


def test_the_baseline_is_beaten(report):
    baseline = json.loads((EXAMPLE / "baseline.json").read_text())
    for name in ("lowest", "progressive"):
        for score in ("accuracy", "iou", "f1"):
            assert report["f32"]["held_out"][score] > baseline[name]["held_out"][score] + 0.02
    assert report["int8"]["iou_loss"] < 0.01 and report["f16"]["iou_loss"] < 0.01
    assert report["f32"]["max_difference"] < 1e-4
    assert sum(p.stat().st_size for p in (EXAMPLE / "model").iterdir()) <= 3_000_000
