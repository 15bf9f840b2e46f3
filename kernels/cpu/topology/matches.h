// Edges in the order in which a walk finds them, one stream a chunk, and their way into lists by
// kernel row.
#pragma once

#include <memory>
#include <vector>

#include "kernels/cpu/relation.h"
#include "kernels/cpu/topology/budget.h"

namespace lattice::cpu {

struct Match {
  Row coarse;
  Row fine;
  uint32_t kernel_row;
};

// A growing stream of matches in blocks. After a refusal by the budget it goes on accepting and
// keeps nothing: the walk asks `refused()` now and then.
class MatchStream {
 public:
  MatchStream(Taken& scratch, const Location& where) : scratch_(&scratch), where_(&where) {}
  MatchStream(MatchStream&&) noexcept = default;
  MatchStream& operator=(MatchStream&&) noexcept = default;

  // Room for `count` (at most `block_size`) calls of add_if.
  void reserve(int64_t count) {
    if (end_ - next_ < count) grow();
  }
  // Written in any case, kept if `wanted`: cheaper than a branch that is hard to predict.
  void add_if(bool wanted, int64_t coarse, int64_t fine, int64_t kernel_row) {
    *next_ = {static_cast<Row>(coarse), static_cast<Row>(fine), static_cast<uint32_t>(kernel_row)};
    next_ += wanted;
  }
  void add(int64_t coarse, int64_t fine, int64_t kernel_row) {
    reserve(1);
    add_if(true, coarse, fine, kernel_row);
  }
  bool refused() const { return !status_.has_value(); }
  const Status& status() const { return status_; }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Block& block : blocks_) {
      const Match* const last = &block == &blocks_.back() ? next_ : block.last;
      for (const Match* match = block.first.get(); match != last; ++match) visit(*match);
    }
  }

 private:
  static constexpr int64_t block_size = 4096;
  struct Block {
    std::unique_ptr<Match[]> first;
    Match* last = nullptr; // one past those kept; unknown while it is being filled
  };
  void grow();

  Taken* scratch_;
  const Location* where_;
  Match* next_ = nullptr;
  Match* end_ = nullptr;
  std::vector<Block> blocks_;
  Status status_;
};

// Lists of `kernel_rows` kernel rows out of the streams of successive chunks, each stream ascending
// in both rows for any one kernel row.
Result<Edges> edges_from(const std::vector<MatchStream>& streams, int64_t kernel_rows,
                         Budget& budget, const Location& where);

// Memory for `pairs` edges: the fine rows first, then the coarse ones.
Result<std::shared_ptr<Row[]>> edge_storage(int64_t pairs, int64_t kernel_rows, Budget& budget,
                                            const Location& where);

} // namespace lattice::cpu
