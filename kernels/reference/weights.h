// Weights as the reference reads them: f32, dense, whatever they are stored as. Made once per
// program.
#pragma once

#include <vector>

#include "base/status.h"
#include "plan/plan.h"

namespace lattice::reference {

// (out, kernel row, in); linear and embedding weights have one kernel row (embedding: entry, 0,
// channel). A packed weight keeps its padded input channels: `in` may exceed the channels of the
// input.
struct DenseWeight {
  int64_t out = 0;
  int64_t kernel_rows = 1;
  int64_t in = 0;
  std::vector<float> values;

  float operator()(int64_t o, int64_t kernel_row, int64_t i) const {
    return values[static_cast<size_t>((o * kernel_rows + kernel_row) * in + i)];
  }
  // Channel and bias weights: (C).
  float operator[](int64_t channel) const { return values[static_cast<size_t>(channel)]; }
};

// Widens f16, and unpacks int4 and int8 codes: value = fma(scale, code, bias) (spec 5).
Result<DenseWeight> dense_weight(const Weight& weight);

} // namespace lattice::reference
