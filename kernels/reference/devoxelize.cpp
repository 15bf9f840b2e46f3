// devoxelize: nearest copies its voxel; linear is acc = fma(w, x, acc) over the corners that exist.
#include <cmath>

#include "kernels/reference/steps.h"

namespace lattice::reference {

void devoxelize(const PointTable& map, ConstMatrix x, Matrix y) {
  for (int64_t point = 0; point < y.rows(); ++point) {
    for (int64_t col = 0; col < y.cols(); ++col) {
      float result = 0.0f;
      for (int64_t slot = 0; slot < map.slots; ++slot) {
        const size_t at = static_cast<size_t>(point * map.slots + slot);
        if (map.voxels[at] < 0) continue;
        const float value = x(map.voxels[at], col);
        result = map.slots == 1 ? value : std::fma(map.weights[at], value, result);
      }
      y.set(point, col, result);
    }
  }
}

} // namespace lattice::reference
