// Joins steps that a device can do in one pass over memory. Never changes a bit of any result: every entry
// of an epilogue does to a finished element what the separate step would have done (spec 5).
#pragma once

#include "plan/plan.h"

namespace lattice {

// activation, batch_norm and residual addition move into the product before them, where nothing else reads
// the value in between.
Plan fuse(const Plan& plan);

}  // namespace lattice
