// Seeded random numbers for weights: integer arithmetic and exact products only, so that every
// platform makes the same bits. Not for anything that needs good statistics in the tails.
#pragma once

#include <cstdint>
#include <string_view>

namespace lattice::author {

// splitmix64, started from a seed and a name: what is drawn for one weight does not depend on
// others.
class Random {
 public:
  Random(uint64_t seed, std::string_view name) {
    uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    state_ = mix(seed ^ mix(hash));
  }

  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    return mix(state_);
  }

  // Uniform in [low, high).
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53);
  }

  // Bell-shaped, mean 0 and deviation 1, within 3.5: the sum of four 16-bit uniforms.
  double normal() {
    const uint64_t bits = next();
    int64_t sum = 0;
    for (int part = 0; part < 4; ++part)
      sum += static_cast<int64_t>((bits >> (16 * part)) & 0xffffu);
    return static_cast<double>(2 * sum - 4 * 65535) * deviation;
  }

 private:
  static constexpr double deviation = 0x1.bb67ae8584caap-17; // sqrt(3) / 65536 / 2
  static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  uint64_t state_;
};

} // namespace lattice::author
