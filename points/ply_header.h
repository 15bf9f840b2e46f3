// The header of a .ply: its byte order, and what each element's rows are made of.
// The rows themselves are read by read_ply.cpp.
#pragma once

#include <string>
#include <vector>

#include "points/number.h"

namespace lattice {

struct PlyProperty {
  std::string name;
  DType type = DType::f32; // of the value, or of each value of a list
  bool is_list = false;    // a count, then that many values
  DType count_type = DType::u8;
};

struct PlyElement {
  std::string name;
  int64_t count = 0;
  std::vector<PlyProperty> properties;

  bool has_list() const;
  // Bytes of a binary row, lists taken as empty.
  int64_t least_bytes() const;
};

enum class PlyForm { ascii, little_endian, big_endian };

struct PlyHeader {
  PlyForm form = PlyForm::ascii;
  std::vector<PlyElement> elements;
  size_t data_offset = 0; // byte after the line end_header
  int64_t lines = 0;      // of the header, for line numbers in messages
};

Result<PlyHeader> read_ply_header(Bytes bytes, const std::string& file);

} // namespace lattice
