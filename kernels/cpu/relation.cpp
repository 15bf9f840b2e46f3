// Where tiles of output rows begin in the edge lists.
#include "kernels/cpu/relation.h"

#include <algorithm>

#include <oneapi/tbb/parallel_for.h>

namespace lattice::cpu {
namespace {

// First position from `at` on whose row is not below `row`: doubling steps, then halving. A tile
// holds few pairs of a list, so this looks at fewer rows than a search over all of them.
int64_t position_of(const Row* rows, int64_t count, int64_t at, Row row) {
  int64_t step = 1;
  int64_t low = at;
  while (low + step <= count && rows[low + step - 1] < row) {
    low += step;
    step *= 2;
  }
  const int64_t high = std::min(count, low + step);
  return std::lower_bound(rows + low, rows + high, row) - rows;
}

} // namespace

Tiles make_tiles(const Edges& edges, Direction direction, int64_t tile_rows) {
  const int64_t out_rows = direction == Direction::forward ? edges.coarse_rows : edges.fine_rows;
  const auto lists = static_cast<int64_t>(edges.lists.size());
  Tiles tiles;
  tiles.tile_rows = tile_rows;
  tiles.count = (out_rows + tile_rows - 1) / tile_rows;
  tiles.begin.resize(static_cast<size_t>((tiles.count + 1) * lists));
  const auto fill = [&](int64_t list_index) {
    const EdgeList& list = edges.lists[static_cast<size_t>(list_index)];
    const Row* rows = direction == Direction::forward ? list.coarse : list.fine;
    int64_t at = 0;
    for (int64_t tile = 0; tile <= tiles.count; ++tile) {
      const int64_t first = std::min(tile * tile_rows, out_rows);
      at = list.identity ? std::min(first, list.count)
                         : position_of(rows, list.count, at, static_cast<Row>(first));
      tiles.begin[static_cast<size_t>(tile * lists + list_index)] = static_cast<Row>(at);
    }
  };
  // A task for every list costs more than short lists do.
  if (tiles.count < 64) {
    for (int64_t r = 0; r < lists; ++r) fill(r);
  } else {
    tbb::parallel_for(int64_t{0}, lists, fill);
  }
  return tiles;
}

} // namespace lattice::cpu
