"""Writes a small scan in KITTI's layout, for trying the examples: f32 x, y, z, intensity a point.

    python3 make_scan.py scan.bin

Not a simulation of a scanner: a bumpy floor and a few boxes.
"""
import math
import random
import struct
import sys


def main() -> None:
    draw = random.Random(7)
    with open(sys.argv[1], "wb") as file:
        for _ in range(6000):
            x, y = draw.uniform(-12, 12), draw.uniform(-12, 12)
            box = int(x // 4 + y // 4) % 5 == 0
            z = draw.uniform(-1.6, 0.4) if box else -1.7 + 0.1 * math.sin(x) * math.cos(y)
            file.write(struct.pack("<4f", x, y, z, draw.random()))


if __name__ == "__main__":
    main()
