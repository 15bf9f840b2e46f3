// The edges of a relation as the CPU keeps them, and the tiles its products walk. Plain data.
//
// Inside the cpu device the rows of every support stand in ascending (batch, x, y, z). For one kernel row,
// fine = coarse * stride + constant is monotone in that order, so one list of pairs is ascending in both
// columns and serves both directions.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "plan/plan.h"

namespace lattice::cpu {

using Row = uint32_t;  // a row of a support: at most 2^31 - 1 of them, checked when a support is built

// Pairs of one kernel row. Ascending in fine and in coarse.
struct EdgeList {
  const Row* fine = nullptr;
  const Row* coarse = nullptr;
  int64_t count = 0;
  bool identity = false;  // fine[i] == coarse[i] == i for all count rows; the pointers are null
};

struct Edges {
  int64_t fine_rows = 0;
  int64_t coarse_rows = 0;
  std::vector<EdgeList> lists;          // one a kernel row
  std::vector<std::shared_ptr<Row[]>> storage;
  int64_t bytes = 0;

  int64_t pairs() const {
    int64_t total = 0;
    for (const EdgeList& list : lists) total += list.count;
    return total;
  }
};

// Where each tile of output rows begins in each list: begin[tile * lists + r], with one row past the last
// tile. Tiles are `tile_rows` output rows (the last may be shorter).
struct Tiles {
  int64_t tile_rows = 0;
  int64_t count = 0;
  std::vector<Row> begin;
};

// Output rows are coarse for forward, fine for transposed.
Tiles make_tiles(const Edges& edges, Direction direction, int64_t tile_rows);

}  // namespace lattice::cpu
