"""spconv 2: what its layers mean. Coordinates, kernel sizes and grids are in the order z, y, x."""

from __future__ import annotations

import numpy as np

from . import _torch_layers
from ._layer import Layer, Signature
from ._network import Flow, Map, Network, ones, zeros
from ._supports import Triple, axes
from ._torch_layers import Table


def xyz(triple: Triple) -> Triple:
    return (triple[2], triple[1], triple[0])


def kernel(layer: Layer, K: Triple) -> np.ndarray:
    """Stored (Cout, Kz, Ky, Kx, Cin)."""
    return np.transpose(layer.tensor("weight", -1, K[2], K[1], K[0], -1), (0, 3, 2, 1, 4))


def plain(layer: Layer) -> None:
    """What no layer of the format has."""
    layer.expect("ndim", 3, why="only three dimensions")
    layer.expect("groups", 1, why="the format has no grouped convolution")
    layer.expect("output_padding", 0, why="not read from the library")
    act = layer.get("act_type", None)
    if act is not None and getattr(act, "name", act) not in ("None_", 0) and int(getattr(act, "value", 1)):
        raise layer.refused(f"{layer.kind} with act_type={act!r}: write the activation as a layer of its own")


def pointwise(network: Network, layer: Layer, x: Flow) -> Flow:
    # The library multiplies by weight.view(Cin, Cout), whatever the shape says.
    data = layer.tensor("weight", -1, 1, 1, 1, -1)
    matrix = np.ascontiguousarray(data).reshape(data.shape[4], data.shape[0])
    return network.pointwise(layer, "weight", matrix, x)


def check_again(network: Network, layer: Layer, key: object, made: Map) -> None:
    """A second layer under an indice_key uses the first one's pairs."""
    found = network.maps.get(key)
    if found is not None and (found.geometry != made.geometry or found.source is not made.source):
        raise layer.refused(
            f"{layer.kind}: another layer with other rows or sizes has its indice_key {key!r}"
        )


def subm(network: Network, layer: Layer, x: Flow) -> Flow:
    plain(layer)
    support = network.sparse(layer, x)
    K, D = xyz(layer.triple("kernel_size")), xyz(layer.triple("dilation"))
    if K == ones:
        return pointwise(network, layer, x)
    if not all(k % 2 for k in K):
        raise layer.refused(f"{layer.kind} with the even kernel {K} (x, y, z): submanifold kernels are odd")
    key = layer.get("indice_key")
    if key is not None:
        made = Map(support, support, K, ones, zeros, D)
        check_again(network, layer, key, made)
        network.maps.setdefault(key, made)
    return network.submanifold(layer, "weight", kernel(layer, K), D, x)


def strided(network: Network, layer: Layer, x: Flow) -> Flow:
    plain(layer)
    parent = network.sparse(layer, x)
    K, S, P, D = (xyz(layer.triple(n)) for n in ("kernel_size", "stride", "padding", "dilation"))
    if K == ones and S == ones:
        if P != zeros:
            raise layer.refused(
                f"{layer.kind} of kernel 1 and stride 1 with padding, which the library refuses"
            )
        return pointwise(network, layer, x)
    support = network.strided_support(layer, parent, K, S, P, D)
    remember(network, layer, Map(parent, support, K, S, P, D))
    return network.uncentred(layer, "weight", kernel(layer, K), S, P, D, x, support)


def remember(network: Network, layer: Layer, made: Map) -> None:
    key = layer.get("indice_key")
    if key is not None:
        check_again(network, layer, key, made)
        network.maps[key] = made


def inverse(network: Network, layer: Layer, x: Flow) -> Flow:
    plain(layer)
    K, key = xyz(layer.triple("kernel_size")), layer.get("indice_key")
    made = network.maps.get(key)
    if made is None:
        raise layer.refused(f"{layer.kind}: no earlier layer has its indice_key {key!r}")
    if made.K != K:
        raise layer.refused(f"{layer.kind} with kernel {K} (x, y, z), the layer it undoes has {made.K}")
    if K == ones:
        raise layer.refused(f"{layer.kind} with kernel 1: the library multiplies rows and finds no others")
    if made.S == ones and made.source is made.result:
        raise layer.refused(f"{layer.kind} of a submanifold layer: not read from the library")
    if x.support is not made.result:
        raise layer.refused(f"{layer.kind}: its input does not stand on the rows that {key!r} made")
    data = kernel(layer, K)
    return network.back(layer, "weight", data, made.S, made.P, made.D, x, made.source)


