"""The graph that is being made from a network, with the rows each value stands on. Says in the format's
operations what the libraries' layers mean; what a library means by its arguments is in its own file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from ..builder import GraphBuilder, Value
from ._errors import ImportRefused
from ._layer import Layer
from ._supports import Support, Triple, axes, size_after

ones: Triple = (1, 1, 1)
zeros: Triple = (0, 0, 0)


@dataclass
class Flow:
    """A value on its way: support is None for a dense one, positive if no element is below zero."""

    value: Value
    support: Optional[Support]
    positive: bool = False


@dataclass
class Wanted:
    """A support that the graph takes as an input."""

    name: str
    support: Support


@dataclass
class Map:
    """What a strided layer did, for the layer that goes back."""

    source: Support
    result: Support
    K: Triple
    S: Triple
    P: Triple
    D: Triple

    @property
    def geometry(self) -> tuple[Triple, ...]:
        return (self.K, self.S, self.P, self.D)


class Network:
    """Holds the builder, the input as the caller describes it, and what libraries keep between layers."""

    def __init__(
        self,
        described: Mapping[str, Any],
        channels: int,
        stride: Triple,
        shape: Optional[Triple],
        storage: Optional[Mapping[str, Any]] = None,
    ) -> None:
        self.described = described
        self.storage = dict(storage or {})  # how convolutions and linear layers are stored
        self.builder = GraphBuilder()
        self.wanted: list[Wanted] = []
        self.notes: list[str] = []
        self.step = 0  # the layer being made, counted from 1
        self.maps: dict[Any, Map] = {}
        self.known: dict[Any, Support] = {}
        self.weights: dict[str, Value] = {}
        self.supports: dict[tuple[Any, ...], Support] = {}
        self.generative = False
        value = self.builder.sparse_input("input", channels, self.dtype, stride)
        self.input = Flow(value, Support("input", stride, shape=shape, value=value))

    @property
    def dtype(self) -> str:
        return str(self.storage.get("dtype", "f32"))

    @property
    def batch_size(self) -> int:
        return int(self.described.get("batch_size") or -1)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    # -- weights
    def weight(self, layer: Layer, name: str, family: str, data: np.ndarray) -> Value:
        key = layer.key(name)
        if key not in self.weights:
            storage = self.storage if family in ("conv3d", "linear") else {}
            self.weights[key] = self.builder.weight(key, family, data, **storage)
        return self.weights[key]

    def bias(self, layer: Layer, channels: int) -> Optional[Value]:
        data = layer.bias(channels)
        return None if data is None else self.weight(layer, "bias", "bias", data)

    def kernel(self, layer: Layer, name: str, data: np.ndarray, x: Flow) -> tuple[Value, Optional[Value]]:
        """A weight (Cout, Kx, Ky, Kz, Cin) and its bias."""
        if data.shape[-1] != x.value.channels:
            raise layer.refused(f"takes {data.shape[-1]} channels, got {x.value.channels}")
        return self.weight(layer, name, "conv3d", data), self.bias(layer, data.shape[0])

    # -- supports
    def derived(self, layer: Layer, kind: str, parent: Support, stride: Triple, **rule: Any) -> Support:
        """The support of this rule: the same one for the same rule."""
        key = (kind, id(parent), stride, *sorted(rule.items()))
        if key not in self.supports:
            self.supports[key] = Support(kind, stride, (parent,), module=layer.path, **rule)
        return self.supports[key]

    def given(self, support: Support) -> Value:
        """The support as a sparse value: an input of the graph unless something stands on it already."""
        if support.value is None:
            name = f"support_{self.step}"
            support.value = self.builder.sparse_input(name, 1, stride=support.stride)
            self.wanted.append(Wanted(name, support))
        value: Value = support.value
        return value

    def flow(self, value: Value, support: Support, positive: bool = False) -> Flow:
        if support.value is None:
            support.value = value
        return Flow(value, support, positive)

    def sparse(self, layer: Layer, x: Flow) -> Support:
        if x.support is None:
            raise layer.refused(f"{layer.kind} works on sparse values, got a dense one")
        return x.support

    # -- convolutions
    def pointwise(self, layer: Layer, name: str, matrix: np.ndarray, x: Flow) -> Flow:
        """matrix: (Cin, Cout)."""
        support = self.sparse(layer, x)
        data = np.ascontiguousarray(matrix.T).reshape(matrix.shape[1], 1, 1, 1, matrix.shape[0])
        weight, bias = self.kernel(layer, name, data, x)
        return self.flow(self.builder.conv3d(x.value, weight, bias), support)

    def submanifold(self, layer: Layer, name: str, data: np.ndarray, D: Triple, x: Flow) -> Flow:
        support = self.sparse(layer, x)
        weight, bias = self.kernel(layer, name, data, x)
        return self.flow(self.builder.subm_conv3d(x.value, weight, bias, D), support)

    def uncentred(
        self, layer: Layer, name: str, data: np.ndarray, S: Triple, P: Triple, D: Triple, x: Flow,
        support: Support,
    ) -> Flow:  # fmt: skip
        """A convolution by in = out * S + index * D - P, index counted from 0 on every axis, onto rows.

        The format centres an odd axis, so its padding is smaller by half a kernel. Where that would be
        below zero, a last tap of zeros makes the axis even, which is not centred.
        """
        self.sparse(layer, x)
        padding = list(P)
        pads = [(0, 0)] * 5
        for axis in range(3):
            size = data.shape[1 + axis]
            half = (size - 1) // 2 * D[axis] if size % 2 else 0
            if half > P[axis]:
                pads[1 + axis] = (0, 1)
            else:
                padding[axis] -= half
        weight, bias = self.kernel(layer, name, np.pad(data, pads), x)
        geometry = (S, axes(padding), D)
        if support.kind == "floor" or support is x.support:
            # Rows by the format's own rule; a padding would ask for the strided one.
            if support.kind == "floor" or (S == ones and not any(padding)):
                return self.flow(self.builder.conv3d(x.value, weight, bias, *geometry), support)
        target = self.given(support)
        return self.flow(self.builder.target_conv3d(x.value, target, weight, bias, *geometry), support)

    def back(
        self, layer: Layer, name: str, data: np.ndarray, S: Triple, P: Triple, D: Triple, x: Flow,
        support: Support,
    ) -> Flow:  # fmt: skip
        """A transposed convolution onto known rows."""
        weight, bias = self.kernel(layer, name, data, x)
        target = self.given(support)
        value = self.builder.target_conv_transpose3d(x.value, target, weight, bias, S, P, D)
        return self.flow(value, support)

    def strided_support(
        self,
        layer: Layer,
        parent: Support,
        K: Triple,
        S: Triple,
        P: Triple,
        D: Triple,
        measured: bool = False,
    ) -> Support:
        """Rows of an uncentred strided layer: every one that an input reaches, inside the library's grid.

        With kernel = stride and no padding each input reaches the one cell it lies in, so the rows are
        the format's own, if no cell at the end of the grid is left out.
        """
        stride = axes(a * b for a, b in zip(parent.stride, S))
        shape = None if parent.shape is None else size_after(parent.shape, K, S, P, D)
        if shape is not None and any(n < 1 for n in shape):
            raise layer.refused(f"nothing is left of a grid of {parent.shape} (x, y, z)")
        cells = not measured and all(
            k == s and p == 0 and (d == 1 or k == 1) for k, s, p, d in zip(K, S, P, D)
        )
        if cells and all(
            s == 1 or (parent.shape is not None and parent.shape[axis] % s == 0) for axis, s in enumerate(S)
        ):
            return self.derived(layer, "floor", parent, stride, S=S, shape=shape)
        bounded = measured and parent.shape is None
        return self.derived(
            layer, "dilated", parent, stride, K=K, S=S, P=P, D=D, shape=shape, measured=bounded
        )

    def pooled(
        self, layer: Layer, mode: str, K: Triple, S: Triple, P: Triple, D: Triple, x: Flow, support: Support
    ) -> Flow:
        """Uncentred pooling. A pool of the format makes its rows itself, and has no weight that could be
        made zero: it serves where each input lies in one window."""
        if not all(k == s and p == 0 and (d == 1 or k == 1) for k, s, p, d in zip(K, S, P, D)):
            raise layer.refused(
                f"{layer.kind} with kernel {K}, stride {S}, padding {P}, dilation {D} (x, y, z) gives a row "
                "to every window that an input reaches (dilated support); pool3d of the format stands on "
                "floor(in / stride) and takes no target rows, so only kernel = stride with padding 0 is "
                "the same"
            )
        if any(k % 2 and k > 1 for k in K):
            raise layer.refused(
                f"{layer.kind} with kernel {K} (x, y, z) is not centred, while pool3d of the format centres an "
                "odd axis; it would need a negative padding"
            )
        value = self.builder.pool3d(x.value, mode, K, S, zeros, ones)
        if support.kind != "floor":  # windows at the end of the grid are left out
            value = self.builder.sparse_reindex(value, self.given(support))
        return self.flow(value, support, x.positive)

    # -- features
    def same_rows(self, x: Flow, value: Value, positive: bool = False) -> Flow:
        return Flow(value, x.support, positive)

    def global_pool(self, layer: Layer, mode: str, x: Flow) -> Flow:
        self.sparse(layer, x)
        return Flow(self.builder.global_pool(x.value, mode, self.batch_size), None, x.positive)

    def join(self, function: str, x: Flow, y: Flow, union: bool, where: str) -> Flow:
        """add or cat of two values."""
        if x.support is None or y.support is None:
            raise ImportRefused(where, f"{function} of dense values: the format has it for sparse values")
        if x.support.stride != y.support.stride:
            raise ImportRefused(
                where, f"{function} of values with the strides {x.support.stride} and {y.support.stride}"
            )
        if x.support is not y.support and not (union and function == "add"):
            raise ImportRefused(
                where,
                f"{function} of values that do not stand on the same rows: the library goes by row number, "
                "which the format does not know",
            )
        positive = x.positive and y.positive
        if function == "cat":
            return Flow(self.builder.sparse_cat(x.value, y.value, "inner"), x.support, positive)
        if x.support is y.support:
            return Flow(self.builder.sparse_binary(x.value, y.value, "add", "inner"), x.support, positive)
        value = self.builder.sparse_binary(x.value, y.value, "add", "outer", 0.0, 0.0)
        pair = (x.support, y.support)
        both = Support("union", x.support.stride, pair, family=f"union {self.step}", module=where)
        return self.flow(value, both, positive)
