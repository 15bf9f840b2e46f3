"""Networks of other libraries become artifacts that give what the library gave, or are refused with the
reason. The recorded cases are real checkpoints; living modules are stand-ins made from their trees."""

import json
import re
import types

import numpy as np
import pytest
from conftest import DATA, by_coordinate, manifest, tensors

import lattice_runtime as lattice
from lattice_runtime.export import ImportRefused, describe_module, export_module, import_checkpoint
from lattice_runtime.export._import import find

CASES = manifest("imports")
by_name = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['library']}-{case['name']}")
IMPORTABLE = [case for case in CASES if case["target"]["importable"]]

# What both the manifest and a refusal must say.
REASONS = ("mean of channel 0 only", "permuted against their own coordinates", "starts from zero")


def recorded(case):
    """(state dict, tensors of the library's run, tensors of the target program)"""
    run = tensors(DATA / "imports" / case["file"])
    return {key: run[key] for key in case["state_dict"]}, run, tensors(DATA / "imports" / case["target_file"])


def imported(case, **options):
    return import_checkpoint(
        case["library"], case["model"], recorded(case)[0], input=case["input"], **options
    )


def sorted_rows(coords):
    return coords[np.lexsort(coords.T[::-1])]


def check_output(case, result, run, target):
    expected = run["output.features"]
    if case["output"]["kind"] == "dense":
        got = np.asarray(result)
    elif isinstance(result, lattice.SparseTensor):
        coords, got = by_coordinate(result.coords, result.feats)
        where, expected = by_coordinate(target["output.coords"], expected)
        assert np.array_equal(coords, where)
    else:  # one row for each batch, in the library's order
        assert not run["output.coords"][:, 1:].any()
        got = np.asarray(result)[run["output.coords"][:, 0]]
    np.testing.assert_allclose(got, expected, rtol=case["rtol"], atol=case["atol"])


@by_name
def test_gives_what_the_library_gave_or_says_why_not(case):
    _, run, target = recorded(case)
    try:
        model = imported(case)
    except ImportRefused as refusal:
        assert not case["target"]["importable"]
        assert any(each in refusal.reason and each in case["target"]["reason"] for each in REASONS)
        return
    arguments = model.inputs_for(run["input.coords"], run["input.features"])
    assert np.array_equal(sorted_rows(arguments["input_coords"]), sorted_rows(target["input.coords"]))
    check_output(case, model.load().run(arguments), run, target)


@pytest.mark.parametrize(
    "case",
    [each for each in CASES if each["target"]["needs_supports"]],
    ids=lambda c: f"{c['library']}-{c['name']}",
)
def test_rows_that_the_format_has_no_rule_for(case, tmp_path):
    _, run, target = recorded(case)
    model = imported(case)
    given = {key.replace(".", "_"): rows for key, rows in target.items() if key.startswith("support.")}
    computed = model.rows_of_supports(model.physical(run["input.coords"]))
    assert computed.keys() == {each.name for each in model.supports} <= given.keys()
    for name, rows in computed.items():
        assert np.array_equal(sorted_rows(rows), sorted_rows(given[name])), name
    model.write(tmp_path)
    arguments = model.inputs_for(run["input.coords"], run["input.features"], given)
    for name in computed:  # in the caller's order
        assert np.array_equal(arguments[f"{name}_coords"], given[name])
    check_output(case, lattice.load(tmp_path).run(arguments), run, target)


# -- living modules
class StandIn:
    """What of torch.nn.Module an export uses. A forward list is run as Python would run it."""

    def __init__(self, tree, state, path=""):
        self._children, self._state, self._path, self._steps = {}, state, path, tree.get("forward")
        for name, child in tree.get("children", {}).items():
            below = f"{path}.{name}" if path else name
            self._children[name] = stand_in(child, state, below)

    def named_children(self):
        return list(self._children.items())

    def state_dict(self):
        return self._state

    def __call__(self, *values):
        return self.forward(*values)

    def forward(self, x):
        if self._steps is None:
            for child in self._children.values():
                x = child(x)
            return x
        values = {"x": x}
        for step in self._steps:
            inputs = [values[name] for name in step["in"]]
            if "call" in step:
                result = self._children[step["call"]](*inputs)
            elif step["fn"] == "add":
                result = inputs[0].features + inputs[1].features
                result = inputs[0].replace_feature(result)
            else:
                result = cat(inputs, 1)
            values[step["out"]] = result
        return result


