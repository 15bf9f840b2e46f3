// Reads the lines from "ply" to "end_header".
// Every keyword is known here or refused.
#include "points/ply_header.h"

#include <optional>

#include <fmt/format.h>

#include "points/place.h"

namespace lattice {

namespace {

// A header beyond this is no header; without the limit a large binary file would be searched in
// vain.
constexpr size_t max_header = size_t{1} << 20;

std::optional<DType> type_named(std::string_view word) {
  struct Row {
    std::string_view old_name, name;
    DType type;
  };
  static constexpr Row table[] = {
      {"char", "int8", DType::i8},      {"uchar", "uint8", DType::u8},
      {"short", "int16", DType::i16},   {"ushort", "uint16", DType::u16},
      {"int", "int32", DType::i32},     {"uint", "uint32", DType::u32},
      {"float", "float32", DType::f32}, {"double", "float64", DType::f64},
  };
  for (const Row& row : table) {
    if (word == row.old_name || word == row.name) return row.type;
  }
  return std::nullopt;
}

class HeaderReader {
 public:
  HeaderReader(Bytes bytes, const std::string& file)
      : lines_(text_in(bytes.first(std::min(bytes.size(), max_header)))), file_(file) {}

  Result<PlyHeader> read() {
    if (!next() || words_.size() != 1 || words_[0] != "ply")
      return wrong("no PLY file: line 1 is not \"ply\"");
    while (next()) {
      if (words_.empty() || words_[0] == "comment" || words_[0] == "obj_info") continue;
      if (words_[0] == "end_header") {
        if (!have_form_)
          return wrong("end_header, but no line \"format "
                       "ascii|binary_little_endian|binary_big_endian 1.0\" before it");
        header_.data_offset = lines_.offset();
        header_.lines = lines_.number();
        return std::move(header_);
      }
      if (words_[0] == "format") {
        LATTICE_CHECK(read_form());
      } else if (words_[0] == "element") {
        LATTICE_CHECK(read_element());
      } else if (words_[0] == "property") {
        LATTICE_CHECK(read_property());
      } else {
        return wrong(fmt::format(
            "found \"{}\", expected format, comment, obj_info, element, property or end_header",
            shown(words_[0])));
      }
    }
    return wrong(
        fmt::format("the header has no end: no line \"end_header\" in {} bytes", lines_.offset()));
  }

 private:
  bool next() {
    const auto line = lines_.next();
    if (line) split_words(*line, words_);
    return line.has_value();
  }

  tl::unexpected<Error> wrong(std::string message) const {
    return fail(Code::input, std::move(message), in_file(file_, lines_.number()));
  }

  Status read_form() {
    if (have_form_) return wrong("a second format line");
    have_form_ = true;
    if (words_.size() != 3 || words_[2] != "1.0") return wrong("expected \"format NAME 1.0\"");
    if (words_[1] == "ascii") {
      header_.form = PlyForm::ascii;
    } else if (words_[1] == "binary_little_endian") {
      header_.form = PlyForm::little_endian;
    } else if (words_[1] == "binary_big_endian") {
      header_.form = PlyForm::big_endian;
    } else {
      return wrong(
          fmt::format("format \"{}\", expected ascii, binary_little_endian or binary_big_endian",
                      shown(words_[1])));
    }
    return {};
  }

  Status read_element() {
    const auto count = words_.size() == 3 ? parse_count(words_[2]) : std::nullopt;
    if (!count) return wrong("expected \"element NAME COUNT\" with a whole number below 2^63");
    for (const PlyElement& element : header_.elements) {
      if (element.name == words_[1])
        return wrong(fmt::format("element \"{}\" a second time", shown(words_[1])));
    }
    header_.elements.push_back({std::string(words_[1]), *count, {}});
    return {};
  }

  Status read_property() {
    if (header_.elements.empty()) return wrong("a property before any element");
    const bool is_list = words_.size() == 5 && words_[1] == "list";
    if (!is_list && words_.size() != 3)
      return wrong("expected \"property TYPE NAME\" or \"property list TYPE TYPE NAME\"");
    const auto type = type_named(words_[is_list ? 3 : 1]);
    const auto count_type = is_list ? type_named(words_[2]) : DType::u8;
    if (!type || !count_type)
      return wrong(fmt::format("unknown type in \"{}\"", shown(words_[!type && is_list ? 3
                                                                      : is_list        ? 2
                                                                                       : 1])));
    if (*count_type == DType::f32 || *count_type == DType::f64)
      return wrong("a list counted by a floating point number");
    header_.elements.back().properties.push_back(
        {std::string(words_.back()), *type, is_list, *count_type});
    return {};
  }

  Lines lines_;
  const std::string& file_;
  std::vector<std::string_view> words_;
  PlyHeader header_;
  bool have_form_ = false;
};

} // namespace

bool PlyElement::has_list() const {
  for (const PlyProperty& property : properties) {
    if (property.is_list) return true;
  }
  return false;
}

int64_t PlyElement::least_bytes() const {
  int64_t bytes = 0;
  for (const PlyProperty& property : properties)
    bytes += size_of(property.is_list ? property.count_type : property.type);
  return bytes;
}

Result<PlyHeader> read_ply_header(Bytes bytes, const std::string& file) {
  return HeaderReader(bytes, file).read();
}

} // namespace lattice
