// One pass over the points with an open-addressing table of voxel rows.
// Equality is decided on the coordinates, never on a packed key: any int32 triple is legal.
#include "points/voxelize.h"

#include <cmath>

#include <fmt/format.h>

#include "base/tensor.h"
#include "points/guarded.h"

namespace lattice {

namespace {

constexpr char axis_name[] = "xyz";

struct Coordinate {
  int32_t x, y, z;
};

// The rule with its constants rounded to f32, once.
struct Rule {
  std::array<float, 3> size{}, origin{};
  Triple stride{};
};

Result<Rule> rounded(const VoxelRule& rule) {
  Rule out;
  for (size_t axis = 0; axis < 3; ++axis) {
    out.size[axis] = static_cast<float>(rule.size[axis]);
    out.origin[axis] = static_cast<float>(rule.origin[axis]);
    out.stride[axis] = rule.stride[axis];
    if (!std::isfinite(out.size[axis]) || !(out.size[axis] > 0)) {
      return fail(Code::usage, fmt::format("voxel size {} along {}, expected a positive f32 number",
                                           rule.size[axis], axis_name[axis]));
    }
    if (!std::isfinite(out.origin[axis])) {
      return fail(Code::usage, fmt::format("voxel origin {} along {}, expected a finite f32 number",
                                           rule.origin[axis], axis_name[axis]));
    }
    if (rule.stride[axis] < 1 || rule.stride[axis] > INT32_MAX) {
      return fail(Code::usage, fmt::format("voxel stride {} along {}, expected 1 to 2147483647",
                                           rule.stride[axis], axis_name[axis]));
    }
  }
  return out;
}

enum class Fault { none, not_finite, out_of_range };

// The coordinate along one axis, or why there is none. `index` is for the message.
Fault coordinate_of(float p, const Rule& rule, size_t axis, float& index, int32_t& coordinate) {
  if (!std::isfinite(p)) return Fault::not_finite;
  index = std::floor((p - rule.origin[axis]) / rule.size[axis]);
  // In this form a NaN (inf / inf cannot arise, but nothing rests on that) is out of range as well.
  if (!(index >= -0x1p31f && index < 0x1p31f)) return Fault::out_of_range;
  const int64_t physical = static_cast<int64_t>(index) * rule.stride[axis];
  if (physical < INT32_MIN || physical > INT32_MAX) return Fault::out_of_range;
  coordinate = static_cast<int32_t>(physical);
  return Fault::none;
}

uint64_t mixed(uint64_t h) {
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93u;
  h ^= h >> 32;
  return h;
}

// Rows of a growing coordinate list, found by coordinate. At most half full.
class VoxelTable {
 public:
  explicit VoxelTable(int32_t batch) : batch_(batch), slots_(1024, -1) {}

  int32_t find_or_add(const Coordinate& c, std::vector<int32_t>& coords) {
    size_t slot = slot_of(c);
    for (; slots_[slot] >= 0; slot = (slot + 1) & (slots_.size() - 1)) {
      const int32_t* known = coords.data() + int64_t{slots_[slot]} * 4;
      if (known[1] == c.x && known[2] == c.y && known[3] == c.z) return slots_[slot];
    }
    const auto row = static_cast<int32_t>(coords.size() / 4);
    coords.insert(coords.end(), {batch_, c.x, c.y, c.z});
    slots_[slot] = row;
    if (static_cast<size_t>(row) * 2 >= slots_.size()) grow(coords);
    return row;
  }

 private:
  size_t slot_of(const Coordinate& c) const {
    const uint64_t xy =
        static_cast<uint64_t>(static_cast<uint32_t>(c.x)) << 32 | static_cast<uint32_t>(c.y);
    return mixed(mixed(xy) + static_cast<uint32_t>(c.z) * 0x9e3779b97f4a7c15u) &
           (slots_.size() - 1);
  }

  void grow(const std::vector<int32_t>& coords) {
    slots_.assign(slots_.size() * 2, -1);
    for (size_t row = 0; row < coords.size() / 4; ++row) {
      const int32_t* known = coords.data() + row * 4;
      size_t slot = slot_of({known[1], known[2], known[3]});
      while (slots_[slot] >= 0) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = static_cast<int32_t>(row);
    }
  }

