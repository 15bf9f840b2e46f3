// See pool.h.
#include "kernels/cpu/topology/pool.h"

#include <bit>

namespace lattice::cpu {

std::shared_ptr<std::byte[]> BlockPool::block(int64_t bytes) {
  const size_t size = std::bit_ceil(static_cast<size_t>(bytes));
  const size_t power = static_cast<size_t>(std::countr_zero(size));
  std::unique_ptr<std::byte[]> memory;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_[power].empty()) {
      memory = std::move(idle_[power].back());
      idle_[power].pop_back();
      idle_bytes_ -= static_cast<int64_t>(size);
    }
  }
  if (memory == nullptr) memory.reset(new std::byte[size]);
  std::byte* const data = memory.release();
  return {data, [pool = shared_from_this(), power](std::byte* block) {
            std::unique_ptr<std::byte[]> returned(block);
            try {
              const std::lock_guard lock(pool->mutex_);
              pool->idle_[power].push_back(std::move(returned));
              pool->idle_bytes_ += int64_t{1} << power;
            } catch (...) { // no room to remember it: `returned` frees it
            }
          }};
}

void BlockPool::trim() {
  const std::lock_guard lock(mutex_);
  for (auto& blocks : idle_) blocks.clear();
  idle_bytes_ = 0;
}

std::shared_ptr<std::byte[]> BlockPool::block_of(BlockPool* pool, int64_t bytes) {
  if (pool != nullptr && bytes >= smallest) return pool->block(bytes);
  return std::shared_ptr<std::byte[]>(new std::byte[static_cast<size_t>(bytes)]);
}

} // namespace lattice::cpu
