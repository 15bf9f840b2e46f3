// Faults that users of sparse libraries met in values: empty inputs, duplicates, precision, odd
// channel counts, arrays that are changed. Small inputs with their answers, from graph text to
// result on both devices.
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/cases.h"
#include "tests/reliability/every_op.h"

namespace lattice::reliability {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

class FieldValues : public testing::TestWithParam<const char*> {
 protected:
  ByRow rows(const Graph& graph, const Rows& input) {
    return by_row(run(graph, input.inputs(), GetParam())[0]);
  }
  std::string error(const Graph& graph, const Inputs& inputs) {
    const auto outputs = try_run(graph, inputs, GetParam());
    return outputs ? "no error" : outputs.error().text();
  }
};

Graph subm3(int64_t channels = 1) {
  return graph_of(channels, [&](GraphBuilder& b, Value x) {
    return must(b.subm_conv3d(x, conv_weight(b, "w", {1, 3, 3, 3, channels}, {1})));
  });
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_P(FieldValues, InputsAreNotChanged) {
  for (const OpGraph& each : graphs_of_every_op(DType::f32)) {
    const OpInputs given(40, 6, DType::f32, 1);
    const std::vector<std::byte> before = given.bytes();
    const Program program = each.graph.load(GetParam());
    Session session(program);
    const Outputs first = session.run(given.of(program));
    EXPECT_TRUE(given.bytes() == before) << each.name;
    EXPECT_EQ(cases::bit_difference(session.run(given.of(program)), first), "") << each.name;
    const Topology kept = program.prepare(given.of(program));
    EXPECT_EQ(cases::bit_difference(session.run(kept, given.of(program)), first), "") << each.name;
    EXPECT_TRUE(given.bytes() == before) << each.name;
  }
}

TEST_P(FieldValues, CoordinatesAreBatchFirstRowsOfFour) {
  const std::vector<int32_t> three(15, 0);
  const std::vector<float> features(5, 1.0f);
  const SparseView narrow{{DType::i32, {5, 3}, three.data()},
                          {DType::f32, {5, 1}, features.data()}};
  const std::string shape = error(subm3(), {{"x", narrow}});
  EXPECT_TRUE(holds(shape, "(5, 3)") && holds(shape, "4")) << shape;
  const std::string negative = error(subm3(), Rows({{3, 0, 0, 0}, {-1, 0, 0, 0}}, {1, 2}).inputs());
  EXPECT_TRUE(holds(negative, "row 1") && holds(negative, "-1")) << negative;
  const Graph pool =
      graph_of(1, [](GraphBuilder& b, Value x) { return must(b.global_pool(x, "sum", 1)); });
  const std::string batch = error(pool, Rows({{0, 0, 0, 0}, {1, 0, 0, 0}}, {1, 2}).inputs());
  EXPECT_TRUE(holds(batch, "row 1") && holds(batch, "1")) << batch;
}

TEST_P(FieldValues, PointwiseWeightsAreOutputByInput) {
  const std::vector<float> numbers = {1, 2, 3, 4};
  const auto conv = [&](bool own) {
    return graph_of(2, [&](GraphBuilder& b, Value x) {
      const Value w = conv_weight(b, "w", {2, 1, 1, 1, 2}, numbers);
      return own ? must(b.subm_conv3d(x, w)) : must(b.conv3d(x, w));
    });
  };
  const Graph linear = graph_of(2, [&](GraphBuilder& b, Value x) {
    return must(b.linear(x, must(b.weight("w", "linear", {2, 2}, numbers))));
  });
  const Rows x({{0, 0, 0, 0}}, {1, 10});
  const ByRow expected{{{0, 0, 0, 0}, {21, 43}}};
  EXPECT_EQ(rows(conv(true), x), expected);
  EXPECT_EQ(rows(conv(false), x), expected);
  EXPECT_EQ(rows(linear, x), expected);
}

TEST(FieldValuesTable, HoldsEveryOperation) {
  EXPECT_EQ(operations_without_graph(), std::vector<std::string>{});
}

// No voxels, and eight padding rows of garbage of which none counts, through every operation.
TEST_P(FieldValues, EmptyInputs) {
  const std::vector<Row> garbage(8, Row{-7, std::numeric_limits<int32_t>::max(), 3, 3});
  const std::vector<float> poison(24, nan);
  const std::vector<int32_t> indices(8, -5);
  const int32_t none = 0;
  for (const DType dtype : {DType::f32, DType::f16}) {
    for (const OpGraph& each : graphs_of_every_op(dtype)) {
      const Program program = each.graph.load(GetParam());
      Session session(program);
      for (const int64_t capacity : {0, 8}) {
        Rows x(capacity == 0 ? std::vector<Row>{} : garbage,
               std::vector<float>(static_cast<size_t>(capacity * 2), nan), {1, 1, 1}, dtype);
        x.active = 0;
        Inputs inputs{{"x", x.view(2)}};
        for (const ArgumentInfo& argument : program.signature().arguments) {
          if (argument.group >= 0) continue;
          // An embedding has no count of active rows: its indices must be right, or none.
          const int64_t count = each.name == "embedding" ? 0 : capacity;
          if (argument.name == "points")
            inputs.emplace_back(argument.name, TensorView{dtype, {count, 3}, poison.data()});
          if (argument.name == "point_features")
            inputs.emplace_back(argument.name, TensorView{dtype, {count, 2}, poison.data()});
          if (argument.name == "point_batch")
            inputs.emplace_back(argument.name, TensorView{DType::i32, {count}, indices.data()});
          if (argument.name == "point_active")
            inputs.emplace_back(argument.name, TensorView{DType::i32, {1}, &none});
        }
        const auto outputs = session.try_run(inputs);
        ASSERT_TRUE(outputs) << each.name << ", capacity " << capacity << ": "
                             << outputs.error().text();
        const Output& y = (*outputs)[0];
        const OutputInfo& info = program.signature().outputs[0];
        if (y.is_sparse()) {
          EXPECT_EQ(y.sparse().coords.shape, (Shape{0, 4})) << each.name;
          EXPECT_EQ(y.sparse().features.shape, (Shape{0, info.shape[1]})) << each.name;
          EXPECT_EQ(y.sparse().stride, info.stride) << each.name;
        } else if (each.name == "global_sum" || each.name == "global_avg") {
          EXPECT_EQ(y.tensor().shape, (Shape{2, 2})) << each.name;
          EXPECT_EQ(numbers_of(y.tensor()), (std::vector<float>{0, 0, 0, 0})) << each.name;
        } else if (each.name.starts_with("devoxelize")) { // rows past the active ones are 0
          EXPECT_EQ(numbers_of(y.tensor()),
                    std::vector<float>(static_cast<size_t>(capacity * 2), 0.0f))
              << each.name;
        } else {
          EXPECT_EQ(y.tensor().shape[0], 0) << each.name;
        }
      }
    }
  }
}

TEST_P(FieldValues, AnEmptyRunDoesNotSpoilTheNext) {
  const Graph graph = subm3(2);
  const Program program = graph.load(GetParam());
  Session session(program);
  const Rows empty({}, {}), full = random_rows(1000, 2, 14, 3);
  const Outputs alone = run(graph, full.inputs(), "reference");
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(session.run({{"x", empty.view(2)}})[0].sparse().coords.shape[0], 0);
    EXPECT_EQ(cases::bit_difference(session.run(full.inputs()), alone), "");
  }
}

TEST_P(FieldValues, DuplicateRowsAreNamed) {
  const std::string near = error(subm3(), Rows({{0, 1, 1, 1}, {0, 1, 1, 1}}, {1, 10}).inputs());
  EXPECT_TRUE(holds(near, "rows 0 and 1 ") && holds(near, "(0, 1, 1, 1)")) << near;
  std::vector<Row> coords;
  for (int32_t i = 0; i <= 100000; ++i) coords.push_back({0, i % 331, i / 331, 5});
  coords[100000] = coords[0];
  const std::string far = error(subm3(), Rows(coords, constant(100001, 1)).inputs());
  EXPECT_TRUE(holds(far, "rows 0 and 100000 ")) << far;
}

TEST_P(FieldValues, PointsOfOneVoxelAreMerged) {
  GraphBuilder b;
  const Value points = must(b.tensor_input("points", {-1, 3})),
              features = must(b.tensor_input("features_in", {-1, 1}));
  const Value batches = must(b.tensor_input("batches", {-1}, DType::i32)),
              active = must(b.tensor_input("count", {1}, DType::i32));
  must(b.output("y", must(b.voxelize(points, features, batches, active, {0.32, 0.32, 6},
                                     {-74.88, -74.88, -2}, "mean"))));
  const std::vector<float> at = {68.9309f, 31.5947f, 0.86f, 69.0586f, 31.4590f, 0.8594f},
                           given = {2, 4};
  const std::vector<int32_t> zero = {0, 0};
  const int32_t two = 2;
  const Outputs outputs = run(finish(b),
                              {{"points", TensorView{DType::f32, {2, 3}, at.data()}},
                               {"features_in", TensorView{DType::f32, {2, 1}, given.data()}},
                               {"batches", TensorView{DType::i32, {2}, zero.data()}},
                               {"count", TensorView{DType::i32, {1}, &two}}},
                              GetParam());
  EXPECT_EQ(by_row(outputs[0]), (ByRow{{{0, 449, 332, 0}, {3}}}));
}

// Points that are not finite or too far off name their row; the others make their voxels.
TEST_P(FieldValues, PointsThatHaveNoVoxelAreRefused) {
  const auto graph = [](double size) {
    GraphBuilder b;
    const Value points = must(b.tensor_input("points", {-1, 3})),
                features = must(b.tensor_input("features_in", {-1, 1}));
    const Value batches = must(b.tensor_input("batches", {-1}, DType::i32)),
                active = must(b.tensor_input("count", {1}, DType::i32));
    must(b.output("y", must(b.voxelize(points, features, batches, active, {size, size, size},
                                       {0, 0, 0}, "sum"))));
    return finish(b);
  };
  const auto voxels = [&](double size, const std::vector<std::array<float, 3>>& at,
                          std::vector<float> given) {
    const auto n = static_cast<int64_t>(at.size());
    const std::vector<int32_t> zeros(at.size(), 0);
    const auto count = static_cast<int32_t>(n);
    return try_run(graph(size),
                   {{"points", TensorView{DType::f32, {n, 3}, at.data()}},
                    {"features_in", TensorView{DType::f32, {n, 1}, given.data()}},
                    {"batches", TensorView{DType::i32, {n}, zeros.data()}},
                    {"count", TensorView{DType::i32, {1}, &count}}},
                   GetParam());
  };
  for (const auto& [bad, axis] : {std::pair{std::array{nan, 0.0f, 0.0f}, "x"},
                                  {{0, inf, 0}, "y"},
                                  {{0, 0, 1e30f}, "z"},
                                  {{0, -inf, 0}, "y"}}) {
    const auto found = voxels(0.5, {{0, 0, 0}, bad, {1, 1, 1}}, {1, 2, 4});
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code(), Code::input);
    EXPECT_TRUE(holds(found.error().text(), "row 1") && holds(found.error().text(), axis))
        << found.error().text();
  }
  EXPECT_EQ(by_row(must(voxels(0.5, {{0, 0, 0}, {1, 1, 1}}, {1, 4}))[0]),
            (ByRow{{{0, 0, 0, 0}, {1}}, {{0, 2, 2, 2}, {4}}}));
  // A northing in metres: millimetres leave int32, decimetres do not.
  const std::vector<std::array<float, 3>> utm = {{289814.2f, 4320978.6f, 170.8f}};
  const auto fine = voxels(0.001, utm, {1});
  ASSERT_FALSE(fine);
  EXPECT_TRUE(holds(fine.error().text(), "row 0") && holds(fine.error().text(), "y"))
      << fine.error().text();
  Row expected{0, 0, 0, 0};
  for (size_t axis = 0; axis < 3; ++axis)
    expected[axis + 1] = static_cast<int32_t>(std::floor(utm[0][axis] / 0.1f));
  EXPECT_EQ(by_row(must(voxels(0.1, utm, {1}))[0]), (ByRow{{expected, {1}}}));
}

