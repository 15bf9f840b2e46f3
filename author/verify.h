// Is an artifact directory valid? Asked of the loader itself, so that what the builder writes is
// what a program can load.
#pragma once

#include <filesystem>

#include "base/status.h"

namespace lattice::author {

// Everything that `lattice verify` would say, as one error.
Status verify_artifact(const std::filesystem::path& directory);

} // namespace lattice::author
