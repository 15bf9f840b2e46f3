// Stand-in for oneTBB under ThreadSanitizer: limits that limit nothing.
#pragma once

#include <cstddef>

#include "oneapi/tbb/info.h"

namespace oneapi::tbb {

class global_control {
 public:
  enum parameter { max_allowed_parallelism };
  global_control(parameter, std::size_t) {}
  static std::size_t active_value(parameter) {
    return static_cast<std::size_t>(info::default_concurrency());
  }
};

} // namespace oneapi::tbb
