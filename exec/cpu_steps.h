// The feature steps of one phase, in order, on views that the layout has made.
#pragma once

#include "exec/cpu_layout.h"

namespace lattice::cpu {

Status run_steps(Run& run, int32_t phase, CpuSession& session, const RunControl& control, RunReport& report);

}  // namespace lattice::cpu
