"""The names of mlx_lattice.artifact with the same meaning, on this runtime.

    program = load_lattice_program("model/")
    logits = program(SparseTensor(coords, feats))

Differences, on purpose: results never depend on the identity of an array object, a stride other than
1 means physical coordinates, and everything that is wrong with a graph is reported at once. New
programs use `lattice_runtime.load`.
"""

from __future__ import annotations

import json
import os
import types
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Optional, Union

from . import _lattice
from ._binding import bind
from ._errors import ArtifactError
from ._program import Program, load, load_memory
from ._safetensors import host_arrays, to_bytes
from ._sparse import SparseTensor

__all__ = [
    "LatticeArtifact",
    "LatticeMLIRStatus",
    "LatticeProgram",
    "PlanArgument",
    "PlanOperation",
    "PlanOutput",
    "RuntimePlan",
    "SparseTensor",
    "compile_lattice_artifact",
    "lattice_artifact_status",
    "lattice_graph_operation_names",
    "lattice_graph_status",
    "load_lattice_artifact",
    "load_lattice_program",
    "native_artifact_execution_available",
    "save_lattice_artifact",
    "validate_lattice_artifact",
    "validate_lattice_graph",
]

PathLike = Union[str, "os.PathLike[str]"]

GRAPH_FILE = "graph.mlir"
WEIGHTS_FILE = "weights.safetensors"


@dataclass(frozen=True)
class LatticeArtifact:
    """The two parts of an artifact in memory."""

    graph: str  # MLIR text
    weights: Mapping[str, Any]  # storage key to array


def load_lattice_artifact(path: PathLike) -> LatticeArtifact:
    """Reads both files of a directory, without judging the graph. ValueError if the directory or one
    of the files is missing."""
    directory = Path(path)
    if not directory.is_dir():
        raise ArtifactError(f"{directory}: no such directory, expected an artifact")
    for name in (GRAPH_FILE, WEIGHTS_FILE):
        if not (directory / name).is_file():
            raise ArtifactError(f"{directory}: holds no {name}")
    try:
        graph = (directory / GRAPH_FILE).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ArtifactError(f"{directory / GRAPH_FILE}: byte {error.start} is not UTF-8") from None
    return LatticeArtifact(graph, _lattice.read_weights(str(directory / WEIGHTS_FILE)))


def save_lattice_artifact(path: PathLike, graph: str, weights: Optional[Mapping[str, Any]] = None) -> None:
    """Writes both files; makes the directory. The graph is not judged."""
    directory = Path(path)
    arrays = host_arrays(weights or {})
    directory.mkdir(parents=True, exist_ok=True)
    _lattice.write_weights(str(directory / WEIGHTS_FILE), list(arrays.items()))
    temporary = directory / f".{GRAPH_FILE}.{os.getpid()}"
    try:
        temporary.write_bytes(graph.encode("utf-8"))
        temporary.replace(directory / GRAPH_FILE)
    finally:
        temporary.unlink(missing_ok=True)


class PlanArgument(NamedTuple):
    """An argument of the graph: its name in the text ("%x_coords") and the one callers use."""

    name: str
    abi_name: str
    type: str
    role: str


class PlanOutput(NamedTuple):
    """A result of the graph: the value returned and the name callers use."""

    name: str
    abi_name: str
    type: str
    role: str


@dataclass(frozen=True)
class PlanOperation:
    """One lattice operation as the text has it. Attributes are numbers, strings and tuples where they
    are those, else MLIR text ("#lattice.packing<dense>")."""

    name: str  # "lattice.conv3d"
    operands: tuple[str, ...]
    results: tuple[str, ...]
    attrs: Mapping[str, Any]
    operand_types: tuple[str, ...]
    result_types: tuple[str, ...]


@dataclass(frozen=True)
class RuntimePlan:
    """A graph as data. For the plan that runs see `Program.inspect`."""

    ir_version: int
    schema_digest: str
    weight_file: str
    name: str
    args: tuple[PlanArgument, ...]
    ops: tuple[PlanOperation, ...]
    returns: tuple[str, ...]
    outputs: tuple[PlanOutput, ...]


