// Stand-in for oneTBB under ThreadSanitizer: how many threads may be asked for. Not the cores of
// the machine.
#pragma once

namespace oneapi::tbb::info {

inline int default_concurrency() { return 4; }

} // namespace oneapi::tbb::info

namespace tbb = oneapi::tbb;
