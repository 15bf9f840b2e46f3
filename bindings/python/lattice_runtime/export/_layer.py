"""One layer of a network as its library names it: class, arguments, path and tensors. The same for a
description (class, args, kwargs) and a living module (attributes). What a layer means is not here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from .._arrays import to_numpy
from ._errors import ImportRefused
from ._supports import Triple

_missing = object()


class Signature:
    """The arguments of a class in the order of its constructor, with their defaults."""

    def __init__(self, names: str, **defaults: Any) -> None:
        self.names = names.split()
        self.defaults = defaults


class Layer:
    """kind: the class's own name. Tensors are read by their names below the layer's path."""

    def __init__(
        self,
        kind: str,
        path: str,
        state: Mapping[str, Any],
        *,
        args: Sequence[Any] = (),
        kwargs: Optional[Mapping[str, Any]] = None,
        module: Any = None,
    ) -> None:
        self.kind, self.path, self.state = kind, path, state
        self.args, self.kwargs, self.module = list(args), dict(kwargs or {}), module
        self.signature = Signature("")

    def bind(self, signature: Signature) -> None:
        """Names the positional arguments."""
        if len(self.args) > len(signature.names):
            raise self.refused(f"{self.kind} got {len(self.args)} arguments, expected {signature.names}")
        self.signature = signature
        for name, value in zip(signature.names, self.args):
            if name in self.kwargs:
                raise self.refused(f"{self.kind} got the argument {name} twice")
            self.kwargs[name] = value
        self.args = []

    def get(self, name: str, default: Any = _missing) -> Any:
        """An argument: as given, or the module's attribute, or the constructor's default."""
        if name in self.kwargs:
            return self.kwargs[name]
        # MinkowskiEngine keeps the torch module that does the work in one of these attributes.
        for part in ("", "module", "bn", "linear"):
            source = getattr(self.module, part, None) if part else self.module
            found = getattr(source, name, _missing) if source is not None else _missing
            if found is not _missing:
                return found
        if name in self.signature.defaults:
            return self.signature.defaults[name]
        if default is not _missing:
            return default
        raise self.refused(f"{self.kind} needs the argument {name}")

    def triple(self, name: str, default: Any = _missing) -> Triple:
        return as_triple(self, name, self.get(name, default))

    def number(self, name: str) -> float:
        value = self.get(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.refused(f"{name} is {value!r}, expected a number")
        return float(value)

    def expect(self, name: str, *accepted: Any, why: str = "") -> None:
        """The argument, if there is one, has one of these values."""
        found = self.get(name, accepted[0])
        values = list(found) if isinstance(found, (list, tuple)) else [found]
        if any(each not in accepted for each in values):
            reason = why or "the format has no such operation"
            raise self.refused(f"{self.kind} with {name}={found!r}: {reason}")

    def key(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def has(self, name: str) -> bool:
        return self.state.get(self.key(name)) is not None

    def tensor(self, name: str, *shape: int) -> np.ndarray:
        """A tensor of the state dict, as float32; -1 in the shape: any size."""
        key = self.key(name)
        if not self.has(name):
            raise self.refused(f'the state dict has no tensor "{key}"')
        array = to_numpy(self.state[key])
        if shape and (array.ndim != len(shape) or any(w not in (-1, n) for w, n in zip(shape, array.shape))):
            raise self.refused(f'"{key}" has the shape {array.shape}, expected {shape}')
        if array.dtype.kind != "f":
            raise self.refused(f'"{key}" is of {array.dtype}, expected floating point')
        return np.asarray(array, np.float32)

    def bias(self, channels: int) -> Optional[np.ndarray]:
        if not self.has("bias"):
            if self.kwargs.get("bias", False):
                raise self.refused(f'the state dict has no tensor "{self.key("bias")}"')
            return None
        data = self.tensor("bias").reshape(-1)
        if data.size != channels:
            raise self.refused(f'"{self.key("bias")}" has {data.size} numbers, expected {channels}')
        return data

    def refused(self, reason: str) -> ImportRefused:
        return ImportRefused(self.path, reason)


def as_triple(layer: Layer, name: str, value: Any) -> Triple:
    """One number for all axes, or three."""
    if not isinstance(value, (str, bytes)) and hasattr(value, "__len__") and hasattr(value, "__iter__"):
        values = [int(each) for each in value]
        if len(values) == 1:
            values *= 3
    elif isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        values = [int(value)] * 3
    else:
        values = []
    if len(values) != 3:
        raise layer.refused(f"{layer.kind}: {name} is {value!r}, expected one number or three")
    return (values[0], values[1], values[2])
