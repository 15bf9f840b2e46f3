"""The ground network: heights above windows of the terrain, then a small sparse U-Net.

Its only input is z, the height of a voxel above any fixed level: the first layers turn it into heights
above the lowest return of windows of several sizes, so the level cancels and cannot be memorised.
"""

import torch
from torch import nn

from sparse import (Activation, Add, BatchNorm, Cat, Conv3d, Dropout, Linear, Pool3d, SubmConv3d,
                    TargetConvTranspose3d, TargetPoolTranspose3d)


class RelativeHeights(nn.Module):
    """z -> height above the lowest and above the mean of the lowest, per window; nothing to learn.

    Lowest returns are found as the maximum of -z. Two poolings of 16 layers make columns of 256 layers;
    then cells of 1, 2, 4, ... columns, and around each a window of 3 x 3 cells.
    """

    def __init__(self, levels):
        super().__init__()
        self.levels = levels
        self.channels = 1 + 2 * levels
        self.negate = Linear(1, 1, bias=False)
        self.repeat = Linear(1, self.channels, bias=False)
        self.column = Pool3d("max", (1, 1, 16), (1, 1, 16))
        self.cell = Pool3d("max", (2, 2, 1), (2, 2, 1))
        self.lowest = Pool3d("max", (3, 3, 1), (1, 1, 1))
        self.mean = Pool3d("avg", (3, 3, 1), (1, 1, 1))
        self.out_of_cell = TargetPoolTranspose3d((2, 2, 1))
        self.out_of_column = TargetPoolTranspose3d((1, 1, 16))
        self.cat, self.add = Cat(), Add()
        nn.init.constant_(self.negate.weight, -1)
        nn.init.constant_(self.repeat.weight, 1)
        self.requires_grad_(False)

    def forward(self, z):
        slices = self.column(self.negate(z))
        cells = [self.column(slices)]
        for _ in range(self.levels - 1):
            cells.append(self.cell(cells[-1]))
        up = None
        for cell in reversed(cells):
            window = self.cat(self.lowest(cell), self.mean(cell))
            up = window if up is None else self.cat(window, self.out_of_cell(up, window))
        up = self.cat(cells[0], up)
        up = self.out_of_column(self.out_of_column(up, slices), z)
        return self.add(self.repeat(z), up)


class Block(nn.Module):
    """Two convolutions around which the input is added."""

    def __init__(self, channels, dropout):
        super().__init__()
        self.conv1, self.norm1 = SubmConv3d(channels, channels), BatchNorm(channels)
        self.conv2, self.norm2 = SubmConv3d(channels, channels), BatchNorm(channels)
        self.relu, self.add, self.dropout = Activation("relu"), Add(), Dropout(dropout)

    def forward(self, x):
        y = self.dropout(self.relu(self.norm1(self.conv1(x))))
        return self.relu(self.add(self.norm2(self.conv2(y)), x))


class Down(nn.Module):
    def __init__(self, cin, cout, dropout):
        super().__init__()
        self.conv, self.norm = Conv3d(cin, cout), BatchNorm(cout)
        self.relu, self.block = Activation("relu"), Block(cout, dropout)

    def forward(self, x):
        return self.block(self.relu(self.norm(self.conv(x))))


class Up(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv, self.norm = TargetConvTranspose3d(cin, cout), BatchNorm(cout)
        self.fuse, self.fuse_norm = SubmConv3d(2 * cout, cout), BatchNorm(cout)
        self.relu, self.cat = Activation("relu"), Cat()

    def forward(self, x, skip):
        y = self.relu(self.norm(self.conv(x, skip)))
        return self.relu(self.fuse_norm(self.fuse(self.cat(y, skip))))


class GroundNet(nn.Module):
    """z of each voxel -> two logits: not ground, ground."""

    def __init__(self, widths=(24, 32, 48, 56), levels=5, scales=(4.0, 1.0, 0.25, 0.05), dropout=0.0):
        super().__init__()
        self.config = dict(widths=list(widths), levels=levels, scales=list(scales), dropout=dropout)
        self.heights = RelativeHeights(levels)
        # Heights that matter are tenths of a foot, and trees are a hundred feet high: each height enters
        # at several scales, squashed.
        channels = self.heights.channels
        self.expand, self.tanh = Linear(channels, channels * len(scales)), Activation("tanh")
        self.stem, self.stem_norm = SubmConv3d(self.expand.out_features, widths[0]), BatchNorm(widths[0])
        self.relu = Activation("relu")
        self.block = Block(widths[0], dropout)
        self.downs = nn.ModuleList(Down(a, b, dropout) for a, b in zip(widths, widths[1:]))
        self.ups = nn.ModuleList(Up(b, a) for a, b in reversed(list(zip(widths, widths[1:]))))
        self.dropout, self.head = Dropout(dropout), Linear(widths[0], 2)
        with torch.no_grad():
            self.expand.weight.copy_(torch.cat([torch.eye(channels) * s for s in scales]))
            self.expand.bias.zero_()

    def forward(self, z):
        x = self.tanh(self.expand(self.heights(z)))
        x = self.block(self.relu(self.stem_norm(self.stem(x))))
        skips = []
        for down in self.downs:
            skips.append(x)
            x = down(x)
        for up in self.ups:
            x = up(x, skips.pop())
        return self.head(self.dropout(x))


def parameters_of(model):
    return sum(p.numel() for p in model.parameters())
