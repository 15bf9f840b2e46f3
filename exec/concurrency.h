// How many threads a run uses, and the arenas they work in.
#pragma once

#include <cstdint>

namespace lattice {

// More threads than this are never asked of the scheduler.
inline constexpr int32_t max_threads = 1024;

// Cores this process may use: its affinity mask, and what the host allows oneTBB; 1 to max_threads. A run that
// asks for more gets this many: the scheduler would not give it more, and would say so on stderr.
int32_t usable_threads();

}  // namespace lattice
