// The Point Cloud Library's .pcd: ascii, binary and binary_compressed.
// The viewpoint is not applied, and fields of several values a point (descriptors, padding) are
// skipped.
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/checked.h"
#include "points/fields.h"
#include "points/lzf.h"
#include "points/pcd_header.h"
#include "points/place.h"
#include "points/read.h"

namespace lattice {

namespace {

// PCL packs a colour as 0xAARRGGBB into four bytes, which it may declare as a float.
bool is_packed_colour(const PcdField& field) {
  return (field.name == "rgb" || field.name == "rgba") && field.count == 1 &&
         size_of(field.type) == 4;
}

struct Wanted {
  const PcdField* field;
  DType type; // to read it as
  bool is_packed;
};

std::vector<Wanted> wanted_fields(const PcdHeader& header) {
  std::vector<Wanted> wanted;
  for (const PcdField& field : header.fields) {
    if (field.name == "_" || field.count != 1) continue;
    // As bits, never as a float: an opaque red is a signalling NaN, which a conversion would
    // change.
    const bool packed = is_packed_colour(field);
    wanted.push_back({&field, packed ? DType::u32 : field.type, packed});
  }
  return wanted;
}

Result<Filling> start(const PcdHeader& header, const std::vector<Wanted>& wanted,
                      const std::string& file) {
  std::vector<Field> fields;
  for (const Wanted& one : wanted) fields.push_back({one.field->name, one.type});
  return start_filling(fields, header.points, file);
}

// "rgb" becomes r, g and b, unless the file has an r already.
void unpack_colour(PointCloud& cloud) {
  for (size_t k = 0; k < cloud.columns.size(); ++k) {
    const std::string& name = cloud.columns[k].name;
    if ((name != "rgb" && name != "rgba") || cloud.columns[k].type != DType::u32) continue;
    if (cloud.find("r") != nullptr || cloud.find("g") != nullptr || cloud.find("b") != nullptr)
      return;
    const std::vector<double> packed = std::move(cloud.columns[k].values);
    cloud.columns.erase(cloud.columns.begin() + static_cast<std::ptrdiff_t>(k));
    const std::array<const char*, 3> names{"r", "g", "b"};
    for (size_t channel = 0; channel < 3; ++channel) {
      Column column{names[channel], DType::u8, {}};
      column.values.reserve(packed.size());
      for (const double bits : packed)
        column.values.push_back((static_cast<uint32_t>(bits) >> (16 - 8 * channel)) & 255);
      cloud.columns.push_back(std::move(column));
    }
    return;
  }
}

// In text a packed colour declared F is the float's digits; black where a writer put nan.
Result<double> packed_from_text(std::string_view word, DType declared) {
  if (declared == DType::u32) return parse_as(word, declared);
  if (declared == DType::i32) {
    LATTICE_TRY(const double bits, parse_as(word, declared));
    return static_cast<double>(static_cast<uint32_t>(static_cast<int32_t>(bits)));
  }
  float value = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || stop != word.data() + word.size()) {
    return fail(Code::input, fmt::format("found \"{}\", expected a packed colour", shown(word)));
  }
  return std::isnan(value) ? 0.0 : static_cast<double>(std::bit_cast<uint32_t>(value));
}

Result<PointCloud> read_text(std::string_view text, const PcdHeader& header,
                             const std::string& file) {
  const auto need = checked_mul(header.points, header.point_values * 2);
  if (!need || *need > static_cast<int64_t>(text.size()) + 1) {
    return fail(
        Code::input,
        fmt::format(
            "the header declares {} points of {} values, more than {} bytes of text can hold",
            header.points, header.point_values, text.size()),
        in_file(file));
  }
  const std::vector<Wanted> wanted = wanted_fields(header);
  LATTICE_TRY(Filling filling, start(header, wanted, file));
  Lines lines(text);
  std::vector<std::string_view> words;
  const auto wrong = [&](std::string message) {
    return fail(Code::input, std::move(message), in_file(file, header.lines + lines.number()));
  };
  int64_t row = 0;
  while (const auto line = lines.next()) {
    split_words(*line, words);
    if (words.empty()) continue;
    if (row == header.points)
      return wrong(
          fmt::format("found a row after the {} points the header declares", header.points));
    if (static_cast<int64_t>(words.size()) != header.point_values) {
      return wrong(fmt::format("point {} has {} values, expected {}", row, words.size(),
                               header.point_values));
    }
    size_t word = 0, place = 0;
    for (const PcdField& field : header.fields) {
      if (place < wanted.size() && wanted[place].field == &field) {
        const auto value = wanted[place].is_packed ? packed_from_text(words[word], field.type)
                                                   : parse_as(words[word], field.type);
        if (!value)
          return wrong(
              fmt::format("point {}, {}: {}", row, shown(field.name), value.error().text()));
        filling.places[place++].put(row, *value);
      }
      word += static_cast<size_t>(field.count);
    }
    ++row;
  }
  if (row != header.points)
    return wrong(fmt::format("the file ends after {} of {} points", row, header.points));
  return std::move(filling.cloud);
}

// Points one after another, or (compressed) all values of the first field, then all of the second.
Result<PointCloud> read_values(Bytes data, const PcdHeader& header, bool by_field,
                               const std::string& file) {
  const std::vector<Wanted> wanted = wanted_fields(header);
  LATTICE_TRY(Filling filling, start(header, wanted, file));
  for (size_t k = 0; k < wanted.size(); ++k) {
    const PcdField& field = *wanted[k].field;
    const std::byte* at = data.data() + field.offset * (by_field ? header.points : 1);
    const int64_t step = by_field ? field.bytes() : header.point_bytes;
    for (int64_t row = 0; row < header.points; ++row) {
      filling.places[k].put(row, load_number(at + row * step, wanted[k].type, std::endian::little));
    }
  }
  return std::move(filling.cloud);
}

// PCL pads the end of a file to a page, so bytes after the data are no error here.
Result<PointCloud> read_compressed(Bytes data, const PcdHeader& header, int64_t need,
                                   const std::string& file) {
  const auto wrong = [&](std::string message) {
    return fail(Code::input, std::move(message), in_file(file));
  };
  if (data.size() < 8)
    return wrong(fmt::format(
        "{} bytes after the header, expected the two sizes of compressed data (8 bytes)",
        data.size()));
  const uint32_t packed = load<uint32_t>(&data[0]), plain = load<uint32_t>(&data[4]);
  if (plain != need)
    return wrong(
        fmt::format("compressed data of {} bytes when unpacked, but {} points of {} bytes are {}",
                    plain, header.points, header.point_bytes, need));
  if (packed > data.size() - 8)
    return wrong(fmt::format("{} bytes of compressed data, but {} are left in the file", packed,
                             data.size() - 8));
  if (plain > uint64_t{packed} * most_lzf)
    return wrong(fmt::format("{} bytes cannot unpack to {}", packed, plain));
  std::vector<std::byte> values(plain);
  if (!lzf_decode(data.subspan(8, packed), values))
    return wrong(fmt::format("the compressed data do not unpack to {} bytes", plain));
  return read_values(values, header, true, file);
}

} // namespace

Result<PointCloud> read_pcd(Bytes bytes, const std::string& name) {
  LATTICE_TRY(const PcdHeader header, read_pcd_header(bytes, name));
  const Bytes data = bytes.subspan(header.data_offset);
  const auto need = checked_mul(header.points, header.point_bytes);
  if (!need)
    return fail(Code::input,
                fmt::format("{} points of {} bytes are more than 2^63 bytes", header.points,
                            header.point_bytes),
                in_file(name));
  Result<PointCloud> cloud;
  if (header.form == PcdForm::ascii) {
    cloud = read_text(text_in(data), header, name);
  } else if (header.form == PcdForm::binary_compressed) {
    cloud = read_compressed(data, header, *need, name);
  } else if (static_cast<uint64_t>(*need) > data.size()) {
    return fail(Code::input,
                fmt::format("{} points of {} bytes need {} bytes, but {} are left in the file",
                            header.points, header.point_bytes, *need, data.size()),
                in_file(name));
  } else {
    cloud = read_values(data, header, false, name);
  }
  if (cloud) unpack_colour(*cloud);
  return cloud;
}

} // namespace lattice
