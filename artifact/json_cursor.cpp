// JSON tokens: strings, whole numbers, punctuation. What they mean is the reader's business.
#include "artifact/json_cursor.h"

#include <fmt/format.h>

namespace lattice {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Code points come from checked escapes: no surrogates, nothing past U+10FFFF.
void append_utf8(std::string& text, uint32_t code) {
  const auto put = [&](uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | (code >> 6));
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3f));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

} // namespace

void JsonCursor::skip_space() {
  while (at_ < text_.size() &&
         std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
    ++at_;
}

bool JsonCursor::accept(char symbol) {
  skip_space();
  if (at_ == text_.size() || text_[at_] != symbol) return false;
  ++at_;
  return true;
}

Status JsonCursor::expect(char symbol, std::string_view where) {
  if (accept(symbol)) return {};
  return error(fmt::format("expected '{}' {}, found {}", symbol, where, found()));
}

tl::unexpected<Error> JsonCursor::error(std::string message, std::string key) const {
  return fail(Code::artifact, fmt::format("header byte {}: {}", at_, message),
              {file_, 0, 0, std::move(key)});
}

std::string JsonCursor::found() const {
  if (at_ == text_.size()) return "the end of the header";
  const char c = text_[at_];
  if (c == '"') return "a string";
  if (c == '-' || is_digit(c)) return "a number";
  if (c == '{') return "an object";
  if (c == '[') return "a list";
  if (c >= 'a' && c <= 'z') {
    size_t end = at_;
    while (end < text_.size() && end - at_ < 12 && text_[end] >= 'a' && text_[end] <= 'z') ++end;
    return fmt::format("'{}'", text_.substr(at_, end - at_));
  }
  if (c > ' ' && c < 0x7f) return fmt::format("'{}'", c);
  return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(c));
}

Result<std::string> JsonCursor::string(std::string_view what) {
  if (!accept('"')) return error(fmt::format("expected {}, found {}", what, found()));
  std::string value;
  while (true) {
    if (at_ == text_.size()) return error("the header ends inside a string");
    const char c = text_[at_];
    if (static_cast<unsigned char>(c) < 0x20) {
      return error(
          fmt::format("control character 0x{:02x} inside a string", static_cast<unsigned char>(c)));
    }
    ++at_;
    if (c == '"') return value;
    if (c == '\\') {
      LATTICE_CHECK(escape(value));
    } else {
      value.push_back(c);
    }
  }
}

Status JsonCursor::escape(std::string& value) {
  if (at_ == text_.size()) return error("the header ends inside a string");
  switch (text_[at_]) {
  case '"':
  case '\\':
  case '/': value.push_back(text_[at_++]); return {};
  case 'b': value.push_back('\b'); break;
  case 'f': value.push_back('\f'); break;
  case 'n': value.push_back('\n'); break;
  case 'r': value.push_back('\r'); break;
  case 't': value.push_back('\t'); break;
  case 'u': {
    ++at_;
    LATTICE_TRY(uint32_t code, four_hex_digits());
    if (code >= 0xd800 && code <= 0xdbff && text_.substr(at_, 2) == "\\u") {
      at_ += 2;
      LATTICE_TRY(const uint32_t low, four_hex_digits());
      if (low < 0xdc00 || low > 0xdfff) return error("half a surrogate pair in a string");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xd800 && code <= 0xdfff) {
      return error("half a surrogate pair in a string");
    }
    append_utf8(value, code);
    return {};
  }
  default: return error("unknown escape in a string");
  }
  ++at_;
  return {};
}

Result<uint32_t> JsonCursor::four_hex_digits() {
  uint32_t code = 0;
  for (int digit = 0; digit < 4; ++digit, ++at_) {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    uint32_t value = 0;
    if (is_digit(c)) {
      value = static_cast<uint32_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value = static_cast<uint32_t>(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
      value = static_cast<uint32_t>(c - 'A') + 10;
    } else {
      return error("expected four hexadecimal digits after \\u");
    }
    code = code * 16 + value;
  }
  return code;
}

Result<uint64_t> JsonCursor::whole_number(std::string_view what) {
  skip_space();
  const char first = at_ < text_.size() ? text_[at_] : '\0';
  if (first == '-') return error(fmt::format("{} is negative", what));
  if (!is_digit(first))
    return error(fmt::format("expected {} as a whole number, found {}", what, found()));
  size_t end = at_;
  uint64_t value = 0;
  bool fits = true;
  for (; end < text_.size() && is_digit(text_[end]); ++end) {
    const uint64_t digit = static_cast<uint64_t>(text_[end] - '0');
    fits = fits && !__builtin_mul_overflow(value, uint64_t{10}, &value) &&
           !__builtin_add_overflow(value, digit, &value);
  }
  if (end < text_.size() && std::string_view(".eE").find(text_[end]) != std::string_view::npos) {
    return error(fmt::format("{} is not a whole number", what));
  }
  if (first == '0' && end - at_ > 1) return error(fmt::format("{} starts with a zero", what));
  if (!fits) {
    constexpr size_t shown = 40;
    const auto digits = text_.substr(at_, std::min(end - at_, shown));
    return error(
        fmt::format("{} {}{} does not fit 64 bits", what, digits, end - at_ > shown ? "..." : ""));
  }
  at_ = end;
  return value;
}

} // namespace lattice
