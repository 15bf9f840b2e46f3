// Operations on one element at a time: activation, batch_norm, elementwise, and copies of rows.
#include "kernels/math.h"
#include "kernels/reference/steps.h"

namespace lattice::reference {

void rowwise(const EpilogueEntry& entry, ConstMatrix x, Matrix y) {
  for (int64_t row = 0; row < y.rows(); ++row) {
    for (int64_t col = 0; col < y.cols(); ++col)
      y.set(row, col, apply(entry, row, col, x(row, col)));
  }
}

void elementwise(ElementwiseKind kind, ConstMatrix x, Matrix y) {
  for (int64_t row = 0; row < y.rows(); ++row) {
    for (int64_t col = 0; col < y.cols(); ++col) {
      const float value = x(row, col);
      y.set(row, col,
            kind == ElementwiseKind::exp ? math::exp(value) : math::round_half_even(value));
    }
  }
}

void copy_rows(ConstMatrix x, Matrix y) {
  for (int64_t row = 0; row < y.rows(); ++row) {
    for (int64_t col = 0; col < y.cols(); ++col) y.set(row, col, x(row, col));
  }
}

} // namespace lattice::reference
