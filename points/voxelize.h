// Points to voxels by the rule of lattice.voxelize, for graphs whose input is voxels already.
// A graph that holds a voxelize of its own gets the points instead; the rule here is the same.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "lattice/tensor.hpp"

namespace lattice {

// index = floor((p - origin) / size) an axis, in f32, size and origin rounded to f32 first. The
// coordinate is index * stride.
struct VoxelRule {
  std::array<double, 3> size{1, 1, 1};   // finite, > 0, in the unit of the points
  std::array<double, 3> origin{0, 0, 0}; // finite
  Triple stride{1, 1, 1};                // >= 1
};

struct Voxels {
  // (V, 4) rows batch, x, y, z, all distinct, in the order in which the points first reach them.
  std::vector<int32_t> coords;
  std::vector<int32_t> voxel_of_point; // for each point its row of coords

  int64_t size() const { return static_cast<int64_t>(coords.size() / 4); }
};

// `points` is (N, 3) f32. A point that is not finite, or whose index or coordinate leaves int32, is
// an error that names its row and axis. Any int32 coordinate is fine, negative ones included.
Result<Voxels> voxelize(std::span<const float> points, const VoxelRule& rule, int32_t batch = 0);

// The points that voxelize would take, for a caller who would rather drop the others than stop.
struct UsableRows {
  std::vector<int64_t> rows; // ascending
  int64_t not_finite = 0;    // points left out, by reason
  int64_t out_of_range = 0;
};
Result<UsableRows> usable_rows(std::span<const float> points, const VoxelRule& rule);

enum class Reduction { sum, mean };

// (V, C) f32 from (N, C) f32 features: a voxel's points added in point order, and for the mean
// divided once by their number.
Result<Tensor> reduce_by_voxel(const Voxels& voxels, std::span<const float> features,
                               int64_t channels, Reduction reduction);

} // namespace lattice
