// Facts about convolutions: geometry, supports and order of sums (spec 4 and 5), each with its
// right values.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "kernels/reference/plan_under_test.h"

namespace lattice::testing {
namespace {

using Floats = std::vector<float>;

const KernelShape subm3{{3, 3, 3}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}};

// One channel in and out; weights of the kernel in x, y, z order.
Rows conv(std::vector<Row> coords, Floats features, KernelShape kernel, Floats w, Floats bias = {},
          Triple stride = {1, 1, 1}) {
  PlanUnderTest test;
  const SparseValue x = test.input(std::move(coords), std::move(features), stride);
  const WeightId weight =
      test.weight(WeightFamily::conv3d, {1, kernel.size[0], kernel.size[1], kernel.size[2], 1}, w);
  const WeightId b = bias.empty() ? no_id : test.weight(WeightFamily::bias, {1}, bias);
  return test.rows(test.conv3d(x, kernel, weight, 1, b));
}

std::vector<Row> line(int32_t first, int32_t last) {
  std::vector<Row> rows;
  for (int32_t x = first; x <= last; ++x) rows.push_back({0, x, 0, 0});
  return rows;
}

// A 32-bit linear index of a box of side 65,536 loses x; keys hold all four columns.
TEST(Convolution, FarRowsDoNotMeet) {
  const Rows y =
      conv({{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 65535, 65535, 65535}}, {1, 10, 100}, subm3, ones(27));
  EXPECT_EQ(y.values, (Floats{11, 11, 100}));
}

TEST(Convolution, CoordinatesAtTheEndsOfInt32DoNotMeet) {
  const Rows y = conv({{0, INT32_MAX, 0, 0}, {0, INT32_MIN, 0, 0}}, {1, 10}, subm3, ones(27));
  EXPECT_EQ(y.values, (Floats{1, 10}));
}

TEST(Convolution, BatchesDoNotMeet) {
  const Rows y = conv({{0, 0, 0, 0}, {1, 0, 0, 0}, {1, 1, 0, 0}}, {1, 10, 100}, subm3, ones(27));
  EXPECT_EQ(y.values, (Floats{1, 110, 110}));
}

// Every size of a small table equals a search over all pairs.
TEST(Convolution, EverySmallSizeEqualsAPairwiseSearch) {
  std::mt19937 generator(7);
  for (int64_t size = 1; size <= 64; ++size) {
    std::set<Row> unique;
    while (static_cast<int64_t>(unique.size()) < size) {
      const auto at = [&] { return static_cast<int32_t>(generator() % 6) - 3; };
      unique.insert({static_cast<int32_t>(generator() % 2), at(), at(), at()});
    }
    const std::vector<Row> coords(unique.begin(), unique.end());
    Floats features(static_cast<size_t>(size));
    for (size_t i = 0; i < features.size(); ++i) features[i] = static_cast<float>(i + 1);
    Floats expected;
    for (const Row& a : coords) {
      float sum = 0;
      for (size_t j = 0; j < coords.size(); ++j) {
        const Row& b = coords[j];
        const bool near = a[0] == b[0] && std::abs(a[1] - b[1]) <= 1 &&
                          std::abs(a[2] - b[2]) <= 1 && std::abs(a[3] - b[3]) <= 1;
        if (near) sum += features[j];
      }
      expected.push_back(sum);
    }
    EXPECT_EQ(conv(coords, features, subm3, ones(27)).values, expected) << size;
  }
}

// Floor toward minus infinity: the voxels -1, 0 and 1 do not share a cell.
TEST(Convolution, StrideFloorsNegativeCoordinates) {
  const Rows y = conv(line(-3, 3), {1, 2, 3, 4, 5, 6, 7},
                      {{2, 1, 1}, {2, 1, 1}, {0, 0, 0}, {1, 1, 1}}, {1, 10});
  EXPECT_EQ(y.coords, (std::vector<Row>{{0, -4, 0, 0}, {0, -2, 0, 0}, {0, 0, 0, 0}, {0, 2, 0, 0}}));
  EXPECT_EQ(y.values, (Floats{10, 32, 54, 76}));
  EXPECT_EQ(y.stride, (Triple{2, 1, 1}));
}

// Kernel index 0 reads the neighbour with the smaller coordinate.
TEST(Convolution, KernelIsNotReversed) {
  const Rows y = conv({{0, 0, 0, 0}, {0, 1, 0, 0}}, {1, 10},
                      {{3, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}}, {1, 2, 3});
  EXPECT_EQ(y.values, (Floats{32, 21}));
}

// Kernel row (ix*Ky + iy)*Kz + iz: z runs fastest, for unequal axes too.
TEST(Convolution, ZRunsFastestInTheKernel) {
  for (const Triple size : {Triple{3, 3, 3}, Triple{3, 3, 5}, Triple{5, 3, 3}}) {
    Floats w;
    for (int64_t x = 0; x < size[0]; ++x) {
      for (int64_t y = 0; y < size[1]; ++y) {
        for (int64_t z = 0; z < size[2]; ++z) {
          w.push_back(static_cast<float>(100 * (x - size[0] / 2) + 10 * (y - size[1] / 2) +
                                         (z - size[2] / 2)));
        }
      }
    }
    const Rows y = conv({{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}, {1, 0, 0, 0},
                        {size, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}}, w);
    EXPECT_EQ(y.values, (Floats{0, -100, -10, -1}));
  }
}

// A kernel of size 1 along an axis reads nothing along it.
TEST(Convolution, FlatKernelReadsItsPlaneOnly) {
  Floats w;
  for (int x = -1; x <= 1; ++x) {
    for (int z = -2; z <= 2; ++z) w.push_back(static_cast<float>(100 * x + z));
  }
  const Rows y = conv({{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}, {1, 0, 0, 0},
                      {{3, 1, 5}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}}, w);
  EXPECT_EQ(y.values, (Floats{0, -100, 0, -1}));
}

// Offsets of an even kernel are 0 and +1, at stride 1 too, and the support stays.
TEST(Convolution, EvenKernelLooksForward) {
  const std::vector<Row> coords{{0, 0, 1, 0}, {0, 1, 0, 0}, {0, 1, 1, 0}};
  const Rows y = conv(coords, {2, 1, 3}, {{2, 2, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}}, ones(4));
  EXPECT_EQ(y.coords, coords);
  EXPECT_EQ(y.values, (Floats{5, 4, 3}));
}

TEST(Convolution, KernelOneWithStrideTwoDownsamples) {
  const KernelShape kernel{{1, 1, 1}, {2, 2, 2}, {0, 0, 0}, {1, 1, 1}};
  const Rows y = conv(line(0, 3), {1, 2, 3, 4}, kernel, {10});
  EXPECT_EQ(y.coords, (std::vector<Row>{{0, 0, 0, 0}, {0, 2, 0, 0}}));
  EXPECT_EQ(y.values, (Floats{10, 30}));
  // A row that no input reaches is its bias.
  const Rows alone = conv({{0, 1, 0, 0}}, {1}, kernel, {10}, {0.25f});
  EXPECT_EQ(alone.coords, (std::vector<Row>{{0, 0, 0, 0}}));
  EXPECT_EQ(alone.values, (Floats{0.25f}));
}

// Odd kernels are centred already; padding shifts further (spec 4).
TEST(Convolution, PaddingShiftsACentredKernel) {
  const Rows centred =
      conv(line(0, 2), {1, 2, 3}, {{3, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}}, {1, 10, 100});
  EXPECT_EQ(centred.values, (Floats{210, 321, 32}));
  const Rows shifted =
      conv(line(0, 2), {1, 2, 3}, {{3, 1, 1}, {1, 1, 1}, {1, 0, 0}, {1, 1, 1}}, {1, 10, 100});
  EXPECT_EQ(shifted.values, (Floats{100, 210, 321}));
}

TEST(Convolution, DilationSpreadsTheKernel) {
  const Floats features{1, 10, 100, 1000};
  const Rows two =
      conv(line(0, 3), features, {{3, 1, 1}, {1, 1, 1}, {0, 0, 0}, {2, 1, 1}}, {1, 2, 4});
  EXPECT_EQ(two.values, (Floats{402, 4020, 201, 2010}));
  const Rows one =
      conv(line(0, 3), features, {{3, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}}, {1, 2, 4});
  EXPECT_EQ(one.values, (Floats{42, 421, 4210, 2100}));
}

// Neighbours are one stride apart, not one unit.
TEST(Convolution, NeighboursAreAStrideApart) {
  const Rows y = conv({{0, 0, 0, 0}, {0, 4, 0, 0}, {0, 8, 0, 0}}, {1, 10, 100},
                      {{3, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}}, ones(3), {}, {4, 1, 1});
  EXPECT_EQ(y.values, (Floats{11, 111, 110}));
}

// Down and back up onto the fine rows, in the target's order; both transposed paddings.
TEST(Convolution, TargetTransposedReturnsToTheFineRows) {
  const std::vector<Row> fine{{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 2, 0, 0}, {0, 5, 0, 0}};
  const std::vector<Row> shuffled{{0, 5, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 0}, {0, 2, 0, 0}};
  for (const int64_t padding : {0, 1}) {
    for (const std::vector<Row>& target : {fine, shuffled}) {
      PlanUnderTest test;
      const SparseValue x = test.input(fine, {1, 2, 4, 8});
      const WeightId down = test.weight(WeightFamily::conv3d, {1, 3, 1, 1, 1}, ones(3));
      const SparseValue coarse =
          test.conv3d(x, {{3, 1, 1}, {2, 1, 1}, {0, 0, 0}, {1, 1, 1}}, down, 1);
      const SupportId onto = test.made(target);
      const WeightId up = test.weight(WeightFamily::conv3d, {1, 3, 1, 1, 1}, {1, 10, 100});
      const RelationUse use =
          test.transposed(onto, coarse.support, {{3, 1, 1}, {2, 1, 1}, {padding, 0, 0}, {1, 1, 1}});
      const SparseValue y = test.conv_onto(coarse, onto, use, up, 1);
      const Rows middle = test.rows(coarse);
      EXPECT_EQ(middle.coords, (std::vector<Row>{{0, 0, 0, 0}, {0, 2, 0, 0}, {0, 4, 0, 0}}));
      EXPECT_EQ(middle.values, (Floats{3, 6, 8}));
      const Rows rows = test.rows(y);
      EXPECT_EQ(rows.coords, target);
      const Floats expected = padding == 0 ? Floats{3, 30, 306, 80} : Floats{30, 306, 60, 800};
      const std::map<Row, float> found = rows.by_coord();
      for (size_t i = 0; i < fine.size(); ++i)
        EXPECT_EQ(found.at(fine[i]), expected[i]) << padding << " " << i;
    }
  }
}

Rows transposed_conv(std::vector<Row> coords, Floats features, Triple stride, KernelShape kernel) {
  PlanUnderTest test;
  const SparseValue x = test.input(std::move(coords), std::move(features), stride);
  const SupportId fine = test.transposed_support(x.support, kernel);
  const WeightId w =
      test.weight(WeightFamily::conv3d, {1, kernel.size[0], kernel.size[1], kernel.size[2], 1},
                  ones(kernel.size[0] * kernel.size[1] * kernel.size[2]));
  return test.rows(test.conv_onto(x, fine, test.transposed(fine, x.support, kernel), w, 1));
}

// The output may be far larger than the input.
TEST(Convolution, TransposedOutputsMayOutnumberInputs) {
  const Rows y =
      transposed_conv({{0, 0, 0, 0}}, {1}, {2, 2, 2}, {{5, 5, 5}, {2, 2, 2}, {0, 0, 0}, {1, 1, 1}});
  ASSERT_EQ(y.coords.size(), 125u);
  EXPECT_EQ(y.coords.front(), (Row{0, 0, 0, 0}));
  EXPECT_EQ(y.coords[1], (Row{0, 0, 0, 1})); // kernel rows in order, z fastest
  EXPECT_EQ(y.coords.back(), (Row{0, 4, 4, 4}));
  EXPECT_EQ(y.values, ones(125));
  EXPECT_EQ(y.stride, (Triple{1, 1, 1}));
}

TEST(Convolution, OverlappingOutputsAreOneRow) {
  const Rows y = transposed_conv({{0, 0, 0, 0}, {0, 2, 0, 0}}, {1, 1}, {2, 2, 2},
                                 {{3, 3, 3}, {2, 2, 2}, {0, 0, 0}, {1, 1, 1}});
  EXPECT_EQ(y.coords.size(), 45u);
  float sum = 0;
  for (const float value : y.values) sum += value;
  EXPECT_EQ(sum, 54.0f);
}

// (out, in): the second index of the weight meets the input channel.
TEST(Convolution, PointwiseWeightIsOutByIn) {
  PlanUnderTest test;
  const SparseValue x = test.input({{0, 3, 4, 5}}, {1, 10});
  const WeightId w = test.weight(WeightFamily::conv3d, {2, 1, 1, 1, 2}, {1, 2, 3, 4});
  EXPECT_EQ(test.rows(test.conv3d(x, {}, w, 2)).values, (Floats{21, 43}));
  const WeightId l = test.weight(WeightFamily::linear, {2, 2}, {1, 2, 3, 4});
  for (const WeightId each : {w, l}) {
    const ValueId y = test.value_on(x.support, 2);
    test.step(RowsMatmul{x.features, y, each, no_id, {}});
    EXPECT_EQ(test.rows({x.support, y}).values, (Floats{21, 43}));
  }
}

TEST(Convolution, OneVoxelReadsItsOwnTap) {
  Floats even, odd;
  for (int i = 0; i < 8; ++i) even.push_back(static_cast<float>(i + 1)); // 4x + 2y + z + 1
  for (int i = 0; i < 27; ++i) odd.push_back(static_cast<float>(i));     // 9x + 3y + z
  EXPECT_EQ(
      conv({{0, 7, -3, 2}}, {5}, {{2, 2, 2}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}}, even, {0.5f}).values,
      (Floats{5.5f}));
  EXPECT_EQ(conv({{0, 7, -3, 2}}, {5}, subm3, odd, {0.5f}).values, (Floats{65.5f}));
}