def _attribute(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _plan_of(graph: str) -> RuntimePlan:
    data = json.loads(_lattice.describe_graph(graph))
    ops = tuple(
        PlanOperation(
            op["name"],
            tuple(op["operands"]),
            tuple(op["results"]),
            types.MappingProxyType({key: _attribute(value) for key, value in op["attrs"].items()}),
            tuple(op["operand_types"]),
            tuple(op["result_types"]),
        )
        for op in data["ops"]
    )
    return RuntimePlan(
        data["ir_version"],
        data["schema_digest"],
        data["weight_file"],
        data["name"],
        tuple(PlanArgument(**each) for each in data["args"]),
        ops,
        tuple(data["returns"]),
        tuple(PlanOutput(**each) for each in data["outputs"]),
    )


class LatticeProgram:
    """A program with its graph as data and its weights as arrays."""

    def __init__(self, artifact: LatticeArtifact, program: Program) -> None:
        self._program = program
        self._plan = _plan_of(artifact.graph)
        self._weights = types.MappingProxyType(dict(artifact.weights))

    @classmethod
    def from_artifact(cls, artifact: LatticeArtifact) -> "LatticeProgram":
        """Verifies and loads an artifact that is in memory. ArtifactError (a ValueError) if it is not valid."""
        return cls(artifact, load_memory(artifact.graph, to_bytes(artifact.weights)))

    @property
    def plan(self) -> RuntimePlan:
        """The graph as data."""
        return self._plan

    @property
    def weights(self) -> Mapping[str, Any]:
        """Storage key to array, read-only."""
        return self._weights

    @property
    def program(self) -> Program:
        """The Program that runs: threads, topologies, inspection."""
        return self._program

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """One value, or a tuple of several; arrays or SparseTensor. ValueError for too many positional,
        missing, unexpected or mixed inputs, TypeError for a wrong kind."""
        return self._call(args, kwargs, trusted=False)

    def call_with_trusted_sparse_inputs(self, *args: Any, **kwargs: Any) -> Any:
        """The same without checking that coordinates are divisible and unique."""
        return self._call(args, kwargs, trusted=True)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any], trusted: bool) -> Any:
        bound = bind(self._program.signature, args, kwargs)
        return self._program._run(bound, None, 0, 0, trusted)[0]

    def __repr__(self) -> str:
        return f"<LatticeProgram {self._program.signature}>"


def compile_lattice_artifact(artifact: LatticeArtifact) -> LatticeProgram:
    """The same as LatticeProgram.from_artifact."""
    return LatticeProgram.from_artifact(artifact)


def load_lattice_program(path: PathLike) -> LatticeProgram:
    """Loads the artifact in a directory. ValueError if it is missing or not valid."""
    artifact = load_lattice_artifact(path)
    return LatticeProgram(artifact, load(path))


def native_artifact_execution_available() -> bool:
    """Always true: this runtime needs no other."""
    return True


class LatticeMLIRStatus(NamedTuple):
    """Whether a graph or an artifact is valid, and what is not."""

    valid: bool
    diagnostics: str  # a line each; empty when valid


def validate_lattice_graph(text: str, *, lattice_opt: Any = None) -> None:
    """ArtifactError (a ValueError) with all diagnostics if the graph is not valid in itself.
    `lattice_opt` is accepted and ignored: the verifier is built in."""
    del lattice_opt
    _lattice.verify_graph(text)


def validate_lattice_artifact(artifact: Union[LatticeArtifact, PathLike], *, lattice_opt: Any = None) -> None:
    """The same for a graph with its weights, in memory or in a directory."""
    del lattice_opt
    if isinstance(artifact, LatticeArtifact):
        _lattice.verify_memory(artifact.graph, to_bytes(artifact.weights))
        return
    directory = Path(artifact)
    if not directory.is_dir():
        raise ArtifactError(f"{directory}: no such directory, expected an artifact")
    try:
        _lattice.verify_directory(str(directory))
    except OSError as error:
        raise ArtifactError(str(error)) from None


def lattice_graph_status(text: str, *, lattice_opt: Any = None) -> LatticeMLIRStatus:
    """Whether a graph is valid in itself, and what is not."""
    try:
        validate_lattice_graph(text, lattice_opt=lattice_opt)
    except ArtifactError as error:
        return LatticeMLIRStatus(False, str(error))
    return LatticeMLIRStatus(True, "")


def lattice_artifact_status(
    artifact: Union[LatticeArtifact, PathLike], *, lattice_opt: Any = None
) -> LatticeMLIRStatus:
    """Whether a graph is valid together with its weights, and what is not."""
    try:
        validate_lattice_artifact(artifact, lattice_opt=lattice_opt)
    except ArtifactError as error:
        return LatticeMLIRStatus(False, str(error))
    return LatticeMLIRStatus(True, "")


def lattice_graph_operation_names(text: str) -> tuple[str, ...]:
    """Names of the lattice operations of a valid graph, in order: "lattice.sparse.make", ..."""
    return tuple(op.name for op in _plan_of(text).ops)