def cat(values, dim):
    """Stands in for torch.cat, which asks its values what to do."""
    return type(values[0]).__torch_function__(cat, (), (values, dim))


def stand_in(tree, state, path=""):
    package, _, name = tree["class"].rpartition(".")
    kind = type(name, (StandIn,), {"__module__": package or "network"})
    module = kind(tree, state, path)
    entry = find("plain", tree["class"])[1]
    if entry is not None:
        for argument, value in {
            **entry[0].defaults,
            **dict(zip(entry[0].names, tree["args"])),
            **tree["kwargs"],
        }.items():
            if argument == "kernel_generator" and value is not None:
                (numbers,) = value.values()
                value = generator(**numbers)
            setattr(module, argument, value)
    return module


def generator(kernel_size, stride, dilation, region_type, dimension):
    """A KernelGenerator has these attributes."""
    return types.SimpleNamespace(
        kernel_size=kernel_size,
        kernel_stride=[stride] * dimension,
        kernel_dilation=[dilation] * dimension,
        region_type=types.SimpleNamespace(name=region_type),
        dimension=dimension,
        expand_coordinates=False,
    )


@pytest.mark.parametrize("case", IMPORTABLE, ids=lambda case: f"{case['library']}-{case['name']}")
def test_a_living_module_gives_the_same_artifact(case):
    state, _, _ = recorded(case)
    described = imported(case)
    module = stand_in(case["model"], state)
    before = {name: vars(child).copy() for name, child in module.named_children()}
    exported = export_module(module, input=case["input"])
    assert exported.library == case["library"]
    # Only names differ: a nested module's step is named by its path.
    assert exported.graph == described.graph
    weights = described.weights
    assert exported.weights.keys() == weights.keys()
    assert all(np.array_equal(data, weights[key]) for key, data in exported.weights.items())
    library, tree, state = describe_module(module)
    again = import_checkpoint(library, json.loads(json.dumps(tree)), state, input=case["input"])
    assert again.graph == described.graph and again.weights.keys() == weights.keys()
    assert before == {name: vars(child) for name, child in module.named_children()}  # as it was


class Looks(StandIn):
    __module__ = "network"

    def forward(self, x):
        return self._children["act"](x) if x.shape[0] else x


def test_a_forward_that_looks_at_numbers_is_refused():
    tree = {"children": {"act": {"class": "torch.nn.ReLU", "args": [], "kwargs": {}}}}
    with pytest.raises(ImportRefused, match=r"\.shape"):
        export_module(Looks(tree, {}), input={"channels": 2})


# -- refusals
def network(*layers):
    """Layers one after another."""
    children = {
        str(i): {"class": kind, "args": list(args), "kwargs": kwargs}
        for i, (kind, args, kwargs) in enumerate(layers)
    }
    return {"class": "torch.nn.Sequential", "children": children}


def conv(cin, cout, *size):
    return np.ones((cout, *size, cin), np.float32)


