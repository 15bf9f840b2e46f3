// The checks of guard.h that need no tokens. Brackets, numbers and aliases are in
// graph_scanner.cpp.
#include "artifact/guard.h"

#include <fmt/format.h>

#include "artifact/graph_scanner.h"
#include "artifact/imposters.h"
#include "base/utf8.h"

namespace lattice {

Status guard_graph_text(std::string_view text, const std::string& file) {
  const auto refuse = [&](size_t offset, std::string message) {
    const Location where = location_in(text, offset, file);
    return fail(Code::artifact, std::move(message), where);
  };
  if (text.empty()) return refuse(0, "the file is empty, expected MLIR text");
  if (static_cast<int64_t>(text.size()) > GraphLimits::bytes) {
    return fail(
        Code::artifact,
        fmt::format("the graph has {} bytes, the limit is {}", text.size(), GraphLimits::bytes),
        {file, 1, 1, ""});
  }
  if (text.starts_with("ML\xefR")) return refuse(0, "is MLIR bytecode, expected MLIR text");
  if (const auto other = imposter(text.substr(0, 512))) {
    return refuse(0, fmt::format("is {}, expected MLIR text", *other));
  }
  if (text.starts_with("\xef\xbb\xbf"))
    return refuse(0, "starts with a byte order mark, expected plain UTF-8");
  const size_t bad = first_invalid_utf8(text);
  if (const size_t nul = text.find('\0'); nul < bad)
    return refuse(nul, "a NUL byte, expected MLIR text");
  if (bad != std::string_view::npos) {
    return refuse(bad, fmt::format("byte 0x{:02x} is not valid UTF-8",
                                   static_cast<unsigned char>(text[bad])));
  }
  constexpr std::string_view space = " \t\r\n";
  const size_t first = text.find_first_not_of(space);
  if (first == std::string_view::npos)
    return refuse(0, "the file holds only white space, expected MLIR text");
  if (text[first] == '{' || text[first] == '[') {
    const size_t second = text.find_first_not_of(space, first + 1);
    if (second != std::string_view::npos &&
        std::string_view("\"{}]").find(text[second]) != std::string_view::npos) {
      return refuse(first, "is JSON, expected MLIR text that starts with module attributes {...}");
    }
  }
  return GraphScanner(text, file).scan();
}

} // namespace lattice
