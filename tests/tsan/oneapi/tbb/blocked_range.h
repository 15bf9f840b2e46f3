// Stand-in for oneTBB under ThreadSanitizer: a range with a grain.
#pragma once

#include "oneapi/tbb/info.h"

namespace oneapi::tbb {

template <class T>
class blocked_range {
 public:
  blocked_range(T begin, T end, T grain = 1) : begin_(begin), end_(end), grain_(grain) {}
  T begin() const { return begin_; }
  T end() const { return end_; }
  T grainsize() const { return grain_; }

 private:
  T begin_, end_, grain_;
};

} // namespace oneapi::tbb
