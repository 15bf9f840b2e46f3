"""The names of mlx_lattice.artifact mean here what they mean there."""

import subprocess
import sys

import numpy as np
import pytest

import lattice_runtime as lattice
from lattice_runtime import artifact as compat
from lattice_runtime.artifact import SparseTensor


def test_the_names_are_the_package_s_too():
    assert set(compat.__all__) <= set(lattice.__all__) <= set(dir(lattice))
    assert all(getattr(lattice, name) is getattr(compat, name) for name in compat.__all__)
    code = "import lattice_runtime as l; print(l.LatticeProgram is l.artifact.LatticeProgram, hasattr(l, 'nonsense'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["True", "False"], done.stderr


@pytest.fixture
def loaded(small_directory):
    return compat.load_lattice_artifact(small_directory)


def test_artifact_round_trip(loaded, small_directory, tmp_path, cloud):
    assert loaded.graph == (small_directory / "graph.mlir").read_text()
    assert loaded.weights["conv.weight"].shape == (8, 3, 3, 3, 4)
    with pytest.raises(AttributeError):
        loaded.graph = ""
    compat.save_lattice_artifact(tmp_path / "a" / "b", loaded.graph, loaded.weights)
    again = compat.load_lattice_artifact(tmp_path / "a" / "b")
    assert again.graph == loaded.graph
    for name, array in loaded.weights.items():
        assert array.dtype == again.weights[name].dtype and np.array_equal(array, again.weights[name])
    ways = (
        compat.load_lattice_program(tmp_path / "a" / "b"),
        compat.compile_lattice_artifact(loaded),
        compat.LatticeProgram.from_artifact(loaded),
    )
    results = [way(SparseTensor(*cloud)) for way in ways]
    assert all(isinstance(each, tuple) for each in results)
    assert all(np.array_equal(results[0][1], each[1]) for each in results)
    trusted = ways[0].call_with_trusted_sparse_inputs(x=SparseTensor(*cloud))
    assert np.array_equal(results[0][1], trusted[1])
    assert set(ways[0].weights) == {"conv.weight", "conv.bias", "fc.weight"}


def test_saving_without_weights(tmp_path, loaded):
    compat.save_lattice_artifact(tmp_path, loaded.graph)
    assert compat.load_lattice_artifact(tmp_path).weights == {}
    with pytest.raises(ValueError, match="conv.weight"):
        compat.load_lattice_program(tmp_path)


def test_missing_files_are_value_errors(tmp_path, loaded):
    with pytest.raises(ValueError, match="no such directory"):
        compat.load_lattice_artifact(tmp_path / "nothing")
    (tmp_path / "graph.mlir").write_text(loaded.graph)
    with pytest.raises(ValueError, match="weights.safetensors"):
        compat.load_lattice_artifact(tmp_path)


def test_plan(loaded):
    plan = compat.compile_lattice_artifact(loaded).plan
    assert (plan.ir_version, plan.weight_file, plan.name) == (2, "weights.safetensors", "forward")
    assert plan.schema_digest == "1380f1e819fc0eb1af587202ecec3c14ec2c981d249333c5061f0263f82072ad"
    assert [each.abi_name for each in plan.args] == ["x_coords", "x_features", "x_active"]
    assert plan.args[0].role == "sparse_coords" and plan.args[1].type == "tensor<?x4xf32>"
    assert [each.abi_name for each in plan.outputs] == ["y", "logits"]
    assert plan.returns == tuple(each.name for each in plan.outputs)
    conv = next(op for op in plan.ops if op.name == "lattice.subm_conv3d")
    assert conv.attrs["kernel_size"] == (3, 3, 3) and conv.attrs["accumulation"] == "canonical_f32"
    assert len(conv.operands) == 3 == len(conv.operand_types) and conv.result_types[0].startswith("!lattice.sparse")
    made = {arg.name for arg in plan.args}
    for op in plan.ops:  # every operand is an argument or an earlier result
        assert set(op.operands) <= made, op
        made |= set(op.results)
    assert set(plan.returns) <= made


def test_operation_names(loaded):
    names = compat.lattice_graph_operation_names(loaded.graph)
    assert names[0] == "lattice.sparse.make" and names.count("lattice.weight") == 3
    with pytest.raises(ValueError):
        compat.lattice_graph_operation_names("module {")


def test_validation(loaded, small_directory, tmp_path):
    compat.validate_lattice_graph(loaded.graph, lattice_opt="anything")
    compat.validate_lattice_artifact(loaded)
    compat.validate_lattice_artifact(str(small_directory))
    assert compat.lattice_graph_status(loaded.graph) == (True, "")
    assert compat.lattice_artifact_status(small_directory).valid
    broken = loaded.graph.replace("canonical_f32", "fast")
    with pytest.raises(ValueError, match="graph.mlir:"):
        compat.validate_lattice_graph(broken)
    status = compat.lattice_graph_status(broken)
    assert not status.valid and "accumulation" in status.diagnostics
    without = compat.LatticeArtifact(loaded.graph, {})
    assert compat.lattice_graph_status(without.graph).valid
    assert "conv.weight" in compat.lattice_artifact_status(without).diagnostics
    assert not compat.lattice_artifact_status(tmp_path / "nothing").valid
    assert compat.native_artifact_execution_available() is True


def test_input_errors(loaded, cloud):
    program = compat.compile_lattice_artifact(loaded)
    sparse = SparseTensor(*cloud)
    for call in (
        lambda: program(),
        lambda: program(sparse, sparse),
        lambda: program(sparse, nonsense=cloud[1]),
        lambda: program(x=sparse, x_features=cloud[1]),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError):
        program(x=cloud[1])
    with pytest.raises(TypeError):
        program(x_features=sparse)


# The object of an array says nothing of its contents: changed in place, it gives the new result.
def test_results_do_not_depend_on_object_identity(loaded, cloud):
    program = compat.compile_lattice_artifact(loaded)
    coords, feats = cloud[0].copy(), cloud[1].copy()
    first = program(SparseTensor(coords, feats))[0].feats.copy()
    coords[:, 1] *= 3
    moved = program(SparseTensor(coords, feats))[0].feats
    assert np.array_equal(moved, program(SparseTensor(coords.copy(), feats))[0].feats)
    assert not np.array_equal(first, moved)


# A stride other than 1 means physical coordinates: neighbours are 2 apart.
def test_strided_shorthand_is_physical(tmp_path):
    builder = lattice.GraphBuilder()
    x = builder.sparse_input("x", 1, stride=2)
    builder.output("y", builder.subm_conv3d(x, builder.weight("w", "conv3d", np.ones((1, 3, 3, 3, 1)))))
    builder.write(tmp_path)
    program = compat.load_lattice_program(tmp_path)
    coords = np.array([[0, 0, 0, 0], [0, 2, 0, 0], [0, 8, 0, 0]], np.int32)
    y = program(SparseTensor(coords, np.ones((3, 1), np.float32), stride=2))
    assert y.feats.ravel().tolist() == [2, 2, 1] and y.stride == (2, 2, 2) and np.array_equal(y.coords, coords)
    with pytest.raises(ValueError, match="row"):
        program(SparseTensor(coords + [0, 1, 0, 0], np.ones((3, 1), np.float32), stride=2))
