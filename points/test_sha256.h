// SHA-256, for tests that compare with published checksums.
// Included by tests only; nothing in the library needs it.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace lattice {

// The first 32 bits of the fractional part of a root of a prime: the algorithm's constants by their
// definition. 80-bit arithmetic has bits to spare.
inline std::vector<uint32_t> root_bits(int count, bool cube) {
  std::vector<uint32_t> bits;
  for (int candidate = 2; static_cast<int>(bits.size()) < count; ++candidate) {
    bool prime = true;
    for (int d = 2; d * d <= candidate; ++d) prime = prime && candidate % d != 0;
    if (!prime) continue;
    const long double root = cube ? std::cbrt(static_cast<long double>(candidate))
                                  : std::sqrt(static_cast<long double>(candidate));
    bits.push_back(static_cast<uint32_t>((root - std::floor(root)) * 4294967296.0L));
  }
  return bits;
}

inline std::string sha256(const void* data, size_t size) {
  static const std::vector<uint32_t> k = root_bits(64, true);
  std::vector<uint32_t> h = root_bits(8, false);
  std::vector<uint8_t> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  bytes.push_back(0x80);
  while (bytes.size() % 64 != 56) bytes.push_back(0);
  for (int shift = 56; shift >= 0; shift -= 8)
    bytes.push_back(static_cast<uint8_t>(uint64_t{size} * 8 >> shift));
  for (size_t block = 0; block < bytes.size(); block += 64) {
    std::array<uint32_t, 64> w{};
    for (size_t i = 0; i < 64; ++i) {
      if (i < 16) {
        for (size_t b = 0; b < 4; ++b) w[i] = w[i] << 8 | bytes[block + i * 4 + b];
        continue;
      }
      const uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
      const uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    std::vector<uint32_t> v = h; // a to h
    for (size_t i = 0; i < 64; ++i) {
      const uint32_t s1 = std::rotr(v[4], 6) ^ std::rotr(v[4], 11) ^ std::rotr(v[4], 25);
      const uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
      const uint32_t s0 = std::rotr(v[0], 2) ^ std::rotr(v[0], 13) ^ std::rotr(v[0], 22);
      const uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
      v = {t1 + t2, v[0], v[1], v[2], v[3] + t1, v[4], v[5], v[6]};
    }
    for (size_t i = 0; i < 8; ++i) h[i] += v[i];
  }
  std::string text;
  for (const uint32_t word : h) text += fmt::format("{:08x}", word);
  return text;
}

} // namespace lattice
