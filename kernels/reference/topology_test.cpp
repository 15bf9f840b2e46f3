// Facts about supports: what is checked, where errors point, and the order of rows (spec 3 and 4).
#include <gtest/gtest.h>

#include "kernels/reference/plan_under_test.h"

namespace lattice::testing {
namespace {

using Floats = std::vector<float>;

Error made_error(std::vector<Row> coords, Triple stride = {1, 1, 1}, int64_t active = -1) {
  PlanUnderTest test;
  const Floats features = ones(static_cast<int64_t>(coords.size()));
  return test.error_of(test.input(std::move(coords), features, stride, DType::f32, active));
}

bool says(const Error& error, const std::string& text) {
  return error.text().find(text) != std::string::npos;
}

TEST(Supports, DuplicateRowsAreNamed) {
  const Error error = made_error({{0, 1, 1, 1}, {0, 2, 1, 1}, {0, 1, 1, 1}});
  EXPECT_EQ(error.code(), Code::input);
  EXPECT_TRUE(says(error, "rows 0 and 2")) << error.text();
}

TEST(Supports, DuplicateRowsFarApartAreNamed) {
  std::vector<Row> coords;
  for (int32_t i = 0; i < 100000; ++i) coords.push_back({0, i, -i, 3});
  coords.push_back({0, 0, 0, 3});
  EXPECT_TRUE(says(made_error(coords), "rows 0 and 100000"));
}

TEST(Supports, NegativeBatchIsNamed) {
  const Error error = made_error({{3, 0, 0, 0}, {-1, 0, 0, 0}});
  EXPECT_TRUE(says(error, "row 1")) << error.text();
  EXPECT_TRUE(says(error, "-1")) << error.text();
}

TEST(Supports, RowThatDoesNotDivideIsNamed) {
  const Error error = made_error({{0, 2, 0, 0}, {0, 4, 6, -3}}, {2, 2, 2});
  EXPECT_TRUE(says(error, "row 1")) << error.text();
  EXPECT_TRUE(says(error, "z")) << error.text();
}

TEST(Supports, ActiveBeyondTheRowsIsAnError) {
  EXPECT_TRUE(says(made_error({{0, 0, 0, 0}}, {1, 1, 1}, 2), "found 2"));
}

// Rows at and past the active count are ignored, whatever they hold.
TEST(Supports, PaddingRowsAreIgnored) {
  PlanUnderTest test;
  const SparseValue x = test.input({{0, 2, 0, 0}, {0, 2, 0, 0}, {-7, 1, 1, 1}}, {1, 10, 100},
                                   {2, 1, 1}, DType::f32, 1);
  const Rows y = test.rows(x);
  EXPECT_EQ(y.coords, (std::vector<Row>{{0, 2, 0, 0}}));
  EXPECT_EQ(y.values, (Floats{1}));
}

TEST(Supports, TrustedInputsSkipDivisibilityAndUniqueness) {
  PlanUnderTest test;
  test.trusted = true;
  const SparseValue x = test.input({{0, 1, 0, 0}, {0, 1, 0, 0}}, {1, 10}, {2, 1, 1});
  EXPECT_EQ(test.rows(x).coords.size(), 2u);
  PlanUnderTest negative;
  negative.trusted = true;
  EXPECT_TRUE(says(negative.error_of(negative.input({{-1, 0, 0, 0}}, {1})), "batch"));
}

// Generated rows come in the order in which the input's rows first give them.
TEST(Supports, FloorRowsComeInFirstOccurrenceOrder) {
  PlanUnderTest test;
  const SparseValue x =
      test.input({{0, 5, 0, 0}, {0, -1, 0, 0}, {0, 4, 0, 0}, {0, 1, 0, 0}}, ones(4));
  const Rows y =
      test.rows(test.pool3d(x, {{2, 1, 1}, {2, 1, 1}, {0, 0, 0}, {1, 1, 1}}, PoolMode::sum, 1));
  EXPECT_EQ(y.coords, (std::vector<Row>{{0, 4, 0, 0}, {0, -2, 0, 0}, {0, 0, 0, 0}}));
}

// floor(INT32_MIN / 3) * 3 is below int32: an error when the support is built, naming the row.
TEST(Supports, FloorRowBelowInt32IsAnError) {
  PlanUnderTest test;
  const SparseValue x = test.input({{0, 0, 0, 0}, {0, 0, INT32_MIN, 0}}, ones(2));
  const Error error =
      test.error_of(test.pool3d(x, {{1, 3, 1}, {1, 3, 1}, {0, 0, 0}, {1, 1, 1}}, PoolMode::sum, 1));
  EXPECT_TRUE(says(error, "row 1")) << error.text();
  EXPECT_TRUE(says(error, "y leaves int32")) << error.text();
}

TEST(Supports, TransposedRowAboveInt32IsAnError) {
  PlanUnderTest test;
  const SparseValue x = test.input({{0, 0, 0, 0}, {0, 0, 0, INT32_MAX}}, ones(2));
  const KernelShape kernel{{1, 1, 2}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}};
  const SupportId fine = test.transposed_support(x.support, kernel);
  const ValueId y = test.value_on(fine, 1);
  test.step(Pool{x.features, y, test.transposed(fine, x.support, kernel), PoolMode::avg});
  EXPECT_TRUE(says(test.error_of(SparseValue{fine, y}), "row 1"));
}

// A look-up outside int32 finds nothing; it does not come round to the other end.
TEST(Relations, LookUpsOutsideInt32FindNothing) {
  PlanUnderTest test;
  const SparseValue x = test.input({{0, INT32_MAX, 0, 0}, {0, INT32_MIN, 0, 0}}, {1, 10});
  const KernelShape far{{3, 1, 1}, {1, 1, 1}, {0, 0, 0}, {INT32_MAX, 1, 1}};
  const WeightId w = test.weight(WeightFamily::conv3d, {1, 3, 1, 1, 1}, {100, 1, 100});
  EXPECT_EQ(test.rows(test.conv3d(x, far, w, 1)).values, (Floats{1, 10}));
}

TEST(Supports, JoinedRowsKeepTheLeftOrderThenTheRight) {
  PlanUnderTest test;
  const SupportId lhs = test.made({{0, 3, 0, 0}, {0, 1, 0, 0}});
  const SupportId rhs = test.made({{0, 2, 0, 0}, {0, 3, 0, 0}, {0, 0, 0, 0}});
  for (const Join join : {Join::inner, Join::outer}) {
    Support definition;
    definition.rule = SupportRule::joined;
    definition.from = lhs;
    definition.other = rhs;
    definition.join = join;
    const SupportId both = test.support(definition);
    PlanOutput output;
    output.kind = PlanOutput::Kind::integers;
    output.integers = {IntSource::Kind::coords, both};
    test.plan.outputs = {output};
    test.plan.signature.outputs = {OutputInfo{"y", Role::tensor, DType::i32, {-1, 4}, {1, 1, 1}}};
    const Result<Outputs> outputs = test.try_run();
    ASSERT_TRUE(outputs.has_value());
    const Tensor& coords = (*outputs)[0].tensor();
    std::vector<int32_t> x;
    for (int64_t i = 0; i < coords.shape[0]; ++i) x.push_back(coords.as<int32_t>()[4 * i + 1]);
    EXPECT_EQ(x,
              join == Join::inner ? (std::vector<int32_t>{3}) : (std::vector<int32_t>{3, 1, 2, 0}));
  }
}

// Physical coordinates in, physical coordinates out; counts as decompose gives them.
TEST(Supports, DecomposeGivesPhysicalRowsAndTheirCount) {
  PlanUnderTest test;
  const SupportId made = test.made({{1, 4, -6, 9}, {0, 0, 0, 0}}, {2, 3, 1}, 1);
  test.plan.signature.outputs = {OutputInfo{"coords", Role::tensor, DType::i32, {-1, 4}, {1, 1, 1}},
                                 OutputInfo{"active", Role::tensor, DType::i32, {1}, {1, 1, 1}}};
  test.plan.outputs.resize(2);
  test.plan.outputs[0].kind = test.plan.outputs[1].kind = PlanOutput::Kind::integers;
  test.plan.outputs[0].integers = {IntSource::Kind::coords, made};
  test.plan.outputs[1].integers = {IntSource::Kind::count, made};
  const Result<Outputs> outputs = test.try_run();
  ASSERT_TRUE(outputs.has_value());
  const Tensor& coords = (*outputs)[0].tensor();
  EXPECT_EQ(coords.shape, (Shape{1, 4}));
  EXPECT_EQ(std::vector<int32_t>(coords.as<int32_t>(), coords.as<int32_t>() + 4),
            (std::vector<int32_t>{1, 4, -6, 9}));
  EXPECT_EQ((*outputs)[1].tensor().as<int32_t>()[0], 1);
}

} // namespace
} // namespace lattice::testing