TEST(Convolution, NoRowsGiveNoRows) {
  const Rows y = conv({}, {}, {{3, 3, 3}, {2, 2, 2}, {0, 0, 0}, {1, 1, 1}}, ones(27), {1});
  EXPECT_EQ(y.coords.size(), 0u);
  EXPECT_EQ(y.channels, 1);
  EXPECT_EQ(y.stride, (Triple{2, 2, 2}));
}

// f16 operands are widened and summed in f32; the result is rounded once.
TEST(Convolution, HalfPrecisionAddsInF32) {
  PlanUnderTest test;
  const SparseValue x = test.input(line(0, 2), {60000, 60000, -60000}, {1, 1, 1}, DType::f16);
  const WeightId w = test.weight(WeightFamily::conv3d, {1, 3, 1, 1, 1}, ones(3), DType::f16);
  const SparseValue y =
      test.conv3d(x, {{3, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}}, w, 1, no_id, DType::f16);
  const Floats values = test.rows(y).values;
  EXPECT_TRUE(std::isinf(values[0]));
  EXPECT_EQ(values[1], 60000.0f);
  EXPECT_EQ(values[2], 0.0f);
}

TEST(Convolution, HalfPrecisionCountsPast2048) {
  PlanUnderTest test;
  const SparseValue x = test.input({{0, 0, 0, 0}}, ones(4096), {1, 1, 1}, DType::f16);
  const WeightId w = test.weight(WeightFamily::conv3d, {1, 1, 1, 1, 4096}, ones(4096), DType::f16);
  EXPECT_EQ(test.rows(test.conv3d(x, {}, w, 1, no_id, DType::f16)).values, (Floats{4096}));
}

