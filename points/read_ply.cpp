// Stanford .ply: the element "vertex" is the cloud; faces and all else are checked for length and
// skipped. Lists inside a vertex are skipped too: a column has one number a point.
#include <fmt/format.h>

#include "base/checked.h"
#include "points/fields.h"
#include "points/place.h"
#include "points/ply_header.h"
#include "points/read.h"

namespace lattice {

namespace {

// Rows of text or bytes go here; null for elements that are skipped.
using Target = const Filling*;

// The rows of one element after another, of a text file: one row a line, blank lines aside.
class TextBody {
 public:
  TextBody(std::string_view text, int64_t lines_before, const std::string& file)
      : text_(text), lines_(text), before_(lines_before), file_(file) {}

  // Every value takes a byte and a separator at the least.
  bool may_hold(const PlyElement& element) const {
    const auto values =
        checked_mul(element.count, static_cast<int64_t>(element.properties.size()) * 2);
    return values && *values <= static_cast<int64_t>(text_.size() - lines_.offset()) + 1;
  }

  Status read(const PlyElement& element, Target target) {
    if (element.properties.empty()) return {};
    for (int64_t row = 0; row < element.count; ++row) {
      do {
        const auto line = lines_.next();
        if (!line) {
          return fail(Code::input,
                      fmt::format("the file ends after {} of {} rows of element \"{}\"", row,
                                  element.count, shown(element.name)),
                      in_file(file_, before_ + lines_.number()));
        }
        split_words(*line, words_);
      } while (words_.empty());
      LATTICE_CHECK(read_row(element, row, target));
    }
    return {};
  }

  Status finish() {
    while (const auto line = lines_.next()) {
      split_words(*line, words_);
      if (!words_.empty())
        return wrong(
            fmt::format("found \"{}\" after the last row the header declares", shown(words_[0])));
    }
    return {};
  }

 private:
  tl::unexpected<Error> wrong(std::string message) const {
    return fail(Code::input, std::move(message), in_file(file_, before_ + lines_.number()));
  }

  Status read_row(const PlyElement& element, int64_t row, Target target) {
    size_t at = 0, place = 0;
    for (const PlyProperty& property : element.properties) {
      if (at >= words_.size()) return short_row(element, row);
      if (property.is_list) {
        const auto count = parse_count(words_[at]);
        if (!count)
          return wrong(fmt::format("row {} of \"{}\": list {} has count \"{}\"", row,
                                   shown(element.name), shown(property.name), shown(words_[at])));
        if (*count > static_cast<int64_t>(words_.size() - at - 1)) return short_row(element, row);
        at += static_cast<size_t>(*count) + 1;
        continue;
      }
      if (target != nullptr) {
        const auto value = parse_as(words_[at], property.type);
        if (!value)
          return wrong(fmt::format("row {} of \"{}\", {}: {}", row, shown(element.name),
                                   shown(property.name), value.error().text()));
        target->places[place++].put(row, *value);
      }
      ++at;
    }
    if (at != words_.size())
      return wrong(fmt::format("row {} of \"{}\" has {} values, expected {}", row,
                               shown(element.name), words_.size(), at));
    return {};
  }

  tl::unexpected<Error> short_row(const PlyElement& element, int64_t row) const {
    return wrong(
        fmt::format("row {} of \"{}\" has {} values, which is too few for its {} properties", row,
                    shown(element.name), words_.size(), element.properties.size()));
  }

  std::string_view text_;
  Lines lines_;
  int64_t before_;
  const std::string& file_;
  std::vector<std::string_view> words_;
};

// The same for the two binary forms.
class BinaryBody {
 public:
  BinaryBody(Bytes bytes, size_t at, std::endian order, const std::string& file)
      : bytes_(bytes), at_(at), order_(order), file_(file) {}

  bool may_hold(const PlyElement& element) const {
    const auto need = checked_mul(element.count, element.least_bytes());
    return need && static_cast<uint64_t>(*need) <= left();
  }

  Status read(const PlyElement& element, Target target) {
    if (!may_hold(element)) return cut(element, 0);
    if (target == nullptr && !element.has_list()) {
      at_ += static_cast<size_t>(element.count * element.least_bytes());
      return {};
    }
    for (int64_t row = 0; row < element.count; ++row) {
      size_t place = 0;
      for (const PlyProperty& property : element.properties) {
        const auto size =
            static_cast<size_t>(size_of(property.is_list ? property.count_type : property.type));
        if (size > left()) return cut(element, row);
        const double value = load_number(
            &bytes_[at_], property.is_list ? property.count_type : property.type, order_);
        at_ += size;
        if (property.is_list) {
          // At most 2^32 values of 8 bytes: no overflow, and exact in f64.
          if (value < 0) {
            return fail(Code::input,
                        fmt::format("row {} of \"{}\": list {} has count {} at byte {}", row,
                                    shown(element.name), shown(property.name), value, at_ - size),
                        in_file(file_));
          }
          const uint64_t skip =
              static_cast<uint64_t>(value) * static_cast<uint64_t>(size_of(property.type));
          if (skip > left()) return cut(element, row);
          at_ += skip;
        } else if (target != nullptr) {
          target->places[place++].put(row, value);
        }
      }
    }
    return {};
  }

  Status finish() const {
    if (left() == 0) return {};
    return fail(Code::input,
                fmt::format("{} bytes after the last row the header declares, from byte {} on",
                            left(), at_),
                in_file(file_));
  }

 private:
  uint64_t left() const { return bytes_.size() - at_; }

  tl::unexpected<Error> cut(const PlyElement& element, int64_t row) const {
    return fail(Code::input,
                fmt::format("element \"{}\": {} rows of {} bytes or more, but the file of {} bytes "
                            "is at byte {} in row {}",
                            shown(element.name), element.count, element.least_bytes(),
                            bytes_.size(), at_, row),
                in_file(file_));
  }

  Bytes bytes_;
  size_t at_;
  std::endian order_;
  const std::string& file_;
};

template <class Body>
Result<PointCloud> read_body(Body body, const PlyHeader& header, const std::string& file) {
  PointCloud cloud;
  for (const PlyElement& element : header.elements) {
    if (element.name != "vertex") {
      LATTICE_CHECK(body.read(element, nullptr));
      continue;
    }
    if (!body.may_hold(element)) {
      return fail(
          Code::input,
          fmt::format("the header declares {} vertices, more than the rest of the file can hold",
                      element.count),
          in_file(file));
    }
    std::vector<Field> fields;
    for (const PlyProperty& property : element.properties) {
      if (!property.is_list) fields.push_back({property.name, property.type});
    }
    LATTICE_TRY(Filling filling, start_filling(fields, element.count, file));
    LATTICE_CHECK(body.read(element, &filling));
    cloud = std::move(filling.cloud);
  }
  LATTICE_CHECK(body.finish());
  return cloud;
}

} // namespace

Result<PointCloud> read_ply(Bytes bytes, const std::string& name) {
  LATTICE_TRY(const PlyHeader header, read_ply_header(bytes, name));
  if (header.form == PlyForm::ascii) {
    return read_body(TextBody(text_in(bytes.subspan(header.data_offset)), header.lines, name),
                     header, name);
  }
  const auto order = header.form == PlyForm::big_endian ? std::endian::big : std::endian::little;
  return read_body(BinaryBody(bytes, header.data_offset, order, name), header, name);
}

} // namespace lattice
