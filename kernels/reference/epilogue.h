// What follows a product before it is stored, and activation and batch_norm on their own (spec 5).
#pragma once

#include <vector>

#include "kernels/reference/matrix.h"
#include "kernels/reference/weights.h"

namespace lattice::reference {

// s = scale / sqrt(var + eps), t = fma(-mean, s, bias): the two constants of batch_norm per
// channel.
struct ScaleShift {
  std::vector<float> s, t;
};
ScaleShift scale_shift(const DenseWeight& scale, const DenseWeight& bias, const DenseWeight& mean,
                       const DenseWeight& var, float eps);

float activation(const EpilogueOp& op, float x);

// An EpilogueOp with what it refers to.
struct EpilogueEntry {
  EpilogueOp op;
  ScaleShift constants; // batch_norm
  ConstMatrix residual; // residual
};
using EpilogueEntries = std::vector<EpilogueEntry>;

float apply(const EpilogueEntry& entry, int64_t row, int64_t col, float x);

// The finished element after bias through all entries, rounded to `dtype` before each of them as
// the separate operations would.
float apply_all(const EpilogueEntries& entries, DType dtype, int64_t row, int64_t col, float x);

} // namespace lattice::reference
