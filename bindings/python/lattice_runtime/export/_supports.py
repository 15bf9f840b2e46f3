"""The rows a value of a network stands on, as rules, and the rules evaluated with numpy. Not for running
networks: only for rows that a graph takes as an input because the format has no rule for them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np

from ._errors import ImportRefused

Triple = tuple[int, int, int]


def axes(values: Iterable[int]) -> Triple:
    """A number for each axis."""
    x, y, z = values
    return (x, y, z)


@dataclass(eq=False)
class Support:
    """Rows (batch, x, y, z). Two supports are the same rows if they are the same object.

    kind: "input", "floor", "dilated", "generated", "transposed", "transposed_clamped" or "union".
    shape: size of the library's grid (x, y, z), logical, where one is known: for "dilated" and
    "transposed" rows outside of it are left out. measured: the size is one more than the largest
    coordinate, which only the data says.
    """

    kind: str
    stride: Triple
    parents: tuple["Support", ...] = ()
    K: Triple = (1, 1, 1)
    S: Triple = (1, 1, 1)
    P: Triple = (0, 0, 0)
    D: Triple = (1, 1, 1)
    shape: Optional[Triple] = None
    measured: bool = False
    family: str = ""  # rows of one family and stride are one map (MinkowskiEngine)
    module: str = ""
    value: Any = field(default=None, repr=False)  # what stands on it in the graph, once something does

    def rule(self) -> dict[str, Any]:
        """The rule as plain data."""
        result: dict[str, Any] = {"kind": self.kind, "K": self.K, "S": self.S, "P": self.P, "D": self.D}
        if self.measured:
            result["shape"] = (
                "(largest coordinate of the layer's input + 2 P - D (K - 1)) // S + 1 on each axis"
            )
        elif self.shape is not None:
            result["shape"] = self.shape
        return result


def size_after(shape: Triple, K: Triple, S: Triple, P: Triple, D: Triple) -> Triple:
    """What a convolution makes of the size of a grid."""
    return axes((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in zip(shape, K, S, P, D))


def _unique(rows: np.ndarray) -> np.ndarray:
    return np.asarray(np.unique(rows, axis=0)) if len(rows) else rows


def _offsets(support: Support) -> np.ndarray:
    index = np.array(list(itertools.product(*(range(k) for k in support.K))), np.int64).reshape(-1, 3)
    return np.asarray(index * np.array(support.D) - np.array(support.P))


def _dilated(support: Support, rows: np.ndarray, shape: np.ndarray) -> np.ndarray:
    stride = np.array(support.S)
    parts = []
    for offset in _offsets(support):
        places = rows[:, 1:] - offset
        good = (places % stride == 0).all(1)
        out = places[good] // stride
        inside = ((out >= 0) & (out < shape)).all(1)
        parts.append(np.concatenate([rows[good, :1], out], 1)[inside])
    return _unique(np.concatenate(parts))


def _transposed(support: Support, rows: np.ndarray) -> np.ndarray:
    parts = []
    for offset in _offsets(support):
        out = rows[:, 1:] * np.array(support.S) + offset
        batch = rows[:, :1]
        if support.kind == "transposed_clamped":
            out = np.clip(out, 0, np.array(support.shape) - 1)
        elif support.kind == "transposed":
            inside = ((out >= 0) & (out < np.array(support.shape))).all(1)
            out, batch = out[inside], batch[inside]
        parts.append(np.concatenate([batch, out], 1))
    return _unique(np.concatenate(parts))


class Evaluation:
    """Rows of supports for one set of input coordinates, logical (batch, x, y, z)."""

    def __init__(self, rows: np.ndarray) -> None:
        self.input = np.asarray(rows, np.int64).reshape(-1, 4)
        self.known: dict[int, np.ndarray] = {}

    def give(self, support: Support, rows: np.ndarray) -> None:
        self.known[id(support)] = np.asarray(rows, np.int64)

    def rows(self, support: Support) -> np.ndarray:
        if id(support) not in self.known:
            self.known[id(support)] = self._rows(support)
        return self.known[id(support)]

    def _rows(self, support: Support) -> np.ndarray:
        if support.kind == "input":
            return self.input
        if support.kind == "union":
            return _unique(np.concatenate([self.rows(each) for each in support.parents]))
        rows = self.rows(support.parents[0])
        if support.kind == "floor":
            cells = np.floor_divide(rows[:, 1:], np.array(support.S))
            return _unique(np.concatenate([rows[:, :1], cells], 1))
        if support.kind == "dilated":
            if not support.measured and support.shape is None:
                raise ImportRefused(
                    support.module,
                    "the rows end at the library's spatial shape, which was not given: give spatial_shape "
                    "when importing, or the rows themselves",
                )
            shape = support.shape
            if support.measured:  # the grid ends at the largest coordinate, over all batches
                largest = axes((rows[:, 1:].max(0, initial=-1) + 1).tolist())
                shape = size_after(largest, support.K, support.S, support.P, support.D)
            return _dilated(support, rows, np.array(shape))
        return _transposed(support, rows)
