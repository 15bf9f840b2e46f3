"""What the peers share: weights by layer, the walk through the network, the time of each layer."""
from __future__ import annotations

import time
from collections import defaultdict

import numpy as np
import torch

from artifact import Layer, folded
from networks import Network


class Peer:
    """A peer gives maps(), convolve() and layer_of(); run(maps) is the feature phase."""

    def __init__(self, network: Network, tensors: dict[str, np.ndarray], coords: np.ndarray, features: np.ndarray):
        self.network = network
        self.tensors = tensors
        self.coords = torch.from_numpy(coords.copy())
        self.features = torch.from_numpy(features.copy())
        self.layers: dict[str, object] = {}
        self.current = None  # maps of the run in progress
        self.times: defaultdict[str, float] | None = None

    def run(self, maps) -> torch.Tensor:
        self.current = maps
        return self.network.forward(self, self.first_rows(maps))

    # ---- what a network calls

    def has(self, conv: str) -> bool:
        return f"{conv}.weight" in self.tensors

    def conv(self, conv: str, norm: str, x, relation, relu: bool = True, add=None):
        start = time.perf_counter()
        if conv not in self.layers:
            self.layers[conv] = self.layer_of(folded(self.tensors, conv, norm, self.network.eps))
        y = self.convolve(self.layers[conv], x, relation, add)
        if relu:
            y.relu_()
        self.count(conv, start)
        return y

    def linear(self, name: str, x):
        start = time.perf_counter()
        if name not in self.layers:
            self.layers[name] = [torch.from_numpy(self.tensors[f"{name}.{part}"].copy()) for part in ("weight", "bias")]
        y = torch.nn.functional.linear(x, *self.layers[name])
        self.count(name, start)
        return y

    def cat(self, x, y):
        return torch.cat((x, y), 1)

    def count(self, name: str, start: float) -> None:
        if self.times is not None:
            self.times[f"{name}.weight"] += (time.perf_counter() - start) * 1e3

    # ---- what a peer gives

    def maps(self):
        """New maps from the coordinates alone."""
        raise NotImplementedError

    def first_rows(self, maps) -> torch.Tensor:
        """The features in the row order of the maps."""
        raise NotImplementedError

    def coords_of(self, maps) -> np.ndarray:
        """Batch, x, y, z of the result's rows, at the result's own stride."""
        raise NotImplementedError

    def layer_of(self, layer: Layer):
        raise NotImplementedError

    def convolve(self, layer, x, relation, add):
        """The product and its bias, with `add` added."""
        raise NotImplementedError
