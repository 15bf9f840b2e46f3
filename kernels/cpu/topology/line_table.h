// One line of a tree (equal batch and x) as tables, so that whether a neighbour is there is one
// look without a branch: y to column, and in a column z to row. Filled again for every line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/cpu/topology/row_tree.h"

namespace lattice::cpu {

class LineTable {
 public:
  static constexpr int64_t widest = 16; // window of y or z
  static constexpr int64_t longest = int64_t{1} << 16;

  // A cell holds its row with this bit set, or zero. No row has it: there are fewer than 2^31.
  static constexpr Row there = Row{1} << 31;

  // The z of one column: what is at z is cells[at + z - low]; zero where nothing is, and so are
  // `pad` cells before and after.
  struct Column {
    int32_t low = 0;
    int32_t range = 0; // highest z - low + 1
    int32_t at = 0;
  };

  // False where the line is too long or its columns too tall for tables; they are then unusable.
  // `pad`: the widest window of z that will be asked for.
  bool fill(const RowTree& tree, int64_t first, int64_t last, int64_t pad) {
    clear();
    pad_ = pad;
    const int32_t* const y = tree.column_y.data();
    low_ = y[first];
    span_ = int64_t{y[last - 1]} - low_ + 1;
    if (span_ > longest) return false;
    int64_t cells = pad;
    grow(columns_, last - first + 1);
    for (int64_t column = first; column < last; ++column) {
      const int64_t low = tree.z[tree.column_begin[column]];
      const int64_t range = tree.z[int64_t{tree.column_begin[column + 1]} - 1] - low + 1;
      if (cells + range > longest) return false;
      columns_[static_cast<size_t>(column - first + 1)] = {
          static_cast<int32_t>(low), static_cast<int32_t>(range), static_cast<int32_t>(cells)};
      cells += range + pad;
    }
    grow(of_y_, span_ + 2 * widest);
    grow(cells_, cells);
    std::fill_n(cells_.data(), cells, Row{0});
    y_ = y;
    first_ = first;
    last_ = last;
    for (int64_t column = first; column < last; ++column) {
      const auto index = static_cast<size_t>(column - first + 1);
      of_y_[static_cast<size_t>(y[column] - low_ + widest)] = static_cast<Row>(index);
      const int64_t zero = int64_t{columns_[index].at} - columns_[index].low;
      for (Row row = tree.column_begin[column]; row < tree.column_begin[column + 1]; ++row) {
        cells_[static_cast<size_t>(zero + tree.z[row])] = row | there;
      }
    }
    return true;
  }

  // Columns at y .. y + widest - 1, counted from 1 within the line; zero where there is none.
  const Row* columns_from(int64_t y) const {
    return of_y_.data() + (std::clamp(y - low_, -widest, span_) + widest);
  }
  // What is at z .. z + pad - 1 of a column: cells[column.at + clamp(z - column.low,
  // -pad, column.range)] and those after it.
  struct Columns {
    const Column* column; // column[1] is the first
    const Row* cells;
    int64_t pad;
  };
  Columns columns() const { return {columns_.data(), cells_.data(), pad_}; }

 private:
  template <class T>
  static void grow(std::vector<T>& table, int64_t size) {
    if (static_cast<int64_t>(table.size()) < size) table.resize(static_cast<size_t>(2 * size));
  }
  void clear() {
    for (int64_t column = first_; column < last_; ++column) {
      of_y_[static_cast<size_t>(y_[column] - low_ + widest)] = 0;
    }
    first_ = last_ = 0;
  }

  const int32_t* y_ = nullptr;
  int64_t first_ = 0, last_ = 0; // the columns in of_y_
  int64_t low_ = 0, span_ = 0, pad_ = 0;
  std::vector<Row> of_y_;
  std::vector<Column> columns_;
  std::vector<Row> cells_;
};

} // namespace lattice::cpu