@pytest.mark.parametrize(
    "library, kind, reason",
    [
        ("spconv", "spconv.pytorch.SparseGlobalAvgPool", "mean of channel 0 only"),
        ("spconv", "spconv.pytorch.SparseAvgPool3d", "CUDA only"),
        ("spconv", "spconv.pytorch.ToDense", "dense grid"),
        ("spconv", "spconv.pytorch.SubMConv2d", "three dimensions"),
        ("spconv", "torch.nn.GroupNorm", "all rows of a sample"),
        ("spconv", "torch.nn.PReLU", "slope"),
        ("MinkowskiEngine", "MinkowskiEngine.MinkowskiInstanceNorm", "all rows of a sample"),
        ("MinkowskiEngine", "MinkowskiEngine.MinkowskiBroadcastAddition", "spreads a row"),
        ("MinkowskiEngine", "MinkowskiEngine.MinkowskiInterpolation", "free positions"),
        ("MinkowskiEngine", "MinkowskiEngine.MinkowskiPruning", "mask"),
        ("torchsparse", "torchsparse.nn.GroupNorm", "all rows of a sample"),
        ("torchsparse", "torchsparse.nn.ToBEVReduction", "dense plane"),
        ("torch_lattice", "torch_lattice.nn.InstanceNorm", "all rows of a sample"),
        ("spconv", "torch.nn.Bilinear", "not a known class"),
        ("spconv", "somewhere.Else", "not a known class"),
    ],
)
def test_layers_refused_by_name(library, kind, reason):
    with pytest.raises(ImportRefused, match=reason) as refusal:
        import_checkpoint(library, network((kind, [], {})), {}, input={"channels": 4})
    assert kind.rpartition(".")[2] in str(refusal.value) and refusal.value.module == "0"
    assert isinstance(refusal.value, lattice.UnsupportedError)


spconv_down = ("spconv.pytorch.SparseConv3d", [2, 2, 3, 2, 1], {"bias": False, "indice_key": "d"})


@pytest.mark.parametrize(
    "library, layers, state, reason",
    [
        ("spconv", [("spconv.pytorch.SparseMaxPool3d", [3, 2, 1], {})], {}, "dilated support"),
        ("spconv", [("spconv.pytorch.SparseMaxPool3d", [3, 3], {})], {}, "not centred"),
        ("spconv", [("spconv.pytorch.SubMConv3d", [2, 2, 2], {})], {}, "even kernel"),
        ("spconv", [("spconv.pytorch.SubMConv3d", [2, 2, 3], {"groups": 2})], {}, "grouped"),
        ("spconv", [("spconv.pytorch.SparseInverseConv3d", [2, 2, 3, "d"], {})], {}, "no earlier layer"),
        (
            "spconv",
            [spconv_down, ("spconv.pytorch.SparseInverseConv3d", [2, 2, 2, "d"], {})],
            {"0.weight": conv(2, 2, 3, 3, 3)},
            "the layer it undoes has",
        ),
        ("spconv", [("spconv.pytorch.SparseConv3d", [2, 2, 2, 2], {})], {}, 'no tensor "0.weight"'),
        (
            "spconv",
            [("spconv.pytorch.SparseConv3d", [2, 2, 2, 2], {})],
            {"0.weight": conv(2, 2, 3, 2, 2)},
            "has the shape",
        ),
        (
            "spconv",
            [("spconv.pytorch.SubMConv3d", [3, 2, 3], {})],
            {"0.weight": conv(3, 2, 3, 3, 3)},
            "takes 3 channels, got 2",
        ),
        ("spconv", [("torch.nn.BatchNorm1d", [2], {"track_running_stats": False})], {}, "running statistics"),
        (
            "MinkowskiEngine",
            [("MinkowskiEngine.MinkowskiConvolutionTranspose", [2, 2], {"kernel_size": 2, "stride": 1})],
            {"0.kernel": np.ones((9, 2, 2), np.float32)},
            "has the shape",
        ),
        (
            "MinkowskiEngine",
            [
                (
                    "MinkowskiEngine.MinkowskiConvolution",
                    [2, 2],
                    {"kernel_size": 3, "expand_coordinates": True},
                )
            ],
            {},
            "dilated support",
        ),
        (
            "MinkowskiEngine",
            [("MinkowskiEngine.MinkowskiConvolution", [2, 2], {"kernel_size": 3, "dimension": 2})],
            {},
            "three dimensions",
        ),
        (
            "torchsparse",
            [("torchsparse.nn.Conv3d", [2, 2, 2], {"stride": 1, "transposed": True, "generative": True})],
            {},
            "contradict each other",
        ),
        (
            "torchsparse",
            [("torchsparse.nn.Conv3d", [2, 2, 3], {"transposed": True, "generative": True})],
            {},
            "spatial_range",
        ),
    ],
)
def test_what_the_format_cannot_say_is_refused(library, layers, state, reason):
    with pytest.raises(ImportRefused, match=reason):
        import_checkpoint(library, network(*layers), state, input={"channels": 2})


