// Resolves the dimensions of a plan once inputs are bound and a topology phase has run.
#pragma once

#include <functional>

#include "exec/device.h"

namespace lattice {

// Counts a topology knows: active rows of a support, rows of a batches entity.
struct Counts {
  std::function<int64_t(SupportId)> support;
  std::function<int64_t(BatchesId)> batches;
};

// SizeCheck::phase of checks that the inputs alone decide: made before any topology.
inline constexpr int32_t before_topology = -1;

int64_t size_of(const Extent& extent, const BoundInputs& inputs, const Counts& counts);
Shape shape_of(const Value& value, const BoundInputs& inputs, const Counts& counts);

// The size checks of one phase; the first that fails is the error.
Status check_sizes(const Plan& plan, int32_t phase, const BoundInputs& inputs, const Counts& counts);

}  // namespace lattice
