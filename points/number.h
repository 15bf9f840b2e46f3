// Numbers as point files hold them: bytes of a declared type, or words of text.
// No file format here; every reader uses these two ways in.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "lattice/tensor.hpp"

namespace lattice {

using Bytes = std::span<const std::byte>;

inline std::string_view text_in(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// An integer or float at any address, in the given byte order.
template <class T>
T load(const std::byte* at, std::endian order = std::endian::little) {
  std::array<std::byte, sizeof(T)> raw;
  std::memcpy(raw.data(), at, sizeof(T));
  if (order != std::endian::native) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<T>(raw);
}

// A number of type u8..f64 (f16 included) at any address, as f64.
double load_number(const std::byte* at, DType type, std::endian order);

// A decimal number, "inf" or "nan", with an optional sign; nothing else may stand in the word.
std::optional<double> parse_number(std::string_view word);

// A whole number 0..2^63-1 without sign, point or exponent: counts in headers.
std::optional<int64_t> parse_count(std::string_view word);

// The word as a value of `type`: an integer type takes whole numbers in its range alone. The error
// says what was found and expected, without a place.
Result<double> parse_as(std::string_view word, DType type);

// "uchar 0..255" style name of a type for messages.
std::string range_of(DType type);

// Splits at blanks, tabs and carriage returns into `words`, which is cleared first.
void split_words(std::string_view line, std::vector<std::string_view>& words);

// Walks the lines of a text. A line ends with "\n" or "\r\n"; the last one may lack its end.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  // The next line without its end, or nothing at the end of the text.
  std::optional<std::string_view> next();
  int64_t number() const { return number_; } // of the line `next` gave last, from 1
  size_t offset() const { return offset_; }  // of the byte after that line

 private:
  std::string_view text_;
  size_t offset_ = 0;
  int64_t number_ = 0;
};

// At most `limit` bytes of a word or line for a message, bytes that are not printable as '?'.
std::string shown(std::string_view text, size_t limit = 32);

} // namespace lattice
