// Builds the edges of a relation by walking two sorted row trees side by side: no hashing, every
// look-up exact in 64 bits. Linear in rows and edges for kernels without gaps.
#pragma once

#include "kernels/cpu/relation.h"
#include "kernels/cpu/topology/budget.h"
#include "kernels/cpu/topology/row_tree.h"

namespace lattice::cpu {

// fine = coarse * stride + base + index * dilation, as in plan.h.
struct Geometry {
  Triple size{1, 1, 1};
  Triple stride{1, 1, 1};
  Triple dilation{1, 1, 1};
  Triple base{0, 0, 0};

  // Stride 1 and offsets that mirror each other about 0: half of the lists serve for the other half
  // when both supports are one.
  bool mirrored() const;
  // Every fine row has exactly one coarse row and kernel row: kernel and stride are equal, nothing
  // shifted.
  bool cells() const;
};

// same: `fine` and `coarse` are one support.
Result<Edges> find_edges(const RowTree& fine, const RowTree& coarse, bool same,
                         const Geometry& geometry, Budget& budget, const Location& where);

// The edges of cells, given the coarse row of each fine row.
Result<Edges> cell_edges(const RowTree& fine, int64_t coarse_rows, const Row* coarse_of_fine,
                         const Triple& stride, Budget& budget, const Location& where);

} // namespace lattice::cpu
