"""Building artifacts: GraphBuilder, and weights as codes. An exporter is ordinary Python on top."""

from __future__ import annotations

import os
from typing import Any, Union

import numpy as np

from . import _lattice
from ._arrays import to_numpy
from ._lattice import Value

__all__ = ["GraphBuilder", "Value", "dequantize", "quantize"]


def _numbers(data: Any) -> np.ndarray:
    return np.ascontiguousarray(to_numpy(data), np.float32)


class GraphBuilder(_lattice.GraphBuilder):
    """Builds the graph of an artifact, one call an operation.

        b = GraphBuilder()
        x = b.sparse_input("x", channels=4)
        w = b.weight("conv", "conv3d", numpy_weights)      # (Cout, Kx, Ky, Kz, Cin)
        b.output("y", b.activation(b.subm_conv3d(x, w), "relu"))
        b.write("model/")

    Every method returns the value it made or says what does not fit; what only the verifier knows,
    `write` reports. Triples may be one number for all axes. Operations on features (linear,
    activation, batch_norm, ...) also take a sparse value and then give one. Not thread-safe.
    """

    def weight(
        self,
        storage_key: str,
        family: str,
        data: Any,
        *,
        dtype: str = "f32",
        bits: int = 0,
        group_size: int = 64,
        scale_dtype: str = "f16",
    ) -> Value:
        """A weight, copied from an array of numbers.

        family: conv3d, with data of (Cout, Kx, Ky, Kz, Cin), linear (O, I), embedding (N, C), channel
          and bias (C).
        dtype: f32 or f16, as stored and declared.
        bits: 8 or 4 stores packed codes with a scale and a bias (scale_dtype) for each group_size
          (32, 64, 128) input channels; conv3d and linear only. 0: dense.
        """
        return self._weight(storage_key, family, _numbers(data), dtype, bits, group_size, scale_dtype)

    def write(self, directory: Union[str, "os.PathLike[str]"]) -> None:
        """Writes graph.mlir and weights.safetensors after the loader has verified them. All or
        nothing: after an error the directory is as it was."""
        self._write(os.fspath(directory))


def quantize(
    data: Any, bits: int, group_size: int = 64, scale_dtype: str = "f16"
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(codes, scales, biases) of a conv3d or linear weight, in the layouts of the format. No value is
    off by more than half a scale."""
    return _lattice.quantize(_numbers(data), bits, group_size, scale_dtype)


def dequantize(
    codes: Any, scales: Any, biases: Any, shape: tuple[int, ...], bits: int, group_size: int = 64
) -> np.ndarray:
    """The float32 numbers that a packed weight of this shape stands for."""
    return _lattice.dequantize(
        to_numpy(codes), to_numpy(scales), to_numpy(biases), tuple(shape), bits, group_size
    )
