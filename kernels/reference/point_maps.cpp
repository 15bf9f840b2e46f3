// Which voxels each point reads in devoxelize, and with which weights (spec 5). Indices are
// logical: the stride of the voxels plays no part.
#include <cmath>

#include "kernels/faults.h"
#include "kernels/reference/topology.h"

namespace lattice::reference {

namespace {

// A floored position as an integer. What lies outside int32 meets no row, so how far does not
// matter.
int64_t voxel_index(float floored) {
  if (!(floored >= -0x1p32f)) return -(int64_t{1} << 32);
  if (!(floored <= 0x1p32f)) return int64_t{1} << 32;
  return static_cast<int64_t>(floored);
}

} // namespace

Result<PointTable> point_table(const PointMap& definition, ConstMatrix points,
                               IntMatrix batch_indices, int64_t active,
                               const SupportTable& voxels) {
  if (active < 0 || active > points.rows()) {
    return tl::make_unexpected(
        faults::active_out_of_range(active, points.rows(), definition.where));
  }
  const bool linear = definition.interpolation == PointInterpolation::linear;
  PointTable map;
  map.points = points.rows();
  map.slots = linear ? 8 : 1;
  map.voxels.assign(static_cast<size_t>(map.points * map.slots), -1);
  map.weights.assign(map.voxels.size(), 0.0f);
  for (int64_t row = 0; row < active; ++row) {
    std::array<float, 3> position{};
    for (size_t axis = 0; axis < 3; ++axis) {
      const float p = points(row, static_cast<int64_t>(axis));
      if (!std::isfinite(p)) {
        return tl::make_unexpected(
            faults::point_not_finite(row, static_cast<int>(axis), p, definition.where));
      }
      position[axis] = (p - definition.origin[axis]) / definition.voxel_size[axis];
    }
    const int32_t batch = batch_indices(row, 0);
    if (!linear) {
      Triple at{};
      for (size_t axis = 0; axis < 3; ++axis)
        at[axis] = voxel_index(std::floor(position[axis] + 0.5f));
      map.voxels[static_cast<size_t>(row)] = voxels.find(batch, at[0], at[1], at[2]);
      map.weights[static_cast<size_t>(row)] = 1.0f;
      continue;
    }
    Triple low{};
    std::array<float, 3> fraction{};
    for (size_t axis = 0; axis < 3; ++axis) {
      const float floored = std::floor(position[axis]);
      fraction[axis] = position[axis] - floored;
      low[axis] = voxel_index(floored);
    }
    for (int64_t corner = 0; corner < 8; ++corner) { // z fastest
      const Triple up{corner >> 2 & 1, corner >> 1 & 1, corner & 1};
      std::array<float, 3> w{};
      for (size_t axis = 0; axis < 3; ++axis)
        w[axis] = up[axis] != 0 ? fraction[axis] : 1.0f - fraction[axis];
      const size_t slot = static_cast<size_t>(row * 8 + corner);
      map.voxels[slot] = voxels.find(batch, low[0] + up[0], low[1] + up[1], low[2] + up[2]);
      map.weights[slot] = (w[0] * w[1]) * w[2];
    }
  }
  return map;
}

} // namespace lattice::reference
