// Packed weights: how far a number may move, and where everything stands.
#include "author/quantize.h"

#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "author/random.h"
#include "base/f16.h"

namespace lattice::author {
namespace {

float number(const Tensor& tensor, int64_t index) {
  return tensor.dtype == DType::f32 ? tensor.as<float>()[index]
                                    : f32_from_f16(tensor.as<uint16_t>()[index]);
}

std::vector<float> random_numbers(size_t count, double scale, double shift) {
  Random random(7, "numbers");
  std::vector<float> data(count);
  for (float& value : data) value = static_cast<float>(random.normal() * scale + shift);
  return data;
}

class Error : public ::testing::TestWithParam<std::tuple<int, int64_t, DType, Shape>> {};

TEST_P(Error, IsAtMostHalfAScale) {
  const auto& [bits, group_size, dtype, shape] = GetParam();
  size_t elements = 1;
  for (const int64_t dim : shape) elements *= static_cast<size_t>(dim);
  for (const double shift : {0.0, 3.0, -200.0}) {
    const auto data = random_numbers(elements, 0.3, shift);
    const auto packed = quantize_affine(shape, data, bits, group_size, dtype);
    ASSERT_TRUE(packed) << packed.error().text();
    const auto back = dequantize_affine(*packed, shape, bits, group_size);
    ASSERT_TRUE(back);
    float largest_scale = 0;
    int64_t scales = 1;
    for (const int64_t dim : packed->scales.shape) scales *= dim;
    for (int64_t i = 0; i < scales; ++i)
      largest_scale = std::max(largest_scale, number(packed->scales, i));
    // Numbers within 3.5 * 0.3 of the shift; f16 rounds bias and scale outwards by at most 2^-10 of
    // them.
    EXPECT_LT(largest_scale, (2.1 + std::abs(shift) * 0x1p-9) / ((1 << bits) - 1) * 1.01);
    for (size_t i = 0; i < elements; ++i) {
      EXPECT_LE(std::abs(back->as<float>()[i] - data[i]),
                0.5001f * largest_scale + std::abs(data[i]) * 0x1p-22f);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Error,
                         ::testing::Combine(::testing::Values(4, 8), ::testing::Values(32, 64, 128),
                                            ::testing::Values(DType::f16, DType::f32),
                                            ::testing::Values(Shape{3, 7}, Shape{5, 130},
                                                              Shape{4, 3, 1, 2, 33},
                                                              Shape{6, 1, 1, 1, 64})));

// Pointwise: (1, O, ...). Spatial: (K, ..., O). Codes lie along the input channels, lowest bits
// first.
TEST(Layout, PointwiseAndSpatial) {
  std::vector<float> data(96);
  for (size_t i = 0; i < 66; ++i) data[i] = static_cast<float>(i % 33);
  const auto first = std::span(data).first(66);
  const auto linear = quantize_affine({2, 33}, first, 8, 32, DType::f32).value();
  EXPECT_EQ(linear.codes.shape, (Shape{1, 2, 16}));
  EXPECT_EQ(linear.scales.shape, (Shape{1, 2, 2}));
  // The first group holds 0..31: code = 255 * value / 31.
  EXPECT_EQ(linear.codes.as<uint32_t>()[0], 0u | 8u << 8 | 16u << 16 | 25u << 24);
  // The second holds 32 alone, with nothing but padding after it.
  EXPECT_EQ(linear.codes.as<uint32_t>()[8], 0u);
  EXPECT_EQ(number(linear.biases, 1), 32.0f);
  EXPECT_EQ(number(linear.scales, 1), 0.0f);

  const auto pointwise = quantize_affine({2, 1, 1, 1, 33}, first, 8, 32, DType::f32).value();
  EXPECT_EQ(pointwise.codes.shape, (Shape{1, 2, 16}));

  for (size_t i = 0; i < 96; ++i) data[i] = static_cast<float>(i % 16);
  const auto spatial = quantize_affine({3, 2, 1, 1, 16}, data, 4, 32, DType::f32).value();
  EXPECT_EQ(spatial.codes.shape, (Shape{2, 4, 3}));
  EXPECT_EQ(spatial.scales.shape, (Shape{2, 1, 3}));
  // Output 1, kernel row 1: 0..15 with scale 1, sixteen codes in two of its four words.
  EXPECT_EQ(number(spatial.scales, 1 * 3 + 1), 1.0f);
  EXPECT_EQ(spatial.codes.as<uint32_t>()[(1 * 4 + 0) * 3 + 1], 0x76543210u);
  EXPECT_EQ(spatial.codes.as<uint32_t>()[(1 * 4 + 1) * 3 + 1], 0xfedcba98u);
  EXPECT_EQ(spatial.codes.as<uint32_t>()[(1 * 4 + 2) * 3 + 1], 0u);
}

TEST(Groups, OfEqualNumbersAreExactAndFinite) {
  for (const float value : {0.0f, 1.5f, -0.1f, 1e-7f}) {
    const std::vector<float> data(64, value);
    for (const DType dtype : {DType::f16, DType::f32}) {
      const auto packed = quantize_affine({1, 64}, data, 4, 64, dtype).value();
      EXPECT_TRUE(std::isfinite(number(packed.scales, 0)) &&
                  std::isfinite(number(packed.biases, 0)));
      const auto back = dequantize_affine(packed, {1, 64}, 4, 64).value();
      EXPECT_NEAR(back.as<float>()[5], value, std::abs(value) * 1e-4f + 6e-8f);
    }
  }
  // Zeros, as of a pruned channel, stay zeros.
  const std::vector<float> zeros(32, 0.0f);
  const auto packed = quantize_affine({1, 32}, zeros, 8, 32, DType::f16).value();
  EXPECT_EQ(number(packed.scales, 0), 0.0f);
  EXPECT_EQ(dequantize_affine(packed, {1, 32}, 8, 32)->as<float>()[31], 0.0f);
}

TEST(Input, IsOnlyReadAndMustBeFinite) {
  auto data = random_numbers(64, 1, 0);
  const auto copy = data;
  ASSERT_TRUE(quantize_affine({2, 32}, data, 8, 32, DType::f16));
  EXPECT_EQ(data, copy);
  data[40] = std::numeric_limits<float>::quiet_NaN();
  const auto refused = quantize_affine({2, 32}, data, 8, 32, DType::f16);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("element 40 is not finite"), std::string::npos);
  data[40] = 1e30f;
  EXPECT_FALSE(quantize_affine({2, 32}, data, 8, 32, DType::f16));
  EXPECT_TRUE(quantize_affine({2, 32}, data, 8, 32, DType::f32));
  EXPECT_FALSE(quantize_affine({2, 32}, data, 8, 48, DType::f16));
  EXPECT_FALSE(quantize_affine({64}, data, 8, 32, DType::f16));
}

} // namespace
} // namespace lattice::author
