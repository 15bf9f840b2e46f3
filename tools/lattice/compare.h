// Results of a run against the results a file expects. Decides nothing about exit codes or
// printing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "artifact/safetensors.h"
#include "lattice/lattice.hpp"

namespace lattice::cli {

using lattice::text_of;

struct Tolerance {
  double relative = 1e-4;
  double absolute = 1e-5;
};

// The element that misses its tolerance by most.
struct WorstElement {
  std::vector<int64_t> index;                       // dense: of the element; sparse: (channel)
  std::optional<std::array<int32_t, 4>> coordinate; // sparse: batch, x, y, z
  double got = 0;
  double expected = 0;
};

struct Mismatch {
  std::string key;     // of the expected file: "y" or "y.features"
  std::string message; // "(3, 4) values, expected (3, 5)"
  std::optional<WorstElement> worst;
  int64_t over = 0;  // elements over the tolerance
  int64_t total = 0; // elements compared
};

struct Comparison {
  std::vector<Mismatch> mismatches; // empty: all is as expected
  int64_t values = 0;               // float and integer elements compared
  double largest_difference = 0;    // of finite elements
};

// Dense outputs have the exact shape and order. Sparse ones are matched by coordinate: the sets and
// the count of active rows are exact. A float passes if |got - expected| <= absolute + relative *
// |expected|; NaN equals NaN and an infinity itself; integers are exact. A key of the file that is
// no output, and an output the file lacks, are mismatches.
Comparison compare(const Outputs& outputs, const SafetensorsFile& expected,
                   const Tolerance& tolerance);

// "y.features: 3 of 1,200 elements over the tolerance; worst: channel 4 of (0, 1, 2, 3) is ...,
// expected ..."
std::string text_of(const Mismatch& mismatch);

} // namespace lattice::cli
