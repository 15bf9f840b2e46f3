"""Which kind of array the caller uses, and how results become that kind. Frameworks are never
imported here: an array of one can only come from a program that has imported it."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

NUMPY_DTYPES = {"f32": np.float32, "f16": np.float16, "i32": np.int32}


def kind_of(value: Any) -> str:
    """"torch", "cupy", "mlx", "numpy" (also for everything that is no array of a known framework)."""
    root = type(value).__module__.partition(".")[0]
    return root if root in ("torch", "cupy", "mlx") else "numpy"


def is_array(value: Any) -> bool:
    if isinstance(value, (bytes, bytearray, str, memoryview)):
        return isinstance(value, memoryview)
    return isinstance(value, np.ndarray) or any(
        hasattr(value, name) for name in ("__dlpack__", "__array_interface__", "__array__")
    )


def importable(value: Any) -> Any:
    """The array as something that can be read without a copy where that is possible."""
    kind = kind_of(value)
    if kind == "torch":
        return value.detach() if value.requires_grad else value
    if kind == "mlx":  # a buffer on the host, whatever device computed it
        return np.asarray(memoryview(value))
    if isinstance(value, np.generic) or not hasattr(value, "__dlpack__"):
        return np.asarray(value)
    return value


def converted(array: np.ndarray, kind: str) -> Any:
    """A result in the caller's kind of array; shares memory where the framework can."""
    if kind == "torch":
        return sys.modules["torch"].from_numpy(array)
    if kind == "cupy":
        return sys.modules["cupy"].asarray(array)
    if kind == "mlx":
        return sys.modules["mlx.core"].array(array)
    return array


def to_numpy(value: Any) -> np.ndarray:
    """Any array on the host as a numpy array; shares memory where possible."""
    value = importable(value)
    if isinstance(value, np.ndarray):
        return value
    if kind_of(value) == "torch":
        return np.asarray(value.cpu().numpy())
    if kind_of(value) == "cupy":
        return np.asarray(sys.modules["cupy"].asnumpy(value))
    return np.asarray(value)
