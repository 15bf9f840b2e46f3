// Arithmetic that says when it does not fit, for sizes that come from outside.
#pragma once

#include <cstdint>
#include <optional>

namespace lattice {

// The largest size along any axis of a value but the first, whose memory grows with it only where there are rows:
// sums and products of a few such sizes stay far within 64 bits.
inline constexpr int64_t most_channels = (int64_t{1} << 31) - 1;

// a * b, or nothing if either is negative or the product leaves int64.
inline std::optional<int64_t> checked_mul(int64_t a, int64_t b) {
  int64_t product = 0;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// a + b, or nothing if the sum leaves int64.
inline std::optional<int64_t> checked_add(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

// Product of all dimensions, or nothing if one is negative or the product leaves int64.
template <class Dims>
std::optional<int64_t> checked_product(const Dims& dims) {
  // A zero anywhere makes the product zero, but only if the others are sane on their own.
  int64_t product = 1;
  bool zero = false;
  for (const int64_t dim : dims) {
    if (dim < 0) return std::nullopt;
    if (dim == 0) {
      zero = true;
      continue;
    }
    const auto next = checked_mul(product, dim);
    if (!next) return std::nullopt;
    product = *next;
  }
  return zero ? 0 : product;
}

}  // namespace lattice
