"""classify_tiles.py ARTIFACT IN_DIR OUT_DIR: writes every .las of IN_DIR to OUT_DIR with new classes, 2 where the
network finds ground and 1 elsewhere. LAS 1.0 to 1.3, point formats 0 to 5, in feet. See docs/tutorial.md."""

import struct
import sys
from pathlib import Path

import lattice_runtime as lattice
import numpy as np

VOXEL_SIZE = (1.5, 1.5, 0.5)


def ground_of(program, path):
    """For each point of the file whether it is ground."""
    cloud = lattice.read_points(path)
    if len(cloud) == 0:
        return np.zeros(0, bool)
    origin = tuple(cloud.xyz.min(0).tolist())
    voxels = lattice.voxelize(cloud.positions(origin), VOXEL_SIZE, features=cloud.features("z", origin))
    scores = program(voxels.sparse()).feats  # a result on the voxels of the input keeps their row order
    return (scores[:, 1] > scores[:, 0])[voxels.voxel_of_point]


def with_classes(path, ground):
    """The bytes of the file with the new classes."""
    data = bytearray(path.read_bytes())
    start, = struct.unpack_from("<I", data, 96)
    kind, length = struct.unpack_from("<BH", data, 104)
    if kind > 5:
        raise ValueError(f"point format {kind}, expected 0 to 5")
    rows = np.frombuffer(data, np.uint8, len(ground) * length, start).reshape(-1, length)
    rows[:, 15] = (rows[:, 15] & 0xE0) | np.where(ground, 2, 1).astype(np.uint8)
    return data


def main(artifact, source, out):
    program = lattice.load(artifact)
    Path(out).mkdir(parents=True, exist_ok=True)
    failed = 0
    for path in sorted(Path(source).glob("*.las")):
        try:
            ground = ground_of(program, path)
            (Path(out) / path.name).write_bytes(with_classes(path, ground))
            print(f"{path.name}: {len(ground)} points, {ground.sum()} ground")
        except (lattice.LatticeError, OSError, ValueError) as error:  # the next tile may be fine
            print(f"{path.name}: {error}", file=sys.stderr)
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
