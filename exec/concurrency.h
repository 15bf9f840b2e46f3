// How many threads a run uses, and the arenas they work in.
#pragma once

#include <cstdint>

namespace lattice {

// More threads than this are not asked of the scheduler, whatever the caller says.
inline constexpr int32_t max_threads = 1024;

// Cores this process may use (its affinity mask and the scheduler's own limit), at least 1.
int32_t usable_threads();

}  // namespace lattice
