"""MinkowskiEngine 0.5: what its layers mean. Its geometry is the format's, but for odd transposed kernels;
rows are looked up by tensor stride. Coordinates are physical."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Optional

import numpy as np

from ..builder import Value
from . import _torch_layers
from ._layer import Layer, Signature, as_triple
from ._network import Flow, Network, ones, zeros
from ._supports import Support, Triple, axes
from ._torch_layers import Handler, Table


class Geometry:
    """Kernel size, stride, dilation and region, from the arguments or a KernelGenerator."""

    def __init__(self, layer: Layer) -> None:
        generator = layer.get("kernel_generator", None)
        if isinstance(generator, Mapping):  # {class: arguments}
            (generator,) = generator.values()

        def read(name: str, default: object) -> object:
            if generator is None:
                return layer.get(name, default)
            if isinstance(generator, Mapping):
                return generator.get(name, default)
            return getattr(generator, f"kernel_{name}", getattr(generator, name, default))

        for dimension in (read("dimension", 3), layer.get("dimension", 3)):
            if dimension not in (3, -1, None):
                raise layer.refused(f"{layer.kind} with dimension={dimension}: only three dimensions")
        size = read("kernel_size", -1)
        self.K = as_triple(layer, "kernel_size", size)
        self.S = as_triple(layer, "stride", read("stride", 1))
        self.D = as_triple(layer, "dilation", read("dilation", 1))
        if any(k < 1 for k in self.K):
            raise layer.refused(f"{layer.kind}: kernel_size is {size!r}")
        region = read("region_type", "HYPER_CUBE") if generator is not None else "HYPER_CUBE"
        self.region = str(getattr(region, "name", region)).rpartition(".")[2]
        if self.region not in ("HYPER_CUBE", "HYPER_CROSS"):
            raise layer.refused(f"{layer.kind} with the region {region!r}: only HYPER_CUBE and HYPER_CROSS")
        if self.region == "HYPER_CROSS" and not all(k % 2 for k in self.K):
            raise layer.refused(
                f"{layer.kind} with HYPER_CROSS and the even kernel {self.K}: not read from the library"
            )
        if read("expand_coordinates", False) or layer.get("expand_coordinates", False):
            raise layer.refused(
                f"{layer.kind} with expand_coordinates makes rows wherever a kernel reaches (dilated support), "
                "which the format has no rule for"
            )

    @property
    def volume(self) -> int:
        if self.region == "HYPER_CROSS":
            return 1 + sum(k - 1 for k in self.K)
        return self.K[0] * self.K[1] * self.K[2]

    def place(self, rows: np.ndarray) -> np.ndarray:
        """Kernel rows (volume, ...) as (Kx, Ky, Kz, ...)."""
        if self.region == "HYPER_CUBE":  # the first axis is fastest
            cube = rows.reshape(self.K[2], self.K[1], self.K[0], *rows.shape[1:])
            return np.swapaxes(cube, 0, 2)
        cube = np.zeros((*self.K, *rows.shape[1:]), np.float32)
        centre = [k // 2 for k in self.K]
        cube[tuple(centre)] = rows[0]
        row = 1
        for axis in range(3):
            half = self.K[axis] // 2
            for step in [*range(1, half + 1), *range(-half, 0)]:
                place = list(centre)
                place[axis] += step
                cube[tuple(place)] = rows[row]
                row += 1
        return cube


def weights(layer: Layer, geometry: Geometry) -> np.ndarray:
    """(Cout, Kx, Ky, Kz, Cin) of a kernel (rows, Cin, Cout)."""
    return np.moveaxis(geometry.place(layer.tensor("kernel", geometry.volume, -1, -1)), 4, 0)


# -- rows: one set for each tensor stride, within a family that starts at the input or a new set.
def known(network: Network, support: Support) -> Support:
    return network.known.setdefault((support.family, support.stride), support)


def coarser(network: Network, layer: Layer, parent: Support, S: Triple) -> Support:
    known(network, parent)
    if S == ones:
        return parent
    stride = axes(a * b for a, b in zip(parent.stride, S))
    found = network.known.get((parent.family, stride))
    return found or known(
        network, Support("floor", stride, (parent,), S=S, family=parent.family, module=layer.path)
    )


def finer(network: Network, layer: Layer, parent: Support, S: Triple) -> Support:
    known(network, parent)
    if any(a % b for a, b in zip(parent.stride, S)):
        raise layer.refused(f"{layer.kind} by {S} from the tensor stride {parent.stride}: no whole stride")
    stride = axes(a // b for a, b in zip(parent.stride, S))
    found = network.known.get((parent.family, stride))
    if found is None:
        raise layer.refused(
            f"{layer.kind} comes back to the tensor stride {stride}, at which the network has no rows yet; "
            "MinkowskiGenerativeConvolutionTranspose makes new ones"
        )
    return found


def centred(geometry: Geometry) -> Triple:
    """Padding of the format that centres odd transposed kernels, as the library does."""
    return axes((k - 1) // 2 * d if k % 2 else 0 for k, d in zip(geometry.K, geometry.D))


def forward(network: Network, layer: Layer, geometry: Geometry, data: np.ndarray, x: Flow) -> Flow:
    support = coarser(network, layer, network.sparse(layer, x), geometry.S)
    if geometry.S == ones and all(k % 2 for k in geometry.K):
        return network.submanifold(layer, "kernel", data, geometry.D, x)
    weight, bias = network.kernel(layer, "kernel", data, x)
    value = network.builder.conv3d(x.value, weight, bias, geometry.S, zeros, geometry.D)
    return network.flow(value, support)


def convolution(network: Network, layer: Layer, x: Flow) -> Flow:
    geometry = Geometry(layer)
    if geometry.volume == 1 and geometry.S == ones:  # the kernel is a matrix
        return network.pointwise(layer, "kernel", layer.tensor("kernel", -1, -1), x)
    return forward(network, layer, geometry, weights(layer, geometry), x)


def channelwise(network: Network, layer: Layer, x: Flow) -> Flow:
    geometry = Geometry(layer)
    rows = layer.tensor("kernel", geometry.volume, -1)
    cube = geometry.place(rows[:, :, None] * np.eye(rows.shape[1], dtype=np.float32))
    return forward(network, layer, geometry, np.moveaxis(cube, 4, 0), x)


def transposed(network: Network, layer: Layer, x: Flow) -> Flow:
    geometry = Geometry(layer)
    support = finer(network, layer, network.sparse(layer, x), geometry.S)
    if geometry.volume == 1 and geometry.S == ones:
        return network.pointwise(layer, "kernel", layer.tensor("kernel", -1, -1), x)
    data, P = weights(layer, geometry), centred(geometry)
    return network.back(layer, "kernel", data, geometry.S, P, geometry.D, x, support)


def generative(network: Network, layer: Layer, x: Flow) -> Flow:
    geometry = Geometry(layer)
    parent = known(network, network.sparse(layer, x))
    K, S, D, P = geometry.K, geometry.S, geometry.D, centred(geometry)
    if geometry.volume == 1 and S == ones:
        raise layer.refused(f"{layer.kind} of kernel 1 and stride 1: not read from the library")
    if geometry.region == "HYPER_CROSS":
        raise layer.refused(
            f"{layer.kind} with HYPER_CROSS makes the rows of a cross, the format those of the cube"
        )
    if any(a % b for a, b in zip(parent.stride, S)):
        raise layer.refused(f"{layer.kind} by {S} from the tensor stride {parent.stride}: no whole stride")
    stride = axes(a // b for a, b in zip(parent.stride, S))
    support = Support(
        "generated", stride, (parent,), K, S, P, D, family=f"generated {network.step}", module=layer.path
    )
    weight, bias = network.kernel(layer, "kernel", weights(layer, geometry), x)
    if P == zeros and D == ones:
        value = network.builder.generative_conv_transpose3d(x.value, weight, bias, S)
    else:
        value = network.builder.conv_transpose3d(x.value, weight, bias, S, P, D)
    return known_flow(network, value, support)


def known_flow(network: Network, value: Value, support: Support) -> Flow:
    known(network, support)
    return network.flow(value, support)


def pooling(mode: str) -> Handler:
    def make(network: Network, layer: Layer, x: Flow) -> Flow:
        geometry = Geometry(layer)
        cube_only(layer, geometry)
        support = coarser(network, layer, network.sparse(layer, x), geometry.S)
        value = network.builder.pool3d(x.value, mode, geometry.K, geometry.S, zeros, geometry.D)
        return network.flow(value, support, x.positive)

    return make


def cube_only(layer: Layer, geometry: Geometry) -> None:
    if geometry.region != "HYPER_CUBE" and geometry.K != ones:
        raise layer.refused(
            f"{layer.kind} with {geometry.region}: pools of the format have no region but the cube"
        )


def pooling_transpose(network: Network, layer: Layer, x: Flow) -> Flow:
    geometry = Geometry(layer)
    cube_only(layer, geometry)
    support = finer(network, layer, network.sparse(layer, x), geometry.S)
    value = network.builder.pool_transpose3d(
        x.value, network.given(support), geometry.K, geometry.S, centred(geometry), geometry.D
    )
    return network.flow(value, support, x.positive)


def global_pooling(mode: Optional[str]) -> Handler:
    def make(network: Network, layer: Layer, x: Flow) -> Flow:
        if layer.kwargs.get("mode") is not None:
            raise layer.refused(f"{layer.kind} with mode={layer.get('mode')!r}: only its default was read")
        if mode != "max":
            batches = int(network.described.get("batches") or network.described.get("batch_size") or 0)
            if batches >= 3:
                raise layer.refused(
                    f"with three or more batches the rows of {layer.kind} in its default mode can be permuted "
                    "against their own coordinates: row r holds the batch argsort(output.coords[:, 0])[r] instead "
                    "of output.coords[r, 0]. global_pool gives every batch its own; import for one or two "
                    "batches, or without saying how many, to have that"
                )
            network.note(
                f"{layer.path}: with three or more batches {layer.kind} can give rows permuted against their "
                "coordinates; the graph gives every batch its own"
            )
        network.note(
            f"{layer.path}: {layer.kind} gives one row (batch, 0, 0, 0) a batch, the graph a dense (batches, C)"
        )
        return network.global_pool(layer, mode or "avg", x)

    return make


def batch_norm(network: Network, layer: Layer, x: Flow) -> Flow:
    return _torch_layers.batch_norm(network, layer, x, "bn.")


def linear(network: Network, layer: Layer, x: Flow) -> Flow:
    return _torch_layers.linear(network, layer, x, "linear.")


kernel_arguments = Signature(
    "in_channels out_channels kernel_size stride dilation bias kernel_generator expand_coordinates",
    kernel_size=-1, stride=1, dilation=1, bias=False, kernel_generator=None,
)  # fmt: skip
generative_arguments = Signature(
    "in_channels out_channels kernel_size stride dilation bias kernel_generator", **kernel_arguments.defaults
)
pool_arguments = Signature(
    "kernel_size stride dilation kernel_generator dimension", stride=1, dilation=1, kernel_generator=None
)
global_arguments = Signature("mode", mode=None)

layers: Table = {
    "MinkowskiConvolution": (kernel_arguments, convolution),
    "MinkowskiConvolutionTranspose": (kernel_arguments, transposed),
    "MinkowskiGenerativeConvolutionTranspose": (generative_arguments, generative),
    "MinkowskiChannelwiseConvolution": (
        Signature(
            "in_channels kernel_size stride dilation bias kernel_generator dimension",
            **kernel_arguments.defaults,
        ),
        channelwise,
    ),
    "MinkowskiMaxPooling": (pool_arguments, pooling("max")),
    "MinkowskiAvgPooling": (pool_arguments, pooling("avg")),
    "MinkowskiSumPooling": (pool_arguments, pooling("sum")),
    "MinkowskiPoolingTranspose": (
        Signature(
            "kernel_size stride dilation kernel_generator expand_coordinates dimension",
            **pool_arguments.defaults,
        ),
        pooling_transpose,
    ),
    "MinkowskiGlobalPooling": (global_arguments, global_pooling("avg")),
    "MinkowskiGlobalAvgPooling": (global_arguments, global_pooling("avg")),
    "MinkowskiGlobalSumPooling": (global_arguments, global_pooling("sum")),
    "MinkowskiGlobalMaxPooling": (global_arguments, global_pooling("max")),
    "MinkowskiBatchNorm": (_torch_layers.norm_arguments, batch_norm),
    "MinkowskiSyncBatchNorm": (_torch_layers.norm_arguments, batch_norm),
    "MinkowskiLinear": (_torch_layers.linear_arguments, linear),
    **{f"Minkowski{name}": entry for name, entry in _torch_layers.activations.items()},
}

refused = {
    "MinkowskiInstanceNorm": "normalizes over all rows of a sample, which the format has no operation for",
    "MinkowskiStableInstanceNorm": "normalizes over all rows of a sample, which the format has no operation for",
    "MinkowskiInterpolation": "reads between rows at free positions; the format has it for points only",
    "MinkowskiPruning": "drops rows by a mask, which the format has no operation for",
    **{
        f"MinkowskiBroadcast{name}": "spreads a row for each batch over all rows, which the format has no operation for"
        for name in ("", "Addition", "Multiplication", "Concatenation")
    },
}