// An f32 weight beside f16 features keeps its value.
TEST(Convolution, SingleWeightBesideHalfFeatures) {
  PlanUnderTest test;
  const SparseValue x = test.input({{0, 0, 0, 0}}, {0.5f}, {1, 1, 1}, DType::f16);
  const WeightId w = test.weight(WeightFamily::conv3d, {1, 1, 1, 1, 1}, {70000});
  EXPECT_EQ(test.rows(test.conv3d(x, {}, w, 1, no_id, DType::f16)).values,
            (Floats{35008})); // 35000 in f16
}

// 4097 and 2049 have more bits than a reduced-precision product keeps.
TEST(Convolution, IdentityWeightsKeepEveryBit) {
  for (const Triple size : {Triple{1, 1, 1}, Triple{3, 3, 3}}) {
    PlanUnderTest test;
    const SparseValue x = test.input({{0, 1, 1, 1}}, {477.1842f, 4097, 2049});
    const int64_t volume = size[0] * size[1] * size[2];
    Floats w(static_cast<size_t>(9 * volume), 0.0f);
    for (int64_t o = 0; o < 3; ++o) w[static_cast<size_t>((o * volume + volume / 2) * 3 + o)] = 1;
    const WeightId id = test.weight(WeightFamily::conv3d, {3, size[0], size[1], size[2], 3}, w);
    const Rows y = test.rows(test.conv3d(x, {size, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}}, id, 3));
    EXPECT_EQ(y.values, (Floats{477.1842041015625f, 4097, 2049}));
  }
}

