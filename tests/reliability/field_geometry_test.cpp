// Faults that users of sparse libraries met in coordinates, kernel order and strides, as small
// inputs with their answers, from graph text to result on both devices. Faults of values and files
// are in the files beside.
#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/reliability/graphs.h"

namespace lattice::reliability {
namespace {

class FieldGeometry : public testing::TestWithParam<const char*> {
 protected:
  ByRow rows(const Graph& graph, const Rows& input) {
    return by_row(run(graph, input.inputs(), GetParam())[0]);
  }
};

Graph subm(const Shape& kernel, const std::vector<float>& numbers,
           const Triple& dilation = {1, 1, 1}) {
  return graph_of(1, [&](GraphBuilder& b, Value x) {
    return must(b.subm_conv3d(x, conv_weight(b, "w", kernel, numbers), {}, dilation));
  });
}

TEST_P(FieldGeometry, KeysHoldAllFourColumns) {
  const Rows x({{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 65535, 65535, 65535}}, {1, 10, 100});
  EXPECT_EQ(rows(subm({1, 3, 3, 3, 1}, {1}), x),
            (ByRow{{{0, 0, 0, 0}, {11}}, {{0, 1, 0, 0}, {11}}, {{0, 65535, 65535, 65535}, {100}}}));
}

// Differences of 2^32, 2^31 and 2^16 in any column, and batches far apart, are all different
// voxels.
TEST_P(FieldGeometry, NoTwoColumnsAreMixedUp) {
  constexpr int32_t low = std::numeric_limits<int32_t>::min(),
                    high = std::numeric_limits<int32_t>::max();
  std::vector<Row> coords;
  std::vector<float> features;
  ByRow expected;
  for (const int32_t batch : {0, 1, 65536, high}) {
    for (const int32_t x : {low, 0, 65536, high}) {
      for (const int32_t y : {low, 1, 65537, high}) {
        for (const int32_t z : {low, 2, 65538, high}) {
          features.push_back(static_cast<float>(coords.size() + 1));
          coords.push_back({batch, x, y, z});
          expected[coords.back()] = {features.back()};
        }
      }
    }
  }
  EXPECT_EQ(rows(subm({1, 3, 3, 3, 1}, {1}), Rows(coords, features)), expected);
}

TEST_P(FieldGeometry, PoolingAWideGridStaysPositive) {
  const Graph graph = graph_of(1, [](GraphBuilder& b, Value x) {
    return must(b.pool3d(x, "max", {2, 2, 2}, {2, 2, 2}));
  });
  const Rows x({{0, 65535, 0, 0}, {0, 65534, 0, 0}, {0, 0, 65535, 0}}, {1, 2, 3});
  const Outputs outputs = run(graph, x.inputs(), GetParam());
  EXPECT_EQ(by_row(outputs[0]), (ByRow{{{0, 65534, 0, 0}, {2}}, {{0, 0, 65534, 0}, {3}}}));
  EXPECT_EQ(outputs[0].sparse().stride, (Triple{2, 2, 2}));
}

TEST_P(FieldGeometry, EveryRowHasItsOwnBatch) {
  EXPECT_EQ(rows(subm({1, 3, 3, 3, 1}, {1}),
                 Rows({{0, 0, 0, 0}, {1, 0, 0, 0}, {1, 1, 0, 0}}, {1, 10, 100})),
            (ByRow{{{0, 0, 0, 0}, {1}}, {{1, 0, 0, 0}, {110}}, {{1, 1, 0, 0}, {110}}}));
}

TEST_P(FieldGeometry, ASmallInputMayHaveAManyTimesLargerOutput) {
  const auto transposed = [](int64_t kernel) {
    return graph_of(1, {2, 2, 2}, DType::f32, [&](GraphBuilder& b, Value x) {
      return must(b.conv_transpose3d(x, conv_weight(b, "w", {1, kernel, kernel, kernel, 1}, {1}),
                                     {}, {2, 2, 2}));
    });
  };
  const ByRow one = rows(transposed(5), Rows({{0, 0, 0, 0}}, {1}, {2, 2, 2}));
  ASSERT_EQ(one.size(), 125u);
  for (const auto& [row, value] : one) {
    EXPECT_EQ(value, std::vector<float>{1});
    for (size_t axis = 1; axis < 4; ++axis) EXPECT_TRUE(row[axis] >= 0 && row[axis] <= 4);
  }
  const ByRow two = rows(transposed(3), Rows({{0, 0, 0, 0}, {0, 2, 0, 0}}, {1, 1}, {2, 2, 2}));
  float sum = 0;
  for (const auto& [row, value] : two) sum += value[0];
  EXPECT_EQ(two.size(), 45u);
  EXPECT_EQ(sum, 54.0f);
}

TEST_P(FieldGeometry, EverySmallSizeIsRight) {
  const Graph graph = subm({1, 3, 3, 3, 1}, {1});
  const Program program = graph.load(GetParam());
  Session session(program);
  for (int64_t count = 1; count <= 64; ++count) {
    const Rows x = random_rows(count, 1, 6, static_cast<uint32_t>(count));
    ByRow expected;
    for (const Row& at : x.coords()) {
      float sum = 0; // sums of a few multiples of 1/512 are exact
      for (size_t i = 0; i < x.coords().size(); ++i) {
        bool near = true;
        for (size_t axis = 1; axis < 4; ++axis)
          near = near && std::abs(at[axis] - x.coords()[i][axis]) <= 1;
        if (near) sum += x.features()[i];
      }
      expected[at] = {sum};
    }
    EXPECT_EQ(by_row(session.run(x.inputs())[0]), expected) << count << " rows";
  }
}

TEST_P(FieldGeometry, NegativeCoordinatesFloor) {
  std::vector<Row> coords;
  for (int32_t x = -3; x <= 3; ++x) coords.push_back({0, x, 0, 0});
  const Graph graph = graph_of(1, [](GraphBuilder& b, Value x) {
    return must(b.conv3d(x, conv_weight(b, "w", {1, 2, 1, 1, 1}, {1, 10}), {}, {2, 1, 1}));
  });
  EXPECT_EQ(rows(graph, Rows(coords, {1, 2, 3, 4, 5, 6, 7})), (ByRow{{{0, -4, 0, 0}, {10}},
                                                                     {{0, -2, 0, 0}, {32}},
                                                                     {{0, 0, 0, 0}, {54}},
                                                                     {{0, 2, 0, 0}, {76}}}));
}

TEST_P(FieldGeometry, KernelIsNotReversed) {
  EXPECT_EQ(rows(subm({1, 3, 1, 1, 1}, {1, 2, 3}), Rows({{0, 0, 0, 0}, {0, 1, 0, 0}}, {1, 10})),
            (ByRow{{{0, 0, 0, 0}, {32}}, {{0, 1, 0, 0}, {21}}}));
}

TEST_P(FieldGeometry, KernelAxesKeepTheirOrder) {
  for (const Triple kernel : {Triple{3, 3, 3}, Triple{3, 1, 5}, Triple{5, 3, 1}}) {
    std::vector<float> numbers;
    for (int64_t x = 0; x < kernel[0]; ++x) {
      for (int64_t y = 0; y < kernel[1]; ++y) {
        for (int64_t z = 0; z < kernel[2]; ++z) {
          numbers.push_back(static_cast<float>(100 * (x - kernel[0] / 2) +
                                               10 * (y - kernel[1] / 2) + z - kernel[2] / 2));
        }
      }
    }
    const Rows x({{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}, {1, 0, 0, 0});
    const auto reached = [&](size_t axis, float value) {
      return std::vector<float>{kernel[axis] > 1 ? value : 0};
    };
    EXPECT_EQ(rows(subm({1, kernel[0], kernel[1], kernel[2], 1}, numbers), x),
              (ByRow{{{0, 0, 0, 0}, {0}},
                     {{0, 1, 0, 0}, reached(0, -100)},
                     {{0, 0, 1, 0}, reached(1, -10)},
                     {{0, 0, 0, 1}, reached(2, -1)}}))
        << text_of(kernel);
  }
}

TEST_P(FieldGeometry, EvenKernelAtStrideOneReachesForward) {
  const Graph graph = graph_of(1, [](GraphBuilder& b, Value x) {
    return must(b.conv3d(x, conv_weight(b, "w", {1, 2, 2, 1, 1}, {1})));
  });
  EXPECT_EQ(rows(graph, Rows({{0, 0, 1, 0}, {0, 1, 0, 0}, {0, 1, 1, 0}}, {2, 1, 3})),
            (ByRow{{{0, 0, 1, 0}, {5}}, {{0, 1, 0, 0}, {4}}, {{0, 1, 1, 0}, {3}}}));
}

TEST_P(FieldGeometry, KernelOneWithAStrideDownsamples) {
  const auto conv = [](bool with_bias) {
    return graph_of(1, [&](GraphBuilder& b, Value x) {
      const Value bias = with_bias ? vector_weight(b, "bias", "bias", {0.25f}) : Value{};
      return must(b.conv3d(x, conv_weight(b, "w", {1, 1, 1, 1, 1}, {10}), bias, {2, 2, 2}));
    });
  };
  EXPECT_EQ(rows(conv(false),
                 Rows({{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 2, 0, 0}, {0, 3, 0, 0}}, {1, 2, 3, 4})),
            (ByRow{{{0, 0, 0, 0}, {10}}, {{0, 2, 0, 0}, {30}}}));
  EXPECT_EQ(rows(conv(true), Rows({{0, 1, 0, 0}}, {1})), (ByRow{{{0, 0, 0, 0}, {0.25f}}}));
  for (const char* mode : {"sum", "avg", "max"}) { // a window without a voxel is 0 in every mode
    const Graph pool = graph_of(1, [&](GraphBuilder& b, Value x) {
      return must(b.pool3d(x, mode, {1, 1, 1}, {2, 2, 2}));
    });
    EXPECT_EQ(rows(pool, Rows({{0, 1, 0, 0}}, {1})), (ByRow{{{0, 0, 0, 0}, {0}}})) << mode;
  }
}

TEST_P(FieldGeometry, PaddingShiftsACentredKernel) {
  const auto conv = [](int64_t padding) {
    return graph_of(1, [&](GraphBuilder& b, Value x) {
      return must(b.conv3d(x, conv_weight(b, "w", {1, 3, 1, 1, 1}, {1, 10, 100}), {}, {1, 1, 1},
                           {padding, 0, 0}));
    });
  };
  const Rows x({{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 2, 0, 0}}, {1, 2, 3});
  EXPECT_EQ(rows(conv(0), x),
            (ByRow{{{0, 0, 0, 0}, {210}}, {{0, 1, 0, 0}, {321}}, {{0, 2, 0, 0}, {32}}}));
  EXPECT_EQ(rows(conv(1), x),
            (ByRow{{{0, 0, 0, 0}, {100}}, {{0, 1, 0, 0}, {210}}, {{0, 2, 0, 0}, {321}}}));
}

TEST_P(FieldGeometry, DilationCounts) {
  const Rows x({{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 2, 0, 0}, {0, 3, 0, 0}}, {1, 10, 100, 1000});
  EXPECT_EQ(rows(subm({1, 3, 1, 1, 1}, {1, 2, 4}, {2, 1, 1}), x), (ByRow{{{0, 0, 0, 0}, {402}},
                                                                         {{0, 1, 0, 0}, {4020}},
                                                                         {{0, 2, 0, 0}, {201}},
                                                                         {{0, 3, 0, 0}, {2010}}}));
  EXPECT_EQ(rows(subm({1, 3, 1, 1, 1}, {1, 2, 4}), x), (ByRow{{{0, 0, 0, 0}, {42}},
                                                              {{0, 1, 0, 0}, {421}},
                                                              {{0, 2, 0, 0}, {4210}},
                                                              {{0, 3, 0, 0}, {2100}}}));
}

TEST_P(FieldGeometry, DownAndUpReturnsToTheFineVoxels) {
  const auto graph = [](int64_t padding) {
    GraphBuilder b;
    const Value x = must(b.sparse_input("x", 1));
    const Value coarse =
        must(b.conv3d(x, conv_weight(b, "down", {1, 3, 1, 1, 1}, {1}), {}, {2, 1, 1}));
    const Value up = conv_weight(b, "up", {1, 3, 1, 1, 1}, {1, 10, 100});
    must(b.output("coarse", coarse));
    must(b.output("fine",
                  must(b.target_conv_transpose3d(coarse, x, up, {}, {2, 1, 1}, {padding, 0, 0}))));
    return finish(b);
  };
  const std::vector<Row> coords = {{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 2, 0, 0}, {0, 5, 0, 0}};
  const std::vector<float> features = {1, 2, 4, 8}, plain = {3, 30, 306, 80},
                           padded = {30, 306, 60, 800};
  std::vector<size_t> order = {0, 1, 2, 3};
  do {
    std::vector<Row> at;
    std::vector<float> given, expected_plain, expected_padded;
    for (const size_t i : order) {
      at.push_back(coords[i]);
      given.push_back(features[i]);
      expected_plain.push_back(plain[i]);
      expected_padded.push_back(padded[i]);
    }
    const Outputs found = run(graph(0), Rows(at, given).inputs(), GetParam());
    EXPECT_EQ(by_row(found[0]),
              (ByRow{{{0, 0, 0, 0}, {3}}, {{0, 2, 0, 0}, {6}}, {{0, 4, 0, 0}, {8}}}));
    EXPECT_EQ(coords_of(found[1]), at) << "in the order of the target";
    EXPECT_EQ(numbers_of(found[1].sparse().features), expected_plain);
    EXPECT_EQ(numbers_of(run(graph(1), Rows(at, given).inputs(), GetParam())[1].sparse().features),
              expected_padded);
  } while (std::next_permutation(order.begin(), order.end()) && order[0] < 2);
}

TEST_P(FieldGeometry, OneVoxel) {
  const Rows x({{0, 7, -3, 2}}, {5});
  std::vector<float> even, odd;
  for (int i = 0; i < 8; ++i) even.push_back(static_cast<float>(i + 1));
  for (int i = 0; i < 27; ++i) odd.push_back(static_cast<float>(i));
  const Graph conv = graph_of(1, [&](GraphBuilder& b, Value v) {
    return must(b.conv3d(v, conv_weight(b, "w", {1, 2, 2, 2, 1}, even),
                         vector_weight(b, "b", "bias", {0.5f})));
  });
  const Graph own = graph_of(1, [&](GraphBuilder& b, Value v) {
    return must(b.subm_conv3d(v, conv_weight(b, "w", {1, 3, 3, 3, 1}, odd),
                              vector_weight(b, "b", "bias", {0.5f})));
  });
  const Graph batch = graph_of(1, [&](GraphBuilder& b, Value v) {
    return must(b.batch_norm(
        v, vector_weight(b, "s", "channel", {2}), vector_weight(b, "b", "bias", {1}),
        vector_weight(b, "m", "channel", {3}), vector_weight(b, "v", "channel", {4}), 5e-1f));
  });
  const Graph layer = graph_of(1, [&](GraphBuilder& b, Value v) {
    return must(b.layer_norm(v, vector_weight(b, "s", "channel", {2}),
                             vector_weight(b, "b", "bias", {0.75f})));
  });
  const Row at{0, 7, -3, 2};
  EXPECT_EQ(rows(conv, x), (ByRow{{at, {5.5f}}}));
  EXPECT_EQ(rows(own, x), (ByRow{{at, {65.5f}}}));
  EXPECT_EQ(rows(layer, x), (ByRow{{at, {0.75f}}})) << "a row of one channel has variance 0";
  EXPECT_FLOAT_EQ(rows(batch, x).at(at)[0], static_cast<float>((5 - 3) * 2 / std::sqrt(4.5) + 1));
  for (const char* mode : {"sum", "avg", "max"}) {
    const Graph pool = graph_of(1, [&](GraphBuilder& b, Value v) {
      return must(b.pool3d(v, mode, {2, 2, 2}, {2, 2, 2}));
    });
    EXPECT_EQ(rows(pool, x), (ByRow{{{0, 6, -4, 2}, {5}}})) << mode;
  }
}

TEST(FieldGeometryAtLoad, EvenSubmanifoldKernelIsRefused) {
  const std::string text = [] {
    std::string made = subm({1, 3, 3, 1, 1}, {1}).text;
    const std::string odd = "kernel_size = array<i64: 3, 3, 1>";
    const size_t at = made.find(odd);
    EXPECT_NE(at, std::string::npos);
    return made.replace(at, odd.size(), "kernel_size = array<i64: 2, 2, 1>");
  }();
  const auto program = Program::try_load_memory(text, subm({1, 2, 2, 1, 1}, {1}).weights);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code(), Code::artifact);
  EXPECT_NE(program.error().text().find("odd"), std::string::npos) << program.error().text();
}

INSTANTIATE_TEST_SUITE_P(Devices, FieldGeometry, testing::Values("reference", "cpu"),
                         [](const auto& tested) { return std::string(tested.param); });

} // namespace
} // namespace lattice::reliability
