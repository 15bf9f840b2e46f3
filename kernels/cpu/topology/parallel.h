// Work cut into chunks whose number depends on its size alone, so that what the chunks produce does
// not depend on the number of threads. Runs in the caller's task arena.
#pragma once

#include <algorithm>
#include <cstdint>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

namespace lattice::cpu {

struct Chunks {
  int64_t items = 0;
  int64_t count = 1;

  // About `grain` items a chunk, at most `most` chunks.
  static Chunks of(int64_t items, int64_t grain, int64_t most = 256) {
    return {items, std::clamp<int64_t>(items / grain, 1, most)};
  }
  int64_t begin(int64_t chunk) const {
    return items / count * chunk + std::min(chunk, items % count);
  }
  int64_t end(int64_t chunk) const { return begin(chunk + 1); }
};

// body(i) for i in 0 .. count-1, in any order.
template <class Body>
void parallel_tasks(int64_t count, Body&& body) {
  if (count <= 1) {
    for (int64_t i = 0; i < count; ++i) body(i);
    return;
  }
  tbb::parallel_for(
      tbb::blocked_range<int64_t>(0, count, 1),
      [&](const tbb::blocked_range<int64_t>& range) {
        for (int64_t i = range.begin(); i < range.end(); ++i) body(i);
      },
      tbb::simple_partitioner());
}

// body(chunk, first item, one past the last item) for every chunk, in any order.
template <class Body>
void parallel_chunks(const Chunks& chunks, Body&& body) {
  parallel_tasks(chunks.count,
                 [&](int64_t chunk) { body(chunk, chunks.begin(chunk), chunks.end(chunk)); });
}

} // namespace lattice::cpu
