// ASPRS .las 1.0 to 1.4, point formats 0 to 10, uncompressed.
// Variable length records (projections and such) are stepped over, not read.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/checked.h"
#include "points/fields.h"
#include "points/place.h"
#include "points/read.h"

namespace lattice {

namespace {

// Where a point format keeps what we take; -1 where it has none.
struct PointFormat {
  int size, colour, gps_time;
};
constexpr std::array<PointFormat, 11> formats{{
    {20, -1, -1},
    {28, -1, 20},
    {26, 20, -1},
    {34, 28, 20},
    {57, -1, 20},
    {63, 28, 20}, // 1.0 to 1.3
    {30, -1, 22},
    {36, 30, 22},
    {38, 30, 22},
    {59, -1, 22},
    {67, 30, 22}, // 1.4
}};

struct LasHeader {
  int minor = 0, format = 0;
  int64_t points_offset = 0, record_size = 0, count = 0;
  std::array<double, 3> scale{}, offset{};
};

constexpr std::array<int, 5> header_sizes{227, 227, 227, 235, 375}; // by minor version
constexpr std::array<int, 5> newest_format{1, 1, 3, 5, 10};

Result<int64_t> read_count(Bytes bytes, const LasHeader& header, const std::string& file) {
  const int64_t old_count = load<uint32_t>(&bytes[107]);
  if (header.minor < 4) return old_count;
  const uint64_t count = load<uint64_t>(&bytes[247]);
  // The old field may be 0; where it is not, the two must agree.
  if (count > INT64_MAX || (old_count != 0 && static_cast<int64_t>(count) != old_count)) {
    return fail(
        Code::input,
        fmt::format("the header counts {} points at byte 247 and {} at byte 107", count, old_count),
        in_file(file));
  }
  return static_cast<int64_t>(count);
}

Result<LasHeader> read_header(Bytes bytes, const std::string& file) {
  const auto wrong = [&](const std::string& message) {
    return fail(Code::input, message, in_file(file));
  };
  if (!text_in(bytes).starts_with("LASF"))
    return wrong(fmt::format("no LAS file: starts with \"{}\", expected \"LASF\"",
                             shown(text_in(bytes).substr(0, 4))));
  if (bytes.size() < 227)
    return wrong(fmt::format("cut in its header: {} bytes, expected at least 227", bytes.size()));
  LasHeader header;
  const int major = std::to_integer<int>(bytes[24]);
  header.minor = std::to_integer<int>(bytes[25]);
  if (major != 1 || header.minor > 4)
    return fail(Code::unsupported,
                fmt::format("LAS version {}.{}, expected 1.0 to 1.4", major, header.minor),
                in_file(file));
  const auto minor = static_cast<size_t>(header.minor);
  const int header_size = load<uint16_t>(&bytes[94]);
  if (header_size < header_sizes[minor] || static_cast<size_t>(header_size) > bytes.size()) {
    return wrong(fmt::format("header size {} at byte 94, expected {} to the file's {} bytes",
                             header_size, header_sizes[minor], bytes.size()));
  }
  const int format = std::to_integer<int>(bytes[104]);
  if ((format & 0xc0) != 0)
    return fail(Code::unsupported,
                "the points are compressed (LAZ); convert the file to plain .las first",
                in_file(file));
  if (format > newest_format[minor]) {
    return wrong(fmt::format("point format {} at byte 104, expected 0 to {} in LAS 1.{}", format,
                             newest_format[minor], header.minor));
  }
  header.format = format;
  header.points_offset = load<uint32_t>(&bytes[96]);
  if (header.points_offset < header_size)
    return wrong(fmt::format("points start at byte {}, inside the header of {} bytes",
                             header.points_offset, header_size));
  header.record_size = load<uint16_t>(&bytes[105]);
  const int least = formats[static_cast<size_t>(format)].size;
  if (header.record_size < least)
    return wrong(fmt::format("point records of {} bytes at byte 105, format {} needs {}",
                             header.record_size, format, least));
  for (size_t axis = 0; axis < 3; ++axis) {
    header.scale[axis] = load<double>(&bytes[131 + 8 * axis]);
    header.offset[axis] = load<double>(&bytes[155 + 8 * axis]);
    if (!std::isfinite(header.scale[axis]) || header.scale[axis] == 0 ||
        !std::isfinite(header.offset[axis])) {
      return wrong(fmt::format(
          "scale {} and offset {} of axis {}, expected finite numbers and a scale other than 0",
          header.scale[axis], header.offset[axis], "xyz"[axis]));
    }
  }
  LATTICE_TRY(header.count, read_count(bytes, header, file));
  return header;
}

} // namespace

Result<PointCloud> read_las(Bytes bytes, const std::string& name) {
  LATTICE_TRY(const LasHeader header, read_header(bytes, name));
  const auto need = checked_mul(header.count, header.record_size);
  const int64_t have = static_cast<int64_t>(bytes.size()) - header.points_offset;
  if (have < 0 || !need || *need > have) {
    return fail(Code::input,
                fmt::format("{} points of {} bytes from byte {} on, but the file has {} bytes",
                            header.count, header.record_size, header.points_offset, bytes.size()),
                in_file(name));
  }

  const PointFormat& format = formats[static_cast<size_t>(header.format)];
  std::vector<Field> fields{{"x", DType::f64},     {"y", DType::f64},    {"z", DType::f64},
                            {"i", DType::u16},     {"class", DType::u8}, {"return", DType::u8},
                            {"returns", DType::u8}};
  if (format.gps_time >= 0) fields.push_back({"gps_time", DType::f64});
  if (format.colour >= 0)
    fields.insert(fields.end(), {{"r", DType::u16}, {"g", DType::u16}, {"b", DType::u16}});
  LATTICE_TRY(Filling filling, start_filling(fields, header.count, name));

  const bool modern = header.format >= 6; // wider return and class fields
  for (int64_t row = 0; row < header.count; ++row) {
    const std::byte* record = bytes.data() + header.points_offset + row * header.record_size;
    auto place = filling.places.begin();
    const auto put = [&](double value) { (place++)->put(row, value); };
    for (size_t axis = 0; axis < 3; ++axis) {
      put(load<int32_t>(record + 4 * axis) * header.scale[axis] + header.offset[axis]);
    }
    put(load<uint16_t>(record + 12));
    const int returns = std::to_integer<int>(record[14]);
    // Before format 6 the class has five bits; three flags share its byte.
    put(modern ? std::to_integer<int>(record[16]) : std::to_integer<int>(record[15]) & 31);
    put(returns & (modern ? 15 : 7));
    put(modern ? returns >> 4 : (returns >> 3) & 7);
    if (format.gps_time >= 0) put(load<double>(record + format.gps_time));
    for (int k = 0; format.colour >= 0 && k < 3; ++k)
      put(load<uint16_t>(record + format.colour + 2 * k));
  }
  return std::move(filling.cloud);
}

} // namespace lattice
