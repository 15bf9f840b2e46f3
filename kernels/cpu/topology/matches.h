// Edges on their way from the walk that finds them into lists by kernel row.
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
};

// The matches of one chunk grouped by kernel row, in the order in which they were found.
struct GroupedMatches {
  struct Group {
    const Match* first = nullptr;
    int64_t count = 0;
  };
  std::vector<Group> groups; // one a kernel row
  Array<Match> storage;
  Status status;
};

// Lists of `kernel_rows` kernel rows out of those of successive chunks, which ascend in both rows
// for any one kernel row.
Result<Edges> edges_from(const std::vector<GroupedMatches>& chunks, int64_t kernel_rows,
                         Budget& budget, const Location& where);

// Memory for `pairs` edges: the fine rows first, then the coarse ones.
Result<std::shared_ptr<Row[]>> edge_storage(int64_t pairs, int64_t kernel_rows, Budget& budget,
                                            const Location& where);

// Both kinds of output have a writer that takes `put(wanted, ...)`: written in any case and kept if
// wanted, which is cheaper than a branch that is hard to predict. `index` counts kernel rows from
// `kernel_row` on and may be anything where not wanted.

// For few kernel rows: a place for every match that can be, untouched where none comes.
class MatchBuckets {
 public:
  static bool fits(int64_t rows, int64_t kernel_rows) {
    return kernel_rows <= 128 && rows * kernel_rows <= int64_t{1} << 20;
  }
  // At most `rows` matches for each kernel row.
  MatchBuckets(int64_t rows, int64_t kernel_rows, Taken& scratch, const Location& where)
      : scratch_(scratch), where_(where), capacity_(rows + 1), kernel_rows_(kernel_rows),
        counts_(static_cast<size_t>(kernel_rows + 4), 0),
        storage_((kernel_rows + 4) * capacity_, scratch.pool()) {}

  struct Writer {
    Match* storage;
    Row* counts;
    int64_t capacity, spare;

    // What is not wanted goes to one of four spare buckets, by `turn`: neighbouring calls with
    // different turns do not wait for each other's count.
    template <int64_t turn>
    void put(bool wanted, int64_t coarse, int64_t fine, int64_t kernel_row, int64_t index) const {
      const int64_t bucket = wanted ? kernel_row + index : spare + turn;
      const Row count = counts[bucket];
      storage[bucket * capacity + count] = {static_cast<Row>(coarse), static_cast<Row>(fine)};
      counts[bucket] = count + wanted;
    }
  };
  Writer writer() { return {storage_.data(), counts_.data(), capacity_, kernel_rows_}; }
  bool refused() const { return false; }
  GroupedMatches grouped() &&;

 private:
  Taken& scratch_;
  const Location& where_;
  int64_t capacity_, kernel_rows_;
  std::vector<Row> counts_;
  Array<Match> storage_;
};

// For any number of kernel rows: one growing stream in blocks, grouped at the end. After a refusal
// by the budget it goes on accepting and keeps nothing: the walk asks `refused()` now and then.
class MatchStream {
 public:
  MatchStream(int64_t kernel_rows, Taken& scratch, const Location& where)
      : kernel_rows_(kernel_rows), scratch_(scratch), where_(where) {}

  template <int64_t turn>
  void put(bool wanted, int64_t coarse, int64_t fine, int64_t kernel_row, int64_t index) {
    if (next_ == end_) grow();
    *next_ = {{static_cast<Row>(coarse), static_cast<Row>(fine)},
              static_cast<uint32_t>(kernel_row + index)};
    next_ += wanted;
  }
  MatchStream& writer() { return *this; }
  bool refused() const { return !status_.has_value(); }
  GroupedMatches grouped() &&;

 private:
  struct Item {
    Match match;
    uint32_t kernel_row;
  };
  struct Block {
    Array<Item> items;
    const Item* last = nullptr; // one past those kept; unknown while it is being filled
  };
  static constexpr int64_t block_size = 5461; // 64 KiB
  void grow();
  template <class Visit>
  void for_each(Visit&& visit) const;

  int64_t kernel_rows_;
  Taken& scratch_;
  const Location& where_;
  Item* next_ = nullptr;
  Item* end_ = nullptr;
  std::vector<Block> blocks_;
  Status status_;
};

} // namespace lattice::cpu
