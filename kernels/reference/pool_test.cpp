// Facts about pooling, upsampling and global pools (spec 5), each with its right values.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/reference/plan_under_test.h"

namespace lattice::testing {
namespace {

using Floats = std::vector<float>;

const KernelShape k2s2{{2, 2, 2}, {2, 2, 2}, {0, 0, 0}, {1, 1, 1}};

TEST(Pool, WideGridKeepsItsCoordinates) {
  PlanUnderTest test;
  const SparseValue x =
      test.input({{0, 65535, 0, 0}, {0, 65534, 0, 0}, {0, 0, 65535, 0}}, {1, 2, 3});
  const Rows y = test.rows(test.pool3d(x, k2s2, PoolMode::max, 1));
  EXPECT_EQ(y.coords, (std::vector<Row>{{0, 65534, 0, 0}, {0, 0, 65534, 0}}));
  EXPECT_EQ(y.values, (Floats{2, 3}));
  EXPECT_EQ(y.stride, (Triple{2, 2, 2}));
}

// A window without any input is 0 in every mode: no 0/0, no -inf.
TEST(Pool, RowWithoutEdgesIsZero) {
  for (const PoolMode mode : {PoolMode::sum, PoolMode::avg, PoolMode::max}) {
    PlanUnderTest test;
    const SparseValue x = test.input({{0, 1, 0, 0}}, {-7});
    const Rows y = test.rows(test.pool3d(x, {{1, 1, 1}, {2, 2, 2}, {0, 0, 0}, {1, 1, 1}}, mode, 1));
    EXPECT_EQ(y.coords, (std::vector<Row>{{0, 0, 0, 0}}));
    EXPECT_EQ(y.values, (Floats{0}));
  }
}

// Absent rows take no part: the maximum of negative values is negative.
TEST(Pool, MaximumOfNegativeValuesIsNegative) {
  for (const DType dtype : {DType::f32, DType::f16}) {
    PlanUnderTest test;
    const SparseValue x =
        test.input({{0, 0, 0, 0}, {0, 1, 0, 0}}, {-5, -1, -3, -2}, {1, 1, 1}, dtype);
    EXPECT_EQ(test.rows(test.pool3d(x, k2s2, PoolMode::max, 2, dtype)).values, (Floats{-3, -1}));
    const BatchesId batches = test.batches(x.support, -1, true);
    const ValueId y = test.value(Extent::of_batches(batches), 2, dtype);
    test.step(GlobalPool{x.features, y, batches, PoolMode::max});
    EXPECT_EQ(test.values(y), (Floats{-3, -1}));
  }
}

TEST(Pool, NaNGoesThroughTheMaximum) {
  PlanUnderTest test;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const SparseValue x = test.input({{0, 0, 0, 0}, {0, 1, 0, 0}}, {nan, 1, 1, nan});
  for (const float value : test.rows(test.pool3d(x, k2s2, PoolMode::max, 2)).values)
    EXPECT_TRUE(std::isnan(value));
}

TEST(Pool, AverageDividesByTheEdgesPresent) {
  PlanUnderTest test;
  const SparseValue x = test.input({{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 2, 0, 0}}, {1, 4, 8});
  EXPECT_EQ(test.rows(test.pool3d(x, k2s2, PoolMode::avg, 1)).values, (Floats{2.5f, 8}));
}

// pool_transpose3d: the average of the inputs that reach an output; unmatched targets are 0.
TEST(Pool, TransposedAveragesWhatReachesARow) {
  PlanUnderTest test;
  const SparseValue x = test.input({{0, 0, 0, 0}, {0, 2, 0, 0}}, {1, 5}, {2, 1, 1});
  const KernelShape kernel{{3, 1, 1}, {2, 1, 1}, {0, 0, 0}, {1, 1, 1}};
  const SupportId fine = test.transposed_support(x.support, kernel);
  const ValueId y = test.value_on(fine, 1);
  test.step(Pool{x.features, y, test.transposed(fine, x.support, kernel), PoolMode::avg});
  const Rows rows = test.rows({fine, y});
  EXPECT_EQ(
      rows.coords,
      (std::vector<Row>{{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 2, 0, 0}, {0, 3, 0, 0}, {0, 4, 0, 0}}));
  EXPECT_EQ(rows.values, (Floats{1, 1, 3, 5, 5}));
  const SupportId target = test.made({{0, 9, 0, 0}, {0, 2, 0, 0}});
  const ValueId onto = test.value_on(target, 1);
  test.step(Pool{x.features, onto, test.transposed(target, x.support, kernel), PoolMode::avg});
  EXPECT_EQ(test.rows({target, onto}).values, (Floats{0, 3}));
}

// One voxel of 6 at stride 2: every output has this one neighbour, so num / den is 6 everywhere.
TEST(TrilinearUpsample, SpreadsOneVoxel) {
  PlanUnderTest test;
  const SparseValue x = test.input({{0, 0, 0, 0}, {0, 2, 0, 0}}, {6, 12}, {2, 1, 1});
  const KernelShape kernel{{3, 1, 1}, {2, 1, 1}, {1, 0, 0}, {1, 1, 1}};
  const SupportId fine = test.transposed_support(x.support, kernel);
  const ValueId y = test.value_on(fine, 1);
  test.step(TrilinearUpsample{x.features, y, test.transposed(fine, x.support, kernel), {2, 1, 1}});
  const std::map<Row, float> rows = test.rows({fine, y}).by_coord();
  EXPECT_EQ(rows, (std::map<Row, float>{{{0, -1, 0, 0}, 6},
                                        {{0, 0, 0, 0}, 6},
                                        {{0, 1, 0, 0}, 9},
                                        {{0, 2, 0, 0}, 12},
                                        {{0, 3, 0, 0}, 12}}));
}

// Weight of index i on an axis is 1 - |i - (s-1)| / s.
TEST(TrilinearUpsample, WeighsByDistance) {
  PlanUnderTest test;
  const SparseValue x = test.input({{0, 0, 0, 0}, {0, 4, 0, 0}}, {0, 8}, {4, 1, 1});
  const KernelShape kernel{{7, 1, 1}, {4, 1, 1}, {3, 0, 0}, {1, 1, 1}};
  const SupportId target = test.made({{0, 1, 0, 0}, {0, 3, 0, 0}, {0, 100, 0, 0}});
  const ValueId y = test.value_on(target, 1);
  test.step(
      TrilinearUpsample{x.features, y, test.transposed(target, x.support, kernel), {4, 1, 1}});
  EXPECT_EQ(test.rows({target, y}).values, (Floats{2, 6, 0}));
}

Result<Outputs> global(PlanUnderTest& test, SparseValue x, int64_t batch_size, PoolMode mode) {
  const BatchesId batches = test.batches(x.support, batch_size, mode == PoolMode::max);
  const ValueId y = test.value(Extent::of_batches(batches), 1);
  test.step(GlobalPool{x.features, y, batches, mode});
  test.plan.outputs = {PlanOutput{PlanOutput::Kind::tensor, y, {}, no_id}};
  test.plan.signature.outputs = {OutputInfo{"y", Role::tensor, DType::f32, {-1, 1}, {1, 1, 1}}};
  return test.try_run();
}

TEST(GlobalPool, BatchBeyondBatchSizeIsAnError) {
  PlanUnderTest test;
  const SparseValue x = test.input({{0, 0, 0, 0}, {1, 0, 0, 0}}, {1, 2});
  const Result<Outputs> outputs = global(test, x, 1, PoolMode::sum);
  ASSERT_FALSE(outputs.has_value());
  EXPECT_NE(outputs.error().text().find("row 1"), std::string::npos) << outputs.error().text();
}

TEST(GlobalPool, NoRowsGiveZeroRowsForEachBatch) {
  for (const PoolMode mode : {PoolMode::sum, PoolMode::avg}) {
    PlanUnderTest test;
    const Result<Outputs> outputs = global(test, test.input({}, {}), 2, mode);
    ASSERT_TRUE(outputs.has_value());
    EXPECT_EQ((*outputs)[0].tensor().shape, (Shape{2, 1}));
    EXPECT_EQ((*outputs)[0].tensor().as<float>()[1], 0.0f);
  }
}

TEST(GlobalPool, InferredBatchCountOfNoRowsIsZero) {
  PlanUnderTest test;
  const Result<Outputs> outputs = global(test, test.input({}, {}), -1, PoolMode::sum);
  ASSERT_TRUE(outputs.has_value());
  EXPECT_EQ((*outputs)[0].tensor().shape, (Shape{0, 1}));
}

TEST(GlobalPool, EmptyBatchHasNoMaximum) {
  PlanUnderTest test;
  const SparseValue x = test.input({{0, 0, 0, 0}, {2, 0, 0, 0}}, {1, 2});
  const Result<Outputs> outputs = global(test, x, -1, PoolMode::max);
  ASSERT_FALSE(outputs.has_value());
  EXPECT_NE(outputs.error().text().find("batch 1"), std::string::npos);
}

// Blocks of 256 rows in ascending (x, y, z): the order of the rows cannot be seen.
TEST(GlobalPool, SumDoesNotDependOnRowOrder) {
  const int32_t count = 1000;
  const Floats features = random_values(count, 3);
  float expected = 0;
  for (size_t block = 0; block < features.size(); block += 256) {
    float part = 0;
    for (size_t i = block; i < std::min(features.size(), block + 256); ++i) part += features[i];
    expected += part;
  }
  for (const int32_t step : {1, 7, 333}) {
    std::vector<Row> coords;
    Floats shuffled;
    for (int32_t i = 0; i < count; ++i) {
      const int32_t x = static_cast<int32_t>(int64_t{i} * step % count);
      coords.push_back({0, x - 500, 0, 0});
      shuffled.push_back(features[static_cast<size_t>(x)]);
    }
    PlanUnderTest test;
    const Result<Outputs> outputs = global(test, test.input(coords, shuffled), 1, PoolMode::sum);
    ASSERT_TRUE(outputs.has_value());
    EXPECT_EQ((*outputs)[0].tensor().as<float>()[0], expected);
  }
}

} // namespace
} // namespace lattice::testing
