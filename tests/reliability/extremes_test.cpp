// Numbers at the ends of their ranges: coordinates at the limits of int32, features that are no
// numbers, sizes whose products do not fit 64 bits.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/cases.h"
#include "tests/reliability/every_op.h"

namespace lattice::reliability {
namespace {

constexpr int32_t low = std::numeric_limits<int32_t>::min(),
                  high = std::numeric_limits<int32_t>::max();
constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                inf = std::numeric_limits<float>::infinity();

class Extremes : public testing::TestWithParam<const char*> {
 protected:
  std::string error(const Graph& graph, const Rows& input) {
    const auto outputs = try_run(graph, input.inputs(), GetParam());
    return outputs ? "no error" : outputs.error().text();
  }
  ByRow rows(const Graph& graph, const Rows& input) {
    return by_row(run(graph, input.inputs(), GetParam())[0]);
  }
};

Graph subm3() {
  return graph_of(1, [](GraphBuilder& b, Value x) {
    return must(b.subm_conv3d(x, conv_weight(b, "w", {1, 3, 3, 3, 1}, {1})));
  });
}

// Look-ups past the ends find nothing: they neither wrap to the other end nor overflow.
TEST_P(Extremes, NeighboursDoNotWrap) {
  EXPECT_EQ(
      rows(subm3(), Rows({{0, low, 0, 0}, {0, high, 0, 0}, {0, high - 1, 0, 0}}, {1, 10, 100})),
      (ByRow{{{0, low, 0, 0}, {1}}, {{0, high, 0, 0}, {110}}, {{0, high - 1, 0, 0}, {110}}}));
  const Graph wide = graph_of(1, [](GraphBuilder& b, Value x) {
    return must(
        b.subm_conv3d(x, conv_weight(b, "w", {1, 3, 3, 3, 1}, {1}), {}, {high, high, high}));
  });
  EXPECT_EQ(
      rows(wide, Rows({{0, low, low, low}, {0, -1, -1, -1}, {0, high, high, high}, {0, 0, 0, 0}},
                      {1, 10, 100, 1000})),
      (ByRow{{{0, low, low, low}, {11}},
             {{0, -1, -1, -1}, {11}},
             {{0, high, high, high}, {1100}},
             {{0, 0, 0, 0}, {1100}}}));
}

// floor(low / 2) and floor(high / 2) fit, and so do their physical coordinates.
TEST_P(Extremes, DownsamplingAtTheEnds) {
  const ByRow expected{{{0, low, low, low}, {1}}, {{0, high - 1, high - 1, high - 1}, {2}}};
  const Rows x({{0, low, low, low}, {0, high, high, high}}, {1, 2});
  for (const char* mode : {"sum", "avg", "max"}) {
    EXPECT_EQ(rows(graph_of(1,
                            [&](GraphBuilder& b, Value v) {
                              return must(b.pool3d(v, mode, {2, 2, 2}, {2, 2, 2}));
                            }),
                   x),
              expected);
  }
  EXPECT_EQ(
      rows(graph_of(
               1,
               [](GraphBuilder& b, Value v) {
                 return must(b.conv3d(v, conv_weight(b, "w", {1, 2, 2, 2, 1}, {1}), {}, {2, 2, 2}));
               }),
           x),
      expected);
  // floor(low / 3) * 3 is below low: an error that names the row.
  const Graph thirds = graph_of(1, [](GraphBuilder& b, Value v) {
    return must(b.pool3d(v, "sum", {3, 3, 3}, {3, 3, 3}));
  });
  const std::string text = error(thirds, Rows({{0, 0, 0, 0}, {0, 5, low, 7}}, {1, 2}));
  EXPECT_NE(text.find("row 1"), std::string::npos) << text;
  EXPECT_EQ(error(thirds, Rows({{0, 0, 0, 0}, {0, 5, low + 2, 7}}, {1, 2})), "no error");
}

TEST_P(Extremes, UpsamplingPastTheEndNamesTheRow) {
  const Graph twice = graph_of(1, {2, 2, 2}, DType::f32, [](GraphBuilder& b, Value v) {
    return must(b.conv_transpose3d(v, conv_weight(b, "w", {1, 3, 3, 3, 1}, {1}), {}, {2, 2, 2}));
  });
  const std::string text =
      error(twice, Rows({{0, 0, 0, 0}, {0, 0, 0, high - 1}}, {1, 2}, {2, 2, 2}));
  EXPECT_NE(text.find("row 1"), std::string::npos) << text;
  EXPECT_EQ(rows(twice, Rows({{0, low, low, low}}, {1}, {2, 2, 2})).size(), 27u);
  // Padding below the lower end.
  const Graph padded = graph_of(1, {2, 2, 2}, DType::f32, [](GraphBuilder& b, Value v) {
    return must(
        b.conv_transpose3d(v, conv_weight(b, "w", {1, 2, 2, 2, 1}, {1}), {}, {2, 2, 2}, {1, 1, 1}));
  });
  EXPECT_NE(error(padded, Rows({{0, low, 0, 0}}, {1}, {2, 2, 2})).find("row 0"), std::string::npos);
  // Strides that multiply past 32 bits.
  const Graph far = graph_of(1, [](GraphBuilder& b, Value v) {
    return must(b.pool3d(v, "sum", {1, 1, 1}, {high, high, high}));
  });
  EXPECT_EQ(rows(far, Rows({{0, high, 5, 0}}, {3})), (ByRow{{{0, high, 0, 0}, {0}}}))
      << "its window holds x = 2147483647 times 1, y = 0";
}

TEST_P(Extremes, FeaturesThatAreNoNumbersFollowIeee) {
  const ByRow found = rows(
      subm3(), Rows({{0, 0, 0, 0}, {0, 5, 0, 0}, {0, 6, 0, 0}, {0, 9, 0, 0}}, {nan, inf, -inf, 3}));
  EXPECT_TRUE(std::isnan(found.at({0, 0, 0, 0})[0]));
  EXPECT_TRUE(std::isnan(found.at({0, 5, 0, 0})[0])) << "inf - inf";
  EXPECT_EQ(found.at({0, 9, 0, 0})[0], 3.0f) << "and nothing spreads";
  for (const char* mode : {"max", "sum", "avg"}) {
    const ByRow pooled = rows(graph_of(1,
                                       [&](GraphBuilder& b, Value v) {
                                         return must(b.pool3d(v, mode, {2, 1, 1}, {2, 1, 1}));
                                       }),
                              Rows({{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 2, 0, 0}}, {nan, 1, inf}));
    EXPECT_TRUE(std::isnan(pooled.at({0, 0, 0, 0})[0])) << mode;
    EXPECT_EQ(pooled.at({0, 2, 0, 0})[0], inf) << mode;
  }
  // relu keeps NaN; a weight of 0 times infinity is NaN.
  const ByRow relu =
      rows(graph_of(1, [](GraphBuilder& b, Value v) { return must(b.activation(v, "relu")); }),
           Rows({{0, 0, 0, 0}, {0, 1, 0, 0}}, {nan, -inf}));
  EXPECT_TRUE(std::isnan(relu.at({0, 0, 0, 0})[0]));
  EXPECT_EQ(relu.at({0, 1, 0, 0})[0], 0.0f);
  const ByRow zero =
      rows(graph_of(1,
                    [](GraphBuilder& b, Value v) {
                      return must(b.subm_conv3d(v, conv_weight(b, "w", {1, 1, 1, 1, 1}, {0})));
                    }),
           Rows({{0, 0, 0, 0}}, {inf}));
  EXPECT_TRUE(std::isnan(zero.at({0, 0, 0, 0})[0]));
  // A fill is a fill, whatever stands elsewhere.
  GraphBuilder b;
  const Value v = must(b.sparse_input("x", 1)), target = must(b.sparse_input("target", 1));
  must(b.output("y", must(b.sparse_reindex(v, target, 7))));
  const Rows x({{0, 0, 0, 0}, {0, 1, 0, 0}}, {nan, inf}),
      onto({{0, 2, 0, 0}, {0, 0, 0, 0}}, {nan, nan});
  const ByRow filled =
      by_row(run(finish(b), {{"x", x.view()}, {"target", onto.view()}}, GetParam())[0]);
  EXPECT_EQ(filled.at({0, 2, 0, 0})[0], 7.0f);
  EXPECT_TRUE(std::isnan(filled.at({0, 0, 0, 0})[0]));
}

// A quotient too small for a number keeps its sign: nothing is added to it where there is no bias.
TEST_P(Extremes, NegativeZeroStays) {
  for (const int64_t channels : {1, 3, 40}) {
    const auto graph = [&](const char* activation) {
      return graph_of(1, [&](GraphBuilder& b, Value x) {
        const Value y =
            must(b.normalized_subm_conv3d(x, conv_weight(b, "w", {channels, 3, 1, 1, 1}, {1e30f})));
        return activation == nullptr ? y : must(b.activation(y, activation));
      });
    };
    const Rows x({{0, 0, 0, 0}, {0, 5, 0, 0}}, {-1, 1});
    for (const char* activation : {static_cast<const char*>(nullptr), "leaky_relu", "tanh"}) {
      const ByRow found = rows(graph(activation), x);
      for (const float value : found.at({0, 0, 0, 0}))
        EXPECT_TRUE(value == 0 && std::signbit(value));
      for (const float value : found.at({0, 5, 0, 0}))
        EXPECT_TRUE(value == 0 && !std::signbit(value));
    }
  }
}

// Every operation on NaN and infinite features: both devices have the same bits.
TEST(ExtremesEverywhere, NoNumbersThroughEveryOperation) {
  const Rows drawn = random_rows(30, 2, 5, 7);
  std::vector<float> features = drawn.features();
  for (size_t i = 0; i < features.size(); i += 5)
    features[i] = i % 3 == 0 ? nan : i % 3 == 1 ? inf : -inf;
  features[1] = std::numeric_limits<float>::denorm_min();
  features[2] = std::numeric_limits<float>::max();
  features[3] = -0.0f;
  for (const DType dtype : {DType::f32, DType::f16}) {
    const Rows x(drawn.coords(), features, {1, 1, 1}, dtype);
    for (const OpGraph& each : graphs_of_every_op(dtype)) {
      if (each.points) continue;
      EXPECT_EQ(cases::bit_difference(run(each.graph, x.inputs(), "cpu"),
                                      run(each.graph, x.inputs(), "reference")),
                "")
          << each.name;
    }
  }
}

// ----------------------------------------------------------------------------------------------
// sizes

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("the graph does not hold " + from);
  while (text.find(from) != std::string::npos) text.replace(text.find(from), from.size(), to);
  return text;
}

// Channels that are declared but that no weight or memory backs.
TEST(DeclaredSizes, HugeChannelCounts) {
  const Graph good = graph_of(2, [](GraphBuilder& b, Value x) {
    return must(b.subm_conv3d(x, conv_weight(b, "w", {2, 1, 1, 1, 2}, {1})));
  });
  for (const char* channels :
       {"2147483647", "2147483648", "4611686018427387904", "9223372036854775807"}) {
    const auto program = Program::try_load_memory(
        replaced(good.text, "tensor<?x2xf32>", std::string("tensor<?x") + channels + "xf32>"),
        good.weights);
    ASSERT_FALSE(program) << channels;
    EXPECT_EQ(program.error().code(), Code::artifact);
  }
  // Nothing but the number itself is wrong: refused at load, and where the graph leaves it open at
  // the run, though no row means no byte.
  const Graph free =
      graph_of(2, [](GraphBuilder& b, Value x) { return must(b.activation(x, "relu")); });
  const Program open = must(Program::try_load_memory(
      replaced(free.text, "tensor<?x2xf32>", "tensor<?x?xf32>"), free.weights));
  for (const char* channels : {"2147483648", "4611686018427387904"}) {
    const auto program = Program::try_load_memory(
        replaced(free.text, "tensor<?x2xf32>", std::string("tensor<?x") + channels + "xf32>"),
        free.weights);
    ASSERT_FALSE(program) << channels;
    EXPECT_EQ(program.error().code(), Code::artifact);
    EXPECT_NE(program.error().text().find(channels), std::string::npos) << program.error().text();
    const Rows none({}, {});
    const auto outputs = Session(open).try_run({{"x", none.view(std::stoll(channels))}});
    ASSERT_FALSE(outputs) << channels;
    EXPECT_EQ(outputs.error().code(), Code::input) << outputs.error().text();
  }
  EXPECT_TRUE(Session(open).try_run(Rows({{0, 0, 0, 0}}, {1, 2}).inputs()));
}

// Channels that add up: each cat doubles them, until no number holds them.
TEST(DeclaredSizes, ChannelsThatAddUp) {
  GraphBuilder b;
  const Value x = must(b.sparse_input("x", 1 << 20));
  const auto refused = [&] {
    Value y = x;
    for (int i = 0; i < 62; ++i) {
      auto next = b.sparse_cat(y, y, "inner");
      if (!next) return next.error().text();
      y = *next;
    }
    return std::string();
  }();
  EXPECT_NE(refused.find("2147483647"), std::string::npos) << "the builder says so: " << refused;

  const Graph good = graph_of(
      1 << 20, [](GraphBuilder& made, Value v) { return must(made.sparse_cat(v, v, "inner")); });
  const size_t line = good.text.rfind('\n', good.text.find("lattice.sparse.cat")) + 1;
  const size_t end = good.text.find('\n', line) + 1;
  const std::string cat = good.text.substr(line, end - line);
  const std::string name = cat.substr(cat.find('%'), cat.find(" =") - cat.find('%'));
  const std::string operand =
      cat.substr(cat.find('%', cat.find('=')), cat.find(',') - cat.find('%', cat.find('=')));
  std::string lines = cat, last = name;
  for (int i = 0; i < 62; ++i) {
    const std::string next = "%next" + std::to_string(i);
    std::string made = cat;
    made.replace(made.find(name + " ="), name.size(), next);
    lines += replaced(made, operand, last);
    last = next;
  }
  std::string text = good.text;
  text.replace(line, end - line, lines);
  const auto program = Program::try_load_memory(text, good.weights);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code(), Code::artifact) << program.error().text();
  EXPECT_NE(program.error().text().find("2147483648 channels"), std::string::npos)
      << program.error().text();
}

