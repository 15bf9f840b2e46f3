"""Two ground filters without learning, tuned on the training part and judged on the held-out third.

    python baseline.py

lowest:       ground is what lies less than h above the lowest return of its cell.
progressive:  a progressive morphological filter: the lowest returns as a raster, opened with growing
              windows; cells that drop by more than the slope allows are replaced; ground is what lies less
              than h above the surface that is left.
Every parameter is the one of the grids below with the highest IoU on the points the network trains on.
"""

import itertools
import json

import numpy as np

from data import Tile, scores


def lowest_of_cells(points, cell):
    """(raster of the lowest z, inf where no point is; row and column of each point)."""
    row, column = (points[:, :2] // cell).astype(int).T
    raster = np.full((row.max() + 1, column.max() + 1), np.inf)
    np.minimum.at(raster, (row, column), points[:, 2])
    return raster, row, column


def spread(raster, radius, of, outside):
    """The smallest or largest value within `radius` cells along both axes."""
    for axis in (0, 1):
        pad = [(0, 0), (0, 0)]
        pad[axis] = (radius, radius)
        wide = np.pad(raster, pad, constant_values=outside)
        raster = of(np.lib.stride_tricks.sliding_window_view(wide, 2 * radius + 1, axis), -1)
    return raster


def opened(raster, radius):
    return spread(spread(raster, radius, np.min, np.inf), radius, np.max, -np.inf)


def above_lowest(points, cell):
    raster, row, column = lowest_of_cells(points, cell)
    return points[:, 2] - raster[row, column]


def above_progressive(points, cell, slope, largest, base):
    raster, row, column = lowest_of_cells(points, cell)
    while np.isinf(raster).any():  # fill holes from their neighbours
        raster = np.where(np.isinf(raster), spread(raster, 1, np.min, np.inf), raster)
    surface, radius, before = raster, 1, 0
    while radius * cell <= largest:
        lower = opened(surface, radius)
        allowed = base + slope * (radius - before) * cell
        surface = np.where(surface - lower > allowed, lower, surface)
        before, radius = radius, radius * 2
    return points[:, 2] - surface[row, column]


def best(measure, grid, points, tile, part):
    """(IoU on the part, parameters, best height) over the grid."""
    found = []
    for parameters in itertools.product(*grid.values()):
        height = measure(points, *parameters)
        for h in (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 3, 5):
            found.append((scores(height[part] < h, tile.ground[part])["iou"], parameters, h))
    return max(found)


def main():
    tile = Tile()
    points = tile.xyz - tile.origin
    tuned_on = tile.train | tile.validation
    filters = dict(
        lowest=(above_lowest, dict(cell=(2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64))),
        progressive=(above_progressive, dict(cell=(2, 3, 4, 5, 6, 8, 12), slope=(0.02, 0.05, 0.1, 0.2, 0.4),
                                             largest=(20, 40, 80), base=(0.1, 0.3, 0.6, 1.2))))
    report = {}
    for name, (measure, grid) in filters.items():
        _, parameters, h = best(measure, grid, points, tile, tuned_on)
        height = measure(points, *parameters)
        report[name] = dict(parameters=dict(zip(grid, parameters), height=h),
                            tuned_on=scores(height[tuned_on] < h, tile.ground[tuned_on]),
                            held_out=scores(height[tile.test] < h, tile.ground[tile.test]))
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
