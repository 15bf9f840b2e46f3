// The rows of a support in ascending (batch, x, y, z), logical coordinates, stored as a tree: lines
// of equal (batch, x), in them columns of equal y, in them z. Knows neither strides nor the
// caller's row order.
//
// Each level is a sorted list of plain int32, so that looking for a neighbour is a walk along two
// lists and exact for any int32 coordinates: nothing is packed here and nothing can wrap.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/relation.h"
#include "kernels/cpu/topology/array.h"

namespace lattice::cpu {

struct LineKey {
  int32_t batch = 0;
  int32_t x = 0;
  auto operator<=>(const LineKey&) const = default;
};

struct RowTree {
  Array<LineKey> line;
  Array<Row> line_begin; // first column of each line; one more entry than lines
  Array<int32_t> column_y;
  Array<Row> column_begin; // first row of each column; one more entry than columns
  Array<int32_t> z;        // of each row
  bool repeats = false;    // equal rows may stand side by side (only inputs taken on trust)

  int64_t rows() const { return z.size(); }
  int64_t lines() const { return line.size(); }
  int64_t columns() const { return column_y.size(); }
  int64_t bytes() const {
    return line.bytes() + line_begin.bytes() + column_y.bytes() + column_begin.bytes() + z.bytes();
  }
  // Allocates; every entry is still to be written.
  static RowTree sized(int64_t lines, int64_t columns, int64_t rows, BlockPool* pool) {
    RowTree tree;
    tree.line = Array<LineKey>(lines, pool);
    tree.line_begin = Array<Row>(lines + 1, pool);
    tree.column_y = Array<int32_t>(columns, pool);
    tree.column_begin = Array<Row>(columns + 1, pool);
    tree.z = Array<int32_t>(rows, pool);
    tree.line_begin[lines] = static_cast<Row>(columns);
    tree.column_begin[columns] = static_cast<Row>(rows);
    return tree;
  }

  // The line that holds a column; the column that holds a row.
  int64_t line_of_column(int64_t column) const {
    const Row* first = line_begin.data();
    return std::upper_bound(first, first + lines(), static_cast<Row>(column)) - first - 1;
  }
  int64_t column_of_row(int64_t row) const {
    const Row* first = column_begin.data();
    return std::upper_bound(first, first + columns(), static_cast<Row>(row)) - first - 1;
  }

  // visit(row, batch, x, y, z) for the rows begin .. end-1, ascending.
  template <class Visit>
  void for_rows(int64_t begin, int64_t end, Visit&& visit) const {
    if (begin >= end) return;
    int64_t column = column_of_row(begin);
    int64_t at = line_of_column(column);
    for (int64_t row = begin; row < end; ++column) {
      while (column >= int64_t{line_begin[at + 1]}) ++at;
      const int64_t last = std::min<int64_t>(end, column_begin[column + 1]);
      for (; row < last; ++row) visit(row, line[at].batch, line[at].x, column_y[column], z[row]);
    }
  }

  // The row at a coordinate, or -1. Logarithmic: for few look-ups.
  int64_t find(int32_t batch, int32_t x, int32_t y, int32_t z_value) const {
    const LineKey key{batch, x};
    const LineKey* lines_end = line.data() + lines();
    const LineKey* at = std::lower_bound(line.data(), lines_end, key);
    if (at == lines_end || *at != key) return -1;
    return find_in_line(at - line.data(), y, z_value);
  }
  int64_t find_in_line(int64_t at, int32_t y, int32_t z_value) const {
    const int32_t* first = column_y.data() + line_begin[at];
    const int32_t* last = column_y.data() + line_begin[at + 1];
    const int32_t* found = std::lower_bound(first, last, y);
    if (found == last || *found != y) return -1;
    return find_in_column(found - column_y.data(), z_value);
  }
  int64_t find_in_column(int64_t column, int32_t z_value) const {
    const int32_t* first = z.data() + column_begin[column];
    const int32_t* last = z.data() + column_begin[column + 1];
    const int32_t* found = std::lower_bound(first, last, z_value);
    return found == last || *found != z_value ? -1 : found - z.data();
  }
};

} // namespace lattice::cpu
