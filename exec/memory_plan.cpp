// Offsets by liveness; see memory_plan.h.
#include "exec/memory_plan.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/checked.h"

namespace lattice {

namespace {

constexpr int64_t alignment = 64;

bool overlap(const Block& a, const Block& b) { return a.first <= b.last && b.first <= a.last; }

// Places the blocks in the given order, each into the tightest gap between those alive with it.
int64_t place(const std::vector<Block>& blocks, const std::vector<size_t>& order, std::vector<int64_t>& offsets) {
  int64_t end = 0;
  std::vector<size_t> placed;  // by ascending offset
  for (const size_t index : order) {
    const Block& block = blocks[index];
    const int64_t bytes = (block.bytes + alignment - 1) / alignment * alignment;
    int64_t best = -1, best_gap = std::numeric_limits<int64_t>::max(), cursor = 0;
    for (const size_t other : placed) {
      if (!overlap(block, blocks[other])) continue;
      const int64_t gap = offsets[other] - cursor;
      if (gap >= bytes && gap < best_gap) {
        best = cursor;
        best_gap = gap;
      }
      const int64_t other_end = offsets[other] + (blocks[other].bytes + alignment - 1) / alignment * alignment;
      cursor = std::max(cursor, other_end);
    }
    offsets[index] = best >= 0 ? best : cursor;
    end = std::max(end, offsets[index] + bytes);
    const auto behind = std::upper_bound(placed.begin(), placed.end(), offsets[index],
                                         [&](int64_t offset, size_t other) { return offset < offsets[other]; });
    placed.insert(behind, index);
  }
  return end;
}

}  // namespace

Result<MemoryPlan> plan_memory(const std::vector<Block>& blocks) {
  int64_t total = 0;
  int32_t last_step = 0;
  for (const Block& block : blocks) {
    const auto sum = checked_add(total, block.bytes + alignment);
    if (!sum) return fail(Code::memory, "the values of this run do not fit 64 bits");
    total = *sum;
    last_step = std::max(last_step, block.last);
  }
  MemoryPlan best;
  best.bytes = std::numeric_limits<int64_t>::max();
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // Two greedy orders; which one packs tighter depends on the network.
  const auto by_size = [&](size_t a, size_t b) { return blocks[a].bytes > blocks[b].bytes; };
  const auto by_start = [&](size_t a, size_t b) {
    return blocks[a].first != blocks[b].first ? blocks[a].first < blocks[b].first : blocks[a].bytes > blocks[b].bytes;
  };
  for (const bool size_first : {true, false}) {
    if (size_first) {
      std::stable_sort(order.begin(), order.end(), by_size);
    } else {
      std::stable_sort(order.begin(), order.end(), by_start);
    }
    std::vector<int64_t> offsets(blocks.size(), 0);
    const int64_t bytes = place(blocks, order, offsets);
    if (bytes < best.bytes) {
      best.bytes = bytes;
      best.offsets = std::move(offsets);
    }
  }
  std::vector<int64_t> change(static_cast<size_t>(last_step) + 2, 0);
  for (const Block& block : blocks) {
    change[static_cast<size_t>(block.first)] += block.bytes;
    change[static_cast<size_t>(block.last) + 1] -= block.bytes;
  }
  int64_t alive = 0;
  for (const int64_t step : change) {
    alive += step;
    best.live_bytes = std::max(best.live_bytes, alive);
  }
  return best;
}

}  // namespace lattice
