// voxelize: features of points added into the rows of their voxels, in point order; mean divides
// once.
#include <vector>

#include "kernels/reference/steps.h"

namespace lattice::reference {

void voxelize(const SupportTable& voxels, VoxelReduction reduction, ConstMatrix x, Matrix y) {
  const int64_t points = static_cast<int64_t>(voxels.voxel_of_point.size());
  std::vector<float> count(static_cast<size_t>(y.rows()), 0.0f);
  std::vector<float> total(static_cast<size_t>(y.rows()));
  for (const int32_t voxel : voxels.voxel_of_point) count[static_cast<size_t>(voxel)] += 1.0f;
  for (int64_t col = 0; col < y.cols(); ++col) {
    std::fill(total.begin(), total.end(), 0.0f);
    for (int64_t point = 0; point < points; ++point) {
      float& sum = total[static_cast<size_t>(voxels.voxel_of_point[static_cast<size_t>(point)])];
      sum = sum + x(point, col);
    }
    for (int64_t row = 0; row < y.rows(); ++row) {
      const size_t r = static_cast<size_t>(row);
      y.set(row, col, reduction == VoxelReduction::mean ? total[r] / count[r] : total[r]);
    }
  }
}

} // namespace lattice::reference
