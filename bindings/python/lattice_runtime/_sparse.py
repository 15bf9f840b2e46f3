"""SparseTensor: a sparse value as callers hand it over and get it back."""

from __future__ import annotations

import operator
from typing import Any, Union

from ._arrays import to_numpy
from ._errors import InputKindError

Stride = tuple[int, int, int]


def triple(value: Union[int, tuple[int, int, int]]) -> Stride:
    """One number for all axes, or three."""
    try:
        one = operator.index(value)  # type: ignore[arg-type]
        return (one, one, one)
    except TypeError:
        pass
    try:
        x, y, z = (operator.index(each) for each in value)  # type: ignore[union-attr]
    except (TypeError, ValueError):
        raise InputKindError(f"stride: found {value!r}, expected an integer or three") from None
    return (x, y, z)


class SparseTensor:
    """Coordinates and features of N voxels.

    coords: (N, 4) int32 (or int64), rows batch, x, y, z; physical, so multiples of `stride`.
    feats: (N, C) float32 or float16.
    stride: physical distance of neighbouring voxels, one number or three.
    active_rows: how many rows count, from the first; the others are padding. None means all. A
      number or an array of one.

    Results hold exactly the active rows. Nothing is copied or checked before a run.
    """

    __slots__ = ("coords", "feats", "stride", "active_rows")

    def __init__(
        self,
        coords: Any,
        feats: Any,
        stride: Union[int, tuple[int, int, int]] = 1,
        active_rows: Any = None,
    ) -> None:
        self.coords = coords
        self.feats = feats
        self.stride: Stride = triple(stride)
        self.active_rows = active_rows

    @property
    def features(self) -> Any:
        """The same as `feats`."""
        return self.feats

    @property
    def active(self) -> int:
        """The number of rows that count."""
        if self.active_rows is None:
            return int(self.coords.shape[0])
        try:
            return operator.index(self.active_rows)
        except TypeError:
            pass
        rows = to_numpy(self.active_rows).reshape(-1)
        if rows.size != 1 or rows.dtype.kind not in "iu":
            raise InputKindError(
                f"active_rows: found {rows.size} values of {rows.dtype}, expected one integer"
            )
        return int(rows[0])

    def numpy(self) -> "SparseTensor":
        """The same with numpy arrays."""
        return SparseTensor(to_numpy(self.coords), to_numpy(self.feats), self.stride, self.active_rows)

    def __len__(self) -> int:
        return self.active

    def __repr__(self) -> str:
        shape = tuple(getattr(self.feats, "shape", ()))
        return f"SparseTensor(rows={self.active}, feats={shape}, stride={self.stride})"
