// The walk over tiles: which pairs meet which weights, in the order of spec 5. The arithmetic is in
// the kernels; here are only loops, addresses and threads.
#include "kernels/cpu/matmul/matmul.h"

#include <algorithm>
#include <cstring>

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "kernels/cpu/matmul/soon.h"

namespace lattice::cpu {
namespace {

constexpr int64_t rows_a_chunk =
    96; // rows_matmul: totals and x of a chunk stay in the first levels of cache
constexpr int64_t widened_bytes = 24 << 10; // f16 rows of one list widened at once
constexpr int64_t cache_bytes = 128 << 10;  // totals of a tile

int64_t rounded_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

// Rows of totals a power of two apart would share few cache sets.
int64_t total_pitch(const MatmulWeights& weights) {
  return weights.padded_cout % 64 == 0 ? weights.padded_cout + 16 : weights.padded_cout;
}

int64_t widened_pitch(const MatmulWeights& weights) { return rounded_up(weights.cin, 16); }

int64_t widened_rows(const MatmulWeights& weights) {
  return std::clamp(widened_bytes / (widened_pitch(weights) * int64_t{sizeof(float)}), int64_t{48},
                    int64_t{512});
}

// Rows of x that a tile of `rows` rows may widen at once, if all its lists lie within.
int64_t window_rows(int64_t rows) { return 2 * rows; }

int64_t bytes_for(const MatmulWeights& weights, int64_t rows, DType x_dtype) {
  int64_t floats = rounded_up(rows * total_pitch(weights), 16);
  if (weights.normalized) floats *= 2;
  if (x_dtype == DType::f16) {
    floats += std::max(widened_rows(weights), window_rows(rows)) * widened_pitch(weights);
  }
  return floats * int64_t{sizeof(float)};
}

// One thread's part of the scratch memory.
struct Slot {
  float* total = nullptr;
  float* den = nullptr;
  float* widened = nullptr;
};

Slot slot_of(const Scratch& scratch, const MatmulWeights& weights, int64_t rows, DType x_dtype) {
  const int index = std::max(0, tbb::this_task_arena::current_thread_index());
  auto* at = reinterpret_cast<float*>(scratch.data + index * scratch.bytes_per_thread);
  const int64_t totals = rounded_up(rows * total_pitch(weights), 16);
  Slot slot;
  slot.total = at;
  at += totals;
  if (weights.normalized) {
    slot.den = at;
    at += totals;
  }
  if (x_dtype == DType::f16) slot.widened = at;
  return slot;
}

// All blocks of output channels for the pairs of `run`, whose x, pairs and total are set.
void run_blocks(const MatmulWeights& weights, int64_t kernel_row, PairRun run, Soon& soon) {
  const float* row_weights = weights.packed.get() + kernel_row * weights.row_floats();
  float* total = run.total;
  for (size_t b = 0; b < weights.blocks.size(); ++b) {
    const CoutBlock& block = weights.blocks[b];
    const bool last = b + 1 == weights.blocks.size();
    const int64_t groups = groups_of(block, run.count);
    take_share(soon, groups, run);
    run.weights_ahead = last ? ahead_of(weights, soon.next_kernel_row, 0, groups)
                             : ahead_of(weights, kernel_row, b + 1, groups);
    run.w = row_weights + block.offset;
    run.total = total + block.first;
    block.kernel->run(run);
  }
}

void widen(const MatmulWeights& weights, ConstMatrix x, const Row* in, int64_t in_first,
           int64_t count, float* to) {
  WidenRun widen;
  widen.x = x.row<uint16_t>(0);
  widen.x_pitch = x.pitch;
  widen.in = in;
  widen.in_first = in_first;
  widen.count = count;
  widen.cols = weights.cin;
  widen.to = to;
  widen.pitch = widened_pitch(weights);
  weights.simd->widen(widen);
}

// The rows first .. first+count-1 of x as f32, for every list of a tile.
struct Window {
  int64_t first = 0;
  int64_t count = 0;
};

// The same from f32 or f16 features.
void run_pairs(const MatmulWeights& weights, int64_t kernel_row, ConstMatrix x, Window window,
               const Slot& slot, PairRun run, Soon& soon) {
  run.cin = weights.cin;
  run.total = slot.total;
  run.total_pitch = total_pitch(weights);
  if (x.dtype == DType::f32 || window.count > 0) {
    if (x.dtype == DType::f32) {
      run.x = x.row<float>(0);
      run.x_pitch = x.pitch;
    } else {
      run.x = slot.widened;
      run.x_pitch = widened_pitch(weights);
      run.in_first -= window.first;
    }
    run_blocks(weights, kernel_row, run, soon);
    return;
  }
  const int64_t pitch = widened_pitch(weights);
  const int64_t most = widened_rows(weights);
  const int64_t parts = (run.count + most - 1) / most;
  for (int64_t i = 0, done = 0; i < parts; ++i) {
    const int64_t count = (run.count - done) / (parts - i); // parts of nearly equal size
    const Row* const in = run.in != nullptr ? run.in + done : nullptr;
    widen(weights, x, in, run.in_first + done, count, slot.widened);
    PairRun part = run;
    part.x = slot.widened;
    part.x_pitch = pitch;
    part.in = nullptr;
    part.in_first = 0;
    part.out = run.out != nullptr ? run.out + done : nullptr;
    if (run.out == nullptr) part.out_first = run.out_first + done;
    part.count = count;
    run_blocks(weights, kernel_row, part, soon);
    done += count;
  }
}

// den[out] += sum of squares of the kernel row's weights.
void add_squares(const MatmulWeights& weights, int64_t kernel_row, const PairRun& pairs,
                 float* den) {
  SquaresRun run;
  run.out = pairs.out;
  run.out_first = pairs.out_first;
  run.count = pairs.count;
  run.squares = weights.squares.get() + kernel_row * weights.padded_cout;
  run.cols = weights.padded_cout;
  run.den = den;
  run.pitch = total_pitch(weights);
  weights.simd->add_squares(run);
}

void finish(const MatmulWeights& weights, const Slot& slot, int64_t first_row, int64_t rows,
            Matrix y, const EpilogueArgs& epilogue) {
  FinishRun run;
  run.total = slot.total;
  run.den = slot.den;
  run.eps = weights.eps;
  run.total_pitch = total_pitch(weights);
  run.first_row = first_row;
  run.rows = rows;
  run.cols = weights.cout;
  run.y = y;
  run.epilogue = &epilogue;
  weights.simd->finish(run);
}

const Row* in_rows(const EdgeList& list, Direction direction) {
  return direction == Direction::forward ? list.fine : list.coarse;
}

// Rows of a scan stand by x and y, so that all neighbours of a tile lie in little more rows than
// the tile has: those are widened once for all lists. Empty where widening each list is less work.
Window window_of(const RelationMatmulArgs& args, const Row* from, const Row* to) {
  int64_t first = INT64_MAX, last = -1, pairs = 0;
  const auto& lists = args.edges->lists;
  for (size_t r = 0; r < lists.size(); ++r) {
    if (from[r] == to[r]) continue;
    pairs += int64_t{to[r]} - int64_t{from[r]};
    const Row* const in = lists[r].identity ? nullptr : in_rows(lists[r], args.direction);
    first = std::min<int64_t>(first, in == nullptr ? from[r] : in[from[r]]);
    last = std::max<int64_t>(last, in == nullptr ? to[r] - 1 : in[to[r] - 1]);
  }
  const int64_t count = last - first + 1;
  if (pairs == 0 || count > std::min(pairs, window_rows(args.tile_rows))) return {};
  return {first, count};
}

void run_tile(const RelationMatmulArgs& args, const Slot& slot, int64_t first_row, int64_t rows) {
  const MatmulWeights& weights = *args.weights;
  const auto& lists = args.edges->lists;
  const auto count = static_cast<int64_t>(lists.size());
  const Row* from = args.tiles->begin.data() + first_row / args.tiles->tile_rows * count;
  const int64_t granules = (rows + args.tiles->tile_rows - 1) / args.tiles->tile_rows;
  const Row* to = from + granules * count;

  bool every_row_once = args.one_edge;
  if (args.one_edge) {
    int64_t pairs = 0;
    for (int64_t r = 0; r < count; ++r) pairs += int64_t{to[r]} - int64_t{from[r]};
    every_row_once = pairs == rows;
  }
  const auto bytes = static_cast<size_t>(rows * total_pitch(weights)) * sizeof(float);
  if (!every_row_once) std::memset(slot.total, 0, bytes);
  if (slot.den != nullptr) std::memset(slot.den, 0, bytes);

  Window window;
  if (args.x.dtype == DType::f16) {
    window = window_of(args, from, to);
    if (window.count > 0) widen(weights, args.x, nullptr, window.first, window.count, slot.widened);
  }
  int64_t groups = 0;
  for (int64_t r = 0; r < count; ++r)
    groups += groups_of(weights, int64_t{to[r]} - int64_t{from[r]});
  Soon soon = soon_for(args.y, args.epilogue, first_row, rows, groups);
  for (int64_t r = 0; r < count; ++r) {
    if (from[r] == to[r]) continue;
    const EdgeList& list = lists[static_cast<size_t>(r)];
    soon.next_kernel_row = r + 1;
    while (soon.next_kernel_row < count && from[soon.next_kernel_row] == to[soon.next_kernel_row])
      ++soon.next_kernel_row;
    if (soon.next_kernel_row == count) soon.next_kernel_row = 0;
    PairRun run;
    run.count = int64_t{to[r]} - int64_t{from[r]};
    run.store = args.one_edge;
    if (list.identity) {
      run.in_first = int64_t{from[r]};
      run.out_first = int64_t{from[r]} - first_row;
    } else {
      const bool forward = args.direction == Direction::forward;
      run.in = in_rows(list, args.direction) + from[r];
      run.out = (forward ? list.coarse : list.fine) + from[r];
      run.out_first = -first_row;
    }
    run_pairs(weights, r, args.x, window, slot, run, soon);
    if (slot.den != nullptr) add_squares(weights, r, run, slot.den);
  }
  finish(weights, slot, first_row, rows, args.y, args.epilogue);
}

} // namespace

// Long lists amortize the weights of a kernel row and fill the blocks; many channels need the more
// rows, as their totals are touched seldom and their weights are large.
int64_t choose_tile_rows(const MatmulWeights& weights, int64_t out_rows, int32_t threads) {
  const int64_t row_bytes = total_pitch(weights) * int64_t{sizeof(float)};
  const int64_t fitting = cache_bytes / row_bytes / tile_granule * tile_granule;
  const int64_t fewest = weights.bytes < weights_beyond_cache ? 4 : 8;
  const int64_t rows = std::clamp(fitting, fewest * tile_granule, 8 * tile_granule);
  if (threads <= 1) return rows;
  // At least 8 tiles a thread, as long as tiles are not tiny.
  const int64_t share = out_rows / (int64_t{8} * threads) / tile_granule * tile_granule;
  return std::min(rows, std::max(share, tile_granule));
}

int64_t scratch_bytes(const MatmulWeights& weights, int64_t tile_rows, DType x_dtype) {
  return bytes_for(weights, tile_rows, x_dtype);
}

int64_t rows_scratch_bytes(const MatmulWeights& weights, DType x_dtype) {
  return bytes_for(weights, rows_a_chunk, x_dtype);
}

bool one_edge_a_row(const Relation& relation, Direction direction) {
  for (size_t axis = 0; axis < 3; ++axis) {
    const int64_t size = relation.size[axis];
    if (size == 1) continue;
    // A fine row is reached by every index with index * dilation equal modulo stride to what it
    // needs.
    if (direction == Direction::forward || relation.dilation[axis] != 1 ||
        size > relation.stride[axis])
      return false;
  }
  return true;
}

namespace {

// Notes when a task begins and ends, where somebody asked for it.
class Spanned {
 public:
  explicit Spanned(const Scratch& scratch) {
    if (scratch.spans == nullptr) return;
    span_ = scratch.spans + tbb::this_task_arena::current_thread_index();
    if (!span_->worked) span_->begin = std::chrono::steady_clock::now();
    span_->worked = true;
  }
  ~Spanned() {
    if (span_ != nullptr) span_->end = std::chrono::steady_clock::now();
  }
  Spanned(const Spanned&) = delete;
  Spanned& operator=(const Spanned&) = delete;

