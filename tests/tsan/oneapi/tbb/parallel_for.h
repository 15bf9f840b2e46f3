// Stand-in for oneTBB under ThreadSanitizer: threads that are started for each loop; every one of
// them gets its share of pieces of one grain, in turn. Loops inside loops run on the thread that
// meets them.
#pragma once

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "oneapi/tbb/blocked_range.h"
#include "oneapi/tbb/task_arena.h"

namespace oneapi::tbb {

struct simple_partitioner {};
struct static_partitioner {};
struct auto_partitioner {};

template <class T, class Body, class Partitioner = auto_partitioner>
void parallel_for(const blocked_range<T>& range, const Body& body, const Partitioner& = {}) {
  const stand_in::Place here = stand_in::place;
  const int threads = here.nested ? 1 : here.threads;
  std::mutex mutex;
  std::exception_ptr fault;
  // Nothing but the start and the end of a thread orders what it does: a race is seen whoever comes
  // first.
  const auto work = [&](stand_in::Place place, int share) {
    const stand_in::Entered entered(place);
    const T grain = range.grainsize();
    try {
      for (T begin = range.begin() + grain * share; begin < range.end(); begin += grain * threads)
        body(blocked_range<T>(begin, std::min<T>(range.end(), begin + grain), grain));
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!fault) fault = std::current_exception();
    }
  };
  std::vector<std::thread> workers;
  for (int index = 1; index < threads; ++index)
    workers.emplace_back(work, stand_in::Place{threads, index, true}, index);
  work({threads, std::max(here.index, 0), true}, 0);
  for (std::thread& worker : workers) worker.join();
  if (fault) std::rethrow_exception(fault);
}

template <class T, class Body>
void parallel_for(T begin, T end, const Body& body) {
  parallel_for(blocked_range<T>(begin, end), [&](const blocked_range<T>& part) {
    for (T i = part.begin(); i < part.end(); ++i) body(i);
  });
}

} // namespace oneapi::tbb
