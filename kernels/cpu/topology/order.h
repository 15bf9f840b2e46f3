// The row order the spec promises for generated supports (spec 3 and 4), as numbers for the inner
// rows.
#pragma once

#include "kernels/cpu/topology/budget.h"
#include "kernels/cpu/topology/topology.h"

namespace lattice::cpu {

// Numbers rows by their first occurrence: walk sources in order, each row's image gets the next
// number unless it has one.
class FirstOccurrence {
 public:
  static constexpr Row unset = ~Row{0};

  explicit FirstOccurrence(int64_t rows);
  // `image[inner row of the source]`: a row, or `unset` for none.
  void walk(const Order& source, const Array<Row>& image);
  Order finish() &&;

 private:
  Array<Row> number_;
  Row next_ = 0;
};

// Rows in the order of (source row, kernel row) that first reaches them. `edges`: coarse rows are
// the source's, fine rows the numbered ones; each has an edge.
Order order_of_reach(const Edges& edges, const Order& source);

// image[fine row] = coarse row over all edges; `unset` for rows without one.
Array<Row> coarse_of_fine(const Edges& edges);

} // namespace lattice::cpu
