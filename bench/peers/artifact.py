"""The files both sides read: safetensors in and out, and the weights of a convolution with its batch norm folded in."""
from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

DTYPES = {"F32": np.dtype("<f4"), "I32": np.dtype("<i4")}


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    data = path.read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:begin])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        part = np.frombuffer(data[begin + first:begin + last], DTYPES[entry["dtype"]])
        tensors[name] = part.reshape(entry["shape"])
    return tensors


def write_safetensors(path: Path, tensors: dict[str, np.ndarray]) -> None:
    header, parts, end = {}, [], 0
    for name, tensor in tensors.items():
        dtype = next(key for key, value in DTYPES.items() if value == tensor.dtype)
        parts.append(np.ascontiguousarray(tensor).tobytes())
        header[name] = {"dtype": dtype, "shape": list(tensor.shape), "data_offsets": [end, end + len(parts[-1])]}
        end += len(parts[-1])
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(parts))


@dataclass
class Layer:
    weight: np.ndarray  # (Cout, Kx, Ky, Kz, Cin)
    bias: np.ndarray    # (Cout)


def folded(tensors: dict[str, np.ndarray], conv: str, norm: str, eps: float) -> Layer:
    """The convolution that gives conv followed by the batch norm, as a deployed PyTorch network would hold it."""
    scale, bias, mean, variance = (tensors[f"{norm}.{part}"].astype(np.float64)
                                   for part in ("weight", "bias", "running_mean", "running_var"))
    factor = scale / np.sqrt(variance + eps)
    weight = tensors[f"{conv}.weight"] * factor[:, None, None, None, None]
    return Layer(weight.astype(np.float32), (bias - mean * factor).astype(np.float32))
