"""Weights as bytes in memory, for programs made without a directory. Files are written by the
library."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._arrays import to_numpy

_NAMES = {
    "bool": "BOOL", "uint8": "U8", "int8": "I8", "uint16": "U16", "int16": "I16", "float16": "F16",
    "uint32": "U32", "int32": "I32", "float32": "F32", "uint64": "U64", "int64": "I64", "float64": "F64",
}  # fmt: skip


def host_arrays(weights: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Row-major arrays of the machine's byte order, by name."""
    arrays = {}
    for name, value in weights.items():
        if not isinstance(name, str):
            raise TypeError(f"weights: found a name of type {type(name).__name__}, expected str")
        array = to_numpy(value)
        if array.dtype.name not in _NAMES:
            raise TypeError(f'weight "{name}": found {array.dtype}, expected one of {", ".join(_NAMES)}')
        # ascontiguousarray would make a scalar one-dimensional.
        arrays[name] = np.asarray(array, array.dtype.newbyteorder("="), order="C")
    return arrays


def to_bytes(weights: Mapping[str, Any]) -> bytes:
    """A safetensors file."""
    header: dict[str, Any] = {}
    parts = []
    end = 0
    # Largest elements first keeps every tensor aligned.
    for name, array in sorted(host_arrays(weights).items(), key=lambda item: -item[1].itemsize):
        begin, end = end, end + array.nbytes
        header[name] = {
            "dtype": _NAMES[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [begin, end],
        }
        parts.append(array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes())
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(parts)