 private:
  ThreadSpan* span_ = nullptr;
};

} // namespace

void relation_matmul(const RelationMatmulArgs& args, const Scratch& scratch) {
  const int64_t rows = args.y.rows;
  const int64_t tiles = (rows + args.tile_rows - 1) / args.tile_rows;
  tbb::parallel_for(
      tbb::blocked_range<int64_t>(0, tiles, 1),
      [&](const tbb::blocked_range<int64_t>& range) {
        const Spanned spanned(scratch);
        const Slot slot = slot_of(scratch, *args.weights, args.tile_rows, args.x.dtype);
        for (int64_t tile = range.begin(); tile < range.end(); ++tile) {
          const int64_t first = tile * args.tile_rows;
          run_tile(args, slot, first, std::min(args.tile_rows, rows - first));
        }
      },
      tbb::simple_partitioner());
}

void rows_matmul(const RowsMatmulArgs& args, const Scratch& scratch) {
  const int64_t rows = args.y.rows;
  const int64_t chunks = (rows + rows_a_chunk - 1) / rows_a_chunk;
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, chunks, 4),
                    [&](const tbb::blocked_range<int64_t>& range) {
                      const Spanned spanned(scratch);
                      const Slot slot = slot_of(scratch, *args.weights, rows_a_chunk, args.x.dtype);
                      for (int64_t chunk = range.begin(); chunk < range.end(); ++chunk) {
                        PairRun run;
                        run.in_first = chunk * rows_a_chunk;
                        run.count = std::min(rows_a_chunk, rows - run.in_first);
                        run.store = true;
                        Soon soon = soon_for(args.y, args.epilogue, run.in_first, run.count,
                                             groups_of(*args.weights, run.count));
                        run_pairs(*args.weights, 0, args.x, {}, slot, run, soon);
                        finish(*args.weights, slot, run.in_first, run.count, args.y, args.epilogue);
                      }
                    });
}

} // namespace lattice::cpu
