// pool3d and pool_transpose3d: kernel rows ascending; a row without any edge is 0 in every mode.
#include "kernels/math.h"
#include "kernels/reference/steps.h"

namespace lattice::reference {

void pool(const RelationTable& relation, PoolMode mode, ConstMatrix x, Matrix y) {
  for (int64_t row = 0; row < y.rows(); ++row) {
    for (int64_t col = 0; col < y.cols(); ++col) {
      float total = 0.0f;
      float largest = 0.0f;
      int64_t edges = 0;
      for (int64_t r = 0; r < relation.kernel_rows; ++r) {
        const int64_t neighbour = relation.input_row(row, r);
        if (neighbour < 0) continue;
        const float value = x(neighbour, col);
        total = total + value;
        largest = edges == 0 ? value : math::maximum(largest, value);
        ++edges;
      }
      float result = mode == PoolMode::max ? largest : total;
      if (mode == PoolMode::avg && edges > 0) result = total / static_cast<float>(edges);
      y.set(row, col, result);
    }
  }
}

} // namespace lattice::reference