  int32_t batch_;
  std::vector<int32_t> slots_;
};

Status check_points(std::span<const float> points) {
  if (points.size() % 3 != 0)
    return fail(Code::usage,
                fmt::format("{} numbers are no whole number of points (x, y, z)", points.size()));
  if (points.size() / 3 > INT32_MAX)
    return fail(Code::unsupported,
                fmt::format("{} points, expected at most 2147483647", points.size() / 3));
  return {};
}

tl::unexpected<Error> point_error(Fault fault, size_t row, size_t axis, float p, float index) {
  if (fault == Fault::not_finite) {
    return fail(Code::input,
                fmt::format("point row {}, axis {}: {} is not finite", row, axis_name[axis], p));
  }
  return fail(
      Code::input,
      fmt::format(
          "point row {}, axis {}: {} lies in voxel {}, which leaves int32 (with its stride)", row,
          axis_name[axis], p, index));
}

} // namespace

Result<Voxels> voxelize(std::span<const float> points, const VoxelRule& rule, int32_t batch) {
  return guarded("the voxels", [&]() -> Result<Voxels> {
    LATTICE_CHECK(check_points(points));
    LATTICE_TRY(const Rule rounded_rule, rounded(rule));
    if (batch < 0) return fail(Code::usage, fmt::format("batch {}, expected 0 or more", batch));
    Voxels voxels;
    voxels.voxel_of_point.reserve(points.size() / 3);
    VoxelTable table(batch);
    for (size_t row = 0; row < points.size() / 3; ++row) {
      int32_t c[3];
      for (size_t axis = 0; axis < 3; ++axis) {
        const float p = points[row * 3 + axis];
        float index = 0;
        const Fault fault = coordinate_of(p, rounded_rule, axis, index, c[axis]);
        if (fault != Fault::none) return point_error(fault, row, axis, p, index);
      }
      voxels.voxel_of_point.push_back(table.find_or_add({c[0], c[1], c[2]}, voxels.coords));
    }
    return voxels;
  });
}

Result<UsableRows> usable_rows(std::span<const float> points, const VoxelRule& rule) {
  return guarded("the rows", [&]() -> Result<UsableRows> {
    LATTICE_CHECK(check_points(points));
    LATTICE_TRY(const Rule rounded_rule, rounded(rule));
    UsableRows usable;
    for (size_t row = 0; row < points.size() / 3; ++row) {
      Fault worst = Fault::none;
      for (size_t axis = 0; axis < 3 && worst != Fault::not_finite; ++axis) {
        float index = 0;
        int32_t coordinate = 0;
        const Fault fault =
            coordinate_of(points[row * 3 + axis], rounded_rule, axis, index, coordinate);
        if (fault != Fault::none) worst = fault;
      }
      if (worst == Fault::none) usable.rows.push_back(static_cast<int64_t>(row));
      usable.not_finite += worst == Fault::not_finite;
      usable.out_of_range += worst == Fault::out_of_range;
    }
    return usable;
  });
}

Result<Tensor> reduce_by_voxel(const Voxels& voxels, std::span<const float> features,
                               int64_t channels, Reduction reduction) {
  return guarded("the features of the voxels", [&]() -> Result<Tensor> {
    const size_t points = voxels.voxel_of_point.size();
    if (channels < 0 ||
        (channels == 0 ? !features.empty()
                       : features.size() % static_cast<size_t>(channels) != 0 ||
                             features.size() / static_cast<size_t>(channels) != points)) {
      return fail(Code::usage, fmt::format("{} feature values, expected {} points of {} channels",
                                           features.size(), points, channels));
    }
    LATTICE_TRY(Tensor sums, make_tensor(DType::f32, {voxels.size(), channels}));
    float* out = reinterpret_cast<float*>(sums.storage.get());
    std::vector<int32_t> counts(static_cast<size_t>(voxels.size()), 0);
    for (size_t point = 0; point < points; ++point) {
      const int64_t row = voxels.voxel_of_point[point];
      const float* from = features.data() + static_cast<int64_t>(point) * channels;
      for (int64_t c = 0; c < channels; ++c) out[row * channels + c] += from[c];
      ++counts[static_cast<size_t>(row)];
    }
    if (reduction == Reduction::sum) return sums;
    for (int64_t row = 0; row < voxels.size(); ++row) {
      const auto count = static_cast<float>(counts[static_cast<size_t>(row)]);
      for (int64_t c = 0; c < channels; ++c) out[row * channels + c] /= count;
    }
    return sums;
  });
}

} // namespace lattice
