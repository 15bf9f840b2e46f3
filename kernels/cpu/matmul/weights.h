// Weights of a product as the CPU keeps them: widened to f32 and packed for the kernels that will
// read them. Made once at load; immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "kernels/cpu/matmul/kernels.h"
#include "plan/plan.h"

namespace lattice::cpu {

// A range of output channels and the kernel that computes it.
struct CoutBlock {
  const PairKernel* kernel = nullptr;
  int64_t first = 0;  // output channel
  int64_t offset = 0; // floats from the start of a kernel row's weights
};

struct MatmulWeights {
  const SimdTable* simd = nullptr;
  int64_t kernel_rows = 0;
  int64_t cin = 0;
  int64_t cout = 0;
  int64_t padded_cout = 0; // whole vectors
  std::vector<CoutBlock> blocks;
  std::shared_ptr<const float[]>
      packed; // [kernel row][block][cin][vectors * lanes], 64-byte aligned
  std::shared_ptr<const float[]> squares; // normalized: [kernel row][padded_cout], sum of w * w
  bool normalized = false;
  float eps = 0;
  int64_t bytes = 0;

  int64_t row_floats() const { return cin * padded_cout; }
  std::string kernel_name() const; // "avx2 6x2", "avx2 4x3 + 12x1"
};

struct PackOptions {
  const SimdTable* simd = nullptr;  // simd_table(level)
  const PairKernel* only = nullptr; // for tests and benchmarks: this kernel wherever it fits
  bool normalized = false;
  float eps = 0;
};

// Weights as the graph declares them (dense or int8/int4, conv3d or linear). The shapes were
// checked when the artifact was loaded; `cin` is the input's channel count (packed codes are padded
// beyond it).
Result<MatmulWeights> pack_weights(const Weight& weight, int64_t cin, const PackOptions& options);

// Which kernel each range of output channels got, and why those before it in the list did not.
std::string explain(const MatmulWeights& weights);

} // namespace lattice::cpu
