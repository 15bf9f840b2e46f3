"""What type checkers make of the package: its own sources, and a program that uses it."""

import shutil
import subprocess
import sys

import pytest

import lattice_runtime as lattice

pytest.importorskip("mypy", reason="mypy is not installed: types are not checked")

PROGRAM = '''
import sys
from collections.abc import Iterator

import numpy as np

import lattice_runtime as lattice
from lattice_runtime.artifact import LatticeProgram, load_lattice_program
from lattice_runtime.export import import_checkpoint


def build(directory: str) -> None:
    builder = lattice.GraphBuilder()
    x: lattice.Value = builder.sparse_input("x", channels=4, stride=(1, 1, 1))
    weight = builder.weight("conv", "conv3d", np.ones((8, 3, 3, 3, 4), np.float32), bits=8, group_size=32)
    y = builder.activation(builder.subm_conv3d(x, weight), "relu")
    coords, features, active = builder.sparse_decompose(y)
    builder.output("y", y)
    print(y.shape[0] + y.stride[2], coords.name, features.dtype, active.kind, builder.operations[0].upper())
    builder.write(directory)


def label(program: lattice.Program, path: str) -> np.ndarray:
    cloud = lattice.read_points(path)
    kept = cloud.drop_not_finite()
    voxels = lattice.voxelize(cloud.positions(), 0.05, features=cloud.features("x,y,z,i"))
    print(kept.shape, cloud.xyz.min(axis=0), cloud["i"].max(), voxels.coords.shape[0], cloud.columns[0].upper())
    topology: lattice.Topology = program.prepare(voxels.sparse())
    result = program(voxels.sparse(), topology=topology, threads=2)
    assert isinstance(result, lattice.SparseTensor)
    labels: np.ndarray = np.asarray(result.feats).argmax(axis=1)[voxels.voxel_of_point]
    return labels


def names(program: lattice.Program) -> Iterator[str]:
    for argument in program.inputs:
        yield argument.name.upper() + str(argument.shape[-1] + 1)
    for name, description in lattice.devices():
        yield f"{name.upper()} {description}"


def main() -> int:
    try:
        program = lattice.load("net", device="cpu")
    except lattice.ArtifactError as error:
        for diagnostic in error.diagnostics:
            print(diagnostic.file, diagnostic.line + 1, diagnostic.message.upper())
        return 1
    old: LatticeProgram = load_lattice_program("net")
    print(old.plan.ops[0].attrs["stride"], old.plan.args[0].abi_name, lattice.lattice_graph_status("").valid)
    model = import_checkpoint("plain", {"class": "Linear"}, {}, input={"channels": 4})
    model.write("other")
    print(label(program, "scan.bin").shape, list(names(program)), program.inspect().dot, program.explain())
    return 0


sys.exit(main())
'''


# Every line is wrong: types that are right are not everything.
WRONG = '''
lattice.load(3)
lattice.load("net").prepare(rows=1).rows.upper()
lattice.GraphBuilder().subm_conv3d("x", "w")
lattice.voxelize([], 0.05).coords.upper()
lattice.LatticeArtifact("", {}).graph = ""
'''


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """Checks a program, or the package; gives what mypy prints."""
    folder = tmp_path_factory.mktemp("types")
    shutil.copytree(lattice.__path__[0], folder / "lattice_runtime", ignore=shutil.ignore_patterns("*.so", "bin"))

    def check(program=None):
        what = ["-p", "lattice_runtime"]
        if program is not None:
            (folder / "program.py").write_text(program)
            what = ["program.py"]
        command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", *what]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout

    return check


def test_the_package_is_typed(mypy):
    assert mypy() == ""


def test_a_program_that_uses_it_is_typed(mypy):
    assert mypy(PROGRAM) == ""


def test_wrong_uses_are_found(mypy):
    lines = WRONG.strip().splitlines()
    found = mypy("\n".join(["import lattice_runtime as lattice", *lines]))
    assert all(f"program.py:{number}: error" in found for number in range(2, 2 + len(lines))), found
