"""From the description of a network and its state dict to a graph. Which class is whose, in which order
children run; what a class means is in the file of its library."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Optional

from . import _minkowski, _plain, _spconv, _torch_lattice, _torch_layers, _torchsparse
from ._errors import ImportRefused
from ._layer import Layer, as_triple
from ._network import Flow, Network
from ._supports import Triple

# The package of a class, as it is imported, to the file that knows it.
LIBRARIES: dict[str, Any] = {
    "spconv": _spconv,
    "MinkowskiEngine": _minkowski,
    "torchsparse": _torchsparse,
    "torch_lattice": _torch_lattice,
    "plain": _plain,
}
CANONICAL = {"torch-lattice": "torch_lattice", "TorchSparse": "torchsparse", "minkowski": "MinkowskiEngine"}

CONTAINERS = ("container", "Sequential", "SparseSequential", "ModuleList", "ModuleDict", "Module")

# Their further parameters are not values.
one_value = (_torch_layers.batch_norm, _torch_layers.linear)

Tree = Mapping[str, Any]


def library_named(name: str) -> str:
    name = CANONICAL.get(name, name)
    if name not in LIBRARIES:
        raise ValueError(f"library {name!r}, expected one of {', '.join(LIBRARIES)}")
    return name


def find(library: str, class_name: str) -> tuple[str, Any, Optional[str]]:
    """(own name of the class, its entry or None, why it is refused or None)."""
    package, _, kind = class_name.rpartition(".")
    root = package.partition(".")[0]
    if root == "torch":
        module = _torch_layers
    else:
        module = LIBRARIES[CANONICAL.get(root, root) if CANONICAL.get(root, root) in LIBRARIES else library]
    entry = module.layers.get(kind)
    if entry is None and module not in (_torch_layers, _torch_lattice) and root not in LIBRARIES:
        entry = _torch_layers.layers.get(kind)
    return kind, entry, module.refused.get(kind)


class Importer:
    def __init__(self, library: str, state: Mapping[str, Any], network: Network) -> None:
        self.library, self.state, self.network = library, state, network

    def run(self, tree: Tree, path: str, inputs: list[Flow]) -> Flow:
        """The value a module gives for these."""
        kind = str(tree["class"]).rpartition(".")[2]
        children = tree.get("children") or {}
        if tree.get("forward") is not None:
            return self.steps(tree, path, inputs)
        if kind in CONTAINERS and kind not in ("ModuleList", "ModuleDict"):
            if len(inputs) != 1:
                raise ImportRefused(path, f"{kind} takes one value, got {len(inputs)}")
            if kind in ("container", "Module"):
                raise ImportRefused(
                    path, f"{kind} without a forward list: in which order its children run is not said"
                )
            for name, child in children.items():
                inputs = [self.run(child, joined(path, name), inputs)]
            return inputs[0]
        return self.layer(tree, path, inputs)

    def steps(self, tree: Tree, path: str, inputs: list[Flow]) -> Flow:
        names = tree.get("inputs") or ["x", *(f"x{i}" for i in range(1, len(inputs)))]
        values = dict(zip(names, inputs))
        result = inputs[0]
        for step in tree["forward"]:
            try:
                arguments = [values[name] for name in step["in"]]
            except KeyError as error:
                raise ImportRefused(
                    path, f"step {step.get('out')!r} uses {error}, which no earlier step made"
                ) from None
            if "call" in step:
                child, below = self.child(tree, path, str(step["call"]))
                result = self.run(child, below, arguments)
            else:
                result = self.function(str(step.get("fn")), arguments, joined(path, str(step["out"])))
            values[step["out"]] = result
        return result

    def child(self, tree: Tree, path: str, name: str) -> tuple[Tree, str]:
        """A child by name, which may be dotted."""
        children = tree.get("children") or {}
        if name in children:
            return children[name], children[name].get("path", joined(path, name))
        head, _, rest = name.partition(".")
        if rest and head in children:
            return self.child(children[head], joined(path, head), rest)
        raise ImportRefused(path, f"calls {name!r}, there are: {', '.join(children)}")

    def function(self, name: str, arguments: list[Flow], where: str) -> Flow:
        if name not in ("add", "cat") or not arguments:
            raise ImportRefused(where, f"the function {name!r}: add and cat are known")
        union = self.library == "MinkowskiEngine"
        result = arguments[0]
        for other in arguments[1:]:
            self.network.step += 1
            result = self.network.join(name, result, other, union, where)
        return result

    def layer(self, tree: Tree, path: str, inputs: list[Flow]) -> Flow:
        kind, entry, reason = find(self.library, str(tree["class"]))
        if entry is None:
            if reason is None:
                reason = f"is not a known class of {self.library} or torch.nn, and what it computes cannot be guessed"
            raise ImportRefused(path, f"{kind} {reason}")
        signature, handler = entry
        layer = Layer(
            kind, path, self.state, args=tree.get("args") or (), kwargs=tree.get("kwargs"),
            module=tree.get("module"),
        )  # fmt: skip
        layer.bind(signature)
        try:
            inspect.signature(handler).bind(self.network, layer, *inputs)
        except TypeError:
            fits = False
        else:
            fits = handler not in one_value or len(inputs) == 1
        if not fits:
            raise layer.refused(
                f"{kind} on {len(inputs)} values: layers with given target rows are known of torch_lattice and plain"
            )
        if handler is not _torch_layers.unchanged:
            self.network.step += 1
        result: Flow = handler(self.network, layer, *inputs)
        return result


def joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def leaves(tree: Tree) -> list[Tree]:
    children = list((tree.get("children") or {}).values())
    return [leaf for child in children for leaf in leaves(child)] if children else [tree]


def input_channels(library: str, tree: Tree, state: Mapping[str, Any]) -> Optional[int]:
    """Of the first layer that is called, as far as its arguments say."""
    if tree.get("forward"):
        for step in tree["forward"]:
            if "call" in step and "x" in step["in"]:
                name, child = str(step["call"]), tree
                while name and name not in (child.get("children") or {}):
                    head, _, name = name.partition(".")
                    child = (child.get("children") or {}).get(head, {})
                found = (child.get("children") or {}).get(name)
                return input_channels(library, found, state) if found else None
        return None
    children = tree.get("children") or {}
    if children:
        return input_channels(library, next(iter(children.values())), state)
    kind, entry, _ = find(library, str(tree["class"]))
    if entry is None:
        return None
    layer = Layer(
        kind, "", state, args=tree.get("args") or (), kwargs=tree.get("kwargs"), module=tree.get("module")
    )
    layer.bind(entry[0])
    for name in ("in_channels", "num_features", "in_features"):
        found = layer.get(name, None)
        if isinstance(found, int):
            return found
    return None


def described_shape(library: str, described: Mapping[str, Any]) -> Optional[Triple]:
    """Size of the library's grid in the order x, y, z."""
    name = "spatial_range" if library == "torchsparse" else "spatial_shape"
    found = described.get(name)
    if found is None:
        return None
    values = [int(each) for each in found][-3:]
    if library == "spconv":
        values.reverse()
    return (values[0], values[1], values[2])


def described_stride(library: str, described: Mapping[str, Any]) -> Triple:
    found = described.get("stride", described.get("tensor_stride", 1))
    stride = as_triple(Layer("input", "", {}), "stride", found)
    return (stride[2], stride[1], stride[0]) if library == "spconv" else stride


def is_generative(tree: Tree) -> bool:
    """Whether a network of TorchSparse makes new rows, which decides how it looks up all of them."""
    return any(
        (leaf.get("kwargs") or {}).get("generative") or getattr(leaf.get("module"), "generative", False)
        for leaf in leaves(tree)
    )
