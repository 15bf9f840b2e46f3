// Products over a relation's edges and over rows, the two that networks spend their time in.
// Bits are those of spec 5, "Our order", at every level and thread count. Weights come from
// weights.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "kernels/cpu/matmul/epilogue.h"
#include "kernels/cpu/matmul/weights.h"
#include "kernels/cpu/matrix.h"
#include "kernels/cpu/relation.h"

namespace lattice::cpu {

// Make one table of tiles a relation and direction with this many rows; every product over it walks
// a multiple that suits its channels.
inline constexpr int64_t tile_granule = 128;

// When a thread first and last worked on a call.
struct ThreadSpan {
  std::chrono::steady_clock::time_point begin, end;
  bool worked = false;
};

// Memory for the tiles in flight: 64-byte aligned, one slot for every thread index of the arena
// that the call runs in (tbb::this_task_arena::current_thread_index()).
struct Scratch {
  std::byte* data = nullptr;
  int64_t bytes_per_thread = 0;
  ThreadSpan* spans = nullptr; // one a thread index, or null: when each began and ended
};

// Output rows a task takes at once: a multiple of tile_granule that keeps its totals in the cache,
// and leaves every thread several tasks.
int64_t choose_tile_rows(const MatmulWeights& weights, int64_t out_rows, int32_t threads);

// Bytes one thread needs for tiles of `tile_rows` rows and features of `x_dtype`; a multiple of 64.
int64_t scratch_bytes(const MatmulWeights& weights, int64_t tile_rows, DType x_dtype);

// Whether an output row can have two edges. If not, products skip the sum over kernel rows.
bool one_edge_a_row(const Relation& relation, Direction direction);

// y = epilogue(sum over kernel rows of x[neighbour] * W[row] + bias). `tiles` was made for this
// direction with tile_granule rows; tile_rows is a multiple of that. Runs in the caller's arena;
// allocates nothing.
struct RelationMatmulArgs {
  const MatmulWeights* weights = nullptr;
  const Edges* edges = nullptr;
  const Tiles* tiles = nullptr;
  Direction direction = Direction::forward;
  bool one_edge = false; // what one_edge_a_row says
  int64_t tile_rows = 0;
  ConstMatrix x; // f32 or f16; not y
  Matrix y;      // f32 or f16
  EpilogueArgs epilogue;
};
void relation_matmul(const RelationMatmulArgs& args, const Scratch& scratch);

// y = epilogue(x * W^T + bias) on the same rows. y must not overlap x: x is read again for every
// block of output channels.
struct RowsMatmulArgs {
  const MatmulWeights* weights = nullptr;
  ConstMatrix x;
  Matrix y;
  EpilogueArgs epilogue;
};
int64_t rows_scratch_bytes(const MatmulWeights& weights, DType x_dtype); // a thread
void rows_matmul(const RowsMatmulArgs& args, const Scratch& scratch);

} // namespace lattice::cpu
