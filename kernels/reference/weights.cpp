// Widening and unpacking of weights.h.
#include "kernels/reference/weights.h"

#include <cmath>

#include <fmt/format.h>

#include "kernels/reference/matrix.h"

namespace lattice::reference {

namespace {

std::vector<float> widened(const TensorView& view) {
  const int64_t count = elements_of(view.shape);
  const ConstMatrix flat(view.data, 1, count, view.dtype);
  std::vector<float> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) values[static_cast<size_t>(i)] = flat(0, i);
  return values;
}

// Code `index` of a row of packed words: lowest bits first.
uint32_t code_at(const TensorView& words, int64_t first_word, int64_t word_step, int64_t index,
                 int32_t bits) {
  const int64_t per_word = 32 / bits;
  const uint32_t word = load_at<uint32_t>(words.data, first_word + index / per_word * word_step);
  return (word >> (index % per_word * bits)) & ((1u << bits) - 1);
}

Result<DenseWeight> unpacked(const Weight& weight) {
  const Shape& shape = weight.data.shape;
  if (shape.size() != 3 || weight.scales.shape.size() != 3 || weight.group_size <= 0 ||
      (weight.bits != 4 && weight.bits != 8)) {
    return fail(Code::internal, fmt::format("packed weight of shape {}", text_of(shape)),
                weight.where);
  }
  // Pointwise: (1, O, words) with scales (1, O, G). Spatial: (K, words, O) with scales (K, G, O).
  const bool pointwise = weight.family == WeightFamily::linear || shape[0] == 1;
  const int64_t words = pointwise ? shape[2] : shape[1];
  const int64_t groups = pointwise ? weight.scales.shape[2] : weight.scales.shape[1];
  DenseWeight dense;
  dense.kernel_rows = shape[0];
  dense.out = pointwise ? shape[1] : shape[2];
  dense.in = words * (32 / weight.bits);
  const std::vector<float> scales = widened(weight.scales);
  const std::vector<float> biases = widened(weight.biases);
  dense.values.reserve(static_cast<size_t>(dense.out * dense.kernel_rows * dense.in));
  for (int64_t o = 0; o < dense.out; ++o) {
    for (int64_t k = 0; k < dense.kernel_rows; ++k) {
      for (int64_t i = 0; i < dense.in; ++i) {
        const int64_t group = i / weight.group_size;
        const int64_t first = pointwise ? o * words : k * words * dense.out + o;
        const int64_t scale = pointwise ? o * groups + group : (k * groups + group) * dense.out + o;
        const uint32_t code =
            code_at(weight.data, first, pointwise ? 1 : dense.out, i, weight.bits);
        dense.values.push_back(std::fma(scales[static_cast<size_t>(scale)],
                                        static_cast<float>(code),
                                        biases[static_cast<size_t>(scale)]));
      }
    }
  }
  return dense;
}

} // namespace

Result<DenseWeight> dense_weight(const Weight& weight) {
  if (weight.bits != 0) return unpacked(weight);
  const Shape& shape = weight.data.shape;
  DenseWeight dense;
  dense.out = shape.empty() ? 0 : shape.front();
  dense.in = shape.size() < 2 ? 1 : shape.back();
  for (size_t axis = 1; axis + 1 < shape.size(); ++axis) dense.kernel_rows *= shape[axis];
  dense.values = widened(weight.data);
  return dense;
}

} // namespace lattice::reference