def test_the_number_of_batches_decides_for_minkowski_means():
    tree = network(("MinkowskiEngine.MinkowskiGlobalAvgPooling", [], {}))
    for batches in (1, 2):
        import_checkpoint("MinkowskiEngine", tree, {}, input={"channels": 2, "batches": batches})
    with pytest.raises(ImportRefused, match="permuted"):
        import_checkpoint("MinkowskiEngine", tree, {}, input={"channels": 2, "batches": 3})
    model = import_checkpoint("MinkowskiEngine", tree, {}, input={"channels": 2})
    assert any("permuted" in note for note in model.notes)


def test_a_support_whose_grid_is_unknown_must_be_given():
    rng = np.random.default_rng(4)
    state = {"0.weight": rng.normal(size=(2, 3, 3, 3, 2)).astype(np.float32)}
    model = import_checkpoint("spconv", network(spconv_down), state)
    coords, feats = np.array([[0, 3, 2, 1]], np.int32), np.ones((1, 2), np.float32)
    with pytest.raises(ImportRefused, match="spatial_shape"):
        model.inputs_for(coords, feats)
    target = np.array([[0, 0, 2, 2]], np.int32)
    result = model.load().run(model.inputs_for(coords, feats, {"support_1": target}))
    # in = out * 2 - 1 + index: (1, 2, 3) from (0, 1, 1) is the index (2, 1, 2); the weight counts z, y, x
    np.testing.assert_allclose(result.feats, [state["0.weight"][:, 2, 1, 2].sum(1)], rtol=1e-6)


# -- torch-lattice, by the formulas of its documentation
def gathered(rows, feats, weight, targets, S, P, D):
    """out[o] += x[o * S + index * D - P] @ weight[index], row by row."""
    at = {tuple(row): i for i, row in enumerate(rows.tolist())}
    out = np.zeros((len(targets), weight.shape[-1]))
    for o, (batch, *place) in enumerate(targets.tolist()):
        for index in np.ndindex(*weight.shape[:3]):
            found = at.get((batch, *(o * S + i * D - P for o, i in zip(place, index))))
            if found is not None:
                out[o] += feats[found] @ weight[index]
    return out


