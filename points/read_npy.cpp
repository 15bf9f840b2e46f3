// NumPy's .npy, versions 1 to 3: f4 and f8, either byte order, C and Fortran order.
// Not a reader of any NumPy array: the shape must be (N, C) with C >= 3.
#include <fmt/format.h>

#include "base/checked.h"
#include "points/fields.h"
#include "points/place.h"
#include "points/read.h"

namespace lattice {

namespace {

struct NpyHeader {
  DType type = DType::f32;
  std::endian order = std::endian::little;
  bool fortran_order = false;
  int64_t rows = 0, columns = 0;
  size_t data_offset = 0;
};

// The header is a Python dictionary of three keys. This reads that much Python and no more.
class DictReader {
 public:
  DictReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Result<NpyHeader> read() {
    NpyHeader header;
    bool descr = false, order = false, shape = false;
    LATTICE_CHECK(expect('{'));
    while (!accept('}')) {
      LATTICE_TRY(const std::string_view key, quoted());
      LATTICE_CHECK(expect(':'));
      bool* seen = key == "descr"           ? &descr
                   : key == "fortran_order" ? &order
                   : key == "shape"         ? &shape
                                            : nullptr;
      if (seen == nullptr)
        return wrong(fmt::format("key \"{}\"", shown(key)), "descr, fortran_order and shape");
      if (*seen) return wrong(fmt::format("key \"{}\" twice", key), "each key once");
      *seen = true;
      if (seen == &descr) LATTICE_CHECK(read_descr(header));
      if (seen == &order) LATTICE_CHECK(read_order(header));
      if (seen == &shape) LATTICE_CHECK(read_shape(header));
      if (!accept(',')) {
        LATTICE_CHECK(expect('}'));
        break;
      }
    }
    if (!descr || !order || !shape) return wrong("a key missing", "descr, fortran_order and shape");
    skip_blanks();
    if (at_ != text_.size())
      return wrong(fmt::format("\"{}\" after the dictionary", shown(text_.substr(at_))),
                   "only blanks");
    return header;
  }

