// Weights as int8 or int4 codes with a scale and a bias per group of input channels: the packed
// layouts of the format (spec 5). Choosing bits and groups is the caller's.
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"
#include "lattice/tensor.hpp"

namespace lattice::author {

// For kernel volume 1 and linear: codes (1, O, Ipacked), scales and biases (1, O, G).
// Else, with K kernel rows:       codes (K, Ipacked, O), scales and biases (K, G, O).
struct PackedWeight {
  Tensor codes; // u32: 4 or 8 codes a word, lowest bits first, along input channels padded to whole
                // groups
  Tensor scales; // scale_dtype
  Tensor biases;
};

// `shape` is (O, I) or (Cout, Kx, Ky, Kz, Cin), `data` its numbers, which must be finite. bits 4 or
// 8, group_size 32, 64 or 128, scale_dtype f16 or f32. value = scale * code + bias; bias is the
// smallest value of the group rounded down, scale the smallest that reaches the largest value, so
// no value is off by more than half a scale. A group of equal numbers may have scale 0. `data` is
// only read.
Result<PackedWeight> quantize_affine(const Shape& shape, std::span<const float> data, int bits,
                                     int64_t group_size, DType scale_dtype);

// The numbers that a packed weight stands for, in the order of quantize_affine's `data`.
Result<Tensor> dequantize_affine(const PackedWeight& weight, const Shape& shape, int bits,
                                 int64_t group_size);

} // namespace lattice::author
