"""What an import gives: the artifact, what it takes, and the way from the library's rows to its inputs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np

from .._arrays import NUMPY_DTYPES, to_numpy
from .._program import Program, load_memory
from .._safetensors import to_bytes
from ._errors import ImportRefused
from ._network import Flow, Network
from ._supports import Evaluation, Triple

# Library columns to (batch, x, y, z).
COLUMNS = {"spconv": (0, 3, 2, 1)}


@dataclass(frozen=True)
class ModelInput:
    """One sparse input of the graph, three arguments: NAME_coords, NAME_features, NAME_active.

    kind: "input", what the network is given, or "support", rows that the format has no rule for.
    module: the layer whose rows they are. rule: how the library makes them (see docs/import.md).
    Coordinates are physical rows (batch, x, y, z); features of a support are ignored.
    """

    name: str
    kind: str
    channels: int
    stride: Triple
    module: str
    rule: Mapping[str, Any]


@dataclass(frozen=True)
class ModelOutput:
    """The result, named "output": "sparse" rows of a stride, or a "dense" (batches, C)."""

    kind: str
    channels: int
    stride: Optional[Triple]


class ImportedModel:
    """A network as a graph with its weights.

    inputs, output: what it takes and gives. notes: where the library and the graph differ in form.
    """

    def __init__(self, library: str, network: Network, result: Flow) -> None:
        self.library = library
        self._network = network
        network.builder.output("output", result.value)
        source = network.input.support
        assert source is not None
        self.inputs = (
            ModelInput("input", "input", network.input.value.channels, source.stride, "", source.rule()),
            *(
                ModelInput(
                    each.name, "support", 1, each.support.stride, each.support.module, each.support.rule()
                )
                for each in network.wanted
            ),
        )
        support = result.support
        self.output = ModelOutput(
            "sparse" if support else "dense", result.value.channels, support.stride if support else None
        )
        self.notes = tuple(network.notes)

    @property
    def graph(self) -> str:
        """The text of graph.mlir."""
        return self._network.builder.text()

    @property
    def weights(self) -> dict[str, np.ndarray]:
        """The tensors of weights.safetensors."""
        return self._network.builder.weights()

    @property
    def supports(self) -> tuple[ModelInput, ...]:
        """The inputs that are rows the format has no rule for."""
        return self.inputs[1:]

    def write(self, directory: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the artifact, verified."""
        self._network.builder.write(directory)

    def load(self, device: str = "cpu") -> Program:
        """The artifact as a program, without files."""
        return load_memory(self.graph, to_bytes(self.weights), device)

    def physical(self, coords: Any, stride: Optional[Triple] = None) -> np.ndarray:
        """Rows in the library's columns and unit as (batch, x, y, z), physical. stride: of the rows, by
        default the input's."""
        rows = to_numpy(coords)[:, list(COLUMNS.get(self.library, (0, 1, 2, 3)))].astype(np.int64)
        if self.library != "MinkowskiEngine":
            rows[:, 1:] *= np.array(stride or self.inputs[0].stride)
        return rows.astype(np.int32)

    def rows_of_supports(
        self, coords: Any, given: Optional[Mapping[str, Any]] = None
    ) -> dict[str, np.ndarray]:
        """The rows of every support input, from the input's physical rows by the library's rules; those
        of `given` (physical, by name) are taken as they are."""
        source = self.inputs[0]
        rows = to_numpy(coords).astype(np.int64)
        rows = np.concatenate([rows[:, :1], rows[:, 1:] // np.array(source.stride)], 1)
        evaluation = Evaluation(rows)
        result = {}
        for each in self._network.wanted:
            stride = np.array(each.support.stride)
            if given is not None and each.name in given:
                physical = to_numpy(given[each.name]).astype(np.int64)
                if physical.ndim != 2 or physical.shape[1] != 4 or (physical[:, 1:] % stride).any():
                    raise ImportRefused(
                        each.name, f"expected rows (batch, x, y, z) that divide by {each.support.stride}"
                    )
                logical = np.concatenate([physical[:, :1], physical[:, 1:] // stride], 1)
                evaluation.give(each.support, logical)
            logical = evaluation.rows(each.support)
            result[each.name] = np.concatenate([logical[:, :1], logical[:, 1:] * stride], 1).astype(np.int32)
        return result

    def inputs_for(
        self, coords: Any, features: Any, supports: Optional[Mapping[str, Any]] = None
    ) -> dict[str, np.ndarray]:
        """All arguments of the graph by name, for `Program.run`, from what the library takes: coords in its
        columns and unit. supports: rows by the name of the input, physical; those left out are computed
        from the coordinates, names that the graph does not take are ignored."""
        kind = NUMPY_DTYPES[self._network.dtype]
        rows = np.ascontiguousarray(self.physical(coords))
        groups = {"input": (rows, np.ascontiguousarray(to_numpy(features), kind))}
        for name, target in self.rows_of_supports(rows, supports).items():
            groups[name] = (np.ascontiguousarray(target), np.zeros((len(target), 1), np.float32))
        arguments = {}
        for name, (target, values) in groups.items():
            arguments[f"{name}_coords"] = target
            arguments[f"{name}_features"] = values
            arguments[f"{name}_active"] = np.array([len(target)], np.int32)
        return arguments

    def __repr__(self) -> str:
        names = ", ".join(each.name for each in self.inputs)
        return f"<ImportedModel from {self.library}: {names} -> {self.output.kind} output>"
