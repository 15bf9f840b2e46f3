// The JSON header of a safetensors file, read strictly (spec 7). Names, types and ranges only:
// whether the ranges fit the data is judged in safetensors.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "lattice/tensor.hpp"

namespace lattice {

struct HeaderEntry {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  uint64_t begin = 0, end = 0; // bytes of the data, end - begin = what the shape needs
};

struct SafetensorsHeader {
  std::vector<HeaderEntry> entries; // as listed
  std::vector<std::pair<std::string, std::string>> metadata;
};

// The spelling of a dtype in a header ("F32"), and the dtype of a spelling; false for an unknown
// one.
const char* safetensors_name_of(DType dtype);
bool dtype_from_safetensors(std::string_view spelling, DType& dtype);

// `file` names the file in errors. Recursion-free: the grammar of a header is three levels deep and
// anything deeper is refused where it starts.
Result<SafetensorsHeader> parse_safetensors_header(std::string_view text, const std::string& file);

} // namespace lattice
