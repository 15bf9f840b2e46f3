// The header of a .pcd: fields, number of points, and how the data are stored.
// The data are read by read_pcd.cpp.
#pragma once

#include <string>
#include <vector>

#include "points/number.h"

namespace lattice {

struct PcdField {
  std::string name;
  DType type = DType::f32;
  int64_t count = 1;  // values a point; padding ("_") and descriptors have more than one
  int64_t offset = 0; // of its first byte in a point
  int64_t bytes() const { return size_of(type) * count; }
};

enum class PcdForm { ascii, binary, binary_compressed };

struct PcdHeader {
  std::vector<PcdField> fields;
  int64_t points = 0;
  int64_t point_bytes = 0;
  int64_t point_values = 0;
  PcdForm form = PcdForm::ascii;
  size_t data_offset = 0; // byte after the line DATA
  int64_t lines = 0;
};

Result<PcdHeader> read_pcd_header(Bytes bytes, const std::string& file);

} // namespace lattice
