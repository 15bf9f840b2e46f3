"""The best correct peer with any number of threads: a gather, a matrix product and an index_add_ per kernel row.

Maps are searches in sorted keys: three rows that differ in z alone share one search, and a submanifold relation needs
half of its offsets. The middle offset of a submanifold convolution is a product on the rows as they lie, added in
place.
"""
from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch

from artifact import Layer
from peer import Peer

MARGIN = 2  # free cells around the scene in each field of a key, so that a neighbour's key is never another voxel's


@dataclass
class Level:
    """Distinct voxels, ascending in (batch, x, y, z); coordinates are not negative."""
    coords: torch.Tensor       # (N, 4) int64
    key: torch.Tensor          # (N) int64
    places: list[int]          # what a step along batch, x, y, z adds to a key


@dataclass
class Maps:
    levels: list[Level] = field(default_factory=list)
    corner: torch.Tensor | None = None  # added to coordinates of level 0
    order: torch.Tensor | None = None   # rows of the input in the order of level 0, unless they are sorted
    pairs: dict = field(default_factory=dict)


def places_of(coords: torch.Tensor) -> list[int]:
    batch, x, y, z = (last + 1 + 2 * MARGIN for last in coords.amax(0).tolist())
    if batch * x * y * z >= 2**63:
        raise SystemExit("the scene is too large for 64-bit keys")
    return [x * y * z, y * z, z, 1]


def key_of(coords: torch.Tensor, places: list[int]) -> torch.Tensor:
    return ((coords + torch.tensor([0, MARGIN, MARGIN, MARGIN])) * torch.tensor(places)).sum(1)


def coarse_level(fine: Level, stride) -> tuple[Level, torch.Tensor]:
    """The voxels floor(fine / stride), and which of them each fine one lies in. Strides are 1 or 2."""
    coords = fine.coords >> torch.tensor([0, *(s - 1 for s in stride)])
    places = places_of(coords)
    key, parent = torch.unique(key_of(coords, places), return_inverse=True)
    # Any child says what its parent's coordinates are.
    distinct = torch.empty(len(key), 4, dtype=torch.int64)
    distinct[parent] = coords
    return Level(distinct, key, places), parent


def find_column(level: Level, key: torch.Tensor, count: int):
    """Looks for key, key + 1, ... key + count - 1, which one search finds: each time (which queries, their rows)."""
    row = torch.searchsorted(level.key, key)
    for step in range(count):
        hit = level.key[row.clamp(max=len(level.key) - 1)] == key + step
        query = hit.nonzero().squeeze(1)
        yield query, row[query]
        row = row + hit


def submanifold(level: Level) -> list:
    """Pairs (input rows, output rows) by kernel row of a 3x3x3 kernel; the middle one is None."""
    pairs: list = [None] * 27
    for dx, dy in ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 0)):
        key = level.key + (dx * level.places[1] + dy * level.places[2] - 1)
        for step, (output, neighbour) in enumerate(find_column(level, key, 1 if dx == dy == 0 else 3)):
            r = ((dx + 1) * 3 + dy + 1) * 3 + step
            pairs[r] = (neighbour, output)
            pairs[26 - r] = (output, neighbour)
    return pairs


