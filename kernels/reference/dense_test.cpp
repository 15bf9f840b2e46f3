// Facts about alignments, row-wise operations, look-ups and packed weights (spec 5).
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/math.h"
#include "kernels/reference/plan_under_test.h"

namespace lattice::testing {
namespace {

using Floats = std::vector<float>;

const float nan = std::numeric_limits<float>::quiet_NaN();

// ----------------------------------------------------------------------------------------
// alignments

struct TwoSides {
  PlanUnderTest test;
  SparseValue lhs = test.input({{0, 0, 0, 0}, {0, 1, 0, 0}}, {1, 2});
  SparseValue rhs = test.input({{0, 1, 0, 0}, {0, 2, 0, 0}}, {10, 20});

  SupportId joined(Join join) {
    if (join == Join::left) return lhs.support;
    if (join == Join::right) return rhs.support;
    Support definition;
    definition.rule = SupportRule::joined;
    definition.from = lhs.support;
    definition.other = rhs.support;
    definition.join = join;
    return test.support(definition);
  }
  Floats binary(Join join, BinaryOp op, float lhs_fill, float rhs_fill) {
    const SupportId both = joined(join);
    Binary step;
    step.lhs = lhs.features;
    step.rhs = rhs.features;
    step.y = test.value_on(both, 1);
    step.lhs_relation = test.alignment(lhs.support, both);
    step.rhs_relation = test.alignment(rhs.support, both);
    step.op = op;
    step.lhs_fill = lhs_fill;
    step.rhs_fill = rhs_fill;
    test.step(step);
    return test.rows({both, step.y}).values;
  }
};

TEST(Binary, JoinsByCoordinate) {
  EXPECT_EQ(TwoSides().binary(Join::inner, BinaryOp::sub, 0, 0), (Floats{-8}));
  EXPECT_EQ(TwoSides().binary(Join::left, BinaryOp::sub, 0, 100), (Floats{-99, -8}));
  EXPECT_EQ(TwoSides().binary(Join::right, BinaryOp::mul, 7, 0), (Floats{20, 140}));
  EXPECT_EQ(TwoSides().binary(Join::outer, BinaryOp::maximum, 50, 3), (Floats{3, 10, 50}));
  EXPECT_EQ(TwoSides().binary(Join::outer, BinaryOp::minimum, 50, 3), (Floats{1, 2, 20}));
}

// A missing row is exactly its fill: NaN elsewhere does not reach it.
TEST(Reindex, MissingRowsAreTheFill) {
  PlanUnderTest test;
  const SparseValue x = test.input({{0, 0, 0, 0}, {0, 1, 0, 0}}, {nan, 2});
  const SupportId target = test.made({{0, 5, 0, 0}, {0, 1, 0, 0}});
  const ValueId y = test.value_on(target, 1);
  test.step(Reindex{x.features, y, test.alignment(x.support, target), -3.5f});
  EXPECT_EQ(test.rows({target, y}).values, (Floats{-3.5f, 2}));
}

TEST(Cat, LeftChannelsComeFirst) {
  TwoSides sides;
  const SupportId both = sides.joined(Join::outer);
  const ValueId y = sides.test.value_on(both, 2);
  sides.test.step(Cat{sides.lhs.features, sides.rhs.features, y,
                      sides.test.alignment(sides.lhs.support, both),
                      sides.test.alignment(sides.rhs.support, both)});
  EXPECT_EQ(sides.test.rows({both, y}).values, (Floats{1, 0, 2, 10, 0, 20}));
}

// -------------------------------------------------------------------------------------------
// row-wise

WeightId channel(PlanUnderTest& test, Floats values) {
  const int64_t count = static_cast<int64_t>(values.size());
  return test.weight(WeightFamily::channel, {count}, values);
}

Floats batch_norm(Floats x, float scale, float bias, float mean, float var, float eps) {
  PlanUnderTest test;
  EpilogueOp op;
  op.kind = EpilogueOp::Kind::batch_norm;
  op.scale = channel(test, {scale});
  op.bias = channel(test, {bias});
  op.mean = channel(test, {mean});
  op.var = channel(test, {var});
  op.eps = eps;
  const ValueId in = test.dense(std::move(x), 1);
  const ValueId y =
      test.value(Extent::of_argument(test.plan.values[static_cast<size_t>(in)].argument, 0), 1);
  test.step(RowwiseOp{in, y, op});
  return test.values(y);
}

// Detection networks keep eps 1e-3; 1e-5 would give 9.995004.
TEST(BatchNorm, UsesTheEpsilonOfTheGraph) {
  EXPECT_NEAR(batch_norm({1}, 1, 0, 0, 0.01f, 1e-3f)[0], 9.534626f, 1e-6f);
}

TEST(BatchNorm, IsScaleAndShift) {
  const float s = 3.0f / std::sqrt(4.0f + 0.5f);
  const float t = std::fma(-2.0f, s, 0.25f);
  EXPECT_EQ(batch_norm({5, -1}, 3, 0.25f, 2, 4, 0.5f),
            (Floats{std::fma(5.0f, s, t), std::fma(-1.0f, s, t)}));
}

TEST(LayerNorm, OneChannelIsTheBias) {
  PlanUnderTest test;
  const ValueId y = test.value(Extent::fixed(1), 1);
  test.step(LayerNorm{test.dense({5}, 1), y, channel(test, {2}), channel(test, {0.5f}), 1e-5f});
  EXPECT_EQ(test.values(y), (Floats{0.5f}));
}

// Rows far from zero: the mean is taken away before squares are summed.
TEST(LayerNorm, SurvivesALargeOffset) {
  PlanUnderTest test;
  const ValueId y = test.value(Extent::fixed(1), 2);
  test.step(LayerNorm{test.dense({100001, 100003}, 2), y, channel(test, {1, 1}),
                      channel(test, {0, 0}), 1e-12f});
  EXPECT_EQ(test.values(y), (Floats{-1, 1}));
}

// docs/numerics.md: element i in lane i mod 16, lanes folded in halves.
TEST(RmsNorm, SumsInSixteenLanes) {
  const int64_t channels = 37;
  const Floats x = random_values(channels, 1);
  std::array<float, 16> lanes{};
  for (size_t i = 0; i < x.size(); ++i) lanes[i % 16] = std::fma(x[i], x[i], lanes[i % 16]);
  for (size_t half = 8; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  const float root = std::sqrt(lanes[0] / 37.0f + 0.25f);
  PlanUnderTest test;
  const ValueId y = test.value(Extent::fixed(1), channels);
  test.step(RmsNorm{test.dense(x, channels), y, channel(test, Floats(37, 2.0f)), 0.25f});
  const Floats values = test.values(y);
  for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(values[i], x[i] / root * 2.0f);
}

TEST(Softmax, RowsSumToOneWithoutOverflow) {
  PlanUnderTest test;
  const ValueId y = test.value(Extent::fixed(2), 2);
  test.step(Softmax{test.dense({1000, 1000, -1000, 0}, 2), y});
  EXPECT_EQ(test.values(y), (Floats{0.5f, 0.5f, 0, 1}));
}

TEST(Elementwise, RoundsHalvesToEven) {
  PlanUnderTest test;
  const ValueId y = test.value(Extent::fixed(1), 5);
  test.step(
      Elementwise{test.dense({0.5f, 1.5f, 2.5f, -0.5f, -1.5f}, 5), y, ElementwiseKind::round});
  EXPECT_EQ(test.values(y), (Floats{0, 2, 2, -0.0f, -2}));
}

float activated(EpilogueOp op, float x) {
  PlanUnderTest test;
  const ValueId y = test.value(Extent::fixed(1), 1);
  test.step(RowwiseOp{test.dense({x}, 1), y, op});
  return test.values(y)[0];
}

TEST(Activation, FollowsItsFormula) {
  const auto kind = [](ActivationKind which) {
    EpilogueOp op;
    op.activation = which;
    return op;
  };
  EXPECT_EQ(activated(kind(ActivationKind::relu), -2), 0.0f);
  EXPECT_NEAR(activated(kind(ActivationKind::sigmoid), 1), 0.7310586f, 1e-7f);
  EXPECT_NEAR(activated(kind(ActivationKind::silu), 1), 0.7310586f, 1e-7f);
  EXPECT_NEAR(activated(kind(ActivationKind::tanh), 1), 0.7615942f, 1e-7f);
  EpilogueOp op = kind(ActivationKind::leaky_relu);
  op.alpha = 0.25f;
  EXPECT_EQ(activated(op, -2), -0.5f);
  op = kind(ActivationKind::softplus);
  op.beta = 3;
  op.threshold = 2;
  EXPECT_EQ(activated(op, 1), 1.0f);
  EXPECT_NEAR(activated(op, 0.5f), 0.5671378f, 1e-6f);
  op = kind(ActivationKind::gelu);
  EXPECT_NEAR(activated(op, 1), 0.8413447f, 1e-6f);
  op.approximate = GeluApprox::precise;
  EXPECT_NEAR(activated(op, 1), 0.8413447f, 1e-6f);
  op.approximate = GeluApprox::tanh;
  EXPECT_NEAR(activated(op, 1), 0.8411920f, 1e-6f);
  op.approximate = GeluApprox::fast;
  EXPECT_NEAR(activated(op, 1), 0.8457958f, 1e-6f);
}

// -------------------------------------------------------------------------------------------
// look-ups

TEST(EmbeddingLookup, TakesRowsOfTheTable) {
  PlanUnderTest test;
  const WeightId table =
      test.weight(WeightFamily::embedding, {3, 2}, {1, 2, 3, 4, 5, 6}, DType::f16);
  const ValueId y = test.value(Extent::fixed(3), 2);
  test.step(EmbeddingLookup{test.integers({2, 0, 2}), table, y});
  EXPECT_EQ(test.values(y), (Floats{5, 6, 1, 2, 5, 6}));
}

TEST(EmbeddingLookup, IndexOutsideTheTableNamesItsRow) {
  for (const int32_t bad : {3, -1}) {
    PlanUnderTest test;
    const WeightId table = test.weight(WeightFamily::embedding, {3, 1}, {1, 2, 3});
    const ValueId y = test.value(Extent::fixed(2), 1);
    test.step(EmbeddingLookup{test.integers({0, bad}), table, y});
    EXPECT_NE(test.error_of(y).text().find("row 1"), std::string::npos);
  }
}

// ------------------------------------------------------------------------------------- packed
// weights

// Lowest bits first along input channels; value = scale * code + bias.
TEST(PackedWeights, PointwiseCodesLieAlongTheInput) {
  PlanUnderTest test;
  const ValueId x = test.dense({1, 10, 100}, 3);
  std::vector<uint32_t> codes(2 * 8, 0xffffffffu); // padding codes are ignored
  codes[0] = 0xff030201u;
  codes[8] = 0xff060504u;
  const WeightId w =
      test.packed(WeightFamily::linear, 8, 32, {1, 2, 8}, codes, {1, 2, 1}, {1, 0.5f}, {0, 1});
  const ValueId y = test.value(Extent::fixed(1), 2);
  test.step(RowsMatmul{x, y, w, no_id, {}});
  EXPECT_EQ(test.values(y), (Floats{321, 3 + 35 + 400}));
}

// Spatial weights are (kernel row, words, out): here int4, two kernel rows.
TEST(PackedWeights, SpatialCodesLieAcrossTheOutputs) {
  PlanUnderTest test;
  const SparseValue x = test.input({{0, 0, 0, 0}, {0, 1, 0, 0}}, {1, 10, 100, 1000});
  std::vector<uint32_t> codes(2 * 4 * 3, 0);
  const auto put = [&](size_t row, size_t out, uint32_t word) { codes[row * 12 + out] = word; };
  put(0, 0, 0x21);
  put(0, 1, 0x43);
  put(0, 2, 0x65);
  put(1, 0, 0x87);
  put(1, 1, 0xa9);
  put(1, 2, 0xcb);
  const WeightId w = test.packed(WeightFamily::conv3d, 4, 32, {2, 4, 3}, codes, {2, 1, 3},
                                 {1, 1, 1, 1, 1, 2}, {0, 0, 0, 0, 0, 1});
  const Rows y = test.rows(test.conv3d(x, {{2, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}}, w, 3));
  EXPECT_EQ(y.values, (Floats{21 + 8700, 43 + 10900, 65 + 2300 + 25000, 2100, 4300, 6500}));
}

// A pruned channel: scale 0 and bias 0 give exactly 0, whatever the codes.
TEST(PackedWeights, ZeroScaleGivesZero) {
  PlanUnderTest test;
  const ValueId x = test.dense({1, 10, 100}, 3);
  const WeightId w = test.packed(WeightFamily::linear, 8, 32, {1, 1, 8},
                                 std::vector<uint32_t>(8, 0xffffffffu), {1, 1, 1}, {0}, {0});
  const ValueId y = test.value(Extent::fixed(1), 1);
  test.step(RowsMatmul{x, y, w, no_id, {}});
  EXPECT_EQ(test.values(y), (Floats{0}));
}

// Each group of input channels has its own scale.
TEST(PackedWeights, GroupsHaveTheirOwnScale) {
  PlanUnderTest test;
  const ValueId x = test.dense(ones(40), 40);
  const WeightId w =
      test.packed(WeightFamily::linear, 8, 32, {1, 1, 16}, std::vector<uint32_t>(16, 0x01010101u),
                  {1, 1, 2}, {1, 100}, {0, 0});
  const ValueId y = test.value(Extent::fixed(1), 1);
  test.step(RowsMatmul{x, y, w, no_id, {}});
  EXPECT_EQ(test.values(y), (Floats{32 + 800}));
}

} // namespace
} // namespace lattice::testing
