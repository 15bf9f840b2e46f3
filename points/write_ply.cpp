// Writes .ply, binary little-endian, points only.
// Colour and labels as most viewers expect them: uchar red green blue, int label.
#include <cmath>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/file.h"
#include "points/guarded.h"
#include "points/number.h"
#include "points/write.h"

namespace lattice {

namespace {

template <class T>
void append(std::string& out, T value) {
  std::array<char, sizeof(T)> raw;
  std::memcpy(raw.data(), &value, sizeof(T));
  if (std::endian::native == std::endian::big) std::reverse(raw.begin(), raw.end());
  out.append(raw.data(), raw.size());
}

Status check_word(const char* what, const std::string& name) {
  bool word = !name.empty();
  for (const char c : name) word = word && c > ' ' && c <= '~';
  if (!word)
    return fail(Code::usage, fmt::format("{} \"{}\", expected one word", what, shown(name)));
  return {};
}

Status check(const PlyPoints& points) {
  const size_t count = points.xyz.size() / 3;
  if (points.xyz.size() % 3 != 0)
    return fail(Code::usage,
                fmt::format("{} coordinates are no whole number of points", points.xyz.size()));
  if (!points.rgb.empty() && points.rgb.size() != count * 3)
    return fail(Code::usage,
                fmt::format("{} colour values for {} points", points.rgb.size(), count));
  if (!points.labels.empty() && points.labels.size() != count)
    return fail(Code::usage, fmt::format("{} labels for {} points", points.labels.size(), count));
  LATTICE_CHECK(check_word("label name", points.label_name));
  for (const PlyColumn& column : points.columns) {
    LATTICE_CHECK(check_word("column name", column.name));
    const auto values = static_cast<int64_t>(column.values.size());
    const auto last = checked_mul(static_cast<int64_t>(count) - 1, column.step);
    if (count > 0 && (column.step < 1 || !last || *last >= values)) {
      return fail(Code::usage, fmt::format("column {}: {} values of step {} for {} points",
                                           column.name, values, column.step, count));
    }
  }
  return {};
}

} // namespace

Status write_ply(const std::string& path, const PlyPoints& points) {
  return guarded("a .ply", [&]() -> Status {
    LATTICE_CHECK(check(points));
    const size_t count = points.xyz.size() / 3;
    const bool colour = !points.rgb.empty(), labels = !points.labels.empty();
    std::string out =
        fmt::format("ply\nformat binary_little_endian 1.0\nelement vertex {}\n", count);
    for (const char axis : std::string_view("xyz"))
      out += fmt::format("property {} {}\n", points.double_positions ? "double" : "float", axis);
    if (colour) out += "property uchar red\nproperty uchar green\nproperty uchar blue\n";
    if (labels) out += fmt::format("property int {}\n", points.label_name);
    for (const PlyColumn& column : points.columns)
      out += fmt::format("property float {}\n", column.name);
    out += "end_header\n";
    out.reserve(out.size() + count * ((points.double_positions ? 24u : 12u) + (colour ? 3u : 0u) +
                                      (labels ? 4u : 0u) + 4 * points.columns.size()));
    for (size_t row = 0; row < count; ++row) {
      for (size_t axis = 0; axis < 3; ++axis) {
        const double value = points.xyz[row * 3 + axis];
        if (points.double_positions) {
          append(out, value);
        } else {
          append(out, static_cast<float>(value));
        }
      }
      for (size_t k = 0; colour && k < 3; ++k) append(out, points.rgb[row * 3 + k]);
      if (labels) append(out, points.labels[row]);
      for (const PlyColumn& column : points.columns) {
        append(out, column.values[row * static_cast<size_t>(column.step)]);
      }
    }
    return write_file_atomically(path, out);
  });
}

} // namespace lattice
