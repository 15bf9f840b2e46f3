"""Point files, voxels and feature channels: from a scan to the inputs of a program."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from . import _lattice
from ._arrays import to_numpy
from ._lattice import PointCloud
from ._sparse import SparseTensor, triple

__all__ = ["PointCloud", "Voxels", "read_points", "voxelize"]

Real3 = Union[float, Sequence[float]]


def _real3(value: Real3) -> tuple[float, float, float]:
    x, y, z = np.broadcast_to(np.asarray(value, np.float64), (3,)).tolist()
    return (x, y, z)


def read_points(
    path: Union[str, "os.PathLike[str]"],
    *,
    columns: int = 0,
    names: Sequence[str] = (),
    array: str = "",
) -> PointCloud:
    """Reads .bin, .npy, .npz, .ply, .pcd or .las, strictly.

    columns, names: for files that do not name their columns. A .bin without them is x y z i (KITTI),
      a .pcd.bin x y z i ring (nuScenes).
    array: the array of an .npz; by default the first.
    """
    return _lattice.read_points(os.fspath(path), columns, list(names), array)


class Voxels(NamedTuple):
    """What voxelize makes of points."""

    coords: np.ndarray  # (V, 4) int32 rows batch, x, y, z, in the order in which points reach them
    voxel_of_point: np.ndarray  # (N) int32: of every point its row of coords
    features: Optional[np.ndarray]  # (V, C) float32
    stride: tuple[int, int, int]

    def sparse(self) -> SparseTensor:
        """As the sparse input of a program."""
        if self.features is None:
            raise ValueError("features: found none, expected those given to voxelize")
        return SparseTensor(self.coords, self.features, self.stride)


def voxelize(
    points: Any,
    size: Real3,
    *,
    features: Any = None,
    origin: Real3 = 0.0,
    stride: Union[int, tuple[int, int, int]] = 1,
    batch: int = 0,
    reduction: str = "mean",
) -> Voxels:
    """Points to voxels by the rule of lattice.voxelize: floor((point - origin) / size) in float32.

    points: (N, 3), made float32.
    size, origin: of a voxel, and the corner where voxel 0 begins; one number for all axes, or three.
    features: (N, C) of the points.
    stride: coordinates are multiples of it.
    reduction: how features of one voxel become one: "mean" or "sum".
    A point that is not finite, or whose voxel leaves int32, is an error naming it.
    """
    values = np.ascontiguousarray(to_numpy(points), np.float32)
    channels = None if features is None else np.ascontiguousarray(to_numpy(features), np.float32)
    steps = triple(stride)
    coords, voxel_of_point, reduced = _lattice.voxelize(
        values, _real3(size), _real3(origin), steps, batch, channels, reduction
    )
    return Voxels(coords, voxel_of_point, reduced, steps)
