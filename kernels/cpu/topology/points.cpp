// See points.h. All arithmetic is f32 in the order the spec writes it.
#include "kernels/cpu/topology/points.h"

#include <cmath>
#include <optional>

#include "base/f16.h"
#include "base/tensor.h"
#include "kernels/cpu/topology/parallel.h"

namespace lattice::cpu {

namespace {

constexpr int64_t grain = 4096;

float coordinate(const TensorView& points, int64_t point, int axis) {
  const int64_t at = point * 3 + axis;
  if (points.dtype == DType::f16) return f32_from_f16(load_at<uint16_t>(points.data, at));
  return load_at<float>(points.data, at);
}

float position(const PointCloud& cloud, float value, int axis) {
  const size_t i = static_cast<size_t>(axis);
  return (value - cloud.origin[i]) / cloud.voxel_size[i];
}

// The whole number `value`, unless it is beyond int32 by more than the one step a corner can add.
std::optional<int64_t> near_int32(float value) {
  if (!(value >= -2147483904.0f && value <= 2147483648.0f)) return std::nullopt;
  return static_cast<int64_t>(value);
}

bool is_int32(int64_t value) { return value == static_cast<int32_t>(value); }

// The first error by row among those that the chunks found.
class FirstError {
 public:
  explicit FirstError(const Chunks& chunks) : errors_(static_cast<size_t>(chunks.count)) {}
  void set(int64_t chunk, Error error) { errors_[static_cast<size_t>(chunk)] = std::move(error); }
  Status status() && {
    for (auto& error : errors_) {
      if (error) return tl::make_unexpected(*std::move(error));
    }
    return {};
  }

 private:
  std::vector<std::optional<Error>> errors_;
};

// Positions of `value` and of `value + 1` in an ascending range, -1 where absent.
struct Pair {
  int64_t at[2] = {-1, -1};
};
Pair find_pair(const int32_t* all, int64_t begin, int64_t end, int64_t value) {
  Pair pair;
  const int32_t* const last = all + end;
  const int32_t* found = std::lower_bound(all + begin, last, value);
  if (found != last && *found == value) pair.at[0] = found++ - all;
  if (found != last && *found == value + 1) pair.at[1] = found - all;
  return pair;
}

class Finder {
 public:
  explicit Finder(const RowTree& tree) : tree_(tree) {}

  // Rows of the eight corners from (x, y, z) on, z fastest; -1 where absent.
  void corners(int32_t batch, const int64_t* base, int32_t* rows) const {
    std::fill_n(rows, 8, -1);
    for (int dx = 0; dx < 2; ++dx) {
      const int64_t line = find_line(batch, base[0] + dx);
      if (line < 0) continue;
      const Pair columns = find_pair(tree_.column_y.data(), tree_.line_begin[line],
                                     tree_.line_begin[line + 1], base[1]);
      for (int dy = 0; dy < 2; ++dy) {
        const int64_t column = columns.at[dy];
        if (column < 0) continue;
        const Pair found = find_pair(tree_.z.data(), tree_.column_begin[column],
                                     tree_.column_begin[column + 1], base[2]);
        rows[dx * 4 + dy * 2] = static_cast<int32_t>(found.at[0]);
        rows[dx * 4 + dy * 2 + 1] = static_cast<int32_t>(found.at[1]);
      }
    }
  }

  int32_t row(int32_t batch, const int64_t* voxel) const {
    if (!is_int32(voxel[0]) || !is_int32(voxel[1]) || !is_int32(voxel[2])) return -1;
    return static_cast<int32_t>(tree_.find(batch, static_cast<int32_t>(voxel[0]),
                                           static_cast<int32_t>(voxel[1]),
                                           static_cast<int32_t>(voxel[2])));
  }

 private:
  int64_t find_line(int32_t batch, int64_t x) const {
    if (!is_int32(x)) return -1;
    const LineKey key{batch, static_cast<int32_t>(x)};
    const LineKey* const first = tree_.line.data();
    const LineKey* const last = first + tree_.lines();
    const LineKey* found = std::lower_bound(first, last, key);
    return found == last || *found != key ? -1 : found - first;
  }

