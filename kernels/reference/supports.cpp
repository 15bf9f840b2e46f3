// How the rows of each kind of support come about (spec 3 and 4), row by row.
#include <cmath>
#include <limits>

#include "kernels/faults.h"
#include "kernels/reference/topology.h"

namespace lattice::reference {

namespace {

constexpr int64_t int32_min = std::numeric_limits<int32_t>::min();
constexpr int64_t int32_max = std::numeric_limits<int32_t>::max();

bool fits_int32(int64_t value) { return value >= int32_min && value <= int32_max; }

// Toward minus infinity.
int64_t floor_div(int64_t value, int64_t by) {
  const int64_t quotient = value / by;
  return value % by < 0 ? quotient - 1 : quotient;
}

// A generated row must fit int32 both as it is and times the stride of its support. A stride may be
// as large as the product of those before it, hence the check against overflow of 64 bits.
bool leaves_int32(int64_t logical, int64_t stride) {
  int64_t physical = 0;
  return !fits_int32(logical) || __builtin_mul_overflow(logical, stride, &physical) ||
         !fits_int32(physical);
}

// Row numbers are int32.
Status check_row_count(const SupportTable& support, const Location& where) {
  if (support.count() <= int32_max) return {};
  return tl::make_unexpected(faults::too_many_rows(support.count(), int32_max, where));
}

} // namespace

size_t CoordHash::operator()(const Coord& coord) const {
  uint64_t hash = 0;
  for (const int32_t part : coord) {
    hash = (hash ^ static_cast<uint32_t>(part)) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return static_cast<size_t>(hash);
}

int64_t SupportTable::bytes() const {
  const size_t node = sizeof(RowOf::value_type) + 2 * sizeof(void*);
  return static_cast<int64_t>(rows.size() * (sizeof(Coord) + node) +
                              voxel_of_point.size() * sizeof(int32_t));
}

int32_t SupportTable::add(const Coord& coord) {
  const auto [entry, is_new] = row_of.try_emplace(coord, static_cast<int32_t>(rows.size()));
  if (is_new) rows.push_back(coord);
  return entry->second;
}

int32_t SupportTable::find(int32_t batch, int64_t x, int64_t y, int64_t z) const {
  if (!fits_int32(x) || !fits_int32(y) || !fits_int32(z)) return -1;
  const auto found = row_of.find(
      {batch, static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(z)});
  return found == row_of.end() ? -1 : found->second;
}

Coord SupportTable::physical(int64_t row) const {
  Coord coord = rows[static_cast<size_t>(row)];
  for (size_t axis = 0; axis < 3; ++axis) {
    coord[axis + 1] = static_cast<int32_t>(coord[axis + 1] * stride[axis]);
  }
  return coord;
}

Result<SupportTable> made_support(const Support& definition, IntMatrix coords, int64_t active,
                                  bool trusted) {
  if (active < 0 || active > coords.rows) {
    return tl::make_unexpected(faults::active_out_of_range(active, coords.rows, definition.where));
  }
  if (active > int32_max) {
    return tl::make_unexpected(faults::too_many_rows(active, int32_max, definition.where));
  }
  const Triple stride = definition.stride;
  SupportTable support;
  support.stride = stride;
  support.rows.reserve(static_cast<size_t>(active));
  for (int64_t row = 0; row < active; ++row) {
    const Coord physical{coords(row, 0), coords(row, 1), coords(row, 2), coords(row, 3)};
    if (physical[0] < 0) {
      return tl::make_unexpected(faults::negative_batch(row, physical[0], definition.where));
    }
    Coord logical = physical;
    for (size_t axis = 0; axis < 3; ++axis) {
      const int64_t value = physical[axis + 1];
      if (!trusted && value % stride[axis] != 0) {
        return tl::make_unexpected(faults::not_divisible(row, physical.data(), stride,
                                                         static_cast<int>(axis), definition.where));
      }
      logical[axis + 1] = static_cast<int32_t>(floor_div(value, stride[axis]));
    }
    support.rows.push_back(logical);
  }
  for (int64_t row = 0; row < active; ++row) {
    const auto [first, is_new] = support.row_of.try_emplace(support.rows[static_cast<size_t>(row)],
                                                            static_cast<int32_t>(row));
    if (is_new || trusted) continue;
    const Coord physical = support.physical(row);
    return tl::make_unexpected(
        faults::duplicate_rows(first->second, row, physical.data(), definition.where));
  }
  return support;
}

Result<SupportTable> floor_support(const Support& definition, const SupportTable& from) {
  SupportTable support;
  support.stride = definition.stride;
  for (int64_t row = 0; row < from.count(); ++row) {
    Coord coord = from.rows[static_cast<size_t>(row)];
    for (size_t axis = 0; axis < 3; ++axis) {
      const int64_t logical = floor_div(coord[axis + 1], definition.kernel_stride[axis]);
      if (leaves_int32(logical, definition.stride[axis])) {
        const Coord origin = from.physical(row);
        return tl::make_unexpected(
            faults::leaves_int32(row, origin.data(), static_cast<int>(axis), definition.where));
      }
      coord[axis + 1] = static_cast<int32_t>(logical);
    }
    support.add(coord);
  }
  return support;
}

Result<SupportTable> transposed_support(const Support& definition, const SupportTable& from,
                                        const Budget& budget) {
  const Triple size = definition.kernel_size;
  SupportTable support;
  support.stride = definition.stride;
  for (int64_t row = 0; row < from.count(); ++row) {
    const Coord input = from.rows[static_cast<size_t>(row)];
    for (int64_t ix = 0; ix < size[0]; ++ix) {
      for (int64_t iy = 0; iy < size[1]; ++iy) {
        for (int64_t iz = 0; iz < size[2]; ++iz) {
          const Triple index{ix, iy, iz};
          Coord coord = input;
          for (size_t axis = 0; axis < 3; ++axis) {
            const int64_t logical = input[axis + 1] * definition.kernel_stride[axis] +
                                    index[axis] * definition.dilation[axis] -
                                    definition.padding[axis];
            if (leaves_int32(logical, definition.stride[axis])) {
              const Coord origin = from.physical(row);
              return tl::make_unexpected(faults::leaves_int32(
                  row, origin.data(), static_cast<int>(axis), definition.where));
            }
            coord[axis + 1] = static_cast<int32_t>(logical);
          }
          support.add(coord);
          LATTICE_CHECK(check_row_count(support, definition.where));
          LATTICE_CHECK(budget.allows(support.bytes(), "generated rows", definition.where));
        }
      }
    }
  }
  return support;
}

Result<SupportTable> joined_support(const Support& definition, const SupportTable& lhs,
                                    const SupportTable& rhs) {
  SupportTable support;
  support.stride = definition.stride;
  const bool inner = definition.join == Join::inner;
  for (const Coord& coord : lhs.rows) {
    if (!inner || rhs.row_of.contains(coord)) support.add(coord);
  }
  if (!inner) {
    for (const Coord& coord : rhs.rows) support.add(coord);
  }
  LATTICE_CHECK(check_row_count(support, definition.where));
  return support;
}

Result<SupportTable> voxel_support(const Support& definition, ConstMatrix points,
                                   IntMatrix batch_indices, int64_t active) {
  if (active < 0 || active > points.rows()) {
    return tl::make_unexpected(
        faults::active_out_of_range(active, points.rows(), definition.where));
  }
  if (active > int32_max) {
    return tl::make_unexpected(faults::too_many_rows(active, int32_max, definition.where));
  }
  SupportTable support;
  support.stride = definition.stride;
  support.voxel_of_point.reserve(static_cast<size_t>(active));
  for (int64_t row = 0; row < active; ++row) {
    Coord coord{batch_indices(row, 0), 0, 0, 0};
    if (coord[0] < 0)
      return tl::make_unexpected(faults::negative_batch(row, coord[0], definition.where));
    for (size_t axis = 0; axis < 3; ++axis) {
      const float p = points(row, static_cast<int64_t>(axis));
      if (!std::isfinite(p)) {
        return tl::make_unexpected(
            faults::point_not_finite(row, static_cast<int>(axis), p, definition.where));
      }
      const float voxel = std::floor((p - definition.origin[axis]) / definition.voxel_size[axis]);
      if (!(voxel >= -0x1p31f && voxel < 0x1p31f) ||
          leaves_int32(static_cast<int64_t>(voxel), definition.stride[axis])) {
        return tl::make_unexpected(
            faults::voxel_leaves_int32(row, static_cast<int>(axis), p, definition.where));
      }
      coord[axis + 1] = static_cast<int32_t>(voxel);
    }
    support.voxel_of_point.push_back(support.add(coord));
  }
  return support;
}

} // namespace lattice::reference