TEST_P(FieldValues, HalfPrecisionIsSummedInSingle) {
  const Graph line = graph_of(1, {1, 1, 1}, DType::f16, [](GraphBuilder& b, Value x) {
    return must(b.subm_conv3d(x, conv_weight(b, "w", {1, 3, 1, 1, 1}, {1}, {.dtype = DType::f16})));
  });
  EXPECT_EQ(rows(line, Rows({{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 2, 0, 0}}, {60000, 60000, -60000},
                            {1, 1, 1}, DType::f16)),
            (ByRow{{{0, 0, 0, 0}, {inf}}, {{0, 1, 0, 0}, {60000}}, {{0, 2, 0, 0}, {0}}}));
  const Graph wide = graph_of(4096, {1, 1, 1}, DType::f16, [](GraphBuilder& b, Value x) {
    return must(
        b.subm_conv3d(x, conv_weight(b, "w", {1, 1, 1, 1, 4096}, {1}, {.dtype = DType::f16})));
  });
  EXPECT_EQ(rows(wide, Rows({{0, 0, 0, 0}}, constant(4096, 1), {1, 1, 1}, DType::f16)),
            (ByRow{{{0, 0, 0, 0}, {4096}}}));
  const Graph large = graph_of(1, [](GraphBuilder& b, Value x) {
    return must(b.subm_conv3d(x, conv_weight(b, "w", {1, 1, 1, 1, 1}, {70000})));
  });
  EXPECT_EQ(rows(large, Rows({{0, 0, 0, 0}}, {1.5f})), (ByRow{{{0, 0, 0, 0}, {105000}}}));
}

