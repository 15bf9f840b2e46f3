// Facts about running plans on the reference device: limits, stops, sizes, inputs left alone.
#include <gtest/gtest.h>

#include "kernels/reference/plan_under_test.h"

namespace lattice::testing {
namespace {

struct Net {
  PlanUnderTest test;
  SparseValue y;

  explicit Net(int32_t rows, int64_t channels = 4) {
    std::vector<Row> coords;
    for (int32_t i = 0; i < rows; ++i) coords.push_back({0, i % 10, i / 10 % 10, i / 100});
    const SparseValue x =
        rows == 0 ? test.input({}, {}) : test.input(coords, random_values(rows * channels, 1));
    const int64_t in = rows == 0 ? 1 : channels;
    const WeightId w =
        test.weight(WeightFamily::conv3d, {3, 3, 3, 3, in}, random_values(81 * in, 2));
    y = test.conv3d(x, {{3, 3, 3}, {2, 2, 2}, {0, 0, 0}, {1, 1, 1}}, w, 3);
  }
};

TEST(ReferenceDevice, EmptyRunsDoNotChangeTheNextOne) {
  const auto run = [](int32_t rows) {
    Net net(rows);
    return net.test.rows(net.y).values;
  };
  const std::vector<float> first = run(1000);
  EXPECT_TRUE(run(0).empty());
  EXPECT_EQ(run(1000), first);
}

TEST(ReferenceDevice, InputsMayStartAtAnyAddress) {
  Net aligned(100), odd(100);
  odd.test.unaligned = true;
  EXPECT_EQ(odd.test.rows(odd.y).values, aligned.test.rows(aligned.y).values);
}

TEST(ReferenceDevice, ResultOverTheMemoryLimitIsAnError) {
  Net net(1000);
  net.test.rows(net.y);
  RunControl control;
  RunReport report;
  ASSERT_TRUE(net.test.try_run(control, &report).has_value());
  control.max_memory = report.peak_bytes / 4;
  const Result<Outputs> outputs = net.test.try_run(control);
  ASSERT_FALSE(outputs.has_value());
  EXPECT_EQ(outputs.error().code(), Code::memory);
  control.max_memory = report.peak_bytes;
  EXPECT_TRUE(net.test.try_run(control).has_value());
}

// A kernel as large as the format allows: the table is refused, not attempted.
TEST(ReferenceDevice, RelationThatFitsNoMemoryIsRefused) {
  PlanUnderTest test;
  const SparseValue x = test.input({{0, 0, 0, 0}}, {1});
  const int64_t huge = INT32_MAX;
  const SparseValue y =
      test.pool3d(x, {{huge, huge, huge}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}}, PoolMode::sum, 1);
  EXPECT_EQ(test.error_of(y).code(), Code::memory);
}

TEST(ReferenceDevice, StopEndsTheRun) {
  Net net(10);
  net.test.rows(net.y);
  const std::atomic<bool> stop{true};
  RunControl control;
  control.stop = &stop;
  const Result<Outputs> outputs = net.test.try_run(control);
  ASSERT_FALSE(outputs.has_value());
  EXPECT_EQ(outputs.error().code(), Code::interrupted);
}

TEST(ReferenceDevice, SizesThatOnlyARunKnowsAreChecked) {
  PlanUnderTest test;
  const SparseValue x = test.input({{0, 0, 0, 0}, {0, 1, 0, 0}}, {1, 2});
  const ValueId given = test.dense({1, 2, 3}, 1);
  const int32_t argument = test.plan.values[static_cast<size_t>(given)].argument;
  const ValueId y = test.value_on(x.support, 1);
  test.step(ToSupportRows{given, y}, "sparse.with_features");
  SizeCheck check;
  check.found = Extent::of_argument(argument, 0);
  check.expected = Extent::of_support(x.support);
  check.or_expected = Extent::fixed(5);
  check.what = "with_features: rows of the features";
  test.plan.checks = {check};
  EXPECT_EQ(test.error_of(SparseValue{x.support, y}).text(),
            "with_features: rows of the features: found 3, expected 2 or 5");
  test.plan.checks[0].or_expected = Extent::fixed(3);
  EXPECT_EQ(test.rows({x.support, y}).values, (std::vector<float>{1, 2}));
}

TEST(ReferenceDevice, ReportCountsPairsAndWork) {
  Net net(1000);
  net.test.rows(net.y);
  RunControl control;
  control.profile_steps = true;
  RunReport report;
  ASSERT_TRUE(net.test.try_run(control, &report).has_value());
  ASSERT_EQ(report.steps.size(), 2u);
  EXPECT_EQ(report.voxels, 1000);
  EXPECT_EQ(report.pairs, 14 * 14 * 14); // per axis 5 outputs with 3 taps, the first with 2
  EXPECT_DOUBLE_EQ(report.gflop, 2e-9 * 14 * 14 * 14 * 4 * 3);
  EXPECT_EQ(report.steps[1].kernel, "reference");
}

// 20,000 rows through a 27-row relation: seconds, not minutes.
TEST(ReferenceDevice, ManyRowsTakeLinearTime) {
  std::vector<Row> coords;
  for (int32_t i = 0; i < 20000; ++i)
    coords.push_back({0, i % 100, i / 100 % 20, i / 2000 * 1000003});
  PlanUnderTest test;
  const SparseValue x = test.input(coords, ones(20000));
  const Rows y =
      test.rows(test.pool3d(x, {{3, 3, 3}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}}, PoolMode::sum, 1));
  double sum = 0;
  for (const float value : y.values) sum += value;
  EXPECT_EQ(sum, 10.0 * (3 * 100 - 2) * (3 * 20 - 2));
}

} // namespace
} // namespace lattice::testing
