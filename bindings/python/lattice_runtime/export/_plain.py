"""Small sparse layers in plain PyTorch whose geometry is the format's own: kernel rows count z fastest, odd
kernels are centred, a strided layer stands on floor(coords / stride). Each layer is one operation."""

from __future__ import annotations

import numpy as np

from . import _torch_layers
from ._layer import Layer, Signature
from ._network import Flow, Network, ones, zeros
from ._supports import Support, Triple, axes
from ._torch_layers import Table


def kernel(layer: Layer, K: Triple) -> np.ndarray:
    """(Cout, Kx, Ky, Kz, Cin) of a weight (K, Cin, Cout)."""
    rows = layer.tensor("weight", K[0] * K[1] * K[2], -1, -1)
    return np.transpose(rows.reshape(*K, *rows.shape[1:]), (4, 0, 1, 2, 3))


def below(network: Network, layer: Layer, x: Flow, S: Triple) -> Support:
    parent = network.sparse(layer, x)
    if S == ones:
        return parent
    stride = axes(a * b for a, b in zip(parent.stride, S))
    return network.derived(layer, "floor", parent, stride, S=S)


def submanifold(network: Network, layer: Layer, x: Flow) -> Flow:
    K = layer.triple("kernel_size")
    if not all(k % 2 for k in K):
        raise layer.refused(f"{layer.kind} with the even kernel {K}: submanifold kernels are odd")
    return network.submanifold(layer, "weight", kernel(layer, K), ones, x)


def strided(network: Network, layer: Layer, x: Flow) -> Flow:
    S = layer.triple("stride")
    K = layer.triple("kernel_size", S)
    if K != S or any(k % 2 and k > 1 for k in K):
        raise layer.refused(
            f"{layer.kind} with kernel {K} and stride {S}: an even kernel equal to its stride is wanted"
        )
    support = below(network, layer, x, S)
    weight, bias = network.kernel(layer, "weight", kernel(layer, K), x)
    return network.flow(network.builder.conv3d(x.value, weight, bias, S), support)


def transposed(network: Network, layer: Layer, x: Flow, target: Flow) -> Flow:
    S = layer.triple("stride")
    data = kernel(layer, layer.triple("kernel_size", S))
    return network.back(layer, "weight", data, S, zeros, ones, x, network.sparse(layer, target))


def pool(network: Network, layer: Layer, x: Flow) -> Flow:
    K, S, mode = layer.triple("kernel_size"), layer.triple("stride"), layer.get("mode")
    value = network.builder.pool3d(x.value, mode, K, S)
    return network.flow(value, below(network, layer, x, S), x.positive)


def pool_transpose(network: Network, layer: Layer, x: Flow, target: Flow) -> Flow:
    S = layer.triple("stride")
    value = network.builder.pool_transpose3d(x.value, target.value, layer.triple("kernel_size", S), S)
    return network.flow(value, network.sparse(layer, target), x.positive)


def activation(network: Network, layer: Layer, x: Flow) -> Flow:
    kind = layer.get("kind")
    return network.same_rows(x, network.builder.activation(x.value, kind), kind in ("relu", "sigmoid"))


def add(network: Network, layer: Layer, x: Flow, y: Flow) -> Flow:
    return network.join("add", x, y, False, layer.path)


def cat(network: Network, layer: Layer, x: Flow, y: Flow) -> Flow:
    return network.join("cat", x, y, False, layer.path)


layers: Table = {
    "SubmConv3d": (Signature("in_channels out_channels kernel_size", kernel_size=3), submanifold),
    "Conv3d": (Signature("in_channels out_channels stride", stride=2), strided),
    "TargetConvTranspose3d": (Signature("in_channels out_channels stride", stride=2), transposed),
    "Pool3d": (Signature("mode kernel_size stride"), pool),
    "TargetPoolTranspose3d": (Signature("stride"), pool_transpose),
    "Linear": _torch_layers.layers["Linear"],
    "BatchNorm": (_torch_layers.norm_arguments, _torch_layers.batch_norm),
    "Activation": (Signature("kind"), activation),
    "Add": (Signature(""), add),
    "Cat": (Signature(""), cat),
}

refused: dict[str, str] = {}
