// Threads a run may use; see concurrency.h.
#include "exec/concurrency.h"

#include <algorithm>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>

namespace lattice {

int32_t usable_threads() {
  using oneapi::tbb::global_control;
  const size_t allowed = global_control::active_value(global_control::max_allowed_parallelism);
  const int32_t cores = oneapi::tbb::info::default_concurrency();
  return std::clamp(static_cast<int32_t>(std::min<size_t>(allowed, max_threads)), 1, std::max(cores, 1));
}

}  // namespace lattice
