// What a tile asks of memory before its turn comes, a little with every group of pairs: else memory
// would stand idle while there is arithmetic, and be waited for after. Inside this folder; changes
// when, never what, is read.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/matmul/epilogue.h"
#include "kernels/cpu/matmul/kernels.h"
#include "kernels/cpu/matmul/weights.h"

namespace lattice::cpu {

// A layer's weights from this size on do not wait in the caches for the next tile.
inline constexpr int64_t weights_beyond_cache = 2 << 20;
// Weights a group asks for at most: more hold its arithmetic up.
inline constexpr int64_t most_weight_lines = 16;

// Rows that the end of a tile reads or writes.
struct SoonRows {
  uintptr_t at = 0;  // an address, not a pointer: rounding may carry it past the end
  int64_t lines = 0; // to come
};

struct Soon {
  int64_t groups = 0; // of the tile, to come
  SoonRows y, residual;
  int64_t next_kernel_row = 0; // whose weights come next
};

inline int64_t groups_of(const CoutBlock& block, int64_t pairs) {
  return (pairs + block.kernel->rows - 1) / block.kernel->rows;
}

inline int64_t groups_of(const MatmulWeights& weights, int64_t pairs) {
  int64_t groups = 0;
  for (const CoutBlock& block : weights.blocks) groups += groups_of(block, pairs);
  return groups;
}

inline SoonRows soon_rows(ConstMatrix matrix, int64_t first_row, int64_t rows) {
  if (matrix.pitch >= 2 * matrix.cols) return {}; // most of those lines belong to others
  const int64_t row_bytes = matrix.pitch * static_cast<int64_t>(size_of(matrix.dtype));
  return {reinterpret_cast<uintptr_t>(matrix.data) + static_cast<uintptr_t>(first_row * row_bytes),
          rows * row_bytes / Ahead::line};
}

// For the rows first_row .. first_row + rows - 1 of y, made by `groups` groups of pairs.
inline Soon soon_for(Matrix y, const EpilogueArgs& epilogue, int64_t first_row, int64_t rows,
                     int64_t groups) {
  Soon soon;
  soon.groups = groups;
  soon.y = soon_rows(y, first_row, rows);
  for (const EpilogueEntry& entry : epilogue.entries)
    if (entry.kind == EpilogueOp::Kind::residual)
      soon.residual = soon_rows(entry.residual, first_row, rows);
  return soon;
}

inline Ahead take_rows(SoonRows& soon, int64_t groups, int64_t all) {
  if (soon.lines <= 0 || all <= 0) return {};
  const Ahead ahead{soon.at, (soon.lines + all / 2) / all};
  soon.at += static_cast<uintptr_t>(groups * ahead.lines * Ahead::line);
  soon.lines -= groups * ahead.lines;
  return ahead;
}

// What the `groups` groups of a run ask for of y and the residual.
inline void take_share(Soon& soon, int64_t groups, PairRun& run) {
  run.y_ahead = take_rows(soon.y, groups, soon.groups);
  run.residual_ahead = take_rows(soon.residual, groups, soon.groups);
  soon.groups -= groups;
}

// Large weights of the run after one of `groups` groups, where those are enough to spread them
// over.
inline Ahead ahead_of(const MatmulWeights& weights, int64_t kernel_row, size_t block,
                      int64_t groups) {
  if (weights.bytes < weights_beyond_cache) return {};
  const CoutBlock& next = weights.blocks[block];
  const int64_t floats = int64_t{next.kernel->vectors} * weights.simd->lanes * weights.cin;
  const int64_t lines = (floats * int64_t{sizeof(float)} / Ahead::line + groups - 1) / groups;
  if (lines > most_weight_lines) return {};
  const float* const at = weights.packed.get() + kernel_row * weights.row_floats() + next.offset;
  return {reinterpret_cast<uintptr_t>(at), lines};
}

} // namespace lattice::cpu