def strided(fine: Level, coarse: Level, size, stride) -> list:
    """Pairs (fine rows, coarse rows) by kernel row of an odd kernel around coarse * stride."""
    key = key_of(coarse.coords * torch.tensor([1, *stride]), fine.places)
    pairs: list = []
    for ix in range(size[0]):
        for iy in range(size[1]):
            offset = (ix - size[0] // 2) * fine.places[1] + (iy - size[1] // 2) * fine.places[2] - size[2] // 2
            pairs += [(row, output) for output, row in find_column(fine, key + offset, size[2])]
    return pairs


def children(fine: Level, parent: torch.Tensor) -> list:
    """The same for a kernel and a stride of 2: each fine row has one kernel row."""
    x, y, z = (fine.coords[:, 1:] & 1).unbind(1)
    place = x * 4 + y * 2 + z
    rows = [(place == r).nonzero().squeeze(1) for r in range(8)]
    return [(row, parent[row]) for row in rows]


class TorchPeer(Peer):
    """A kernel row at a time."""
    pairs_at_once = 1 << 30

    def __init__(self, *given):
        super().__init__(*given)
        self.buffers: dict[str, torch.Tensor] = {}

    def maps(self) -> Maps:
        maps = Maps()
        coords = self.coords.long()
        corner = coords.amin(0) >> 4 << 4  # divisible by every stride
        corner[0] = 0
        coords = coords - corner
        places = places_of(coords)
        key = key_of(coords, places)
        if not bool((key[1:] > key[:-1]).all()):
            key, maps.order = key.sort()
            coords = coords[maps.order]
        maps.corner = corner
        maps.levels.append(Level(coords, key, places))
        for step, (size, stride) in enumerate(self.network.steps):
            fine = maps.levels[-1]
            coarse, parent = coarse_level(fine, stride)
            maps.levels.append(coarse)
            even = size == (2, 2, 2)
            down = children(fine, parent) if even else strided(fine, coarse, size, stride)
            maps.pairs["down", step + 1] = down
            maps.pairs["up", step + 1] = [(row, output) for output, row in down]
        for level in range(self.network.subm_levels):
            maps.pairs["subm", level] = submanifold(maps.levels[level])
        return maps

    def first_rows(self, maps: Maps) -> torch.Tensor:
        return self.features if maps.order is None else self.features[maps.order]

    def coords_of(self, maps: Maps) -> np.ndarray:
        level = maps.levels[0 if self.network.has_up else -1]
        return (level.coords + maps.corner // torch.tensor(self.network.result_stride())).numpy()

    def layer_of(self, layer: Layer):
        outputs, inputs = layer.weight.shape[0], layer.weight.shape[-1]
        weight = np.ascontiguousarray(layer.weight.reshape(outputs, -1, inputs).transpose(1, 2, 0))
        return torch.from_numpy(weight), torch.from_numpy(layer.bias)

    def convolve(self, layer, x, relation, add):
        weight, bias = layer
        kind, level = relation
        if kind == "rows":
            return torch.addmm(bias, x, weight[0])
        levels = self.current.levels
        rows = len(levels[level - 1 if kind == "up" else level].coords)
        if add is not None:
            y = add + bias
        elif kind == "subm":
            y = torch.addmm(bias, x, weight[13])
        else:
            y = bias.repeat(rows, 1)
        if kind == "subm" and add is not None:
            y.addmm_(x, weight[13])
        inputs, outputs = weight.shape[1:]
        for r, pair in enumerate(self.current.pairs[relation]):
            if pair is None:
                continue
            for inputs_of, outputs_of in zip(*(rows_of.split(self.pairs_at_once) for rows_of in pair)):
                gathered = self.buffer("gathered", len(inputs_of), inputs)
                product = self.buffer("product", len(inputs_of), outputs)
                torch.index_select(x, 0, inputs_of, out=gathered)
                if kind == "up":  # each output row has one pair: no sum
                    y.index_copy_(0, outputs_of, torch.addmm(bias, gathered, weight[r], out=product))
                else:
                    y.index_add_(0, outputs_of, torch.mm(gathered, weight[r], out=product))
        return y

    def buffer(self, name: str, rows: int, columns: int) -> torch.Tensor:
        """Memory that is kept between products: new memory costs page faults."""
        size = rows * columns
        if name not in self.buffers or len(self.buffers[name]) < size:
            self.buffers[name] = torch.empty(size)
        return self.buffers[name][:size].view(rows, columns)


class BlockedTorchPeer(TorchPeer):
    """A kernel row in blocks whose gathered rows and products stay in the cache: 2,048 to 8,192 were tried."""
    pairs_at_once = 4096