TEST_P(FieldValues, IdentityWeightsGiveTheInputBack) {
  const std::vector<float> identity = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const Rows x({{0, 0, 0, 0}, {0, 1, 0, 0}}, {477.1842f, 4097, 2049, 2049, 477.1842f, 4097});
  const ByRow same{{{0, 0, 0, 0}, {477.1842041015625f, 4097, 2049}},
                   {{0, 1, 0, 0}, {2049, 477.1842041015625f, 4097}}};
  for (const int64_t kernel : {1, 3}) {
    std::vector<float> numbers;
    for (size_t o = 0; o < 3; ++o) {
      for (int64_t tap = 0; tap < kernel * kernel * kernel; ++tap) {
        for (size_t i = 0; i < 3; ++i)
          numbers.push_back(tap == kernel * kernel * kernel / 2 ? identity[o * 3 + i] : 0);
      }
    }
    EXPECT_EQ(rows(graph_of(3,
                            [&](GraphBuilder& b, Value v) {
                              return must(b.subm_conv3d(
                                  v, conv_weight(b, "w", {3, kernel, kernel, kernel, 3}, numbers)));
                            }),
                   x),
              same);
  }
  EXPECT_EQ(
      rows(graph_of(3,
                    [&](GraphBuilder& b, Value v) {
                      return must(b.linear(v, must(b.weight("w", "linear", {3, 3}, identity))));
                    }),
           x),
      same);
}

