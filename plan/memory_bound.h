// How much memory a run can need for inputs of a given size, before there are any inputs: every support is
// taken as large and every relation as full as it can be. What a device needs beside that (packed
// weights, scratch) is not in it; what it saves by fusing neither.
#pragma once

#include "base/status.h"
#include "plan/plan.h"

namespace lattice {

struct MemoryBound {
  int64_t weights = 0;   // bytes as in the file
  int64_t inputs = 0;    // bytes of all arguments
  int64_t topology = 0;  // bytes: 16 for a row of a support, 8 for an edge of a relation
  int64_t features = 0;  // bytes of the values alive at once, outputs included, at the worst step
  int64_t edges = 0;     // of all relations
  Location worst;        // that step

  int64_t total() const { return weights + inputs + topology + features; }
};

// `rows` of every argument whose first dimension the graph leaves open; one batch. Code::usage for
// negative rows, Code::memory if a size leaves 62 bits.
Result<MemoryBound> bound_memory(const Plan& plan, int64_t rows);

}  // namespace lattice
