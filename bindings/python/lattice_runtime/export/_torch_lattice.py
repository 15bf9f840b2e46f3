"""torch-lattice 0.5: what its layers mean. The formulas are those of spconv with axes x, y, z; kernel rows
count z fastest. Coordinates are logical."""

from __future__ import annotations

from typing import Optional

import numpy as np

from ..builder import Value
from . import _torch_layers
from ._layer import Layer, Signature
from ._network import Flow, Map, Network, ones, zeros
from ._supports import Support, Triple, axes
from ._torch_layers import Handler, Table


def kernel(layer: Layer, K: Triple) -> np.ndarray:
    """(Cout, Kx, Ky, Kz, Cin). The module says itself which row is which place."""
    volume = K[0] * K[1] * K[2]
    rows = layer.tensor("weight", volume, -1, -1)
    if layer.has("kernel_positions"):
        found = np.asarray(layer.state[layer.key("kernel_positions")])
        expected = np.stack(np.meshgrid(*(np.arange(k) for k in K), indexing="ij"), -1).reshape(-1, 3)
        if not np.array_equal(found, expected):
            raise layer.refused(f'"{layer.key("kernel_positions")}" is not in the order z fastest')
    return np.transpose(rows.reshape(*K, *rows.shape[1:]), (4, 0, 1, 2, 3))


def pointwise(network: Network, layer: Layer, x: Flow) -> Flow:
    return network.pointwise(layer, "weight", layer.tensor("weight", 1, -1, -1)[0], x)


def submanifold(network: Network, layer: Layer, x: Flow) -> Flow:
    K, D = layer.triple("kernel_size"), layer.triple("dilation")
    if not all(k % 2 for k in K):
        raise layer.refused(f"{layer.kind} with the even kernel {K}: submanifold kernels are odd")
    return network.submanifold(layer, "weight", kernel(layer, K), D, x)


def normalized_submanifold(network: Network, layer: Layer, x: Flow) -> Flow:
    support = network.sparse(layer, x)
    K, D = layer.triple("kernel_size"), layer.triple("dilation")
    weight, bias = network.kernel(layer, "weight", kernel(layer, K), x)
    value = network.builder.normalized_subm_conv3d(x.value, weight, bias, D, layer.number("eps"))
    return network.flow(value, support)


def geometry(layer: Layer) -> tuple[Triple, Triple, Triple, Triple]:
    K, S, P, D = (layer.triple(n) for n in ("kernel_size", "stride", "padding", "dilation"))
    return K, S, P, D


def strided(network: Network, layer: Layer, x: Flow) -> Flow:
    parent = network.sparse(layer, x)
    K, S, P, D = geometry(layer)
    if K == ones and S == ones and P == zeros:
        return pointwise(network, layer, x)
    support = network.strided_support(layer, parent, K, S, P, D)
    remember(network, Map(parent, support, K, S, P, D))
    return network.uncentred(layer, "weight", kernel(layer, K), S, P, D, x, support)


def remember(network: Network, made: Map) -> None:
    network.maps[(id(made.result), made.geometry)] = made


