// Facts about clouds and the matrices made from them.
#include <cmath>

#include <gtest/gtest.h>

#include "points/features.h"
#include "points/number.h"
#include "points/test_files.h"

namespace lattice {
namespace {

PointCloud small_cloud() {
  PointCloud cloud;
  cloud.xyz = {636001.76,    848935.25, 406.5,     636001.77, 848935.26,
               std::nan(""), 636003.75, 848934.25, 400.5};
  cloud.columns = {{"i", DType::u16, {0, 65535, 100}},
                   {"r", DType::u8, {255, 0, 51}},
                   {"t", DType::f32, {1, 2, 3}}};
  return cloud;
}

std::vector<float> row_of(const Tensor& matrix, int64_t row) {
  const float* from = matrix.as<float>() + row * matrix.shape[1];
  return {from, from + matrix.shape[1]};
}

// In f32 the grid at 8.5e5 is 1/16 wide: subtracting after rounding would lose the centimetre.
TEST(Features, SubtractTheOriginBeforeRounding) {
  const auto matrix = make_features(small_cloud(), "x, y", {{636001.76, 848935.25, 0}});
  ASSERT_TRUE(matrix) << matrix.error().text();
  EXPECT_EQ(row_of(*matrix, 0), (std::vector<float>{0, 0}));
  EXPECT_EQ(row_of(*matrix, 1), (std::vector<float>{static_cast<float>(636001.77 - 636001.76),
                                                    static_cast<float>(848935.26 - 848935.25)}));
}

TEST(Features, ScaleColoursAndIntensityByType) {
  const auto matrix = make_features(small_cloud(), "i,r,t,one");
  ASSERT_TRUE(matrix) << matrix.error().text();
  EXPECT_EQ(row_of(*matrix, 0), (std::vector<float>{0, 1, 1, 1}));
  EXPECT_EQ(row_of(*matrix, 1), (std::vector<float>{1, 0, 2, 1}));
  FeatureOptions options;
  options.intensity_full = 200;
  options.colour_full = 51;
  EXPECT_EQ(row_of(*make_features(small_cloud(), "i,r", options), 2),
            (std::vector<float>{0.5f, 1}));
}

TEST(Features, OfAnEmptyCloudHaveTheirColumns) {
  const auto matrix = make_features(PointCloud(), "x,y,z,one");
  ASSERT_TRUE(matrix) << matrix.error().text();
  EXPECT_EQ(matrix->shape, (Shape{0, 4}));
}

TEST(Features, NameTheMissingChannel) {
  const std::string text = error_of(make_features(small_cloud(), "x,g"));
  EXPECT_EQ(
      text,
      "channel \"g\" is not in the cloud, which has x, y, z, i, r, t (and one, the constant 1)");
  EXPECT_FALSE(make_features(small_cloud(), ""));
  EXPECT_FALSE(make_features(small_cloud(), "x,"));
  EXPECT_FALSE(make_features(small_cloud(), "x", {{std::nan(""), 0, 0}}));
}

TEST(Origin, IsTheMinimumOrThreeNumbers) {
  EXPECT_EQ(*parse_origin("min", small_cloud()), (Vec3{636001.76, 848934.25, 400.5}));
  EXPECT_EQ(*parse_origin("1, -2.5,3e2", small_cloud()), (Vec3{1, -2.5, 300}));
  EXPECT_EQ(*parse_origin("min", PointCloud()), (Vec3{0, 0, 0}));
  for (const char* bad : {"", "1,2", "1,2,3,4", "1,2,nan", "max", "1;2;3"})
    EXPECT_FALSE(parse_origin(bad, small_cloud())) << bad;
}

TEST(Cloud, DropsWhatIsNotFiniteAndSaysWhatIsLeft) {
  PointCloud cloud = small_cloud();
  EXPECT_EQ(count_not_finite(cloud), 1);
  EXPECT_EQ(error_of(require_finite(cloud, "a.las")).substr(0, 25), "a.las: point row 1 is (63");
  EXPECT_EQ(drop_not_finite(cloud), (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(cloud.size(), 2);
  EXPECT_EQ(cloud.find("i")->values, (std::vector<double>{0, 100}));
  EXPECT_EQ(cloud.xyz[3], 636003.75);
  EXPECT_TRUE(require_finite(cloud));
}

TEST(Numbers, AreReadStrictly) {
  EXPECT_EQ(parse_number("+1.5"), 1.5);
  EXPECT_EQ(parse_number("-inf"), -INFINITY);
  EXPECT_EQ(parse_number("+inf"), INFINITY);
  EXPECT_TRUE(std::isnan(*parse_number("nan")));
  EXPECT_EQ(parse_number("1e-310"), 1e-310);
  for (const char* bad : {"", "+", "-", "+-1", "1,5", "1.5x", "0x10", "1e999", " 1", "--1", "one"})
    EXPECT_FALSE(parse_number(bad)) << bad;
  EXPECT_EQ(parse_count("9223372036854775807"), INT64_MAX);
  for (const char* bad : {"", "-1", "9223372036854775808", "1.0", "+1", "1e3"})
    EXPECT_FALSE(parse_count(bad)) << bad;
  EXPECT_EQ(*parse_as("255", DType::u8), 255);
  EXPECT_FALSE(parse_as("256", DType::u8));
  EXPECT_FALSE(parse_as("1.5", DType::i32));
  EXPECT_FALSE(parse_as("nan", DType::i32));
  EXPECT_EQ(*parse_as("-128", DType::i8), -128);
}

} // namespace
} // namespace lattice
