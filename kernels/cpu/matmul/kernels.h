// The register-blocked kernels and the row epilogue of one SIMD level, as tables of functions.
// Inside this folder; the way in is matmul.h.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/cpu/matmul/epilogue.h"
#include "kernels/cpu/matmul/simd.h"
#include "kernels/cpu/relation.h"

namespace lattice::cpu {

// Memory that is needed soon: each group of a run asks for `lines`, the last one from `at` on.
struct Ahead {
  static constexpr int64_t line = 64; // bytes
  uintptr_t at = 0;
  int64_t lines = 0;
};

// Pairs of one kernel row times one block of output channels:
//   total[out] += part, part = the fma chain over the input channels of x[in], ascending.
struct PairRun {
  const float* x = nullptr;
  int64_t x_pitch = 0;
  const Row* in = nullptr;  // null: rows in_first, in_first + 1, ...
  const Row* out = nullptr; // null: rows out_first, out_first + 1, ... of the tile
  int64_t in_first = 0;     // with `in`: the row that is row 0 of `x`, negated
  int64_t out_first = 0;    // with `out`: the row of y that is row 0 of `total`, negated
  int64_t count = 0;
  const float* w = nullptr; // [cin][vectors * lanes]
  int64_t cin = 0;
  float* total = nullptr; // row 0 of the tile, first channel of the block
  int64_t total_pitch = 0;
  Ahead weights_ahead;           // of the next run
  Ahead y_ahead, residual_ahead; // what the end of the tile needs
  bool store = false;            // total[out] = part: the row's only edge (finish adds +0)
};

struct PairKernel {
  const char* level = "";
  int32_t vectors = 0; // output channels a block, in vectors
  int32_t rows = 0;    // pairs a block at most
  int32_t cost = 0;    // time a vector of output channels takes, relative within the level
  const char* why = "";
  void (*run)(const PairRun&) = nullptr;
};

// total (and for normalized products den) of `rows` rows into y: spec 5 from "total + bias" on.
struct FinishRun {
  float* total = nullptr; // clobbered; whole vectors a row
  const float* den = nullptr;
  float eps = 0;
  int64_t total_pitch = 0;
  int64_t first_row = 0; // in y and the residuals
  int64_t rows = 0;
  int64_t cols = 0;
  Matrix y;
  const EpilogueArgs* epilogue = nullptr;
};

// f16 rows into consecutive f32 rows of `pitch` floats, a multiple of any vector.
struct WidenRun {
  const uint16_t* x = nullptr;
  int64_t x_pitch = 0;
  const Row* in = nullptr; // null: rows in_first, in_first + 1, ...
  int64_t in_first = 0;
  int64_t count = 0;
  int64_t cols = 0;
  float* to = nullptr;
  int64_t pitch = 0;
};

// den[out] += squares for every pair of one kernel row; rows as in PairRun.
struct SquaresRun {
  const Row* out = nullptr;
  int64_t out_first = 0;
  int64_t count = 0;
  const float* squares = nullptr;
  int64_t cols = 0; // whole vectors
  float* den = nullptr;
  int64_t pitch = 0;
};

struct SimdTable {
  SimdLevel level = SimdLevel::scalar;
  int32_t lanes = 1; // floats a vector
  std::span<const PairKernel> kernels;
  void (*finish)(const FinishRun&) = nullptr;
  void (*widen)(const WidenRun&) = nullptr;
  void (*add_squares)(const SquaresRun&) = nullptr;
};

// The table of a level this processor offers.
const SimdTable& simd_table(SimdLevel level);

} // namespace lattice::cpu
