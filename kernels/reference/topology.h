// Supports, relations, point maps and batches as plain tables (spec 3 and 4). Everything here
// follows from coordinates alone; no features.
//
// Rows stand in the spec's order: a made support's in the caller's, a generated one's by first
// occurrence. Where several rows are at fault the first one is named; sparse.make looks for
// negative batches and coordinates that do not divide in all rows before it looks for duplicates.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "kernels/reference/budget.h"
#include "kernels/reference/matrix.h"
#include "plan/plan.h"

namespace lattice::reference {

// batch, x, y, z; logical unless said otherwise.
using Coord = std::array<int32_t, 4>;

struct CoordHash {
  size_t operator()(const Coord& coord) const;
};
using RowOf = std::unordered_map<Coord, int32_t, CoordHash>;

struct SupportTable {
  std::vector<Coord> rows; // logical
  RowOf row_of;
  Triple stride{1, 1, 1};
  std::vector<int32_t> voxel_of_point; // voxels: the row of each active point, in point order

  int64_t count() const { return static_cast<int64_t>(rows.size()); }
  int64_t bytes() const;
  // Adds the row if it is new; its number either way.
  int32_t add(const Coord& coord);
  // The row with these coordinates, or -1. Coordinates outside int32 belong to no row.
  int32_t find(int32_t batch, int64_t x, int64_t y, int64_t z) const;
  Coord physical(int64_t row) const;
};

// An i32 matrix at any address.
struct IntMatrix {
  const void* data = nullptr;
  int64_t rows = 0;
  int64_t cols = 1;
  int32_t operator()(int64_t row, int64_t col) const {
    return load_at<int32_t>(data, row * cols + col);
  }
};

// Rows `active` and up of `coords` are ignored. `trusted` skips divisibility and uniqueness.
Result<SupportTable> made_support(const Support& definition, IntMatrix coords, int64_t active,
                                  bool trusted);
Result<SupportTable> floor_support(const Support& definition, const SupportTable& from);
// Grows by up to the kernel's volume, so the budget is asked on the way.
Result<SupportTable> transposed_support(const Support& definition, const SupportTable& from,
                                        const Budget& budget);
Result<SupportTable> joined_support(const Support& definition, const SupportTable& lhs,
                                    const SupportTable& rhs);
Result<SupportTable> voxel_support(const Support& definition, ConstMatrix points,
                                   IntMatrix batch_indices, int64_t active);

// For every output row and kernel row the input row it reads, or -1.
struct RelationTable {
  int64_t rows = 0; // output rows
  int64_t kernel_rows = 1;
  bool identity = false; // every row reads itself; the table is empty
  std::vector<int32_t> table;
  int64_t edges = 0;

  int64_t bytes() const { return static_cast<int64_t>(table.size() * sizeof(int32_t)); }
  int64_t input_row(int64_t row, int64_t kernel_row) const {
    return identity ? row : table[static_cast<size_t>(row * kernel_rows + kernel_row)];
  }
};
RelationTable relation_table(const Relation& definition, Direction direction,
                             const SupportTable& fine, const SupportTable& coarse);
RelationTable identity_table(int64_t rows);

// Voxel rows that each point reads: `slots` of them, -1 where absent, and their weights.
struct PointTable {
  int64_t points = 0;
  int64_t slots = 1;
  std::vector<int32_t> voxels;
  std::vector<float> weights;

  int64_t bytes() const {
    return static_cast<int64_t>(voxels.size() * sizeof(int32_t) + weights.size() * sizeof(float));
  }
};
Result<PointTable> point_table(const PointMap& definition, ConstMatrix points,
                               IntMatrix batch_indices, int64_t active, const SupportTable& voxels);

// Rows of each batch in ascending (x, y, z): order[begin[b] .. begin[b + 1]).
struct BatchTable {
  std::vector<int64_t> begin;
  std::vector<int32_t> order;

  int64_t count() const { return static_cast<int64_t>(begin.size()) - 1; }
  int64_t bytes() const {
    return static_cast<int64_t>(begin.size() * sizeof(int64_t) + order.size() * sizeof(int32_t));
  }
};
// Batches that batch_table would make. Fails on a batch index that batch_size does not allow.
Result<int64_t> batch_count(const Batches& definition, const SupportTable& support);
Result<BatchTable> batch_table(const Batches& definition, const SupportTable& support);

} // namespace lattice::reference
