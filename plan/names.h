// Words for the plan's enum-like values, spelled as in the dialect.
#pragma once

#include "plan/plan.h"

namespace lattice {

const char* name_of(SupportRule rule);
const char* name_of(Join join);
const char* name_of(BinaryOp op);
const char* name_of(PoolMode mode);
const char* name_of(VoxelReduction reduction);
const char* name_of(PointInterpolation interpolation);
const char* name_of(ActivationKind kind);
const char* name_of(GeluApprox approximate);
const char* name_of(Direction direction);

}  // namespace lattice
