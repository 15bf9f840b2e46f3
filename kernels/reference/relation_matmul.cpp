// Sparse convolutions: the definition, in the spec's order ("Our order", spec 5). Every other
// implementation must give the same bits.
#include <cmath>

#include "kernels/reference/steps.h"

namespace lattice::reference {

void relation_matmul(const RelationTable& relation, ConstMatrix x, const DenseWeight& w,
                     const DenseWeight* bias, Normalization normalization,
                     const EpilogueEntries& epilogue, Matrix y) {
  for (int64_t row = 0; row < y.rows(); ++row) {
    for (int64_t out = 0; out < y.cols(); ++out) {
      float total = 0.0f;
      float squares =
          0.0f; // of the weights that take part: the denominator of normalized operations
      for (int64_t r = 0; r < relation.kernel_rows; ++r) {
        const int64_t neighbour = relation.input_row(row, r);
        if (neighbour < 0) continue;
        float part = 0.0f;
        for (int64_t in = 0; in < x.cols(); ++in)
          part = std::fma(x(neighbour, in), w(out, r, in), part);
        total = total + part;
        if (!normalization.on) continue;
        float square = 0.0f;
        for (int64_t in = 0; in < x.cols(); ++in)
          square = std::fma(w(out, r, in), w(out, r, in), square);
        squares = squares + square;
      }
      if (normalization.on) total = total / std::sqrt(squares + normalization.eps);
      if (bias != nullptr) total = total + (*bias)[out];
      y.set(row, out, apply_all(epilogue, y.dtype(), row, out, total));
    }
  }
}

} // namespace lattice::reference
