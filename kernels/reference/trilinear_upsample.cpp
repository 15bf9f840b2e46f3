// trilinear_upsample3d: its relation has size 2S-1 and padding S-1, so index S-1 is the row itself.
#include <cmath>

#include "kernels/reference/steps.h"

namespace lattice::reference {

namespace {

// 1 - |index - (s - 1)| / s
float axis_weight(int64_t index, int64_t s) {
  const int64_t distance = index < s - 1 ? s - 1 - index : index - (s - 1);
  return 1.0f - static_cast<float>(distance) / static_cast<float>(s);
}

} // namespace

void trilinear_upsample(const RelationTable& relation, Triple scale, ConstMatrix x, Matrix y) {
  const int64_t size_y = 2 * scale[1] - 1;
  const int64_t size_z = 2 * scale[2] - 1;
  for (int64_t row = 0; row < y.rows(); ++row) {
    for (int64_t col = 0; col < y.cols(); ++col) {
      float num = 0.0f;
      float den = 0.0f;
      for (int64_t r = 0; r < relation.kernel_rows; ++r) {
        const int64_t neighbour = relation.input_row(row, r);
        if (neighbour < 0) continue;
        const float wx = axis_weight(r / size_z / size_y, scale[0]);
        const float wy = axis_weight(r / size_z % size_y, scale[1]);
        const float wz = axis_weight(r % size_z, scale[2]);
        const float w = (wx * wy) * wz;
        num = std::fma(w, x(neighbour, col), num);
        den = den + w;
      }
      y.set(row, col, den > 0.0f ? num / den : 0.0f);
    }
  }
}

} // namespace lattice::reference
