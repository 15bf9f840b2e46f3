// Spelling of literals, types and names in MLIR's text.
#include "author/graph_text.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

namespace lattice::author {
namespace {

// MLIR reads a number as real only if it has a point, also before an exponent.
std::string with_point(std::string digits) {
  if (digits.find('.') != std::string::npos) return digits;
  const size_t exponent = digits.find('e');
  return digits.insert(exponent == std::string::npos ? digits.size() : exponent, ".0");
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

} // namespace

std::string real_text(double value) {
  if (!std::isfinite(value)) return fmt::format("0x{:016X}", std::bit_cast<uint64_t>(value));
  return with_point(fmt::format("{}", value));
}

std::string real_text(float value) {
  if (!std::isfinite(value)) return fmt::format("0x{:08X}", std::bit_cast<uint32_t>(value));
  // The parser goes by way of binary64; the shortest text is used only if that does not round
  // twice.
  const std::string shortest = with_point(fmt::format("{}", value));
  double read = 0;
  std::from_chars(shortest.data(), shortest.data() + shortest.size(), read);
  if (static_cast<float>(read) == value) return shortest;
  return real_text(static_cast<double>(value));
}

std::string triple_text(const Triple& value) {
  return fmt::format("array<i64: {}>", fmt::join(value, ", "));
}

std::string triple_text(const std::array<double, 3>& value) {
  return fmt::format("array<f64: {}, {}, {}>", real_text(value[0]), real_text(value[1]),
                     real_text(value[2]));
}

std::string string_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\{:02X}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string tensor_type(DType dtype, const Shape& shape) {
  std::string out = "tensor<";
  for (const int64_t dim : shape) out += dim < 0 ? "?x" : fmt::format("{}x", dim);
  return out + name_of(dtype) + ">";
}

std::string sparse_type(DType dtype) {
  return fmt::format(
      "!lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = {}>",
      name_of(dtype));
}

std::string weight_type(std::string_view family, DType dtype) {
  return fmt::format("!lattice.weight<{}, {}>", family, name_of(dtype));
}

std::string identifier_of(std::string_view text) {
  std::string out;
  for (const char c : text) out += is_letter(c) || is_digit(c) ? c : '_';
  if (out.empty() || !is_letter(out[0])) out.insert(0, "v_");
  return out;
}

} // namespace lattice::author
