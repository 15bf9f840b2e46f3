// Facts about the math of spec 5: errors against long double over all of f32, and the special
// values.
#include "kernels/math.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace lattice {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// Distance in units of the last place that binary32 has at `truth`.
double ulps(float got, long double truth) {
  if (std::isnan(got)) return std::isnan(truth) ? 0.0 : 1e30;
  if (std::isinf(got)) {
    // Beyond the largest float by half a unit, infinity is the right answer.
    const bool beyond = std::fabs(truth) >= 0x1.ffffffp127L && (truth > 0) == (got > 0);
    return beyond ? 0.0 : 1e30;
  }
  int exponent = 0;
  std::frexp(truth, &exponent);
  const long double unit = std::ldexp(1.0L, std::max(exponent, -125) - 24);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - truth) / unit);
}

// The largest error over every 769th float: all signs and exponents, subnormals included.
template <class Function, class Truth>
void expect_within_two_ulps(const char* name, Function function, Truth truth, uint32_t first = 0,
                            uint32_t last = 0xffffffffu) {
  double worst = 0;
  float worst_at = 0;
  for (uint64_t bits = first; bits <= last; bits += 769) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (std::isnan(x)) continue;
    const double error = ulps(function(x), truth(static_cast<long double>(x)));
    if (error > worst) {
      worst = error;
      worst_at = x;
    }
  }
  EXPECT_LE(worst, 2.0) << name << " at " << worst_at;
  ::testing::Test::RecordProperty(name, std::to_string(worst));
}

TEST(Math, ExpIsWithinTwoUlps) {
  expect_within_two_ulps(
      "exp", [](float x) { return math::exp(x); }, [](long double x) { return std::exp(x); });
}

TEST(Math, TanhIsWithinTwoUlps) {
  expect_within_two_ulps(
      "tanh", [](float x) { return math::tanh(x); }, [](long double x) { return std::tanh(x); });
}

TEST(Math, ErfIsWithinTwoUlps) {
  expect_within_two_ulps(
      "erf", [](float x) { return math::erf(x); }, [](long double x) { return std::erf(x); });
}

TEST(Math, SigmoidIsWithinTwoUlps) {
  expect_within_two_ulps(
      "sigmoid", [](float x) { return math::sigmoid(x); },
      [](long double x) { return 1 / (1 + std::exp(-x)); });
}

TEST(Math, Log1pIsWithinTwoUlpsOnTheUnitInterval) {
  expect_within_two_ulps(
      "log1p", [](float x) { return math::log1p_unit(x); },
      [](long double x) { return std::log1p(x); }, 0, std::bit_cast<uint32_t>(1.0f));
}

// Finite wherever the true value is: no overflow on the way, whatever beta and threshold (spec 5).
TEST(Math, SoftplusIsFiniteWhereTheTrueValueIs) {
  EXPECT_EQ(math::softplus(500.0f, 1.0f, 1000.0f), 500.0f);
  EXPECT_EQ(math::softplus(3.0e38f, 1.0f, 3.2e38f), 3.0e38f);
  EXPECT_EQ(math::softplus(3.0e38f, 8.0f, 20.0f), 3.0e38f); // beta * x overflows
  EXPECT_GT(math::softplus(-100.0f, 1.0f, 20.0f), 0.0f);    // subnormal, not flushed
  EXPECT_EQ(math::softplus(-3.0e38f, 8.0f, 20.0f), 0.0f);
  EXPECT_NEAR(math::softplus(0.0f, 2.0f, 20.0f), 0.34657359f, 1e-7f);
}

TEST(Math, SoftplusIsTheArgumentAboveTheThreshold) {
  EXPECT_EQ(math::softplus(1.0f, 3.0f, 2.0f), 1.0f);
  EXPECT_NE(math::softplus(1.0f, 2.0f, 2.0f), 1.0f); // equal is not above
}

TEST(Math, InfinitiesHaveTheirLimits) {
  EXPECT_EQ(math::exp(infinity), infinity);
  EXPECT_EQ(math::exp(-infinity), 0.0f);
  EXPECT_EQ(math::tanh(infinity), 1.0f);
  EXPECT_EQ(math::tanh(-infinity), -1.0f);
  EXPECT_EQ(math::erf(infinity), 1.0f);
  EXPECT_EQ(math::erf(-infinity), -1.0f);
  EXPECT_EQ(math::sigmoid(infinity), 1.0f);
  EXPECT_EQ(math::sigmoid(-infinity), 0.0f);
}

TEST(Math, NaNGoesThroughEveryFunction) {
  for (const float x : {nan, -nan}) {
    EXPECT_TRUE(std::isnan(math::exp(x)));
    EXPECT_TRUE(std::isnan(math::log1p_unit(x)));
    EXPECT_TRUE(std::isnan(math::tanh(x)));
    EXPECT_TRUE(std::isnan(math::erf(x)));
    EXPECT_TRUE(std::isnan(math::sigmoid(x)));
    EXPECT_TRUE(std::isnan(math::round_half_even(x)));
    EXPECT_TRUE(std::isnan(math::relu(x)));
    EXPECT_TRUE(std::isnan(math::silu(x)));
    EXPECT_TRUE(std::isnan(math::leaky_relu(x, 0.1f)));
    EXPECT_TRUE(std::isnan(math::gelu(x)));
    EXPECT_TRUE(std::isnan(math::gelu_tanh(x)));
    EXPECT_TRUE(std::isnan(math::gelu_fast(x)));
    EXPECT_TRUE(std::isnan(math::softplus(x, 1.0f, 20.0f)));
    EXPECT_TRUE(std::isnan(math::maximum(x, 1.0f)));
    EXPECT_TRUE(std::isnan(math::maximum(1.0f, x)));
    EXPECT_TRUE(std::isnan(math::minimum(x, 1.0f)));
    EXPECT_TRUE(std::isnan(math::minimum(1.0f, x)));
  }
}

// -0 < +0 in maximum, minimum and relu (spec 5).
TEST(Math, MinusZeroIsBelowZero) {
  EXPECT_FALSE(std::signbit(math::maximum(-0.0f, 0.0f)));
  EXPECT_FALSE(std::signbit(math::maximum(0.0f, -0.0f)));
  EXPECT_TRUE(std::signbit(math::maximum(-0.0f, -0.0f)));
  EXPECT_TRUE(std::signbit(math::minimum(-0.0f, 0.0f)));
  EXPECT_TRUE(std::signbit(math::minimum(0.0f, -0.0f)));
  EXPECT_FALSE(std::signbit(math::relu(-0.0f)));
}

TEST(Math, RoundGoesToTheEvenInteger) {
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += 4099) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (std::isnan(x)) continue;
    ASSERT_EQ(std::bit_cast<uint32_t>(math::round_half_even(x)),
              std::bit_cast<uint32_t>(std::nearbyint(x)))
        << x;
  }
  EXPECT_EQ(math::round_half_even(2.5f), 2.0f);
  EXPECT_EQ(math::round_half_even(-3.5f), -4.0f);
}

// The smallest results are subnormal, not 0.
TEST(Math, SubnormalsAreNotFlushed) {
  EXPECT_GT(math::exp(-103.0f), 0.0f);
  EXPECT_EQ(math::tanh(1e-42f), 1e-42f);
  EXPECT_GT(math::sigmoid(-100.0f), 0.0f);
}

} // namespace
} // namespace lattice
