// Is a text valid UTF-8? No decoding beyond that question.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace lattice {

// Position of the first byte that is not part of valid UTF-8 (overlong forms, surrogates and values
// past U+10FFFF are not), or npos when there is none.
inline size_t first_invalid_utf8(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    // Eight ASCII bytes at a time: most of what is read is nothing else.
    uint64_t word = 0;
    while (at + 8 <= text.size()) {
      std::memcpy(&word, text.data() + at, 8);
      if ((word & 0x8080808080808080u) != 0) break;
      at += 8;
    }
    if (at == text.size()) break;
    const auto byte = [&](size_t index) -> uint32_t {
      return at + index < text.size() ? static_cast<unsigned char>(text[at + index]) : 0u;
    };
    const auto follows = [&](size_t index) { return (byte(index) & 0xc0u) == 0x80u; };
    const uint32_t lead = byte(0);
    if (lead < 0x80) {
      at += 1;
    } else if (lead >= 0xc2 && lead <= 0xdf) {
      if (!follows(1)) return at;
      at += 2;
    } else if (lead >= 0xe0 && lead <= 0xef) {
      if (!follows(1) || !follows(2)) return at;
      if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f)) return at;
      at += 3;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
      if (!follows(1) || !follows(2) || !follows(3)) return at;
      if ((lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f)) return at;
      at += 4;
    } else {
      return at;
    }
  }
  return std::string_view::npos;
}

} // namespace lattice