// Our order (spec 5): a part per kernel row, fused; then the parts are added.
TEST(Convolution, SumsPartsOfKernelRowsInOrder) {
  const int64_t in = 5;
  PlanUnderTest test;
  const Floats features = random_values(3 * in, 1);
  const Floats weights = random_values(3 * in, 2);
  const SparseValue x = test.input(line(0, 2), features);
  const WeightId w = test.weight(WeightFamily::conv3d, {1, 3, 1, 1, in}, weights);
  const Rows y = test.rows(test.conv3d(x, {{3, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}}, w, 1));
  float total = 0;
  for (int64_t r = 0; r < 3; ++r) {
    float part = 0;
    for (int64_t c = 0; c < in; ++c) {
      const size_t at = static_cast<size_t>(r * in + c);
      part = std::fma(features[at], weights[at], part);
    }
    total += part;
  }
  EXPECT_EQ(y.values[1], total);
}

// Every pair of channel counts is computed, odd ones too.
TEST(Convolution, AnyChannelCountsWork) {
  for (const int64_t in : {1, 3, 7, 17}) {
    for (const int64_t out : {1, 2, 5, 33}) {
      PlanUnderTest test;
      const Floats features = random_values(2 * in, 3);
      const Floats weights = random_values(out * 3 * in, 4);
      const SparseValue x = test.input(line(0, 1), features);
      const WeightId w = test.weight(WeightFamily::conv3d, {out, 3, 1, 1, in}, weights);
      const Rows y =
          test.rows(test.conv3d(x, {{3, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}}, w, out));
      for (int64_t o = 0; o < out; ++o) {
        double first = 0; // of row 0: itself through tap 1, its neighbour through tap 2
        for (int64_t c = 0; c < in; ++c) {
          first += double{features[static_cast<size_t>(c)]} *
                   weights[static_cast<size_t>((o * 3 + 1) * in + c)];
          first += double{features[static_cast<size_t>(in + c)]} *
                   weights[static_cast<size_t>((o * 3 + 2) * in + c)];
        }
        EXPECT_NEAR(y.values[static_cast<size_t>(o)], first, 1e-5) << in << " to " << out;
      }
    }
  }
}

