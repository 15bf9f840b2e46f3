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

  void add(int64_t coarse, int64_t fine, int64_t kernel_row) {
    if (next_ == end_) grow();
    *next_++ = {static_cast<Row>(coarse), static_cast<Row>(fine),
                static_cast<uint32_t>(kernel_row)};
  }
  bool refused() const { return !status_.has_value(); }
  const Status& status() const { return status_; }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (size_t i = 0; i < blocks_.size(); ++i) {
      const Match* first = blocks_[i].get();
      const Match* last = i + 1 == blocks_.size() ? next_ : first + block_size;
      for (const Match* match = first; match != last; ++match) visit(*match);
    }
  }

 private:
  static constexpr int64_t block_size = 4096;
  void grow();

  Taken* scratch_;
  const Location* where_;
  Match* next_ = nullptr;
  Match* end_ = nullptr;
  std::vector<std::unique_ptr<Match[]>> blocks_;
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