// Shapes of inputs whose byte counts pass 64 bits are refused before anything is read through the
// pointer.
TEST(DeclaredSizes, InputsWhoseBytesOverflow) {
  const Graph graph = subm3();
  const int32_t coords[4] = {0, 0, 0, 0};
  const float feature = 1;
  const int32_t one = 1;
  for (const char* device : {"reference", "cpu"}) {
    const Program program = graph.load(device);
    Session session(program);
    for (const int64_t rows :
         {int64_t{1} << 60, int64_t{1} << 61, int64_t{1} << 62, std::numeric_limits<int64_t>::max(),
          int64_t{-1}, std::numeric_limits<int64_t>::min()}) {
      const auto outputs =
          session.try_run({{"x_coords", TensorView{DType::i32, {rows, 4}, coords}},
                           {"x_features", TensorView{DType::f32, {rows, 1}, &feature}},
                           {"x_active", TensorView{DType::i32, {1}, &one}}});
      ASSERT_FALSE(outputs) << device << ", " << rows;
      EXPECT_NE(outputs.error().code(), Code::internal) << outputs.error().text();
    }
    for (const Shape& shape : {Shape{}, Shape{4}, Shape{1, 4, 1}, Shape{1, 4, 1, 1, 1, 1}}) {
      EXPECT_FALSE(session.try_run({{"x_coords", TensorView{DType::i32, shape, coords}},
                                    {"x_features", TensorView{DType::f32, {1, 1}, &feature}},
                                    {"x_active", TensorView{DType::i32, {1}, &one}}}));
    }
    const auto null = session.try_run({{"x_coords", TensorView{DType::i32, {1, 4}, nullptr}},
                                       {"x_features", TensorView{DType::f32, {1, 1}, &feature}},
                                       {"x_active", TensorView{DType::i32, {1}, &one}}});
    ASSERT_FALSE(null);
    EXPECT_EQ(null.error().code(), Code::input) << "rows without memory";
    for (const int32_t active : {-1, 2, low, high}) {
      EXPECT_FALSE(session.try_run({{"x_coords", TensorView{DType::i32, {1, 4}, coords}},
                                    {"x_features", TensorView{DType::f32, {1, 1}, &feature}},
                                    {"x_active", TensorView{DType::i32, {1}, &active}}}));
    }
    EXPECT_TRUE(session.try_run(Rows({{0, 0, 0, 0}}, {1}).inputs()));
  }
}