@pytest.mark.parametrize(
    "K, S, P, D", [(3, 2, 1, 1), (3, 2, 0, 1), (2, 2, 0, 1), (3, 1, 1, 1), (3, 1, 2, 2), (4, 2, 1, 1)]
)
def test_torch_lattice_down_and_up(K, S, P, D):
    rng = np.random.default_rng(5)
    rows = np.unique(rng.integers(0, 6, size=(60, 3)), axis=0)
    rows = np.concatenate([np.zeros((len(rows), 1), int), rows], 1)
    feats = rng.normal(size=(len(rows), 2)).astype(np.float32)
    shape = (7, 6, 6)
    down, up = (
        rng.normal(size=(K**3, 2, 3)).astype(np.float32),
        rng.normal(size=(K**3, 3, 2)).astype(np.float32),
    )
    positions = np.array(list(np.ndindex(K, K, K)), np.int32)
    sizes = {"kernel_size": K, "stride": S, "padding": P, "dilation": D}
    tree = network(
        ("torch_lattice.nn.Conv3d", [2, 3], sizes), ("torch_lattice.nn.ConvTranspose3d", [3, 2], sizes)
    )
    state = {
        "0.weight": down,
        "1.weight": up,
        "0.kernel_positions": positions,
        "1.kernel_positions": positions,
    }
    model = import_checkpoint("torch_lattice", tree, state, input={"spatial_shape": shape})
    result = model.load().run(model.inputs_for(rows, feats))

    reached = set()
    for batch, *place in rows.tolist():
        for index in np.ndindex(K, K, K):
            steps = [p + P - i * D for p, i in zip(place, index)]
            if all(
                s % S == 0 and 0 <= s // S < (n + 2 * P - D * (K - 1) - 1) // S + 1
                for s, n in zip(steps, shape)
            ):
                reached.add((batch, *(s // S for s in steps)))
    coarse = np.array(sorted(reached))
    middle = gathered(rows, feats, down.reshape(K, K, K, 2, 3), coarse, S, P, D)
    # Back: the same pairs the other way.
    at = {tuple(row): i for i, row in enumerate(coarse.tolist())}
    expected = np.zeros((len(rows), 2))
    for i, (batch, *place) in enumerate(rows.tolist()):
        for index in np.ndindex(K, K, K):
            steps = [p + P - n * D for p, n in zip(place, index)]
            if not any(s % S for s in steps):
                found = at.get((batch, *(s // S for s in steps)))
                if found is not None:
                    expected[i] += middle[found] @ up.reshape(K, K, K, 3, 2)[index]
    coords, got = by_coordinate(result.coords, result.feats)
    where, expected = by_coordinate(rows, expected)
    assert np.array_equal(coords, where)
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)


def test_torch_lattice_kernel_order_is_checked():
    tree = network(("torch_lattice.nn.SubmConv3d", [1, 1], {}))
    positions = np.array(list(np.ndindex(3, 3, 3)), np.int32)[:, ::-1]
    state = {"0.weight": np.ones((27, 1, 1), np.float32), "0.kernel_positions": positions}
    with pytest.raises(ImportRefused, match="z fastest"):
        import_checkpoint("torch_lattice", tree, state)


# -- storage
@pytest.mark.parametrize("storage, close", [({"dtype": "f16"}, 2e-2), ({"bits": 8, "group_size": 32}, 5e-2)])
def test_smaller_weights(storage, close):
    case = next(case for case in CASES if case["name"] == "residual_block" and case["library"] == "spconv")
    _, run, target = recorded(case)
    model = imported(case, storage=storage)
    result = model.load().run(model.inputs_for(run["input.coords"], run["input.features"]))
    coords, got = by_coordinate(result.coords, result.feats)
    where, expected = by_coordinate(target["output.coords"], run["output.features"])
    assert np.array_equal(coords, where)
    assert 0 < np.abs(got - expected).max() < close * np.abs(expected).max()


def test_the_description_is_plain_data():
    case = next(case for case in CASES if case["name"] == "conv_k3_s2_p1" and case["library"] == "spconv")
    (support,) = imported(case).supports
    assert (support.name, support.kind, support.stride, support.module) == (
        "support_1",
        "support",
        (2, 2, 2),
        "conv",
    )
    rule = json.loads(json.dumps(support.rule))
    assert (
        rule["kind"] == "dilated" and rule["shape"] == case["target"]["program"][0]["support_rule"]["shape"]
    )
    assert re.search(r"lattice\.target_conv3d", imported(case).graph)


# -- a network in plain PyTorch
def test_plain_layers_in_pytorch():
    torch = pytest.importorskip("torch")
    import pathlib
    import sys

    sys.path.insert(0, str(pathlib.Path(__file__).parent.parent.parent / "examples" / "aerial_ground"))
    try:
        from model import GroundNet
        from sparse import Sparse, Support
    finally:
        sys.path.pop(0)
    torch.manual_seed(1)
    net = GroundNet(widths=(4, 5, 6), levels=2).eval()
    rng = np.random.default_rng(6)
    coords = np.unique(rng.integers(0, 24, size=(500, 3)), axis=0)
    coords = np.concatenate([np.zeros((len(coords), 1), int), coords], 1)
    feats = coords[:, 3:].astype(np.float32)
    with torch.no_grad():
        expected = net(Sparse(Support(torch.tensor(coords)), torch.tensor(feats))).features.numpy()
    model = export_module(net, input={"channels": 1})
    assert model.library == "plain" and not model.supports
    result = model.load().run(model.inputs_for(coords, feats))
    assert np.array_equal(result.coords, coords)
    np.testing.assert_allclose(result.feats, expected, rtol=1e-4, atol=1e-4)
