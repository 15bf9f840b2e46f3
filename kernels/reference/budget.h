// The memory a run may hold, counted as it grows: tables of the topology and values. No allocation
// itself.
#pragma once

#include <algorithm>

#include "base/checked.h"
#include "base/status.h"
#include "kernels/faults.h"

namespace lattice::reference {

struct Budget {
  int64_t limit = 0; // bytes; 0: none
  int64_t used = 0;
  int64_t peak = 0;

  // Would `more` bytes for `what` still be allowed? Nothing means more than 64 bits can count.
  Status allows(std::optional<int64_t> more, const char* what, const Location& where) const {
    const std::optional<int64_t> total = more ? checked_add(used, *more) : std::nullopt;
    if (!total)
      return fail(Code::memory, std::string(what) + ": its size does not fit 64 bits", where);
    if (limit <= 0 || *total <= limit) return {};
    return tl::make_unexpected(faults::memory_limit(*total, limit, what, where));
  }
  void take(int64_t bytes) {
    used += bytes;
    peak = std::max(peak, used);
  }
  void give_back(int64_t bytes) { used -= bytes; }
};

} // namespace lattice::reference
