// Pieces of MLIR text: literals, types, names. Knows the spelling, not the meaning.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "lattice/tensor.hpp"

namespace lattice::author {

// "0.01", "1.0e-05", "0x7F800000": reads back as exactly this value.
std::string real_text(float value);
std::string real_text(double value);

// "array<i64: 1, 2, 3>", "array<f64: 0.5, 1.0, 2.0>"
std::string triple_text(const Triple& value);
std::string triple_text(const std::array<double, 3>& value);

// With quotes and MLIR's escapes. The text must be valid UTF-8.
std::string string_text(std::string_view text);

// "tensor<?x4xf32>"; -1 becomes "?".
std::string tensor_type(DType dtype, const Shape& shape);
// "!lattice.sparse_tensor<rank = 3, ..., dtype = f32>"
std::string sparse_type(DType dtype);
// "!lattice.weight<conv3d, f32>"
std::string weight_type(std::string_view family, DType dtype);

// The text as a bare identifier: other characters than letters, digits and _ become _, and it
// starts with a letter.
std::string identifier_of(std::string_view text);

} // namespace lattice::author
