// softmax, layer_norm and rms_norm: reductions along a row. They have one order at every vector
// width (docs/numerics.md): element i goes to lane i mod 16, a lane adds its elements in ascending
// order, and the lanes are folded 16 to 8 to 4 to 2 to 1, lane i with lane i + half.
#include <array>
#include <cmath>
#include <limits>

#include "kernels/math.h"
#include "kernels/reference/steps.h"

namespace lattice::reference {

namespace {

// add(lane so far, element) over a row, folded.
template <class Add>
float row_sum(ConstMatrix x, int64_t row, Add add) {
  std::array<float, 16> lanes{};
  for (int64_t col = 0; col < x.cols(); ++col) {
    float& lane = lanes[static_cast<size_t>(col % 16)];
    lane = add(lane, x(row, col));
  }
  for (size_t half = 8; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) lanes[i] = lanes[i] + lanes[i + half];
  }
  return lanes[0];
}

} // namespace

void softmax(ConstMatrix x, Matrix y) {
  for (int64_t row = 0; row < y.rows(); ++row) {
    float largest = -std::numeric_limits<float>::infinity();
    for (int64_t col = 0; col < x.cols(); ++col) largest = math::maximum(largest, x(row, col));
    const float sum =
        row_sum(x, row, [&](float lane, float value) { return lane + math::exp(value - largest); });
    for (int64_t col = 0; col < x.cols(); ++col) {
      y.set(row, col, math::exp(x(row, col) - largest) / sum);
    }
  }
}

void layer_norm(const DenseWeight& scale, const DenseWeight& bias, float eps, ConstMatrix x,
                Matrix y) {
  const float channels = static_cast<float>(x.cols());
  for (int64_t row = 0; row < y.rows(); ++row) {
    const float mean =
        row_sum(x, row, [](float lane, float value) { return lane + value; }) / channels;
    const float variance = row_sum(x, row,
                                   [&](float lane, float value) {
                                     return std::fma(value - mean, value - mean, lane);
                                   }) /
                           channels;
    const float deviation = std::sqrt(variance + eps);
    for (int64_t col = 0; col < x.cols(); ++col) {
      y.set(row, col, std::fma((x(row, col) - mean) / deviation, scale[col], bias[col]));
    }
  }
}

void rms_norm(const DenseWeight& scale, float eps, ConstMatrix x, Matrix y) {
  const float channels = static_cast<float>(x.cols());
  for (int64_t row = 0; row < y.rows(); ++row) {
    const float mean_square =
        row_sum(x, row, [](float lane, float value) { return std::fma(value, value, lane); }) /
        channels;
    const float root = std::sqrt(mean_square + eps);
    for (int64_t col = 0; col < x.cols(); ++col) y.set(row, col, x(row, col) / root * scale[col]);
  }
}

} // namespace lattice::reference
