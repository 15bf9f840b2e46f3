// Points and the voxels they fall in or read: the coordinate side of voxelize and devoxelize (spec
// 5).
#pragma once

#include "kernels/cpu/topology/budget.h"
#include "kernels/cpu/topology/topology.h"

namespace lattice::cpu {

// Points of one call, any alignment. Only the first `active` count.
struct PointCloud {
  TensorView points;                   // (N, 3) f32 or f16
  const void* batch_indices = nullptr; // at least `active` of i32
  int64_t active = 0;
  std::array<float, 3> voxel_size{1, 1, 1};
  std::array<float, 3> origin{0, 0, 0};
};

// (batch, x, y, z) of the voxel of every active point: floor((p - origin) / voxel_size).
Result<Array<int32_t>> voxels_of_points(const PointCloud& cloud, const Triple& stride,
                                        Budget& budget, const Location& where);

// The voxel rows each point reads, and how much of each.
Result<PointMapData> map_points(const PointCloud& cloud, PointInterpolation interpolation,
                                const RowTree& voxels, Budget& budget, const Location& where);

} // namespace lattice::cpu
