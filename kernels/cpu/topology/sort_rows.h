// Sorts coordinate rows into a RowTree and remembers where each row stood. Neither checks nor
// removes rows.
#pragma once

#include "kernels/cpu/topology/budget.h"
#include "kernels/cpu/topology/row_tree.h"

namespace lattice::cpu {

struct SortedRows {
  RowTree tree;              // equal rows stand side by side, in their given order
  Array<Row> given_of_inner; // the given row that stands at each place; empty when nothing moved
  bool moved = false;
};

// `coords`: rows of (batch, x, y, z), any alignment. Keys are packed into as few bits as the extent
// of these rows allows (64 with the row number, 64 without, or full width). Linear in rows.
Result<SortedRows> sort_rows(const void* coords, int64_t rows, Budget& budget,
                             const Location& where);

// The first of the sorted rows that equals the one before it, by its given number: `first` and
// `row` count the given rows, `row` is the smallest that repeats an earlier one. row == -1: all are
// distinct.
struct Repeated {
  int64_t first = -1;
  int64_t row = -1;
};
Repeated find_repeated(const SortedRows& sorted);

} // namespace lattice::cpu
