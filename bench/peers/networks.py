"""The two networks, written once for all peers. The structure is that of `lattice make`, the weights the artifact's.

A network asks its peer for convolutions by name. A relation is (kind, level): "subm" at a level, "down" from level - 1,
"up" to level - 1, "rows" for a plain product.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Callable


def block(net, name: str, x, level: int):
    y = net.conv(f"{name}.conv1", f"{name}.bn1", x, ("subm", level))
    shortcut = x
    if net.has(f"{name}.shortcut.conv"):
        shortcut = net.conv(f"{name}.shortcut.conv", f"{name}.shortcut.bn", x, ("rows", level), relu=False)
    return net.conv(f"{name}.conv2", f"{name}.bn2", y, ("subm", level), add=shortcut)


def blocks(net, stage: str, x, level: int):
    for i in range(2):
        x = block(net, f"{stage}.block{i}", x, level)
    return x


def minkunet42(net, x):
    x = net.conv("stem.conv1", "stem.bn1", x, ("subm", 0))
    x = net.conv("stem.conv2", "stem.bn2", x, ("subm", 0))
    skips = [x]
    for level in range(1, 5):
        x = net.conv(f"enc{level}.down.conv", f"enc{level}.down.bn", x, ("down", level))
        x = blocks(net, f"enc{level}", x, level)
        skips.append(x)
    for i in range(4):
        level = 3 - i
        x = net.conv(f"dec{i + 1}.up.conv", f"dec{i + 1}.up.bn", x, ("up", level + 1))
        x = blocks(net, f"dec{i + 1}", net.cat(x, skips[level]), level)
    return net.linear("head", x)


def centerpoint(net, x):
    x = net.conv("conv_input.conv", "conv_input.bn", x, ("subm", 0))
    for level in range(4):
        if level > 0:
            x = net.conv(f"conv{level + 1}.down.conv", f"conv{level + 1}.down.bn", x, ("down", level))
        x = blocks(net, f"conv{level + 1}", x, level)
    return net.conv("conv_out.conv", "conv_out.bn", x, ("down", 4))


@dataclass(frozen=True)
class Network:
    forward: Callable
    eps: float                  # of its batch norms
    channels: int               # of the input: x, y, z, intensity, and another
    voxel: float                # in metres
    scene: str                  # made up, unless coordinates are given
    steps: tuple                # (kernel size, stride) from each level to the next
    subm_levels: int            # levels with a 3x3x3 submanifold relation
    has_up: bool                # the steps are walked back
    same_supports: tuple[str, ...]  # peers whose strided convolutions give the voxels that ours give

    def result_stride(self) -> tuple[int, int, int, int]:
        """Of batch, x, y, z."""
        stride = [1, 1, 1]
        if not self.has_up:
            for _, step in self.steps:
                stride = [s * t for s, t in zip(stride, step)]
        return (1, *stride)


NETWORKS = {
    # With kernel and stride 2 all rules for new voxels agree.
    "minkunet42": Network(minkunet42, 1e-5, 4, 0.05, "kitti", (((2, 2, 2), (2, 2, 2)),) * 4, 5, True,
                          ("torch", "torch-blocks", "spconv")),
    # Ours has the voxels floor(in / 2); spconv adds every voxel that the kernel reaches: another, larger network.
    "centerpoint": Network(centerpoint, 1e-3, 5, 0.1, "kitti-10cm",
                           (((3, 3, 3), (2, 2, 2)),) * 3 + (((1, 1, 3), (1, 1, 2)),), 4, False,
                           ("torch", "torch-blocks")),
}
