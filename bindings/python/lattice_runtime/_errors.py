"""What can go wrong, as exceptions. The texts are the library's; nothing is decided here."""

from __future__ import annotations

from typing import Any, NamedTuple


class Diagnostic(NamedTuple):
    """One finding: what was found, what was expected, and where. Lines and columns count from 1."""

    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    key: str = ""
    notes: tuple["Diagnostic", ...] = ()


class LatticeError(Exception):
    """Every error of the library. `str()` gives all diagnostics, a line each."""

    code: str = "internal"
    diagnostics: tuple[Diagnostic, ...] = ()


class ArtifactError(LatticeError, ValueError):
    """The artifact is not valid: text, contract, operations, weights."""

    code = "artifact"


class InputError(LatticeError, ValueError):
    """An input of a run is missing, unexpected or not what the signature says."""

    code = "input"


class InputKindError(InputError, TypeError):
    """An input is a sparse tensor where an array is expected, the reverse, or neither."""


class UsageError(LatticeError, ValueError):
    """An argument of a call is wrong."""

    code = "usage"


class UnsupportedError(LatticeError, NotImplementedError):
    """Valid, but not offered by this build or device."""

    code = "unsupported"


class DeviceError(LatticeError, RuntimeError):
    """A device is missing or failed, or an array lives on another one."""

    code = "device"


class FileError(LatticeError, OSError):
    """A file could not be opened, read or written."""

    code = "io"


class OutOfMemoryError(LatticeError, MemoryError):
    """The memory limit, or the system, refused an allocation."""

    code = "memory"


class InternalError(LatticeError, RuntimeError):
    """A fault of the library itself."""


class InterruptedRunError(LatticeError):
    """The caller asked the run to stop."""

    code = "interrupted"


_by_code = {
    each.code: each
    for each in (
        InternalError,
        ArtifactError,
        InputError,
        UsageError,
        UnsupportedError,
        DeviceError,
        FileError,
        OutOfMemoryError,
        InterruptedRunError,
    )
}


def _diagnostic(data: tuple[Any, ...]) -> Diagnostic:
    message, file, line, column, key, notes = data
    return Diagnostic(message, file, line, column, key, tuple(map(_diagnostic, notes)))


def make_error(code: str, text: str, diagnostics: tuple[tuple[Any, ...], ...] = ()) -> LatticeError:
    """The exception of a code of the library."""
    error = _by_code.get(code, LatticeError)(text)
    error.code = code
    error.diagnostics = tuple(_diagnostic(each) for each in diagnostics)
    return error
