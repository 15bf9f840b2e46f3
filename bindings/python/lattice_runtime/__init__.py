"""Lattice Runtime: loads a sparse 3D network from an artifact directory and runs it.

    import lattice_runtime as lattice

    program = lattice.load("model/")
    cloud = lattice.read_points("scan.bin")
    voxels = lattice.voxelize(cloud.positions(), 0.05, features=cloud.features("x,y,z,i"))
    result = program(voxels.sparse())

For an f32 artifact the bits of a result depend on the inputs alone, never on the number of threads.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import _lattice
from ._errors import (
    ArtifactError,
    DeviceError,
    Diagnostic,
    FileError,
    InputError,
    InputKindError,
    InternalError,
    InterruptedRunError,
    LatticeError,
    OutOfMemoryError,
    UnsupportedError,
    UsageError,
)
from ._lattice import Stop
from ._program import Inspection, Outputs, Program, Topology, load, load_memory
from ._signature import Argument, Result, Signature, SparseInput
from ._sparse import SparseTensor
from .builder import GraphBuilder, Value, dequantize, quantize
from .points import PointCloud, Voxels, read_points, voxelize

if TYPE_CHECKING:  # loaded when one of its names is asked for
    from .artifact import (
        LatticeArtifact,
        LatticeMLIRStatus,
        LatticeProgram,
        PlanArgument,
        PlanOperation,
        PlanOutput,
        RuntimePlan,
        compile_lattice_artifact,
        lattice_artifact_status,
        lattice_graph_operation_names,
        lattice_graph_status,
        load_lattice_artifact,
        load_lattice_program,
        native_artifact_execution_available,
        save_lattice_artifact,
        validate_lattice_artifact,
        validate_lattice_graph,
    )

__version__: str = _lattice.version()


def devices() -> list[tuple[str, str]]:
    """Devices of this machine that a program can be loaded for: (name, description)."""
    return _lattice.devices()


__all__ = [
    "Argument", "ArtifactError", "DeviceError", "Diagnostic", "FileError", "GraphBuilder", "InputError",
    "InputKindError", "Inspection", "InternalError", "InterruptedRunError", "LatticeArtifact",
    "LatticeError", "LatticeMLIRStatus", "LatticeProgram", "OutOfMemoryError", "Outputs", "PlanArgument",
    "PlanOperation", "PlanOutput", "PointCloud", "Program", "Result", "RuntimePlan", "Signature",
    "SparseInput", "SparseTensor", "Stop", "Topology", "UnsupportedError", "UsageError", "Value", "Voxels",
    "compile_lattice_artifact", "dequantize", "devices", "lattice_artifact_status",
    "lattice_graph_operation_names", "lattice_graph_status", "load", "load_lattice_artifact",
    "load_lattice_program", "load_memory", "native_artifact_execution_available", "quantize",
    "read_points", "save_lattice_artifact", "validate_lattice_artifact", "validate_lattice_graph",
    "voxelize",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in __all__ and name != "artifact":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(".artifact", __name__)  # which sets the attribute `artifact`
    return module if name == "artifact" else getattr(module, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
