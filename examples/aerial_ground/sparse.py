"""Small sparse 3D layers in plain PyTorch: gather, matrix product, index_add.

The geometry is that of the artifact format, so that each layer is one operation of a graph:
kernel rows count z fastest, odd kernels are centred, a strided layer stands on floor(coords / stride).
Not here: the network (model.py), files and voxels (data.py).
"""

import itertools

import torch
from torch import nn


def pack(coords):
    """One int64 key for each row (batch, x, y, z); spatial values must lie in -16384 .. 49151."""
    b, x, y, z = coords.unbind(1)
    o = 16384
    return ((b * 65536 + x + o) * 65536 + y + o) * 65536 + z + o


class Support:
    """The rows a value stands on: logical coordinates (N, 4), and everything derived from them."""

    def __init__(self, coords, stride=(1, 1, 1)):
        self.coords = coords
        self.stride = tuple(stride)
        self.keys, self.order = torch.sort(pack(coords))
        self.made = {}

    def __len__(self):
        return len(self.coords)

    def find(self, coords):
        """The row of each coordinate, or -1."""
        keys = pack(coords)
        at = torch.searchsorted(self.keys, keys).clamp_(max=len(self.keys) - 1)
        return torch.where(self.keys[at] == keys, self.order[at], -1)

    def neighbours(self, kernel):
        """(K, N): the input row that kernel row k brings to row n, or -1. Odd kernels, stride 1."""
        key = ("neighbours", kernel)
        if key not in self.made:
            rows = []
            for index in itertools.product(*(range(k) for k in kernel)):
                offset = [0] + [i - (k - 1) // 2 for i, k in zip(index, kernel)]
                rows.append(self.find(self.coords + torch.tensor(offset, device=self.coords.device)))
            self.made[key] = torch.stack(rows)
        return self.made[key]

    def down(self, stride):
        """(support, parent, kernel row): of a layer with kernel = stride, for each of our rows."""
        key = ("down", stride)
        if key not in self.made:
            s = torch.tensor((1, *stride), device=self.coords.device)
            coarse = torch.div(self.coords, s, rounding_mode="floor")
            index = self.coords - coarse * s
            row = (index[:, 1] * stride[1] + index[:, 2]) * stride[2] + index[:, 3]
            rows, parent = torch.unique(coarse, dim=0, return_inverse=True)
            below = Support(rows, [a * b for a, b in zip(self.stride, stride)])
            self.made[key] = (below, parent, row)
        return self.made[key]

    def pairs(self, kernel, stride):
        """[(input rows, output rows)] for each kernel row."""
        key = ("pairs", kernel, stride)
        if key not in self.made:
            if stride == (1, 1, 1):
                table = self.neighbours(kernel)
                k, out = (table >= 0).nonzero(as_tuple=True)
                into = table[k, out]
            else:
                _, parent, row = self.down(stride)
                k, into = torch.sort(row, stable=True)
                out = parent[into]
            counts = torch.bincount(k, minlength=kernel[0] * kernel[1] * kernel[2]).tolist()
            self.made[key] = list(zip(into.split(counts), out.split(counts)))
        return self.made[key]


class Sparse:
    """Features (N, C) on a support."""

    def __init__(self, support, features):
        self.support = support
        self.features = features

    def replace(self, features):
        return Sparse(self.support, features)


def accumulate(features, pairs, weight, rows):
    """out[o] += features[i] @ weight[k] over the pairs (i, o) of every kernel row k."""
    out = features.new_zeros(rows, weight.shape[2])
    for (i, o), w in zip(pairs, weight):
        if len(i):
            out = out.index_add(0, o, features[i] @ w)
    return out


class Kernel(nn.Module):
    """Weight (K, Cin, Cout), K kernel rows with z fastest."""

    def __init__(self, cin, cout, kernel_size, stride):
        super().__init__()
        self.in_channels, self.out_channels = cin, cout
        self.kernel_size, self.stride = tuple(kernel_size), tuple(stride)
        volume = kernel_size[0] * kernel_size[1] * kernel_size[2]
        reached = volume if self.stride == (1, 1, 1) else 1
        self.weight = nn.Parameter(torch.randn(volume, cin, cout) * (2 / (cin * reached**0.75)) ** 0.5)


class SubmConv3d(Kernel):
    """Convolution on the input's own rows; an odd kernel."""

    def __init__(self, cin, cout, kernel_size=(3, 3, 3)):
        super().__init__(cin, cout, kernel_size, (1, 1, 1))

    def forward(self, x):
        pairs = x.support.pairs(self.kernel_size, self.stride)
        return x.replace(accumulate(x.features, pairs, self.weight, len(x.support)))


class Conv3d(Kernel):
    """Convolution with kernel = stride onto the rows floor(coords / stride)."""

    def __init__(self, cin, cout, stride=(2, 2, 2)):
        super().__init__(cin, cout, stride, stride)

    def forward(self, x):
        below = x.support.down(self.stride)[0]
        pairs = x.support.pairs(self.kernel_size, self.stride)
        return Sparse(below, accumulate(x.features, pairs, self.weight, len(below)))


class TargetConvTranspose3d(Kernel):
    """The way back of Conv3d: onto the rows of a target."""

    def __init__(self, cin, cout, stride=(2, 2, 2)):
        super().__init__(cin, cout, stride, stride)

    def forward(self, x, target):
        pairs = [(o, i) for i, o in target.support.pairs(self.kernel_size, self.stride)]
        return target.replace(accumulate(x.features, pairs, self.weight, len(target.support)))


class Pool3d(nn.Module):
    """mode "max" or "avg"; kernel = stride, or an odd kernel with stride 1."""

    def __init__(self, mode, kernel_size, stride):
        super().__init__()
        self.mode, self.kernel_size, self.stride = mode, tuple(kernel_size), tuple(stride)

    def forward(self, x):
        f = x.features
        if self.stride == (1, 1, 1):
            table = x.support.neighbours(self.kernel_size)
            there = (table >= 0).unsqueeze(2)
            near = f[table.clamp(min=0)]
            if self.mode == "max":
                return x.replace(near.masked_fill(~there, float("-inf")).amax(0))
            return x.replace(near.masked_fill(~there, 0).sum(0) / there.sum(0))
        below, parent, _ = x.support.down(self.stride)
        start = f.new_zeros(len(below), f.shape[1])
        at = parent.unsqueeze(1).expand_as(f)
        how = {"max": "amax", "avg": "mean"}[self.mode]
        return Sparse(below, start.scatter_reduce(0, at, f, how, include_self=False))


class TargetPoolTranspose3d(nn.Module):
    """Gives every row of the target the value of the cell it lies in; kernel = stride."""

    def __init__(self, stride):
        super().__init__()
        self.kernel_size = self.stride = tuple(stride)

    def forward(self, x, target):
        return target.replace(x.features[target.support.down(self.stride)[1]])


class Linear(nn.Linear):
    def forward(self, x):
        return x.replace(super().forward(x.features))


class BatchNorm(nn.BatchNorm1d):
    def forward(self, x):
        return x.replace(super().forward(x.features))


class Activation(nn.Module):
    """kind "relu" or "tanh"."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def forward(self, x):
        return x.replace(getattr(torch, self.kind)(x.features))


class Dropout(nn.Dropout):
    """In training only; no operation of a graph."""

    def forward(self, x):
        return x.replace(super().forward(x.features))


class Add(nn.Module):
    """Sum of two values on one support."""

    def forward(self, x, y):
        return x.replace(x.features + y.features)


class Cat(nn.Module):
    """Channels of x, then those of y; one support."""

    def forward(self, x, y):
        return x.replace(torch.cat([x.features, y.features], 1))
