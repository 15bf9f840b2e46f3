"""TorchSparse 2.1: what its layers mean, with kmap_mode hashmap_on_the_fly. Coordinates are logical."""

from __future__ import annotations

import numpy as np

from . import _torch_layers
from ._layer import Layer, Signature
from ._network import Flow, Map, Network, ones, zeros
from ._supports import Triple, axes, size_after
from ._torch_layers import Handler, Table


def volume(K: Triple) -> int:
    return K[0] * K[1] * K[2]


def kernel(layer: Layer, K: Triple) -> np.ndarray:
    """(Cout, Kx, Ky, Kz, Cin). An odd number of rows counts x fastest, an even one z fastest."""
    rows = layer.tensor("kernel", volume(K), -1, -1)
    if volume(K) % 2:
        return np.transpose(rows.reshape(K[2], K[1], K[0], *rows.shape[1:]), (4, 2, 1, 0, 3))
    return np.transpose(rows.reshape(*K, *rows.shape[1:]), (4, 0, 1, 2, 3))


def convolution(network: Network, layer: Layer, x: Flow) -> Flow:
    support = network.sparse(layer, x)
    K, S, P = (layer.triple(n) for n in ("kernel_size", "stride", "padding"))
    if layer.get("transposed"):
        y = generative(network, layer, x) if layer.get("generative") else transposed(network, layer, x)
    elif layer.get("generative"):
        raise layer.refused(f"{layer.kind} is generative but not transposed")
    elif S == ones:
        y = same_rows(network, layer, K, x)
    else:
        y = strided(network, layer, K, S, P, x)
    assert y.support is not None
    network.known.setdefault(y.support.stride, y.support)
    if y.support is not support:
        network.known.setdefault(support.stride, support)
    return y


def same_rows(network: Network, layer: Layer, K: Triple, x: Flow) -> Flow:
    assert x.support is not None
    if volume(K) == 1:
        return network.pointwise(layer, "kernel", layer.tensor("kernel", -1, -1), x)
    # Dilation separates cached maps and nothing else.
    if volume(K) % 2:
        return network.submanifold(layer, "kernel", kernel(layer, K), ones, x)
    return network.uncentred(layer, "kernel", kernel(layer, K), ones, zeros, ones, x, x.support)


def map_key(layer: Layer, stride: Triple, K: Triple, S: Triple) -> tuple[Triple, ...]:
    return (stride, K, S, layer.triple("dilation"))


def strided(network: Network, layer: Layer, K: Triple, S: Triple, P: Triple, x: Flow) -> Flow:
    parent = x.support
    assert parent is not None
    check_mode(network, layer, K, P)
    key = map_key(layer, parent.stride, K, S)
    support = network.strided_support(layer, parent, K, S, P, ones, measured=True)
    made = Map(parent, support, K, S, P, ones)
    found = network.maps.setdefault(key, made)
    if found.source is not parent or found.P != P:
        raise layer.refused(
            f"{layer.kind}: an earlier layer of the same kernel, stride and dilation at stride {parent.stride} has "
            "other rows or padding, and the library would use its map"
        )
    return network.uncentred(layer, "kernel", kernel(layer, K), S, P, ones, x, support)


def check_mode(network: Network, layer: Layer, K: Triple, P: Triple) -> None:
    """A generative layer needs kmap_mode hashmap, which centres odd strided kernels in its look-up."""
    if not network.generative:
        return
    if volume(K) % 2 and any(k > 1 and p != (k - 1) // 2 for k, p in zip(K, P)):
        raise layer.refused(
            f"{layer.kind} with the odd kernel {K}, padding {P} in a network with a generative layer: kmap_mode "
            "hashmap, which that needs, centres the kernel while its rows come from the uncentred rule"
        )


def transposed(network: Network, layer: Layer, x: Flow) -> Flow:
    parent = x.support
    assert parent is not None
    K, S = layer.triple("kernel_size"), layer.triple("stride")
    if S == ones:
        raise layer.refused(f"{layer.kind} transposed with stride 1: not read from the library")
    if any(a % b for a, b in zip(parent.stride, S)):
        raise layer.refused(f"{layer.kind} by {S} from stride {parent.stride}: no whole stride")
    stride = axes(a // b for a, b in zip(parent.stride, S))
    made = network.maps.get(map_key(layer, stride, K, S))
    if made is None:
        raise layer.refused(
            f"{layer.kind} transposed: no earlier layer has its kernel {K}, stride {S} and dilation at stride "
            f"{stride}, whose map the library reuses"
        )
    if made.result is not parent:
        raise layer.refused(
            f"{layer.kind} transposed: its input does not stand on the rows of the layer it undoes"
        )
    if network.known.get(stride, made.source) is not made.source:
        raise layer.refused(
            f"{layer.kind} transposed: the library takes other rows at stride {stride} than its map's"
        )
    return network.back(layer, "kernel", kernel(layer, K), S, made.P, ones, x, made.source)


def generative(network: Network, layer: Layer, x: Flow) -> Flow:
    parent = x.support
    assert parent is not None
    K, S, P = (layer.triple(n) for n in ("kernel_size", "stride", "padding"))
    if not all(k % 2 for k in K):
        raise layer.refused(
            f"{layer.kind} generative with the even kernel {K}: the library's rows and its edges contradict each other"
        )
    if parent.shape is None:
        raise layer.refused(
            f"{layer.kind} generative: the library needs a spatial_range, give it when importing"
        )
    if any(a % b for a, b in zip(parent.stride, S)):
        raise layer.refused(f"{layer.kind} by {S} from stride {parent.stride}: no whole stride")
    stride = axes(a // b for a, b in zip(parent.stride, S))
    half = axes((k - 1) // 2 for k in K)
    # The range shrinks as if this were a forward convolution, and rows are moved into it.
    shape = size_after(parent.shape, K, S, P, ones)
    if any(n < 1 for n in shape):
        raise layer.refused(f"{layer.kind} generative: nothing is left of the spatial_range")
    support = network.derived(
        layer, "transposed_clamped", parent, stride, K=K, S=S, P=half, D=ones, shape=shape
    )
    # Edges run the other way than the rows: out = in * S - (index - half).
    flipped = np.ascontiguousarray(np.flip(kernel(layer, K), (1, 2, 3)))
    return network.back(layer, "kernel", flipped, S, half, ones, x, support)


def global_pool(mode: str) -> Handler:
    def make(network: Network, layer: Layer, x: Flow) -> Flow:
        return network.global_pool(layer, mode, x)

    return make


layers: Table = {
    "Conv3d": (
        Signature(
            "in_channels out_channels kernel_size stride padding dilation bias transposed generative config",
            kernel_size=3, stride=1, padding=0, dilation=1, bias=False, transposed=False, generative=False,
        ),
        convolution,
    ),
    "BatchNorm": (_torch_layers.norm_arguments, _torch_layers.batch_norm),
    "GlobalAvgPool": (Signature(""), global_pool("avg")),
    "GlobalMaxPool": (Signature(""), global_pool("max")),
    **{name: _torch_layers.activations[name] for name in ("ReLU", "LeakyReLU", "SiLU")},
}  # fmt: skip

refused = {
    "GroupNorm": "normalizes over all rows of a sample, which the format has no operation for",
    "InstanceNorm": "normalizes over all rows of a sample, which the format has no operation for",
    **{
        name: "gives a dense plane, which the format has no value for"
        for name in ("ToBEVReduction", "ToDenseBEVConvolution", "ToBEVConvolution", "ToBEVHeightCompression")
    },
}
