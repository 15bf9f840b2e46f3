// Case folders: an artifact with inputs and answers, listed by a manifest. Reading and comparing only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "artifact/safetensors.h"
#include "lattice/lattice.hpp"

namespace lattice::cases {

struct Case {
  std::string name;
  std::filesystem::path folder;
  double rtol = 0, atol = 0;  // run cases
  std::string stage, reason;  // refusals
};

// The folders below `root`, in the order of its manifest.json. Throws when it cannot be read.
std::vector<Case> list(const std::filesystem::path& root);

SafetensorsFile open(const std::filesystem::path& file);
Inputs inputs_of(const SafetensorsFile& file);

// Empty when the outputs hold what `expected` says: rows of sparse outputs are matched by coordinate.
std::string difference(const Outputs& outputs, const SafetensorsFile& expected, double rtol, double atol);

// Empty when both are the same bits in the same order; any NaN equals any other.
std::string bit_difference(const Outputs& a, const Outputs& b);

}  // namespace lattice::cases