  const RowTree& tree_;
};

} // namespace

Result<Array<int32_t>> voxels_of_points(const PointCloud& cloud, const Triple& stride,
                                        Budget& budget, const Location& where) {
  LATTICE_CHECK(budget.take(cloud.active * 16, "voxels of points", where));
  Array<int32_t> coords(cloud.active * 4);
  const Chunks chunks = Chunks::of(cloud.active, grain);
  FirstError errors(chunks);
  parallel_chunks(chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
    for (int64_t point = begin; point < end; ++point) {
      const int32_t batch = load_at<int32_t>(cloud.batch_indices, point);
      if (batch < 0) return errors.set(chunk, faults::negative_batch(point, batch, where));
      coords[point * 4] = batch;
      for (int axis = 0; axis < 3; ++axis) {
        const float value = coordinate(cloud.points, point, axis);
        if (!std::isfinite(value)) {
          return errors.set(chunk, faults::point_not_finite(point, axis, value, where));
        }
        const auto index = near_int32(std::floor(position(cloud, value, axis)));
        int64_t physical = 0;
        if (!index || !is_int32(*index) ||
            __builtin_mul_overflow(*index, stride[static_cast<size_t>(axis)], &physical) ||
            !is_int32(physical)) {
          return errors.set(chunk, faults::voxel_leaves_int32(point, axis, value, where));
        }
        coords[point * 4 + 1 + axis] = static_cast<int32_t>(*index);
      }
    }
  });
  LATTICE_CHECK(std::move(errors).status());
  return coords;
}

Result<PointMapData> map_points(const PointCloud& cloud, PointInterpolation interpolation,
                                const RowTree& voxels, Budget& budget, const Location& where) {
  PointMapData map;
  map.points = cloud.points.shape[0];
  map.slots = interpolation == PointInterpolation::linear ? 8 : 1;
  const bool linear = map.slots == 8;
  LATTICE_CHECK(budget.take(map.points * map.slots * (linear ? 8 : 4), "a point map", where));
  map.row = Array<int32_t>(map.points * map.slots);
  if (linear) map.weight = Array<float>(map.points * map.slots);
  const Finder finder(voxels);
  const Chunks chunks = Chunks::of(map.points, grain);
  FirstError errors(chunks);
  parallel_chunks(chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
    for (int64_t point = begin; point < end; ++point) {
      int32_t* const rows = map.row.data() + point * map.slots;
      float* const weights = linear ? map.weight.data() + point * map.slots : nullptr;
      std::fill_n(rows, map.slots, -1);
      if (linear) std::fill_n(weights, 8, 0.0f);
      if (point >= cloud.active) continue;
      const int32_t batch = load_at<int32_t>(cloud.batch_indices, point);
      int64_t voxel[3] = {0, 0, 0};
      float part[3][2]; // weight of the lower and of the upper corner
      bool present = true;
      for (int axis = 0; axis < 3; ++axis) {
        const float value = coordinate(cloud.points, point, axis);
        if (!std::isfinite(value)) {
          return errors.set(chunk, faults::point_not_finite(point, axis, value, where));
        }
        const float at = position(cloud, value, axis);
        const float lower = std::floor(linear ? at : at + 0.5f);
        const auto index = near_int32(lower);
        present = present && index.has_value();
        voxel[axis] = index.value_or(0);
        const float fraction = at - lower;
        part[axis][0] = 1.0f - fraction;
        part[axis][1] = fraction;
      }
      if (!present) continue;
      if (!linear) {
        rows[0] = finder.row(batch, voxel);
        continue;
      }
      finder.corners(batch, voxel, rows);
      for (int corner = 0; corner < 8; ++corner) {
        weights[corner] = (part[0][corner >> 2] * part[1][(corner >> 1) & 1]) * part[2][corner & 1];
      }
    }
  });
  LATTICE_CHECK(std::move(errors).status());
  return map;
}

} // namespace lattice::cpu
