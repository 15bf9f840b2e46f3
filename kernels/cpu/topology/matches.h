// Edges on their way from the walk that finds them into lists by kernel row.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/cpu/relation.h"
#include "kernels/cpu/topology/array.h"
#include "kernels/cpu/topology/budget.h"

namespace lattice::cpu {

// The highest bit of `fine` may be set and means nothing: rows are fewer than 2^31.
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

  // The cells (see LineTable) found for `count` successive kernel rows.
  template <int count>
  struct Appender {
    std::array<Match*, count> next;
    int64_t kernel_row = 0;

    void put(Row coarse, const Row* found) {
      put_each(coarse, found, std::make_index_sequence<count>{});
    }

   private:
    // Spelled out, not a loop: the pointers are to stay in registers.
    template <size_t... i>
    void put_each(Row coarse, const Row* found, std::index_sequence<i...>) {
      const Row fine[] = {found[i]...};
      ((*next[i] = {coarse, fine[i]}, next[i] += fine[i] >> 31), ...);
    }
  };
  template <int count>
  Appender<count> appender(int64_t kernel_row) {
    Appender<count> made;
    made.kernel_row = kernel_row;
    for (int i = 0; i < count; ++i) {
      made.next[i] = &storage_[(kernel_row + i) * capacity_ + counts_[kernel_row + i]];
    }
    return made;
  }
  template <int count>
  void done(const Appender<count>& appender) {
    for (int i = 0; i < count; ++i) {
      const int64_t row = appender.kernel_row + i;
      counts_[row] = static_cast<Row>(appender.next[i] - &storage_[row * capacity_]);
    }
  }

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
  template <int count>
  struct Appender {
    MatchStream* stream;
    int64_t kernel_row;

    void put(Row coarse, const Row* found) {
      for (int i = 0; i < count; ++i) {
        stream->template put<0>(found[i] != 0, coarse, int64_t{found[i]}, kernel_row, i);
      }
    }
  };
  template <int count>
  Appender<count> appender(int64_t kernel_row) {
    return {this, kernel_row};
  }
  template <int count>
  void done(const Appender<count>&) {}

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
