// What every cloud can be asked, wherever it came from.
// Nothing here knows a file format.
#include "points/cloud.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "points/place.h"

namespace lattice {

namespace {

bool is_finite(const PointCloud& cloud, int64_t row) {
  const double* p = cloud.xyz.data() + row * 3;
  return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
}

} // namespace

const Column* PointCloud::find(std::string_view name) const {
  for (const Column& column : columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

std::string PointCloud::names() const {
  std::string text = "x, y, z";
  for (const Column& column : columns) text += ", " + column.name;
  return text;
}

int64_t count_not_finite(const PointCloud& cloud) {
  int64_t count = 0;
  for (int64_t row = 0; row < cloud.size(); ++row) count += is_finite(cloud, row) ? 0 : 1;
  return count;
}

std::vector<int64_t> finite_rows(const PointCloud& cloud) {
  std::vector<int64_t> rows;
  rows.reserve(static_cast<size_t>(cloud.size()));
  for (int64_t row = 0; row < cloud.size(); ++row) {
    if (is_finite(cloud, row)) rows.push_back(row);
  }
  return rows;
}

Status require_finite(const PointCloud& cloud, const std::string& file) {
  for (int64_t row = 0; row < cloud.size(); ++row) {
    if (is_finite(cloud, row)) continue;
    const double* p = cloud.xyz.data() + row * 3;
    return fail(Code::input,
                fmt::format("point row {} is ({}, {}, {}), expected finite coordinates; {} of {} "
                            "points are not finite",
                            row, p[0], p[1], p[2], count_not_finite(cloud), cloud.size()),
                in_file(file));
  }
  return {};
}

PointCloud take_rows(const PointCloud& cloud, std::span<const int64_t> rows) {
  PointCloud taken;
  taken.position_type = cloud.position_type;
  taken.xyz.reserve(rows.size() * 3);
  for (const int64_t row : rows) {
    const double* p = cloud.xyz.data() + row * 3;
    taken.xyz.insert(taken.xyz.end(), p, p + 3);
  }
  for (const Column& column : cloud.columns) {
    Column& copy = taken.columns.emplace_back(Column{column.name, column.type, {}});
    copy.values.reserve(rows.size());
    for (const int64_t row : rows) copy.values.push_back(column.values[static_cast<size_t>(row)]);
  }
  return taken;
}

std::vector<int64_t> drop_not_finite(PointCloud& cloud) {
  std::vector<int64_t> rows = finite_rows(cloud);
  if (static_cast<int64_t>(rows.size()) != cloud.size()) cloud = take_rows(cloud, rows);
  return rows;
}

Extent extent_of(const PointCloud& cloud) {
  Extent extent;
  bool first = true;
  for (int64_t row = 0; row < cloud.size(); ++row) {
    if (!is_finite(cloud, row)) continue;
    for (size_t axis = 0; axis < 3; ++axis) {
      const double value = cloud.xyz[static_cast<size_t>(row) * 3 + axis];
      extent.low[axis] = first ? value : std::min(extent.low[axis], value);
      extent.high[axis] = first ? value : std::max(extent.high[axis], value);
    }
    first = false;
  }
  return extent;
}

} // namespace lattice
