// Large blocks of memory that are kept for the next topology instead of going back to the system:
// on new memory the system's page faults cost as much as building the relations. Not a general
// allocator.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace lattice::cpu {

// Thread-safe. Blocks keep their pool alive. Throws std::bad_alloc like `new`.
class BlockPool : public std::enable_shared_from_this<BlockPool> {
 public:
  static constexpr int64_t smallest = 32 * 1024; // smaller requests are not worth keeping

  // At least `bytes` bytes, uninitialized, aligned for any plain type.
  std::shared_ptr<std::byte[]> block(int64_t bytes);
  int64_t idle_bytes() const { return idle_bytes_.load(std::memory_order_relaxed); }
  // Gives what lies idle back to the system.
  void trim();

  // The block of a pool, or of the system when there is no pool or the block is small.
  static std::shared_ptr<std::byte[]> block_of(BlockPool* pool, int64_t bytes);

 private:
  // Sizes are powers of two; idle_[i] holds blocks of 2^i bytes.
  std::mutex mutex_;
  std::array<std::vector<std::unique_ptr<std::byte[]>>, 64> idle_;
  std::atomic<int64_t> idle_bytes_ = 0;
};

} // namespace lattice::cpu
