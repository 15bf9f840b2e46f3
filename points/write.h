// Clouds and matrices to files other programs read: .ply and .npy. Pictures are in png.h.
// Every file is written whole or not at all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "lattice/tensor.hpp"

namespace lattice {

// One more f32 property: the value of point k is values[k * step].
struct PlyColumn {
  std::string name; // a single word, unlike any other property's
  std::span<const float> values;
  int64_t step = 1;
};

// What goes into a .ply: N positions, and what else is there.
struct PlyPoints {
  std::span<const double> xyz;      // 3 N
  std::span<const uint8_t> rgb;     // 3 N: red green blue, or empty
  std::span<const int32_t> labels;  // N, or empty
  std::string label_name = "label"; // of the property the labels become; a single word
  std::vector<PlyColumn> columns;   // each with a value for every point
  bool double_positions = false;    // f64 in the file; else rounded to f32
};

// Binary little-endian.
Status write_ply(const std::string& path, const PlyPoints& points);

// f32, f16, f64, i32, i64 or u8 of any shape, in C order.
Status write_npy(const std::string& path, const TensorView& tensor);

} // namespace lattice