def transposed(network: Network, layer: Layer, x: Flow) -> Flow:
    plain(layer)
    parent = network.sparse(layer, x)
    K, S, P, D = (xyz(layer.triple(n)) for n in ("kernel_size", "stride", "padding", "dilation"))
    if K == ones and S == ones:
        raise layer.refused(
            f"{layer.kind} of kernel 1 and stride 1: which way it reads its weight is not known"
        )
    layer.expect("dilation", 1, why="what the library makes of the grid then is not known")
    if any(a % b for a, b in zip(parent.stride, S)):
        raise layer.refused(
            f"{layer.kind} by {S} from stride {parent.stride} (x, y, z) gives no whole stride"
        )
    stride = axes(a // b for a, b in zip(parent.stride, S))
    if P == zeros and D == ones:  # then every row lies inside the grid
        shape = parent.shape and axes((n - 1) * s + k for n, s, k in zip(parent.shape, S, K))
        support = network.derived(layer, "generated", parent, stride, K=K, S=S, P=P, D=D, shape=shape)
        weight, bias = network.kernel(layer, "weight", kernel(layer, K), x)
        remember(network, layer, Map(parent, support, K, S, P, D))
        return network.flow(network.builder.conv_transpose3d(x.value, weight, bias, S, P, D), support)
    if parent.shape is None:
        raise layer.refused(f"{layer.kind} with padding stays inside the grid: give spatial_shape")
    shape = axes((n - 1) * s - 2 * p + k for n, s, p, k in zip(parent.shape, S, P, K))
    support = network.derived(layer, "transposed", parent, stride, K=K, S=S, P=P, D=D, shape=shape)
    remember(network, layer, Map(parent, support, K, S, P, D))
    return network.back(layer, "weight", kernel(layer, K), S, P, D, x, support)


def max_pool(network: Network, layer: Layer, x: Flow) -> Flow:
    layer.expect("ndim", 3, why="only three dimensions")
    parent = network.sparse(layer, x)
    K, P, D = (xyz(layer.triple(n)) for n in ("kernel_size", "padding", "dilation"))
    S = K if layer.get("stride") is None else xyz(layer.triple("stride"))
    if layer.get("subm"):
        raise layer.refused(f"{layer.kind} with subm=True: not read from the library")
    support = network.strided_support(layer, parent, K, S, P, D)
    remember(network, layer, Map(parent, support, K, S, P, D))
    y = network.pooled(layer, "max", K, S, P, D, x, support)
    if not x.positive:  # the library starts from zero: max(0, largest)
        y = Flow(network.builder.activation(y.value, "relu"), y.support, True)
    return y


def global_max(network: Network, layer: Layer, x: Flow) -> Flow:
    return network.global_pool(layer, "max", x)


convolution = Signature(
    "in_channels out_channels kernel_size stride padding dilation groups bias indice_key algo fp32_accum",
    stride=1, padding=0, dilation=1, groups=1, bias=True, indice_key=None,
)  # fmt: skip

layers: Table = {
    "SubMConv3d": (convolution, subm),
    "SparseConv3d": (convolution, strided),
    "SparseConvTranspose3d": (convolution, transposed),
    "SparseInverseConv3d": (
        Signature("in_channels out_channels kernel_size indice_key bias algo", indice_key=None, bias=True),
        inverse,
    ),
    "SparseMaxPool3d": (
        Signature(
            "kernel_size stride padding dilation indice_key algo",
            stride=None, padding=0, dilation=1, indice_key=None, subm=False,
        ),
        max_pool,
    ),
    "SparseGlobalMaxPool": (Signature("dense", dense=True), global_max),
    "SparseBatchNorm": (_torch_layers.norm_arguments, _torch_layers.batch_norm),
    "SparseSyncBatchNorm": (_torch_layers.norm_arguments, _torch_layers.batch_norm),
    "SparseReLU": _torch_layers.activations["ReLU"],
    "SparseIdentity": _torch_layers.activations["Identity"],
}  # fmt: skip

refused = {
    "SparseGlobalAvgPool": "returns shape (batches,): the mean of channel 0 only. No operation of the format gives "
    "that (global_pool avg gives the mean of every channel)",
    "SparseAvgPool3d": "runs on CUDA only; what it divides by was not proved",
    "ToDense": "gives a dense grid, which the format has no value for",
    "RemoveGrid": "works on the library's own tables",
    **{
        f"{name}{n}d": "has not three dimensions"
        for name in (
            "SubMConv", "SparseConv", "SparseConvTranspose", "SparseInverseConv", "SparseMaxPool", "SparseAvgPool",
        )
        for n in (1, 2, 4)
    },
}  # fmt: skip
