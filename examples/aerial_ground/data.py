"""The tile: reading it, splitting it by area, voxels, augmentation and scores. No network here."""

import struct
from pathlib import Path

import numpy as np

TILE = Path(__file__).resolve().parent.parent / "data" / "autzen_trim.las"
GROUND = 2  # the class of the LAS standard


def read_las(path):
    """(xyz float64 (N, 3), class uint8 (N)) of an uncompressed LAS file, point formats 0 to 5."""
    data = Path(path).read_bytes()
    if data[:4] != b"LASF":
        raise ValueError(f"{path}: not a LAS file")
    start, = struct.unpack_from("<I", data, 96)
    kind, length, count = struct.unpack_from("<BHI", data, 104)
    if kind > 5:
        raise ValueError(f"{path}: point format {kind}, expected 0 to 5")
    scale = np.array(struct.unpack_from("<6d", data, 131))
    rows = np.frombuffer(data, np.uint8, count * length, start).reshape(count, length)
    xyz = np.ascontiguousarray(rows[:, :12]).view("<i4") * scale[:3] + scale[3:]
    return xyz, rows[:, 15] & 31


class Tile:
    """Points, truth, and the parts by area: west two thirds for training, east third to judge.

    A strip of the west is kept out of training, for every choice that is made by looking at scores.
    """

    def __init__(self, path=TILE):
        self.xyz, classes = read_las(path)
        self.ground = classes == GROUND
        self.origin = self.xyz.min(0)
        at = (self.xyz[:, 0] - self.origin[0]) / (self.xyz[:, 0].max() - self.origin[0])
        self.test = at > 2 / 3
        self.validation = (at > 0.30) & (at <= 0.42)
        self.train = ~self.test & ~self.validation


def voxels_of(points, size):
    """(coords (V, 4) int64, mean z (V, 1) f32, voxel of each point); voxels as `lattice run` makes them.

    `points` are relative to the origin. Rows stand in the order in which points first fall into them.
    """
    p = points.astype(np.float32)
    index = np.floor(p / np.asarray(size, np.float32)).astype(np.int64)
    key = (index[:, 0] << 40) + (index[:, 1] << 20) + index[:, 2]
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    voxel = rank[inverse.ravel()]
    total = np.zeros(len(order), np.float32)
    np.add.at(total, voxel, p[:, 2])
    mean = total / np.bincount(voxel).astype(np.float32)
    coords = np.concatenate([np.zeros((len(order), 1), np.int64), index[first[order]]], 1)
    return coords, mean[:, None], voxel


def truth_of(voxel, ground):
    """(share of ground points, number of points) of each voxel."""
    count = np.bincount(voxel)
    return np.bincount(voxel, ground) / count, count


def augment(points, ground, rng):
    """Another view of the same terrain: turned, mirrored, tilted, stretched, shaken, thinned, cropped."""
    p = points - points.mean(0)
    a = rng.uniform(0, 2 * np.pi)
    turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    p[:, :2] = p[:, :2] @ turn.T
    if rng.random() < 0.5:
        p[:, 0] = -p[:, 0]
    p[:, :2] *= rng.uniform(0.92, 1.08)
    p[:, 2] *= rng.uniform(0.9, 1.1)
    p[:, 2] += p[:, :2] @ rng.uniform(-0.02, 0.02, 2)
    p[:, :2] += rng.normal(0, 0.15, (len(p), 2))
    p[:, 2] += rng.normal(0, 0.01, len(p))
    keep = rng.random(len(p)) > rng.uniform(0, 0.08)
    # A half plane that holds most of the points: other borders each time.
    b = rng.uniform(0, 2 * np.pi)
    side = p[:, 0] * np.cos(b) + p[:, 1] * np.sin(b)
    keep &= side < np.quantile(side, rng.uniform(0.6, 1))
    p, ground = p[keep], ground[keep]
    return p - p.min(0) + rng.uniform(0, 16, 3), ground


def scores(predicted, truth):
    """Confusion counts, accuracy, IoU and F1 of ground; arrays of bool."""
    tp = int((predicted & truth).sum())
    fp = int((predicted & ~truth).sum())
    fn = int((~predicted & truth).sum())
    tn = int((~predicted & ~truth).sum())
    return dict(ground_as_ground=tp, other_as_ground=fp, ground_as_other=fn, other_as_other=tn,
                accuracy=round((tp + tn) / (tp + fp + fn + tn), 4),
                iou=round(tp / max(1, tp + fp + fn), 4), f1=round(2 * tp / max(1, 2 * tp + fp + fn), 4))
