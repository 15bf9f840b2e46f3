// Facts about voxelize and devoxelize (spec 5), each with its right values.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/reference/plan_under_test.h"

namespace lattice::testing {
namespace {

using Floats = std::vector<float>;

struct Grid {
  std::array<float, 3> size{1, 1, 1};
  std::array<float, 3> origin{0, 0, 0};
  Triple stride{1, 1, 1};
};

SparseValue voxelize(PlanUnderTest& test, Floats points, Floats features, Grid grid,
                     VoxelReduction reduction, std::vector<int32_t> batches = {},
                     int32_t active = -1) {
  const int32_t count = static_cast<int32_t>(points.size() / 3);
  if (batches.empty()) batches.assign(static_cast<size_t>(count), 0);
  Support definition;
  definition.rule = SupportRule::voxels;
  definition.points = test.dense(std::move(points), 3);
  definition.batch_indices = test.integers(batches);
  definition.active = test.integers({active < 0 ? count : active});
  definition.voxel_size = grid.size;
  definition.origin = grid.origin;
  definition.stride = grid.stride;
  const SupportId voxels = test.support(definition);
  const ValueId x = test.dense(std::move(features), 1);
  const ValueId y = test.value_on(voxels, 1);
  test.step(Voxelize{x, y, voxels, reduction}, "voxelize");
  return {voxels, y};
}

TEST(Voxelize, PointsOfOneVoxelAreAveraged) {
  PlanUnderTest test;
  const SparseValue y =
      voxelize(test, {68.9309f, 31.5947f, 0.86f, 69.0586f, 31.4590f, 0.8594f}, {2, 4},
               {{0.32f, 0.32f, 6}, {-74.88f, -74.88f, -2}, {1, 1, 1}}, VoxelReduction::mean);
  const Rows rows = test.rows(y);
  EXPECT_EQ(rows.coords, (std::vector<Row>{{0, 449, 332, 0}}));
  EXPECT_EQ(rows.values, (Floats{3}));
}

// The northing of UTM positions over 1 mm voxels is 4.3e9: beyond int32, never saturated.
TEST(Voxelize, VoxelBeyondInt32NamesRowAndAxis) {
  PlanUnderTest test;
  const Floats points{0, 0, 0, 289814.2f, 4320978.6f, 170.8f};
  const Error error = test.error_of(voxelize(
      test, points, {1, 1}, {{0.001f, 0.001f, 0.001f}, {}, {1, 1, 1}}, VoxelReduction::sum));
  EXPECT_NE(error.text().find("row 1"), std::string::npos) << error.text();
  EXPECT_NE(error.text().find("y ="), std::string::npos) << error.text();
}

TEST(Voxelize, FarPositionsFollowTheF32Rule) {
  PlanUnderTest test;
  const Floats points{289814.2f, 4320978.6f, 170.8f, 289815.2f, 4320978.6f, 170.8f};
  const Rows rows = test.rows(
      voxelize(test, points, {1, 2}, {{0.1f, 0.1f, 0.1f}, {}, {1, 1, 1}}, VoxelReduction::sum));
  ASSERT_EQ(rows.coords.size(), 2u);
  for (size_t axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(rows.coords[0][axis + 1], static_cast<int32_t>(std::floor(points[axis] / 0.1f)));
  }
}

// Physical = index times stride must fit as well.
TEST(Voxelize, PhysicalCoordinateBeyondInt32IsAnError) {
  PlanUnderTest test;
  const Error error = test.error_of(
      voxelize(test, {0, 0, 1.5e9f}, {1}, {{1, 1, 1}, {}, {1, 1, 2}}, VoxelReduction::sum));
  EXPECT_NE(error.text().find("z ="), std::string::npos) << error.text();
}

TEST(Voxelize, PointThatIsNotFiniteIsRefused) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  for (const float bad : {nan, inf, -inf, 1e30f}) {
    PlanUnderTest test;
    const Error error =
        test.error_of(voxelize(test, {0, 0, 0, bad, 0, 0}, {1, 2},
                               {{0.5f, 0.5f, 0.5f}, {}, {1, 1, 1}}, VoxelReduction::sum));
    EXPECT_NE(error.text().find("row 1 has x"), std::string::npos) << error.text();
  }
}

TEST(Voxelize, PointsPastTheActiveOnesAreIgnored) {
  PlanUnderTest test;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Rows rows =
      test.rows(voxelize(test, {0, 0, 0, 1, 1, 1, nan, 0, 0}, {1, 4, 16},
                         {{0.5f, 0.5f, 0.5f}, {}, {1, 1, 1}}, VoxelReduction::sum, {0, 0, -5}, 2));
  EXPECT_EQ(rows.coords, (std::vector<Row>{{0, 0, 0, 0}, {0, 2, 2, 2}}));
  EXPECT_EQ(rows.values, (Floats{1, 4}));
}

TEST(Voxelize, FloorsNegativePositionsAndMultipliesByTheStride) {
  PlanUnderTest test;
  const Rows rows = test.rows(
      voxelize(test, {-0.5f, 2.5f, 0}, {1}, {{1, 1, 1}, {}, {2, 4, 1}}, VoxelReduction::sum, {3}));
  EXPECT_EQ(rows.coords, (std::vector<Row>{{3, -2, 8, 0}}));
  EXPECT_EQ(rows.stride, (Triple{2, 4, 1}));
}

TEST(Voxelize, NegativeBatchIsRefused) {
  PlanUnderTest test;
  const Error error = test.error_of(voxelize(test, {0, 0, 0}, {1}, {}, VoxelReduction::sum, {-1}));
  EXPECT_NE(error.text().find("batch index: row 0"), std::string::npos) << error.text();
}

TEST(Voxelize, NoPointsGiveNoVoxels) {
  PlanUnderTest test;
  EXPECT_EQ(test.rows(voxelize(test, {}, {}, {}, VoxelReduction::mean)).coords.size(), 0u);
}

Floats devoxelize(Floats points, std::vector<Row> voxels, Floats features,
                  PointInterpolation interpolation, int32_t active = -1,
                  Triple stride = {1, 1, 1}) {
  PlanUnderTest test;
  const int32_t count = static_cast<int32_t>(points.size() / 3);
  const SparseValue x = test.input(std::move(voxels), std::move(features), stride);
  PointMap map;
  map.points = test.dense(std::move(points), 3);
  map.voxels = x.support;
  map.batch_indices = test.integers(std::vector<int32_t>(static_cast<size_t>(count), 0));
  map.active = test.integers({active < 0 ? count : active});
  map.interpolation = interpolation;
  const PointMapId id = test.point_map(map);
  const ValueId y = test.value(Extent::fixed(count), 1);
  test.step(Devoxelize{x.features, y, id});
  return test.values(y);
}

// nearest is floor(position + 0.5): halves go up, so a point may not read the voxel it fell into.
TEST(Devoxelize, NearestRoundsHalvesUp) {
  const std::vector<Row> voxels{{0, 0, 0, 0}, {0, 1, 0, 0}, {0, -1, 0, 0}};
  const Floats points{0.4f, 0, 0, 0.5f, 0, 0, -0.5f, 0, 0, -0.6f, 0, 0, 7, 0, 0};
  EXPECT_EQ(devoxelize(points, voxels, {1, 10, 100}, PointInterpolation::nearest),
            (Floats{1, 10, 1, 100, 0}));
}

// Absent corners contribute nothing and nothing is renormalized.
TEST(Devoxelize, LinearWeighsTheCornersThatExist) {
  const std::vector<Row> voxels{{0, 0, 0, 0}, {0, 0, 0, 1}, {0, 1, 0, 0}};
  const Floats points{0.25f, 0, 0.5f, 0, 0.75f, 0, -0.5f, 0, 0};
  EXPECT_EQ(devoxelize(points, voxels, {8, 16, 32}, PointInterpolation::linear),
            (Floats{0.75f * 0.5f * 8 + 0.75f * 0.5f * 16 + 0.25f * 0.5f * 32, 2, 4}));
}

// Indices are logical: the stride of the voxels plays no part.
TEST(Devoxelize, StrideOfTheVoxelsPlaysNoPart) {
  EXPECT_EQ(devoxelize({3, 0, 0}, {{0, 12, 0, 0}}, {5}, PointInterpolation::nearest, -1, {4, 4, 4}),
            (Floats{5}));
}

TEST(Devoxelize, PointsPastTheActiveOnesAreZero) {
  EXPECT_EQ(devoxelize({0, 0, 0, 0, 0, 0}, {{0, 0, 0, 0}}, {5}, PointInterpolation::nearest, 1),
            (Floats{5, 0}));
}

TEST(Devoxelize, VoxelOutsideInt32IsAbsent) {
  for (const PointInterpolation interpolation :
       {PointInterpolation::nearest, PointInterpolation::linear}) {
    EXPECT_EQ(devoxelize({3e38f, 0, 0, -3e9f, 0, 0, 2147483648.0f, 0, 0},
                         {{0, INT32_MAX, 0, 0}, {0, INT32_MIN, 0, 0}}, {1, 2}, interpolation),
              (Floats{0, 0, 0}));
  }
}

TEST(Devoxelize, PointThatIsNotFiniteIsRefused) {
  PlanUnderTest test;
  const SparseValue x = test.input({{0, 0, 0, 0}}, {1});
  PointMap map;
  map.points = test.dense({0, 0, 0, 0, std::numeric_limits<float>::quiet_NaN(), 0}, 3);
  map.voxels = x.support;
  map.batch_indices = test.integers({0, 0});
  map.active = test.integers({2});
  const PointMapId id = test.point_map(map);
  const ValueId y = test.value(Extent::fixed(2), 1);
  test.step(Devoxelize{x.features, y, id});
  EXPECT_NE(test.error_of(y).text().find("row 1 has y"), std::string::npos);
}

// Points that the graph computes open another topology phase after that computation.
TEST(Voxelize, ComputedPointsAreVoxelizedInALaterPhase) {
  PlanUnderTest test;
  const ValueId raw = test.dense({0.6f, 1.4f, -0.2f, 2.5f, 0, 0}, 3);
  const ValueId points = test.value(Extent::fixed(2), 3);
  test.step(Elementwise{raw, points, ElementwiseKind::round});
  Support definition;
  definition.rule = SupportRule::voxels;
  definition.points = points;
  definition.batch_indices = test.integers({0, 0});
  definition.active = test.integers({2});
  definition.phase = 1;
  const SupportId voxels = test.support(definition);
  const ValueId y = test.value_on(voxels, 1);
  test.step(Voxelize{test.dense({1, 10}, 1), y, voxels, VoxelReduction::sum});
  const Rows rows = test.rows({voxels, y});
  EXPECT_EQ(rows.coords, (std::vector<Row>{{0, 1, 1, 0}, {0, 2, 0, 0}}));
  EXPECT_EQ(rows.values, (Floats{1, 10}));
}

} // namespace
} // namespace lattice::testing
