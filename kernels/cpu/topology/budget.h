// Counts the memory a topology takes while it grows, and refuses a part that would pass the limit
// before that part is allocated. Holds no memory itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "kernels/cpu/topology/pool.h"
#include "kernels/faults.h"

namespace lattice::cpu {

class Budget {
 public:
  // limit 0: none. `used`: bytes the run holds already. `pool`: where large arrays come from, or
  // null.
  Budget(int64_t limit, int64_t used, BlockPool* pool = nullptr)
      : limit_(limit), used_(used), pool_(pool) {}

  Status take(int64_t bytes, const char* what, const Location& where) {
    const int64_t wanted = used_.fetch_add(bytes) + bytes;
    if (limit_ > 0 && wanted > limit_) {
      used_.fetch_sub(bytes);
      return tl::make_unexpected(faults::memory_limit(wanted, limit_, what, where));
    }
    // What lies idle from earlier topologies counts too, but can go.
    if (limit_ > 0 && pool_ != nullptr && wanted + pool_->idle_bytes() > limit_) pool_->trim();
    return {};
  }
  void give_back(int64_t bytes) { used_.fetch_sub(bytes); }
  int64_t used() const { return used_.load(); }
  BlockPool* pool() const { return pool_; }

 private:
  int64_t limit_;
  std::atomic<int64_t> used_;
  BlockPool* pool_;
};

// Memory held until the end of a scope.
class Taken {
 public:
  explicit Taken(Budget& budget) : budget_(&budget) {}
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;
  ~Taken() { budget_->give_back(bytes_.load()); }
  Status take(int64_t bytes, const char* what, const Location& where) {
    LATTICE_CHECK(budget_->take(bytes, what, where));
    bytes_ += bytes;
    return {};
  }
  BlockPool* pool() const { return budget_->pool(); }

 private:
  Budget* budget_;
  std::atomic<int64_t> bytes_ = 0;
};

} // namespace lattice::cpu
