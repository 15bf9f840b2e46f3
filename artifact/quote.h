// Names out of a file as they appear in messages: quoted, printable and of bounded length.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/utf8.h"

namespace lattice {

// At most about `longest` bytes of `name`, whole characters. Control characters, and every byte
// past ASCII of a name that is not UTF-8, as \xNN.
inline std::string printable(std::string_view name, size_t longest = 100) {
  const size_t size = name.size();
  if (size > longest) {
    size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0u) == 0x80u) --end;
    name = name.substr(0, end);
  }
  const bool utf8 = first_invalid_utf8(name) == std::string_view::npos;
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || (byte > 0x7f && !utf8)) {
      text += fmt::format("\\x{:02x}", byte);
    } else {
      text += c;
    }
  }
  if (size > longest) text += fmt::format("... ({} bytes)", size);
  return text;
}

inline std::string quote(std::string_view name) { return '"' + printable(name) + '"'; }

} // namespace lattice
