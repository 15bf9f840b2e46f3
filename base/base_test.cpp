// Facts about base: f16 conversion, checked sizes, tensors, error texts.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/checked.h"
#include "base/f16.h"
#include "base/tensor.h"

namespace lattice {
namespace {

// Every binary16 value survives the way to binary32 and back.
TEST(F16, EveryValueRoundTrips) {
  for (uint32_t half = 0; half <= 0xffffu; ++half) {
    const float wide = f32_from_f16(static_cast<uint16_t>(half));
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(f32_from_f16(f16_from_f32(wide))));
    } else {
      EXPECT_EQ(f16_from_f32(wide), half);
    }
  }
}

// A value half-way between two neighbours goes to the even one, anything beyond to the nearer one.
TEST(F16, RoundsToNearestEven) {
  for (uint32_t half = 0; half < 0x7c00u; ++half) {
    const float low = f32_from_f16(static_cast<uint16_t>(half));
    const float high = half + 1 == 0x7c00u ? 65536.0f : f32_from_f16(static_cast<uint16_t>(half + 1));
    const float middle = low + (high - low) / 2;
    EXPECT_EQ(f16_from_f32(middle), half + (half & 1u));
    EXPECT_EQ(f16_from_f32(std::nextafter(middle, 0.0f)), half);
    EXPECT_EQ(f16_from_f32(std::nextafter(middle, 1e9f)), half + 1);
  }
}

TEST(Checked, ProductThatWrapsIsNothing) {
  EXPECT_FALSE(checked_product(Shape{int64_t{1} << 32, int64_t{1} << 32}));
  EXPECT_FALSE(checked_product(Shape{int64_t{1} << 32, int64_t{1} << 32, 0}));
  EXPECT_FALSE(checked_product(Shape{-1}));
  EXPECT_EQ(checked_product(Shape{}), 1);
  EXPECT_EQ(checked_product(Shape{3, 0, 5}), 0);
}

TEST(TensorMake, RefusesWhatDoesNotFit) {
  const auto tensor = make_tensor(DType::f32, {int64_t{1} << 62});
  ASSERT_FALSE(tensor);
  EXPECT_EQ(tensor.error().code(), Code::memory);
}

TEST(ErrorText, CarriesPlaceAndNotes) {
  const Diagnostic finding{"conv3d: wrong", {"graph.mlir", 31, 12, ""}, {{"defined here", {"graph.mlir", 28, 3, ""}, {}}}};
  EXPECT_EQ(text_of(finding), "graph.mlir:31:12: conv3d: wrong\n  graph.mlir:28:3: note: defined here");
}

}  // namespace
}  // namespace lattice
