// Where each value lies in the arena of a run: offsets by liveness, decided before the first step.
// Knows sizes and lifetimes only.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"

namespace lattice {

// A block that must exist from step `first` to step `last`, both included.
struct Block {
  int64_t bytes = 0;
  int32_t first = 0;
  int32_t last = 0;
};

struct MemoryPlan {
  std::vector<int64_t> offsets;  // one a block, multiples of 64
  int64_t bytes = 0;             // size of the arena
  int64_t live_bytes = 0;        // largest sum of blocks alive at one step: no plan can do with less
};

Result<MemoryPlan> plan_memory(const std::vector<Block>& blocks);

}  // namespace lattice
