"""Program: a loaded network that is called like a function."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Optional, Union

from . import _lattice
from ._arrays import converted
from ._binding import Bound, bind
from ._lattice import Stop
from ._signature import Argument, Result, Signature
from ._sparse import SparseTensor


class Topology:
    """Supports and relations of one set of coordinates, prepared once, to be run with new features as
    often as wanted. Owns all it needs; may be used from any number of threads."""

    __slots__ = ("_handle", "_kind")

    def __init__(self, handle: _lattice.Topology, kind: str) -> None:
        self._handle = handle
        self._kind = kind

    @property
    def rows(self) -> int:
        """Active rows of the first support."""
        return self._handle.rows

    @property
    def bytes(self) -> int:
        """Memory it holds."""
        return self._handle.bytes

    def __repr__(self) -> str:
        return f"<Topology of {self.rows} rows, {self.bytes} bytes>"


class Outputs(tuple[Any, ...]):
    """Several results in the order of the signature; also by name: outputs["logits"]."""

    names: tuple[str, ...]

    def __new__(cls, names: tuple[str, ...], values: Iterable[Any]) -> "Outputs":
        self = super().__new__(cls, values)
        self.names = names
        return self

    def __getitem__(self, key: Any) -> Any:
        """A result by its name or its place."""
        if not isinstance(key, str):
            return super().__getitem__(key)
        try:
            return super().__getitem__(self.names.index(key))
        except ValueError:
            raise KeyError(f"{key!r}, there are: {', '.join(self.names)}") from None

    def items(self) -> Iterator[tuple[str, Any]]:
        """Pairs (name, result), in order."""
        return zip(self.names, self)

    def as_dict(self) -> dict[str, Any]:
        """Name to result."""
        return dict(self.items())

    def __repr__(self) -> str:
        return "Outputs(" + ", ".join(f"{name}={value!r}" for name, value in self.items()) + ")"


class Inspection(dict[str, Any]):
    """What a program takes, does and gives: the object of `lattice inspect --json`. `str()` gives the
    page to read, `.dot` the graph for Graphviz."""

    text: str
    dot: str

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(self.text)}</pre>"


class Program:
    """A loaded, verified, frozen network.

        program = lattice_runtime.load("model/")
        logits = program(SparseTensor(coords, feats))     # by position
        logits = program(x=SparseTensor(coords, feats))   # by name
        logits = program(x_coords=coords, x_features=feats, x_active=n)

    A sparse input is a SparseTensor, a pair (coords, feats) with the graph's stride, or its three
    arguments. Arrays are numpy, torch, CuPy or MLX arrays, or anything with DLPack; they are read in
    place where they are row-major. Results come in the caller's kind of array: one as itself, several
    as Outputs. May be called from any number of threads at once; the interpreter lock is released.
    """

    def __init__(self, handle: _lattice.Program) -> None:
        self._handle = handle
        self.signature = Signature(handle.signature())

    @property
    def inputs(self) -> tuple[Argument, ...]:
        """Arguments of the graph, in order."""
        return self.signature.arguments

    @property
    def outputs(self) -> tuple[Result, ...]:
        """Results of the graph, in order."""
        return self.signature.outputs

    @property
    def device(self) -> str:
        """"cpu" or "reference"."""
        return self._handle.device

    @property
    def topology_inputs(self) -> tuple[str, ...]:
        """Arguments on which the topology depends."""
        return tuple(self._handle.topology_inputs())

    def __call__(
        self,
        *args: Any,
        topology: Optional[Topology] = None,
        threads: int = 0,
        max_memory: int = 0,
        trusted: bool = False,
        stop: Optional[Stop] = None,
        **named: Any,
    ) -> Any:
        """Runs the program.

        topology: from `prepare`; the arguments it came from may then be left out.
        threads: 0 for as many as the process may use, which is also the most. Results do not depend on it.
        max_memory: bytes that the run may hold at once; 0 for no limit.
        trusted: the coordinates are known to be divisible and unique; skips those two checks.
        stop: a flag by which another thread ends the run.
        An argument of the graph with one of these names is given with `run`.
        """
        return self._run(bind(self.signature, args, named), topology, threads, max_memory, trusted, stop)[0]

    def run(
        self,
        inputs: Mapping[str, Any],
        *,
        topology: Optional[Topology] = None,
        threads: int = 0,
        max_memory: int = 0,
        trusted: bool = False,
        stop: Optional[Stop] = None,
    ) -> Any:
        """Runs the program on inputs by name."""
        return self._run(bind(self.signature, (), inputs), topology, threads, max_memory, trusted, stop)[0]

    def profile(
        self,
        *args: Any,
        topology: Optional[Topology] = None,
        threads: int = 0,
        max_memory: int = 0,
        trusted: bool = False,
        stop: Optional[Stop] = None,
        **named: Any,
    ) -> tuple[Any, dict[str, Any]]:
        """Runs the program; returns its result and what the run did: times, sizes and every step."""
        bound = bind(self.signature, args, named)
        return self._run(bound, topology, threads, max_memory, trusted, stop, profile=True)

    def prepare(
        self,
        *args: Any,
        threads: int = 0,
        max_memory: int = 0,
        trusted: bool = False,
        stop: Optional[Stop] = None,
        **named: Any,
    ) -> Topology:
        """Builds everything that depends on coordinates alone. Takes the inputs of a call, of which
        only `topology_inputs` must be given."""
        bound = bind(self.signature, args, named)
        handle = self._handle.prepare(bound.entries, threads, max_memory, trusted, stop)
        return Topology(handle, bound.kind)

    def _run(
        self,
        bound: Bound,
        topology: Optional[Topology],
        threads: int,
        max_memory: int,
        trusted: bool,
        stop: Optional[Stop] = None,
        profile: bool = False,
    ) -> tuple[Any, dict[str, Any]]:
        if topology is not None and not isinstance(topology, Topology):
            raise TypeError(f"topology is a {type(topology).__name__}, expected a Topology")
        handle = topology._handle if topology else None
        outputs, report = self._handle.run(bound.entries, handle, threads, max_memory, trusted, stop, profile)
        kind = topology._kind if topology and bound.kind == "numpy" else bound.kind
        values = [
            SparseTensor(converted(each[1], kind), converted(each[2], kind), each[3])
            if len(each) == 4
            else converted(each[1], kind)
            for each in outputs
        ]
        if len(values) == 1:
            return values[0], report
        return Outputs(tuple(each[0] for each in outputs), values), report

    def inspect(self) -> Inspection:
        """Signature, parameters, topology, steps, memory, unused weights."""
        import json

        result = Inspection(json.loads(self._handle.inspect("json")))
        result.text = self._handle.inspect("text")
        result.dot = self._handle.inspect("dot")
        return result

    def explain(self) -> str:
        """The steps as the device runs them: which kernel each got, and why others were refused."""
        return self._handle.explain()

    def __repr__(self) -> str:
        return f"<Program on {self.device}: {self.signature}>"

    def _repr_html_(self) -> str:
        import html

        def row(cells: tuple[Any, ...], tag: str = "td") -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(str(each))}</{tag}>" for each in cells) + "</tr>"

        def size(shape: tuple[int, ...]) -> str:
            return " × ".join("?" if each < 0 else str(each) for each in shape)

        rows = [row(("", "name", "role", "type", "shape", "stride"), "th")]
        strides = {each.name: each.stride for each in self.signature.sparse_inputs}
        for each in self.inputs:
            stride = strides[each.group] if each.group and each.role == "sparse_coords" else ""
            rows.append(row(("in", each.name, each.role, each.dtype, size(each.shape), stride)))
        for result in self.outputs:
            stride = result.stride if result.role == "sparse_tensor" else ""
            rows.append(row(("out", result.name, result.role, result.dtype, size(result.shape), stride)))
        return (
            f"<div><b>lattice program</b> on {html.escape(self.device)}"
            f"<table>{''.join(rows)}</table></div>"
        )


def load(
    path: Union[str, "os.PathLike[str]"],
    device: str = "cpu",
    *,
    allow_unknown_digest: bool = False,
    simd: str = "",
) -> Program:
    """Loads and verifies the artifact in a directory.

    device: "cpu", or "reference": plain loops, slow, for checking.
    allow_unknown_digest: accept a schema digest of no known contract release.
    simd: highest level to use: "", "scalar", "avx2", "avx512". Results are the same at each.
    Raises ArtifactError with everything that is wrong.
    """
    return Program(_lattice.Program.load(os.fspath(path), device, allow_unknown_digest, simd))


def load_memory(
    graph: str, weights: bytes, device: str = "cpu", *, allow_unknown_digest: bool = False, simd: str = ""
) -> Program:
    """The same from the text of a graph and the bytes of a safetensors file."""
    return Program(_lattice.Program.load_memory(graph, weights, device, allow_unknown_digest, simd))