// num / sqrt(den + eps), then the bias; den counts the edges present.
TEST(Convolution, NormalizedDividesByTheWeightsThatTookPart) {
  PlanUnderTest test;
  const SparseValue x = test.input(line(0, 1), {1, 10});
  RelationMatmul op;
  op.x = x.features;
  op.y = test.value_on(x.support, 1);
  op.relation = test.forward(x.support, x.support, {{3, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}});
  op.weight = test.weight(WeightFamily::conv3d, {1, 3, 1, 1, 1}, {1, 2, 4});
  op.bias = test.weight(WeightFamily::bias, {1}, {0.5f});
  op.normalized = true;
  op.eps = 5;
  test.step(op);
  const Floats values = test.rows({x.support, op.y}).values;
  EXPECT_EQ(values[0], 42.0f / std::sqrt(25.0f) + 0.5f); // 2*1 + 4*10, den 4 + 16
  EXPECT_EQ(values[1], 21.0f / std::sqrt(10.0f) + 0.5f); // 1*1 + 2*10, den 1 + 4
}

// Fused or apart, f32 or f16: the same bits, since fusion keeps each rounding.
TEST(Convolution, FusedEpilogueEqualsSeparateSteps) {
  for (const DType dtype : {DType::f32, DType::f16}) {
    PlanUnderTest test;
    const SparseValue x = test.input(line(0, 3), random_values(12, 5), {1, 1, 1}, dtype);
    const auto channels = [&](uint32_t seed) {
      Floats values = random_values(4, seed);
      for (float& value : values) value = std::fabs(value) + 0.1f;
      return test.weight(WeightFamily::channel, {4}, values);
    };
    EpilogueOp norm;
    norm.kind = EpilogueOp::Kind::batch_norm;
    norm.scale = channels(6);
    norm.bias = channels(7);
    norm.mean = channels(8);
    norm.var = channels(9);
    norm.eps = 1e-3f;
    EpilogueOp residual;
    residual.kind = EpilogueOp::Kind::residual;
    residual.residual = test.dense(random_values(16, 10), 4, dtype);
    EpilogueOp act;
    act.activation = ActivationKind::silu;
    RelationMatmul op;
    op.x = x.features;
    op.relation = test.forward(x.support, x.support, {{3, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}});
    op.weight = test.weight(WeightFamily::conv3d, {4, 3, 1, 1, 3}, random_values(36, 11));
    op.bias = channels(12);
    op.y = test.value_on(x.support, 4, dtype);
    const ValueId plain = op.y;
    test.step(op);
    const ValueId normed = test.value_on(x.support, 4, dtype);
    test.step(RowwiseOp{plain, normed, norm});
    const ValueId added = test.value_on(x.support, 4, dtype);
    Binary add;
    add.lhs = normed;
    add.rhs = residual.residual;
    add.y = added;
    test.step(add);
    const ValueId activated = test.value_on(x.support, 4, dtype);
    test.step(RowwiseOp{added, activated, act});
    op.y = test.value_on(x.support, 4, dtype);
    op.epilogue = {norm, residual, act};
    test.step(op);
    EXPECT_EQ(test.rows({x.support, op.y}).values, test.rows({x.support, activated}).values);
  }
}

} // namespace
} // namespace lattice::testing
