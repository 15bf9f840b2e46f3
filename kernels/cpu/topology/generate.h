// Supports made of other supports: floor, transposed, union and subset. Coordinates only; which row
// order the spec gives them and whether they fit is decided elsewhere.
#pragma once

#include <array>
#include <vector>

#include "kernels/cpu/topology/budget.h"
#include "kernels/cpu/topology/row_tree.h"

namespace lattice::cpu {

// floor(value / divisor), divisor at least 1.
class FloorDivision {
 public:
  explicit FloorDivision(int64_t divisor) : divisor_(divisor) {
    if ((divisor & (divisor - 1)) == 0) shift_ = __builtin_ctzll(static_cast<uint64_t>(divisor));
  }
  int64_t operator()(int64_t value) const {
    if (shift_ >= 0) return value >> shift_;
    const int64_t quotient = value / divisor_;
    return quotient - (value % divisor_ < 0 ? 1 : 0);
  }

 private:
  int64_t divisor_;
  int shift_ = -1;
};

// Where one coordinate goes along one axis: floor(value / divisor) * factor + first + index * step
// for index 0 .. count-1. One of divisor and factor is 1. All images fit int32: the caller has
// checked.
struct Spread {
  int64_t divisor = 1;
  int64_t factor = 1;
  int64_t first = 0;
  int64_t step = 1;
  int64_t count = 1;
};

// Distinct images of the rows of all `sources`. With `parent` (one source, count 1 everywhere) it
// also gives the image of each source row.
Result<RowTree> generate_rows(const std::vector<const RowTree*>& sources,
                              const std::array<Spread, 3>& axes, Array<Row>* parent, Budget& budget,
                              const Location& where);

// The rows of `tree` listed in `rows`, which ascend.
Result<RowTree> subset_of(const RowTree& tree, const Row* rows, int64_t count, Budget& budget,
                          const Location& where);

} // namespace lattice::cpu
