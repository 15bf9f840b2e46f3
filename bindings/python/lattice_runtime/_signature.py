"""What a program takes and gives, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Optional


class Argument(NamedTuple):
    """One argument of the graph. In the shape -1 means any size."""

    name: str
    role: str
    dtype: str
    shape: tuple[int, ...]
    group: Optional[str]  # the sparse input it is a part of


class SparseInput(NamedTuple):
    """Three arguments that together are one sparse input."""

    name: str
    first: int  # index of the coords argument; features and active follow
    stride: tuple[int, int, int]  # (0, 0, 0) when the graph makes no sparse value of it
    channels: int


class Result(NamedTuple):
    """One result of the graph. A sparse one has the shape (-1, channels) of its features."""

    name: str
    role: str
    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, int, int]


class Signature:
    """Arguments, sparse inputs and outputs of a program, in order. `str()` prints it."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        groups = data["groups"]
        self.arguments = tuple(
            Argument(name, role, dtype, shape, groups[group][0] if group >= 0 else None)
            for name, role, dtype, shape, group in data["arguments"]
        )
        self.sparse_inputs = tuple(
            SparseInput(name, first, stride, self.arguments[first + 1].shape[1])
            for name, first, stride in groups
        )
        self.outputs = tuple(Result(*each) for each in data["outputs"])
        self.schema_digest: str = data["schema_digest"]
        self.contract: str = data["contract"]
        self._text: str = data["text"]
        self._arguments = {each.name: each for each in self.arguments}
        self._groups = {each.name: each for each in self.sparse_inputs}

    def argument(self, name: str) -> Optional[Argument]:
        """The argument of this name, or None."""
        return self._arguments.get(name)

    def sparse_input(self, name: str) -> Optional[SparseInput]:
        """The sparse input of this name, or None."""
        return self._groups.get(name)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Signature {self._text}>"
