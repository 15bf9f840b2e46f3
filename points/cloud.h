// A cloud of points in memory: positions and named columns, as a file gave them.
// No voxels and no network here; features.h makes the matrix a network reads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "lattice/tensor.hpp"

namespace lattice {

// One number a point. Values are kept in f64, which holds every type a point file has but the
// largest 64-bit integers; `type` is what the file stored and tells how a colour is scaled to 0..1.
struct Column {
  std::string name;
  DType type = DType::f32;
  std::vector<double> values;
};

// Names readers agree on: i (intensity), r g b (colour), ring, class, label. Other columns keep the
// name they have in the file. x, y and z are not columns.
struct PointCloud {
  // x y z of point 0, x y z of point 1, ... in the file's own precision: LAS positions and numbers
  // written as text need more than f32. May hold NaN and infinity.
  std::vector<double> xyz;
  DType position_type = DType::f32; // what the file stored x in; f64 for LAS
  std::vector<Column> columns;      // each as long as the cloud; names are unique

  int64_t size() const { return static_cast<int64_t>(xyz.size() / 3); }
  const Column* find(std::string_view name) const; // null if the cloud has no such column
  // "x, y, z, i": for messages and `inspect`.
  std::string names() const;
};

// Points with a coordinate that is NaN or infinite. Depth cameras deliver them as a matter of
// course.
int64_t count_not_finite(const PointCloud& cloud);

// The rows whose position is finite, ascending.
std::vector<int64_t> finite_rows(const PointCloud& cloud);

// An error that names the first row whose position is not finite, and how many there are.
Status require_finite(const PointCloud& cloud, const std::string& file = {});

// The rows named, in the order given; each must be 0..size-1.
PointCloud take_rows(const PointCloud& cloud, std::span<const int64_t> rows);

// Removes the points that are not finite and returns the rows kept, so that a result can be put
// back at the rows of the file. size before - rows kept = points dropped.
std::vector<int64_t> drop_not_finite(PointCloud& cloud);

// Smallest and largest finite coordinate of each axis; zeros for a cloud without finite points.
struct Extent {
  std::array<double, 3> low{0, 0, 0}, high{0, 0, 0};
};
Extent extent_of(const PointCloud& cloud);

} // namespace lattice