def target_of(
    network: Network,
    layer: Layer,
    x: Flow,
    target: Optional[Flow],
    K: Triple,
    S: Triple,
    P: Triple,
    D: Triple,
) -> Support:
    """The rows to go back to: those of the target, or those that the matching earlier layer came from."""
    parent = network.sparse(layer, x)
    if target is not None:
        support = network.sparse(layer, target)
        if support.stride != axes(a // b for a, b in zip(parent.stride, S)):
            raise layer.refused(
                f"{layer.kind}: a target of stride {support.stride}, input of {parent.stride} by {S}"
            )
        return support
    made = network.maps.get((id(parent), (K, S, P, D)))
    if made is None:
        raise layer.refused(f"{layer.kind} without a target: no earlier layer of its sizes made these rows")
    return made.source


def transposed(network: Network, layer: Layer, x: Flow, target: Optional[Flow] = None) -> Flow:
    sizes = geometry(layer)
    support = target_of(network, layer, x, target, *sizes)
    return network.back(layer, "weight", kernel(layer, sizes[0]), *sizes[1:], x, support)


def normalized_transposed(network: Network, layer: Layer, x: Flow, target: Optional[Flow] = None) -> Flow:
    K, S, P, D = geometry(layer)
    support = target_of(network, layer, x, target, K, S, P, D)
    weight, bias = network.kernel(layer, "weight", kernel(layer, K), x)
    value = network.builder.target_normalized_conv_transpose3d(
        x.value, network.given(support), weight, bias, S, P, D, layer.number("eps")
    )
    return network.flow(value, support)


def generated(network: Network, layer: Layer, x: Flow) -> tuple[Triple, Value, Optional[Value], Support]:
    parent = network.sparse(layer, x)
    layer.expect("padding", 0)
    layer.expect("dilation", 1)
    K, S = layer.triple("kernel_size"), layer.triple("stride")
    if any(a % b for a, b in zip(parent.stride, S)):
        raise layer.refused(f"{layer.kind} by {S} from stride {parent.stride}: no whole stride")
    stride = axes(a // b for a, b in zip(parent.stride, S))
    support = network.derived(layer, "generated", parent, stride, K=K, S=S)
    return S, *network.kernel(layer, "weight", kernel(layer, K), x), support


def generative(network: Network, layer: Layer, x: Flow) -> Flow:
    S, weight, bias, support = generated(network, layer, x)
    return network.flow(network.builder.generative_conv_transpose3d(x.value, weight, bias, S), support)


def normalized_generative(network: Network, layer: Layer, x: Flow) -> Flow:
    S, weight, bias, support = generated(network, layer, x)
    value = network.builder.normalized_generative_conv_transpose3d(
        x.value, weight, bias, S, layer.number("eps")
    )
    return network.flow(value, support)


def pool(mode: str) -> Handler:
    def make(network: Network, layer: Layer, x: Flow) -> Flow:
        parent = network.sparse(layer, x)
        sizes = geometry(layer)
        support = network.strided_support(layer, parent, *sizes)
        remember(network, Map(parent, support, *sizes))
        return network.pooled(layer, mode, *sizes, x, support)

    return make


def pool_transpose(network: Network, layer: Layer, x: Flow, target: Optional[Flow] = None) -> Flow:
    K, S, P, D = geometry(layer)
    support = target_of(network, layer, x, target, K, S, P, D)
    value = network.builder.pool_transpose3d(x.value, network.given(support), K, S, P, D)
    return network.flow(value, support, x.positive)


def trilinear(network: Network, layer: Layer, x: Flow, target: Optional[Flow] = None) -> Flow:
    parent = network.sparse(layer, x)
    S = layer.triple("stride")
    if target is None:
        raise layer.refused(f"{layer.kind} without a target: which rows it makes was not read")
    support = network.sparse(layer, target)
    if support.stride != axes(a // b for a, b in zip(parent.stride, S)):
        raise layer.refused(
            f"{layer.kind}: a target of stride {support.stride}, input of {parent.stride} by {S}"
        )
    return network.flow(network.builder.trilinear_upsample3d(x.value, target.value, S), support, x.positive)


def global_pool(mode: str) -> Handler:
    def make(network: Network, layer: Layer, x: Flow) -> Flow:
        return network.global_pool(layer, mode, x)

    return make


full = Signature(
    "in_channels out_channels kernel_size stride padding dilation bias eps",
    kernel_size=3, stride=1, padding=0, dilation=1, bias=False, eps=1e-8,
)  # fmt: skip
own_rows = Signature("in_channels out_channels kernel_size dilation bias eps", **full.defaults)
pools = Signature("kernel_size stride padding dilation", kernel_size=2, stride=2, padding=0, dilation=1)

layers: Table = {
    "Conv3d": (full, strided),
    "SubmConv3d": (own_rows, submanifold),
    "ConvTranspose3d": (full, transposed),
    "GenerativeConvTranspose3d": (full, generative),
    "NormalizedSubmConv3d": (own_rows, normalized_submanifold),
    "NormalizedConvTranspose3d": (full, normalized_transposed),
    "NormalizedGenerativeConvTranspose3d": (full, normalized_generative),
    "SumPool3d": (pools, pool("sum")),
    "MaxPool3d": (pools, pool("max")),
    "AvgPool3d": (pools, pool("avg")),
    "PoolTranspose3d": (pools, pool_transpose),
    "TrilinearUpsample3d": (Signature("stride", stride=2), trilinear),
    "GlobalSumPool": (Signature(""), global_pool("sum")),
    "GlobalAvgPool": (Signature(""), global_pool("avg")),
    "GlobalMaxPool": (Signature(""), global_pool("max")),
    "BatchNorm": (_torch_layers.norm_arguments, _torch_layers.batch_norm),
    "LayerNorm": _torch_layers.layers["LayerNorm"],
    "RMSNorm": (Signature("num_features eps", eps=1e-6), _torch_layers.rms_norm),
    **{
        name: _torch_layers.activations[name]
        for name in ("ReLU", "LeakyReLU", "SiLU", "GELU", "Sigmoid", "Tanh", "Softplus")
    },
}

refused = {
    "InstanceNorm": "normalizes over all rows of a sample, which the format has no operation for",
    "GroupNorm": "normalizes over all rows of a sample, which the format has no operation for",
}
