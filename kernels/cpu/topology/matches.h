// Edges in the order in which a walk finds them, one stream a chunk, and their way into lists by
// kernel row.
#pragma once

#include <memory>
#include <vector>

#include "kernels/cpu/relation.h"
#include "kernels/cpu/topology/array.h"
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

  // A place to write matches to, with room for `count` (at most 1024), ...
  Match* begin(int64_t count) {
    if (end_ - next_ < count) grow();
    return next_;
  }
  const Match* limit() const { return end_; }
  // ... and how far they went.
  void end(Match* next) { next_ = next; }
  void add(const Match& match) {
    *begin(1) = match;
    ++next_;
  }
  bool refused() const { return !status_.has_value(); }
  const Status& status() const { return status_; }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Block& block : blocks_) {
      const Match* const last = &block == &blocks_.back() ? next_ : block.last;
      for (const Match* match = block.matches.data(); match != last; ++match) visit(*match);
    }
  }

 private:
  static constexpr int64_t block_size = 5461; // 64 KiB
  struct Block {
    Array<Match> matches;
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

// The matches of one chunk grouped by kernel row: those of kernel row r stand from begin[r] to
// begin[r + 1].
struct GroupedMatches {
  Array<Row> fine, coarse;
  std::vector<Row> begin;
  Status status;
};

// Keeps the order within each kernel row. Done where the stream was made, while it is still in
// cache.
GroupedMatches group(const MatchStream& stream, int64_t kernel_rows, Taken& scratch,
                     const Location& where);

// Lists of `kernel_rows` kernel rows out of those of successive chunks, which ascend in both rows
// for any one kernel row.
Result<Edges> edges_from(const std::vector<GroupedMatches>& chunks, int64_t kernel_rows,
                         Budget& budget, const Location& where);

// Memory for `pairs` edges: the fine rows first, then the coarse ones.
Result<std::shared_ptr<Row[]>> edge_storage(int64_t pairs, int64_t kernel_rows, Budget& budget,
                                            const Location& where);

} // namespace lattice::cpu
