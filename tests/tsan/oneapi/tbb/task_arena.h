// Stand-in for oneTBB under ThreadSanitizer: an arena is a number of threads, remembered by the
// thread that enters.
#pragma once

#include <utility>

#include "oneapi/tbb/info.h"

namespace oneapi::tbb {

namespace stand_in {

struct Place {
  int threads = 1; // of the arena this thread works in
  int index = -2;  // of this thread in it; oneTBB's number for "in none"
  bool nested = false;
};
inline thread_local Place place;

// This thread's place while one of these lives.
class Entered {
 public:
  explicit Entered(Place next) : before_(std::exchange(place, next)) {}
  ~Entered() { place = before_; }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  Place before_;
};

} // namespace stand_in

class task_arena {
 public:
  explicit task_arena(int threads) : threads_(threads) {}
  template <class Body>
  auto execute(Body&& body) {
    const stand_in::Entered entered({threads_, 0, false});
    return std::forward<Body>(body)();
  }

 private:
  int threads_;
};

namespace this_task_arena {
inline int current_thread_index() { return stand_in::place.index; }
} // namespace this_task_arena

} // namespace oneapi::tbb
