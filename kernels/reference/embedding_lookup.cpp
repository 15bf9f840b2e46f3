// embedding_lookup: rows of a table. An index outside it is an error that names the row.
#include "kernels/faults.h"
#include "kernels/reference/steps.h"

namespace lattice::reference {

Status embedding_lookup(IntMatrix indices, const DenseWeight& table, const Location& where,
                        Matrix y) {
  for (int64_t row = 0; row < y.rows(); ++row) {
    const int32_t index = indices(row, 0);
    if (index < 0 || index >= table.out) {
      return tl::make_unexpected(faults::embedding_out_of_range(row, index, table.out, where));
    }
    for (int64_t col = 0; col < y.cols(); ++col) y.set(row, col, table(index, 0, col));
  }
  return {};
}

} // namespace lattice::reference