 private:
  tl::unexpected<Error> wrong(const std::string& found, const std::string& expected) const {
    return fail(Code::input, fmt::format("npy header: found {}, expected {}", found, expected),
                in_file(file_));
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool accept(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Status expect(char c) {
    if (accept(c)) return {};
    return wrong(at_ == text_.size() ? "its end"
                                     : fmt::format("\"{}\"", shown(text_.substr(at_), 12)),
                 fmt::format("'{}'", c));
  }

  Result<std::string_view> quoted() {
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : ' ';
    const size_t end =
        quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos)
      return wrong(fmt::format("\"{}\"", shown(text_.substr(at_), 12)), "a quoted name");
    const std::string_view word = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return word;
  }

  Status read_descr(NpyHeader& header) {
    if (skip_blanks(); at_ < text_.size() && text_[at_] == '[')
      return wrong("a structured array", "plain f4 or f8 numbers");
    LATTICE_TRY(const std::string_view descr, quoted());
    const std::string_view kind = descr.empty() ? descr : descr.substr(1);
    if ((kind != "f4" && kind != "f8") || (descr[0] != '<' && descr[0] != '>')) {
      return wrong(fmt::format("element type \"{}\"", shown(descr)), "<f4, <f8, >f4 or >f8");
    }
    header.type = kind == "f4" ? DType::f32 : DType::f64;
    header.order = descr[0] == '<' ? std::endian::little : std::endian::big;
    return {};
  }

  Status read_order(NpyHeader& header) {
    skip_blanks();
    const std::string_view rest = text_.substr(at_);
    header.fortran_order = rest.starts_with("True");
    if (!header.fortran_order && !rest.starts_with("False"))
      return wrong(fmt::format("fortran_order {}", shown(rest, 12)), "True or False");
    at_ += header.fortran_order ? 4 : 5;
    return {};
  }

  Status read_shape(NpyHeader& header) {
    LATTICE_CHECK(expect('('));
    std::vector<int64_t> shape;
    while (!accept(')')) {
      skip_blanks();
      const size_t start = at_;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
      const auto dim = parse_count(text_.substr(start, at_ - start));
      if (!dim)
        return wrong(fmt::format("dimension \"{}\"", shown(text_.substr(start), 24)),
                     "a whole number below 2^63");
      shape.push_back(*dim);
      if (!accept(',')) {
        LATTICE_CHECK(expect(')'));
        break;
      }
    }
    if (shape.size() != 2 || shape[1] < 3)
      return wrong(fmt::format("shape {}", text_of(shape)), "(N, C) with C of 3 or more");
    header.rows = shape[0];
    header.columns = shape[1];
    return {};
  }

  std::string_view text_;
  const std::string& file_;
  size_t at_ = 0;
};

Result<NpyHeader> read_header(Bytes bytes, const std::string& file) {
  const std::string_view text = text_in(bytes);
  if (!text.starts_with("\x93NUMPY")) {
    return fail(Code::input,
                fmt::format("no npy file: starts with \"{}\", expected \"?NUMPY\"",
                            shown(text.substr(0, 6))),
                in_file(file));
  }
  if (bytes.size() < 8)
    return fail(Code::input, fmt::format("cut in its header: {} bytes", bytes.size()),
                in_file(file));
  const auto major = std::to_integer<int>(bytes[6]), minor = std::to_integer<int>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0) {
    return fail(Code::unsupported,
                fmt::format("npy version {}.{}, expected 1.0, 2.0 or 3.0", major, minor),
                in_file(file));
  }
  const size_t start = major == 1 ? 10 : 12;
  if (bytes.size() < start)
    return fail(Code::input, fmt::format("cut in its header: {} bytes", bytes.size()),
                in_file(file));
  const size_t length = major == 1 ? load<uint16_t>(&bytes[8]) : load<uint32_t>(&bytes[8]);
  if (length > bytes.size() - start) {
    return fail(Code::input,
                fmt::format("npy header of {} bytes from byte {} on, but the file has {} bytes",
                            length, start, bytes.size()),
                in_file(file));
  }
  LATTICE_TRY(NpyHeader header, DictReader(text.substr(start, length), file).read());
  header.data_offset = start + length;
  return header;
}

} // namespace

Result<PointCloud> read_npy(Bytes bytes, const std::string& name, const ReadOptions& options) {
  LATTICE_TRY(const NpyHeader header, read_header(bytes, name));
  const int64_t item = size_of(header.type);
  const auto elements = checked_mul(header.rows, header.columns);
  const auto wanted = elements ? checked_mul(*elements, item) : std::nullopt;
  const auto found = static_cast<int64_t>(bytes.size() - header.data_offset);
  if (!wanted || *wanted != found) {
    return fail(Code::input,
                fmt::format("shape ({}, {}) of {} needs {} bytes of data, the file has {}",
                            header.rows, header.columns, name_of(header.type),
                            wanted ? fmt::to_string(*wanted) : "more than 2^63", found),
                in_file(name));
  }
  const auto expected =
      options.columns != 0 ? options.columns : static_cast<int64_t>(options.names.size());
  if (expected != 0 && expected != header.columns) {
    return fail(
        Code::input,
        fmt::format("the array has {} columns, the call asks for {}", header.columns, expected),
        in_file(name));
  }
  // A file of no rows may claim any width; a wide one is as long as it says.
  if (header.columns > 1024)
    return fail(Code::input, fmt::format("{} columns, expected 3 to 1024", header.columns),
                in_file(name));

  std::vector<Field> fields;
  for (const std::string& column :
       options.names.empty() ? names_for_columns(header.columns) : options.names) {
    fields.push_back({column, header.type});
  }
  LATTICE_TRY(Filling filling, start_filling(fields, header.rows, name));
  const std::byte* data = bytes.data() + header.data_offset;
  const int64_t row_step = (header.fortran_order ? 1 : header.columns) * item;
  const int64_t column_step = (header.fortran_order ? header.rows : 1) * item;
  for (int64_t row = 0; row < header.rows; ++row) {
    for (int64_t column = 0; column < header.columns; ++column) {
      filling.places[static_cast<size_t>(column)].put(
          row,
          load_number(data + row * row_step + column * column_step, header.type, header.order));
    }
  }
  return std::move(filling.cloud);
}

} // namespace lattice
