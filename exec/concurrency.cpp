// Threads a run may use; see concurrency.h.
#include "exec/concurrency.h"

#include <algorithm>

#include <oneapi/tbb/info.h>

namespace lattice {

int32_t usable_threads() { return std::clamp(oneapi::tbb::info::default_concurrency(), 1, max_threads); }

}  // namespace lattice
