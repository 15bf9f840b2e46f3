"""`lattice diff`: what counts as a difference, and the exit codes scripts rely on."""

import json
import math
import shutil

import pytest
from test_cli import json_of, lattice, net, read_safetensors, write_pointwise, write_safetensors  # noqa: F401


@pytest.fixture
def other(net, tmp_path):
    """A copy of `net` to change."""
    return shutil.copytree(net, tmp_path / "other")


def edit(directory, old, new):
    graph = directory / "graph.mlir"
    text = graph.read_text()
    assert old in text
    graph.write_text(text.replace(old, new))


def test_an_artifact_equals_its_copy(net, other):
    code, out, err = lattice("diff", net, other)
    assert (code, err) == (0, "") and out.startswith("equal: ")
    code, object = json_of("diff", net, other)
    assert code == 0 and object["ok"] and object["equal"] and object["graph"] == [] and object["weights"] == []


def test_names_of_values_and_symbols_do_not_count(net, other):
    edit(other, "%x", "%renamed")
    edit(other, "@w", "@another")
    assert lattice("diff", net, other)[0] == 0


def test_a_changed_attribute_is_named_with_both_values(net, other):
    edit(other, "kernel_size = array<i64: 1, 1, 1>, dilation = array<i64: 1, 1, 1>", "kernel_size = array<i64: 1, 1, 1>, dilation = array<i64: 1, 2, 1>")
    code, object = json_of("diff", net, other)
    assert code == 2 and not object["ok"] and object["weights"] == []
    (difference,) = object["graph"]
    assert (difference["kind"], difference["operation"], difference["parameter"]) == ("changed", "subm_conv3d", "w")
    (change,) = difference["changes"]
    assert change["what"] == "dilation" and change["a"] != change["b"]
    code, out, err = lattice("diff", net, other)
    assert (code, err) == (2, "") and "~ subm_conv3d w" in out and "dilation" in out


RELU = """    %d:3 = lattice.sparse.decompose %y : {sparse} -> (tensor<?x4xi32>, tensor<?x3xf32>, tensor<1xi32>)
    %r = lattice.activation %d#1 {{kind = #lattice.activation<relu>, approximate = #lattice.gelu_approx<none>, alpha = 0.0 : f32, beta = 1.0 : f32, threshold = 20.0 : f32}} : (tensor<?x3xf32>) -> tensor<?x3xf32>
    %z = lattice.sparse.with_features %y, %r : ({sparse}, tensor<?x3xf32>) -> {sparse}
    return %z"""


def test_added_operations_and_what_now_reads_them(net, other):
    from test_cli import SPARSE

    edit(other, "    return %y", RELU.format(sparse=SPARSE))
    assert lattice("verify", other)[0] == 0
    code, object = json_of("diff", net, other)
    added = [each["operation"] for each in object["graph"] if each["kind"] == "added"]
    assert code == 2 and added == ["sparse.decompose", "activation", "sparse.with_features"]
    (whole,) = [each for each in object["graph"] if each["kind"] == "changed"]
    assert [change["what"] for change in whole["changes"]] == ["returned value 1"]
    # The other way round the same operations are gone.
    _, object = json_of("diff", other, net)
    assert [each["operation"] for each in object["graph"] if each["kind"] == "removed"] == added


def test_a_value_is_measured(net, other):
    weights = read_safetensors(net / "weights.safetensors")
    dtype, shape, values = weights["w"]
    write_safetensors(other / "weights.safetensors", {"w": (dtype, shape, [1.5, *values[1:5], 0.75])})
    code, object = json_of("diff", net, other)
    (difference,) = object["weights"]
    assert code == 2 and object["graph"] == [] and difference["kind"] == "values"
    assert (difference["elements"], difference["differ"], difference["max_absolute"]) == (6, 2, 0.5)
    assert math.isclose(difference["max_relative"], 0.5 / 1.5)
    code, out, _ = lattice("diff", net, other)
    assert code == 2 and "2/6" in out and "0.333" in out


def test_a_nan_is_infinitely_far_from_a_number_and_the_sign_of_zero_counts_as_a_bit(net, other):
    dtype, shape, values = read_safetensors(net / "weights.safetensors")["w"]
    write_safetensors(other / "weights.safetensors", {"w": (dtype, shape, [math.nan, *values[1:]])})
    (difference,) = json_of("diff", net, other)[1]["weights"]
    assert difference["max_absolute"] == "inf"
    assert values[1] == 0
    write_safetensors(other / "weights.safetensors", {"w": (dtype, shape, [values[0], -0.0, *values[2:]])})
    (difference,) = json_of("diff", net, other)[1]["weights"]
    assert (difference["differ"], difference["max_absolute"]) == (1, 0)


def test_keys_and_shapes(net, other):
    weights = read_safetensors(net / "weights.safetensors")
    dtype, shape, values = weights["w"]
    write_safetensors(net / "weights.safetensors", {**weights, "old": ("F32", [1], [0])})
    write_safetensors(other / "weights.safetensors", {"w": (dtype, [6], values), "new": ("I32", [2], [0, 1])})
    # Each file is read for itself: that `other` is no valid artifact any more is no obstacle.
    assert lattice("verify", other)[0] == 1
    code, object = json_of("diff", net, other)
    assert code == 2 and [(each["kind"], each["key"]) for each in object["weights"]] == [("type", "w"), ("removed", "old"), ("added", "new")]
    code, out, _ = lattice("diff", net, other)
    assert "~ w: (3, 1, 1, 1, 2) of f32 -> (6,) of f32" in out and "- old" in out and "+ new" in out


def test_other_arguments_are_a_difference_of_the_graph(net, tmp_path):
    wider = write_pointwise(tmp_path / "wider", [1] * 9, 3, 3)
    code, object = json_of("diff", net, wider)
    whole = object["graph"][0]
    assert code == 2 and whole["operation"] == "graph" and whole["changes"][0]["what"] == "argument 2"


def test_what_cannot_be_read_exits_1_and_says_which(net, other, tmp_path):
    code, out, err = lattice("diff", net, tmp_path / "nothing")
    assert (code, out) == (1, "") and "nothing" in err
    (other / "graph.mlir").write_text("module {")
    code, out, err = lattice("diff", net, other)
    assert (code, out) == (1, "") and str(other / "graph.mlir") in err
    code, object = json_of("diff", net, other)
    assert code == 1 and object["error"]["code"] == "artifact"
    assert lattice("diff", net)[0] == 64


def test_made_networks_differ_by_seed_in_weights_alone(tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    for directory, seed in ((first, 1), (second, 2)):
        assert lattice("make", "Tiny", "--out", directory, "--seed", seed)[0] == 0
    code, out, err = lattice("diff", first, second)
    assert (code, err) == (2, "") and "graph" not in out and "weights: " in out
    assert all(len(line) <= 80 for line in out.splitlines())
    assert json.loads(lattice("diff", first, second, "--json")[1])["graph"] == []


def test_a_link_out_of_the_directory_is_not_followed(net, other, tmp_path):
    weights = other / "weights.safetensors"
    weights.rename(tmp_path / "elsewhere")
    weights.symlink_to(tmp_path / "elsewhere")
    code, out, err = lattice("diff", net, other)
    assert (code, out) == (1, "") and "link" in err