// Kernels and strides whose products leave 64 bits.
TEST(DeclaredSizes, KernelsAndStridesThatOverflow) {
  const Graph pool = graph_of(1, [](GraphBuilder& b, Value x) {
    return must(b.pool3d(x, "sum", {5, 5, 5}, {2, 2, 2}));
  });
  for (const char* kernel :
       {"2147483647, 2147483647, 2147483647", "65536, 65536, 65536", "2147483647, 1, 1"}) {
    for (const char* device : {"reference", "cpu"}) {
      const auto program = Program::try_load_memory(
          replaced(pool.text, "kernel_size = array<i64: 5, 5, 5>",
                   std::string("kernel_size = array<i64: ") + kernel + ">"),
          pool.weights, {.device = device});
      if (!program) {
        EXPECT_NE(program.error().code(), Code::internal);
        continue;
      }
      Session session(*program);
      const auto outputs = session.try_run(Rows({{0, 0, 0, 0}, {0, 3, 0, 0}}, {1, 2}).inputs(),
                                           {.max_memory = int64_t{1} << 30});
      if (!outputs) {
        EXPECT_TRUE(outputs.error().code() == Code::memory ||
                    outputs.error().code() == Code::unsupported)
            << outputs.error().text();
      }
    }
  }
  // Stride upon stride: 2^31 three times.
  const auto deep = [] {
    GraphBuilder b;
    Value y = must(b.sparse_input("x", 1));
    for (int i = 0; i < 3; ++i) {
      auto next = b.pool3d(y, "sum", {1, 1, 1}, {high, high, high});
      if (!next) return Graph{};
      y = *next;
    }
    must(b.output("y", y));
    return finish(b);
  }();
  if (deep.text.empty()) return; // the builder says so already
  const auto program = deep.try_load();
  if (!program) {
    EXPECT_EQ(program.error().code(), Code::artifact);
    return;
  }
  Session session(*program);
  const auto outputs = session.try_run(Rows({{0, 0, 0, 0}}, {1}).inputs());
  if (outputs) {
    EXPECT_EQ(by_row((*outputs)[0]), (ByRow{{{0, 0, 0, 0}, {1}}}));
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Extremes, testing::Values("reference", "cpu"),
                         [](const auto& tested) { return std::string(tested.param); });

} // namespace
} // namespace lattice::reliability
