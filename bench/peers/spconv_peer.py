"""spconv's CPU wheel, through its own functions: it builds its pairs, gathers, multiplies and adds.

The functions are those its modules call; modules alone would build the pairs of strided convolutions in every run. One
thread: with more its CPU code loses additions. Its strided convolutions with an odd kernel have another support rule
than ours, so only networks with kernel and stride 2 are the same network here.
"""
from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch

import spconv.pytorch  # noqa: F401  loads its libraries
from spconv.core import ConvAlgo
from spconv.pytorch import ops

from artifact import Layer
from peer import Peer


@dataclass
class Maps:
    supports: list[torch.Tensor] = field(default_factory=list)
    corner: torch.Tensor | None = None
    pairs: dict = field(default_factory=dict)


class SpconvPeer(Peer):
    def maps(self) -> Maps:
        maps = Maps()
        corner = self.coords.amin(0) >> 4 << 4  # it wants no negative coordinates
        corner[0] = 0
        support = self.coords - corner
        batches, *shape = (support.amax(0) + 1).tolist()
        shape = [(extent + 15) // 16 * 16 for extent in shape]
        maps.corner = corner

        def pairs_of(support, shape, size, stride, subm):
            return ops.get_indice_pairs(support, batches, list(shape), ConvAlgo.Native, list(size), list(stride),
                                        [0, 0, 0], [1, 1, 1], [0, 0, 0], subm)

        for level in range(len(self.network.steps) + 1):
            if level > 0:
                size, stride = self.network.steps[level - 1]
                support, *maps.pairs["down", level] = pairs_of(support, shape, size, stride, False)
                shape = [extent // s for extent, s in zip(shape, stride)]
            maps.supports.append(support)
            if level < self.network.subm_levels:
                _, *maps.pairs["subm", level] = pairs_of(support, shape, [3, 3, 3], [1, 1, 1], True)
        return maps

    def first_rows(self, maps: Maps) -> torch.Tensor:
        return self.features

    def coords_of(self, maps: Maps) -> np.ndarray:
        return (maps.supports[0] + maps.corner).numpy()

    def layer_of(self, layer: Layer):
        return torch.from_numpy(layer.weight), torch.from_numpy(layer.bias)

    def convolve(self, layer, x, relation, add):
        weight, bias = layer
        kind, level = relation
        if kind == "rows":
            y = torch.addmm(bias, x, weight.reshape(len(bias), -1).T)
        else:
            inverse = kind == "up"
            pairs, counts = self.current.pairs["down" if inverse else kind, level]
            rows = len(self.current.supports[level - 1 if inverse else level])
            y = ops.indice_conv(x, weight, pairs, counts, rows, inverse, kind == "subm")
            y += bias
        return y if add is None else y.add_(add)
