// The results of a run as a file, as JSON and as lines to read.
#pragma once

#include <filesystem>
#include <string>

#include "lattice/lattice.hpp"
#include "tools/lattice/console.h"

namespace lattice::cli {

using lattice::text_of;

// Keys as in the format: NAME, or NAME.coords, NAME.features and NAME.active. All or nothing.
Status write_outputs(const std::filesystem::path& path, const Outputs& outputs);

// {"name", "kind", "dtype", "shape", "min", "max", "mean", "nan"}, and "stride" for sparse ones.
Json json_of(const Output& output);
// "logits    (14014, 19) f32 sparse, stride (1, 1, 1)   min -1.2  max 3.4  mean 0.1"
std::string text_of(const Output& output);

// Voxels, pairs, times and memory.
Json json_of(const RunReport& report, const std::string& device);
std::string text_of(const RunReport& report, const std::string& device);

} // namespace lattice::cli