TEST_P(FieldValues, MaximumOfNegativesIsNegative) {
  for (const DType dtype : {DType::f32, DType::f16}) {
    const Graph pool = graph_of(2, {1, 1, 1}, dtype, [](GraphBuilder& b, Value x) {
      return must(b.pool3d(x, "max", {2, 2, 2}, {2, 2, 2}));
    });
    const Graph global = graph_of(2, {1, 1, 1}, dtype, [](GraphBuilder& b, Value x) {
      return must(b.global_pool(x, "max", 1));
    });
    const Rows x({{0, 0, 0, 0}, {0, 1, 0, 0}}, {-5, -1, -3, -2}, {1, 1, 1}, dtype);
    EXPECT_EQ(rows(pool, x), (ByRow{{{0, 0, 0, 0}, {-3, -1}}}));
    EXPECT_EQ(numbers_of(run(global, x.inputs(), GetParam())[0].tensor()),
              (std::vector<float>{-3, -1}));
  }
}

// Every pair of channel counts, dense and packed: the cpu has the bits of the reference, and both
// are near the sums in f64.
TEST(FieldValuesChannels, EveryCountWorks) {
  const std::vector<std::array<int64_t, 2>> large = {{1024, 16}, {16, 1024}};
  const int64_t counts[] = {1, 2, 3, 4, 5, 7, 16, 17, 18, 33, 130};
  std::vector<std::array<int64_t, 2>> pairs = large;
  for (const int64_t in : counts) {
    for (const int64_t out : counts) pairs.push_back({in, out});
  }
  struct Kind {
    DType features;
    WeightOptions weights;
  };
  const Kind kinds[] = {{DType::f32, {}},
                        {DType::f16, {.dtype = DType::f16}},
                        {DType::f32, {.bits = 8, .group_size = 32}},
                        {DType::f32, {.bits = 4, .group_size = 64}}};
  size_t turn = 0;
  for (const auto& [in, out] : pairs) {
    ++turn;
    for (size_t k = 0; k < std::size(kinds); ++k) {
      if (k > 0 && in < 1000 && out < 1000 && (turn + k) % 3 != 0)
        continue; // dense f32 has every pair
      std::vector<float> numbers(static_cast<size_t>(out * 27 * in));
      for (size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<float>((i * 2654435761u >> 20) % 201) / 128.0f - 0.75f;
      const Graph graph = graph_of(in, {1, 1, 1}, kinds[k].features, [&](GraphBuilder& b, Value x) {
        return must(
            b.subm_conv3d(x, conv_weight(b, "w", {out, 3, 3, 3, in}, numbers, kinds[k].weights)));
      });
      const Rows drawn = random_rows(40, in, 5, static_cast<uint32_t>(turn));
      const Rows x(drawn.coords(), drawn.features(), {1, 1, 1}, kinds[k].features);
      const Outputs reference = run(graph, x.inputs(), "reference");
      const std::string what = fmt::format("{} to {} channels, kind {}", in, out, k);
      EXPECT_EQ(cases::bit_difference(run(graph, x.inputs(), "cpu"), reference), "") << what;
      if (k > 0) continue;
      const ByRow found = by_row(reference[0]);
      const Row& at = x.coords()[7];
      for (int64_t o = 0; o < out; ++o) {
        double sum = 0, size = 0;
        for (size_t row = 0; row < x.coords().size(); ++row) {
          const int64_t dx = x.coords()[row][1] - at[1] + 1, dy = x.coords()[row][2] - at[2] + 1,
                        dz = x.coords()[row][3] - at[3] + 1;
          if (std::min({dx, dy, dz}) < 0 || std::max({dx, dy, dz}) > 2) continue;
          for (int64_t c = 0; c < in; ++c) {
            const double product =
                static_cast<double>(
                    numbers[static_cast<size_t>((o * 27 + dx * 9 + dy * 3 + dz) * in + c)]) *
                x.features()[row * static_cast<size_t>(in) + static_cast<size_t>(c)];
            sum += product;
            size += std::abs(product);
          }
        }
        EXPECT_NEAR(found.at(at)[static_cast<size_t>(o)], sum, 1e-6 * size + 1e-12) << what;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, FieldValues, testing::Values("reference", "cpu"),
                         [](const auto& tested) { return std::string(tested.param); });

} // namespace
} // namespace lattice::reliability
