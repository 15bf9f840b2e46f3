// linear and pointwise convolutions: a product of one kernel row.
#include <cmath>

#include "kernels/reference/steps.h"

namespace lattice::reference {

void rows_matmul(ConstMatrix x, const DenseWeight& w, const DenseWeight* bias,
                 const EpilogueEntries& epilogue, Matrix y) {
  for (int64_t row = 0; row < y.rows(); ++row) {
    for (int64_t out = 0; out < y.cols(); ++out) {
      float part = 0.0f;
      for (int64_t in = 0; in < x.cols(); ++in) part = std::fma(x(row, in), w(out, 0, in), part);
      float total = 0.0f + part;
      if (bias != nullptr) total = total + (*bias)[out];
      y.set(row, out, apply_all(epilogue, y.dtype(), row, out, total));
    }
  }
}

} // namespace lattice::reference
