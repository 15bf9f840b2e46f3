"""Layers of torch.nn that work on the feature matrix, and the same under other names. No geometry."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ._layer import Layer, Signature
from ._network import Flow, Network

Handler = Callable[..., Flow]  # of a Network, a Layer and the Flows that the layer takes
Table = dict[str, tuple[Signature, Handler]]


def channels_of(layer: Layer, x: Flow) -> int:
    return x.value.channels


def batch_norm(network: Network, layer: Layer, x: Flow, under: str = "") -> Flow:
    channels = x.value.channels
    if not layer.get("track_running_stats", True) or not layer.has(under + "running_mean"):
        raise layer.refused(
            f"{layer.kind} without running statistics normalizes by the input of the moment, which the format "
            "has no operation for"
        )
    tensors = []
    for name, family, default in (
        ("weight", "channel", 1.0),
        ("bias", "bias", 0.0),
        ("running_mean", "channel", 0.0),
        ("running_var", "channel", 1.0),
    ):
        if layer.has(under + name):
            data = layer.tensor(under + name, channels)
        elif name in ("weight", "bias") and not layer.get("affine", True):
            data = np.full(channels, default, np.float32)
        else:
            raise layer.refused(f'the state dict has no tensor "{layer.key(under + name)}"')
        tensors.append(network.weight(layer, under + name, family, data))
    scale, bias, mean, var = tensors
    eps = layer.number("eps")
    return network.same_rows(x, network.builder.batch_norm(x.value, scale, bias, mean, var, eps))


def linear(network: Network, layer: Layer, x: Flow, under: str = "") -> Flow:
    data = layer.tensor(under + "weight", -1, x.value.channels)
    weight = network.weight(layer, under + "weight", "linear", data)
    bias = None
    if layer.has(under + "bias"):
        values = layer.tensor(under + "bias", data.shape[0])
        bias = network.weight(layer, under + "bias", "bias", values)
    elif layer.kwargs.get("bias", False):
        raise layer.refused(f'the state dict has no tensor "{layer.key(under + "bias")}"')
    return network.same_rows(x, network.builder.linear(x.value, weight, bias))


def layer_norm(network: Network, layer: Layer, x: Flow) -> Flow:
    channels = x.value.channels
    shape = layer.get("normalized_shape", channels)
    if math.prod(shape if isinstance(shape, (list, tuple)) else [shape]) != channels:
        raise layer.refused(
            f"{layer.kind} over {shape}, the format normalizes the {channels} channels of a row"
        )
    scale = layer.tensor("weight", channels) if layer.has("weight") else np.ones(channels, np.float32)
    shift = layer.tensor("bias", channels) if layer.has("bias") else np.zeros(channels, np.float32)
    weights = (
        network.weight(layer, "weight", "channel", scale),
        network.weight(layer, "bias", "bias", shift),
    )
    return network.same_rows(x, network.builder.layer_norm(x.value, *weights, layer.number("eps")))


def rms_norm(network: Network, layer: Layer, x: Flow) -> Flow:
    if layer.get("eps", None) is None:
        raise layer.refused(f"{layer.kind} without eps: give the number that the layer was trained with")
    scale = layer.tensor("weight", x.value.channels) if layer.has("weight") else np.ones(x.value.channels)
    weight = network.weight(layer, "weight", "channel", scale)
    return network.same_rows(x, network.builder.rms_norm(x.value, weight, layer.number("eps")))


def activation(kind: str, positive: bool = False) -> Handler:
    def make(network: Network, layer: Layer, x: Flow) -> Flow:
        return network.same_rows(x, network.builder.activation(x.value, kind), positive)

    return make


def leaky_relu(network: Network, layer: Layer, x: Flow) -> Flow:
    slope = layer.number("negative_slope")
    if slope < 0:
        raise layer.refused(f"{layer.kind} with negative_slope={slope}: the format takes 0 or more")
    value = network.builder.activation(x.value, "leaky_relu", alpha=slope)
    return network.same_rows(x, value, x.positive)


def gelu(network: Network, layer: Layer, x: Flow) -> Flow:
    approximate = layer.get("approximate")
    if approximate not in ("none", "tanh"):
        raise layer.refused(f"{layer.kind} with approximate={approximate!r}: the format has none and tanh")
    return network.same_rows(x, network.builder.activation(x.value, "gelu", approximate))


def softplus(network: Network, layer: Layer, x: Flow) -> Flow:
    value = network.builder.activation(
        x.value, "softplus", beta=layer.number("beta"), threshold=layer.number("threshold")
    )
    return network.same_rows(x, value, True)


def softmax(network: Network, layer: Layer, x: Flow) -> Flow:
    if layer.get("dim") not in (1, -1):
        raise layer.refused(
            f"{layer.kind} over dim={layer.get('dim')!r}: the format has it over channels (1)"
        )
    return network.same_rows(x, network.builder.softmax(x.value), True)


def unchanged(network: Network, layer: Layer, x: Flow) -> Flow:
    """Layers that only training knows."""
    return x


norm_arguments = Signature(
    "num_features eps momentum affine track_running_stats",
    eps=1e-5, affine=True, track_running_stats=True,
)  # fmt: skip
linear_arguments = Signature("in_features out_features bias", bias=True)

activations: Table = {
    "ReLU": (Signature("inplace"), activation("relu", True)),
    "LeakyReLU": (Signature("negative_slope inplace", negative_slope=0.01), leaky_relu),
    "GELU": (Signature("approximate", approximate="none"), gelu),
    "SiLU": (Signature("inplace"), activation("silu")),
    "Sigmoid": (Signature("inplace"), activation("sigmoid", True)),
    "Tanh": (Signature("inplace"), activation("tanh")),
    "Softplus": (Signature("beta threshold", beta=1.0, threshold=20.0), softplus),
    "Softmax": (Signature("dim", dim=None), softmax),
    "Dropout": (Signature("p inplace"), unchanged),
    "Identity": (Signature(""), unchanged),
}

layers: Table = {
    **activations,
    "BatchNorm1d": (norm_arguments, batch_norm),
    "SyncBatchNorm": (norm_arguments, batch_norm),
    "Linear": (linear_arguments, linear),
    "LayerNorm": (Signature("normalized_shape eps elementwise_affine bias", eps=1e-5), layer_norm),
    "RMSNorm": (Signature("normalized_shape eps elementwise_affine", eps=None), rms_norm),
    "Dropout1d": (Signature("p inplace"), unchanged),
    "AlphaDropout": (Signature("p inplace"), unchanged),
}

refused = {
    "GroupNorm": "normalizes over all rows of a sample, which the format has no operation for",
    "InstanceNorm1d": "normalizes over all rows of a sample, which the format has no operation for",
    "PReLU": "has a slope that is a weight; the format has one slope for all channels (leaky_relu)",
}
