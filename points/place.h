// Where in a point file an error was found, short to write.
// The type is the public Location.
#pragma once

#include <string>

#include "base/status.h"

namespace lattice {

// line counts from 1; 0 for binary files, whose messages name bytes instead.
inline Location in_file(std::string file, int64_t line = 0) {
  return {std::move(file), line, 0, {}};
}

} // namespace lattice
