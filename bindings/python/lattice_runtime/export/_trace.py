"""A living PyTorch module as a description: its forward is run once on stand-in values that only take down
which layer is called on what. Neither torch nor a sparse library is imported."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Optional

from ._errors import ImportRefused
from ._import import CONTAINERS, LIBRARIES, find
from ._layer import Layer

# Functions of torch that are a layer without arguments.
FUNCTIONS = {"relu": "ReLU", "sigmoid": "Sigmoid", "tanh": "Tanh"}


class Traced:
    """A value that is not there: a sparse tensor or its features, both are the same step."""

    def __init__(self, tape: "Tape", name: str) -> None:
        self._tape, self._name = tape, name

    # What the libraries call the feature matrix.
    @property
    def features(self) -> "Traced":
        return self

    F = feats = features

    def replace_feature(self, features: "Traced") -> "Traced":
        return self._tape.value(features)

    replace = replace_feature

    def __add__(self, other: Any) -> "Traced":
        return self._tape.function("add", [self, other])

    __iadd__ = __radd__ = __add__

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        name = getattr(function, "__name__", str(function))
        if name in ("cat", "concat", "concatenate"):
            values = list(args[0] if args else kwargs.pop("tensors"))
            dim = args[1] if len(args) > 1 else kwargs.pop("dim", 0)
            if dim not in (1, -1):
                raise ImportRefused("", f"torch.cat over dim={dim}: only channels (1) can be joined")
            return values[0]._tape.function("cat", values)
        if name.rstrip("_") in FUNCTIONS and len(args) == 1:
            return args[0]._tape.layer(f"torch.nn.{FUNCTIONS[name.rstrip('_')]}", args[0])
        if (
            name in ("add", "__add__", "__iadd__", "add_")
            and set(kwargs) <= {"alpha"}
            and kwargs.get("alpha", 1) == 1
        ):
            first = next(each for each in args if isinstance(each, Traced))
            return first._tape.function("add", list(args))
        raise ImportRefused(
            "", f"the forward of the network calls torch.{name}: only layers, add and cat can be followed"
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ImportRefused(
            "",
            f"the forward of the network uses .{name} of a value: only layers, add and cat can be followed",
        )


class Tape:
    def __init__(self) -> None:
        self.steps: list[dict[str, Any]] = []
        self.children: dict[str, dict[str, Any]] = {}

    def value(self, found: Any) -> Traced:
        if not isinstance(found, Traced) or found._tape is not self:
            raise ImportRefused(
                "", f"found a {type(found).__name__} in the forward of the network, expected a value of it"
            )
        return found

    def step(self, inputs: list[Any], **what: str) -> Traced:
        name = f"v{len(self.steps) + 1}"
        self.steps.append({"out": name, **what, "in": [self.value(each)._name for each in inputs]})
        return Traced(self, name)

    def function(self, name: str, values: list[Any]) -> Traced:
        return self.step(values, fn=name)

    def layer(self, kind: str, value: Any) -> Traced:
        """A layer that is not a module of the network."""
        name = f"step {len(self.steps) + 1}"
        self.children[name] = {"class": kind}
        return self.step([value], call=name)


def class_name(module: Any) -> str:
    kind = type(module)
    return f"{kind.__module__}.{kind.__qualname__.rpartition('.')[2]}"


def is_leaf(library: str, module: Any) -> bool:
    """A layer that is imported, or refused, as a whole."""
    name = class_name(module)
    root, kind = name.partition(".")[0], name.rpartition(".")[2]
    if kind in CONTAINERS:
        return False
    has_children = any(True for _ in module.named_children())
    # A block of the caller's own may have the name of a layer of the library, but is made of layers.
    if has_children and root not in ("torch", *LIBRARIES) and library not in ("plain", "MinkowskiEngine"):
        return False
    _, entry, reason = find(library, name)
    if entry is not None or reason is not None:
        return True
    return (root == "torch" or root in LIBRARIES) and not has_children


def walk(module: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    yield path, module
    for name, child in module.named_children():
        yield from walk(child, f"{path}.{name}" if path else name)


@contextmanager
def recorded(library: str, module: Any, tape: Tape) -> Iterator[None]:
    """While this lasts, layers write themselves down instead of computing."""
    undo: list[tuple[dict[str, Any], str, Any]] = []
    seen: set[int] = set()

    def replace(space: dict[str, Any], name: str, value: Any) -> None:
        undo.append((space, name, space.get(name, undo)))
        space[name] = value

    def visit(path: str, current: Any) -> None:
        if id(current) in seen:
            return
        seen.add(id(current))
        if is_leaf(library, current):
            name = path or "module"
            tape.children[name] = {"class": class_name(current), "module": current}
            if not path:
                tape.children[name]["path"] = ""
            replace(vars(current), "forward", lambda *values: tape.step(list(values), call=name))
            return
        for name, child in current.named_children():
            visit(f"{path}.{name}" if path else name, child)

    def join(name: str) -> Any:
        def function(*values: Any, **_: Any) -> Traced:
            parts = (
                list(values[0]) if len(values) == 1 and isinstance(values[0], (list, tuple)) else list(values)
            )
            return tape.function(name, parts)

        return function

    visit("", module)
    for package in ("MinkowskiEngine", "torchsparse", "torch_lattice"):
        loaded = sys.modules.get(package)
        original = getattr(loaded, "cat", None)
        if original is None:
            continue
        replace(vars(loaded), "cat", join("cat"))
        for _, current in walk(module):  # where it was imported by name
            space = getattr(type(current).forward, "__globals__", {})
            for name in [name for name, value in space.items() if value is original]:
                replace(space, name, join("cat"))
    # `SparseSequential` asks what its values are; its children simply run in order.
    for _, current in walk(module):
        if type(current).__name__ == "SparseSequential":
            replace(vars(current), "forward", in_order(current))
    try:
        yield
    finally:
        for space, name, value in reversed(undo):
            if value is undo:
                del space[name]
            else:
                space[name] = value


def in_order(module: Any) -> Any:
    def forward(value: Any) -> Any:
        for _, child in module.named_children():
            value = child(value)
        return value

    return forward


def describe(library: str, module: Any) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """(description, state dict) of a module with one sparse input and one result."""
    tape = Tape()
    with recorded(library, module, tape):
        result: Optional[Any] = module(Traced(tape, "x"))
    if isinstance(result, (tuple, list)):
        raise ImportRefused("", f"the network gives {len(result)} results, expected one")
    last = tape.value(result)._name
    if not tape.steps:
        raise ImportRefused("", "the network gives its input back")
    while tape.steps and tape.steps[-1]["out"] != last:  # steps after it lead nowhere
        tape.steps.pop()
    tree = {"class": "container", "children": tape.children, "forward": tape.steps}
    return tree, module.state_dict()


def generator_as_data(generator: Any) -> dict[str, Any]:
    """The arguments of a KernelGenerator."""
    result = {}
    for name in ("kernel_size", "stride", "dilation", "region_type", "dimension", "expand_coordinates"):
        value = getattr(generator, f"kernel_{name}", getattr(generator, name, None))
        if name == "region_type":
            value = str(getattr(value, "name", value)).rpartition(".")[2]
        if value is not None:
            result[name] = list(value) if hasattr(value, "__iter__") and not isinstance(value, str) else value
    return result


def as_data(library: str, tree: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
    """A description without living modules, that JSON can hold."""
    plain = {key: value for key, value in tree.items() if key not in ("module", "children")}
    if tree.get("children"):
        plain["children"] = {name: as_data(library, child, state) for name, child in tree["children"].items()}
    if tree.get("module") is None:
        return plain
    kind, entry, _ = find(library, str(tree["class"]))
    if entry is None:
        return plain
    layer = Layer(kind, "", state, module=tree["module"])
    layer.bind(entry[0])
    plain["kwargs"] = {}
    for name in entry[0].names:
        value = layer.get(name, None)
        if isinstance(value, (list, tuple)) and all(isinstance(each, int) for each in value):
            value = list(value)
        if name == "kernel_generator" and value is not None and not isinstance(value, Mapping):
            value = {"MinkowskiEngine.KernelGenerator": generator_as_data(value)}
        elif not isinstance(value, (int, float, str, list, Mapping)):
            continue  # weights, and what has no meaning here
        plain["kwargs"][name] = value
    return plain
