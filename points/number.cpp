// Numbers from bytes and from text, strictly and without the locale.
// What a number means is the reader's business.
#include "points/number.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/f16.h"

namespace lattice {

double load_number(const std::byte* at, DType type, std::endian order) {
  switch (type) {
  case DType::boolean:
  case DType::u8: return load<uint8_t>(at, order);
  case DType::i8: return load<int8_t>(at, order);
  case DType::u16: return load<uint16_t>(at, order);
  case DType::i16: return load<int16_t>(at, order);
  case DType::u32: return load<uint32_t>(at, order);
  case DType::i32: return load<int32_t>(at, order);
  case DType::u64: return static_cast<double>(load<uint64_t>(at, order));
  case DType::i64: return static_cast<double>(load<int64_t>(at, order));
  case DType::f16: return f32_from_f16(load<uint16_t>(at, order));
  case DType::f32: return load<float>(at, order);
  case DType::f64: return load<double>(at, order);
  default: return 0; // no point file holds the others, and no reader lets one through
  }
}

std::optional<double> parse_number(std::string_view word) {
  // from_chars takes a '-' but no '+', which "+inf" and many writers have.
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  double value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<int64_t> parse_count(std::string_view word) {
  if (word.empty() || word[0] == '-') return std::nullopt;
  int64_t value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

namespace {

struct Range {
  double low, high;
};

// Of an integer type; nothing for floating point.
std::optional<Range> integer_range(DType type) {
  switch (type) {
  case DType::u8: return Range{0, 255};
  case DType::i8: return Range{-128, 127};
  case DType::u16: return Range{0, 65535};
  case DType::i16: return Range{-32768, 32767};
  case DType::u32: return Range{0, 4294967295.0};
  case DType::i32: return Range{-2147483648.0, 2147483647.0};
  case DType::u64: return Range{0, 0x1p64};
  case DType::i64: return Range{-0x1p63, 0x1p63};
  default: return std::nullopt;
  }
}

} // namespace

std::string range_of(DType type) {
  const auto range = integer_range(type);
  if (!range) return fmt::format("a number ({})", name_of(type));
  return fmt::format("a whole number {:.0f}..{:.0f} ({})", range->low, range->high, name_of(type));
}

Result<double> parse_as(std::string_view word, DType type) {
  const auto value = parse_number(word);
  const auto range = integer_range(type);
  const bool fits =
      value &&
      (!range || (*value >= range->low && *value <= range->high && *value == std::trunc(*value)));
  if (!fits)
    return fail(Code::input, fmt::format("found \"{}\", expected {}", shown(word), range_of(type)));
  return *value;
}

void split_words(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  size_t at = 0;
  const auto blank = [&](size_t k) { return line[k] == ' ' || line[k] == '\t' || line[k] == '\r'; };
  while (true) {
    while (at < line.size() && blank(at)) ++at;
    if (at == line.size()) return;
    const size_t start = at;
    while (at < line.size() && !blank(at)) ++at;
    words.push_back(line.substr(start, at - start));
  }
}

std::optional<std::string_view> Lines::next() {
  if (offset_ >= text_.size()) return std::nullopt;
  const size_t end = text_.find('\n', offset_);
  std::string_view line =
      text_.substr(offset_, end == std::string_view::npos ? end : end - offset_);
  offset_ = end == std::string_view::npos ? text_.size() : end + 1;
  ++number_;
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

std::string shown(std::string_view text, size_t limit) {
  std::string out;
  for (const char c : text.substr(0, limit)) out += c >= ' ' && c <= '~' ? c : '?';
  if (text.size() > limit) out += "...";
  return out;
}

} // namespace lattice
