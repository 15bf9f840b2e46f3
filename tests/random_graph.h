// Random graphs of the dialect with random inputs, drawn from a source of numbers: a seed in tests, bytes in a
// fuzzer. Every graph drawn is valid; what it computes, the two devices must agree on.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "lattice/lattice.hpp"

namespace lattice::cases {

// Whole numbers below a bound: from a generator, or from bytes until they run out (then 0).
class Draw {
 public:
  explicit Draw(uint64_t seed) : generator_(seed), from_bytes_(false) {}
  explicit Draw(std::span<const uint8_t> bytes) : bytes_(bytes), from_bytes_(true) {}

  int64_t below(int64_t bound);                            // 0 .. bound-1
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  bool chance(int64_t percent) { return below(100) < percent; }
  float value();                                           // a small number of either sign, sometimes 0

 private:
  std::mt19937_64 generator_;
  std::span<const uint8_t> bytes_;
  size_t used_ = 0;
  bool from_bytes_;
};

struct RandomCase {
  std::string graph;                 // text
  std::vector<std::byte> weights;    // safetensors bytes
  std::vector<int32_t> coords;       // (N, 4), padding rows hold garbage
  std::vector<float> features;       // (N, channels) before rounding to the input's type
  std::vector<uint16_t> half;        // the same as f16, when the input is f16
  int32_t active = 0;
  int64_t channels = 0;
  DType dtype = DType::f32;
  std::string what;                  // the operations, for messages

  Inputs inputs() const;
};

RandomCase draw_case(Draw& draw);

}  // namespace lattice::cases
