// Turns a verified artifact into a plan. What depends on two operations at once (channels, strides, weight
// shapes against kernels) is decided here.
#pragma once

#include <memory>

#include "artifact/load.h"
#include "plan/plan.h"

namespace lattice {

// Takes the artifact apart: the module is gone afterwards, the weights stay with the plan. The error holds
// every fault found.
Result<std::shared_ptr<const Plan>> lower(Artifact artifact);

}  // namespace lattice
