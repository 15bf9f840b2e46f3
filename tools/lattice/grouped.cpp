// Numbers for readers. Apart from console.cpp, so that comparing does not need all of it.
#include <fmt/format.h>

#include "tools/lattice/console.h"

namespace lattice::cli {

std::string grouped(int64_t value) {
  std::string digits = fmt::format("{}", value);
  const size_t start = value < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > start + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

} // namespace lattice::cli
