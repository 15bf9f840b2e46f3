// Faults that users of sparse libraries met in weight files, element types and graph text. Each is
// refused with the place and what was expected, and the process goes on.
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "tests/cases.h"
#include "tests/reliability/graphs.h"

namespace lattice::reliability {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("the graph does not hold " + from);
  return text.replace(at, from.size(), to);
}

// A tensor with its numbers.
struct Stored {
  std::string key;
  Tensor tensor;
};

Stored stored(const std::string& key, DType dtype, const Shape& shape,
              const std::function<double(int64_t)>& number) {
  Tensor tensor = must(make_tensor(dtype, shape));
  for (int64_t i = 0; i < elements_of(shape); ++i) {
    const double value = number(i);
    std::byte* at = tensor.storage.get() + i * size_of(dtype);
    const auto put = [&](auto typed) { std::memcpy(at, &typed, sizeof(typed)); };
    if (dtype == DType::f16) put(f16_from_f32(static_cast<float>(value)));
    if (dtype == DType::f32) put(static_cast<float>(value));
    if (dtype == DType::u32) put(static_cast<uint32_t>(value));
    if (dtype == DType::i32) put(static_cast<int32_t>(value));
  }
  return {key, std::move(tensor)};
}

std::vector<std::byte> file_of(const std::vector<Stored>& tensors) {
  std::vector<NamedTensor> list;
  for (const Stored& each : tensors) list.push_back({each.key, each.tensor.view()});
  return must(safetensors_bytes(list));
}

std::string load_error(const std::string& text, const std::vector<std::byte>& weights) {
  const auto program = Program::try_load_memory(text, weights);
  if (program) return "no error";
  EXPECT_EQ(program.error().code(), Code::artifact) << program.error().text();
  return program.error().text();
}

Graph pointwise(int64_t in, int64_t out, int64_t kernel, const WeightOptions& options = {}) {
  return graph_of(in, [&](GraphBuilder& b, Value x) {
    return must(
        b.subm_conv3d(x, conv_weight(b, "w", {out, kernel, kernel, kernel, in}, {0.5f}, options)));
  });
}

TEST(FieldLoading, WeightsInAnotherLayoutAreRefused) {
  const auto one = [](int64_t) { return 1.0; };
  const std::string text = pointwise(5, 16, 3).text;
  const std::string swapped =
      load_error(text, file_of({stored("w", DType::f32, {3, 3, 3, 5, 16}, one)}));
  EXPECT_TRUE(holds(swapped, "\"w\"") && holds(swapped, "weights.safetensors") &&
              holds(swapped, "(3, 3, 3, 5, 16)"))
      << swapped;
  const std::string channels =
      load_error(text, file_of({stored("w", DType::f32, {16, 3, 3, 3, 4}, one)}));
  EXPECT_TRUE(holds(channels, "4") && holds(channels, "5")) << channels;
  EXPECT_TRUE(holds(
      load_error(replaced(text, "conv3d_o_xyz_i", "conv3d_xyz_i_o"), pointwise(5, 16, 3).weights),
      "graph.mlir:"));
}

// Where all numbers coincide only the values can tell: output channel first, then x, y, z, then
// input channel.
TEST(FieldLoading, WeightsAreOutputXyzInput) {
  const Graph graph{pointwise(3, 3, 3).text,
                    file_of({stored("w", DType::f32, {3, 3, 3, 3, 3},
                                    [](int64_t i) { return static_cast<double>(i); })})};
  const Rows x({{0, 0, 0, 0}, {0, 1, 0, 0}}, {0, 1, 0, 0, 0, 0});
  for (const char* device : {"reference", "cpu"}) {
    std::vector<float> centre, behind;
    for (int o = 0; o < 3; ++o) {
      centre.push_back(static_cast<float>((o * 27 + 13) * 3 + 1));
      behind.push_back(static_cast<float>((o * 27 + 4) * 3 + 1)); // kernel index (0, 1, 1)
    }
    EXPECT_EQ(by_row(run(graph, x.inputs(), device)[0]),
              (ByRow{{{0, 0, 0, 0}, centre}, {{0, 1, 0, 0}, behind}}));
  }
}

TEST(FieldLoading, ElementTypesAreNeverReinterpreted) {
  const auto graph = [](DType features, DType weight) {
    return graph_of(1, {1, 1, 1}, features, [&](GraphBuilder& b, Value x) {
      return must(b.subm_conv3d(x, conv_weight(b, "w", {1, 1, 1, 1, 1}, {2}, {.dtype = weight}),
                                vector_weight(b, "b", "bias", {0.5f})));
    });
  };
  const std::vector<Row> at = {{0, 0, 0, 0}};
  for (const char* device : {"reference", "cpu"}) {
    for (const DType features : {DType::f16, DType::f32}) {
      for (const DType weight : {DType::f16, DType::f32}) {
        EXPECT_EQ(by_row(run(graph(features, weight), Rows(at, {3}, {1, 1, 1}, features).inputs(),
                             device)[0]),
                  (ByRow{{at[0], {6.5f}}}));
      }
      const DType other = features == DType::f16 ? DType::f32 : DType::f16;
      const auto given =
          try_run(graph(features, DType::f32), Rows(at, {3}, {1, 1, 1}, other).inputs(), device);
      ASSERT_FALSE(given);
      EXPECT_EQ(given.error().code(), Code::input);
      EXPECT_TRUE(holds(given.error().text(), "f16") && holds(given.error().text(), "f32"))
          << given.error().text();
    }
    const int64_t wide[4] = {0, 0, 0, 0}, one = 1;
    const float feature = 3;
    const int32_t narrow[4] = {0, 0, 0, 0}, count = 1;
    const auto bound = [&](const TensorView& coords, const TensorView& active) {
      const auto outputs = try_run(graph(DType::f32, DType::f32),
                                   {{"x_coords", coords},
                                    {"x_features", TensorView{DType::f32, {1, 1}, &feature}},
                                    {"x_active", active}},
                                   device);
      return outputs ? std::string("no error") : outputs.error().text();
    };
    const TensorView coords{DType::i32, {1, 4}, narrow}, active{DType::i32, {1}, &count};
    EXPECT_EQ(bound(coords, active), "no error");
    for (const std::string& text :
         {bound({DType::i64, {1, 4}, wide}, active), bound(coords, {DType::i64, {1}, &one})}) {
      EXPECT_TRUE(holds(text, "i64") && holds(text, "i32")) << text;
    }
  }
  // Stored as another type than declared.
  const std::string text =
      load_error(graph(DType::f32, DType::f32).text,
                 file_of({stored("w", DType::f16, {1, 1, 1, 1, 1}, [](int64_t) { return 2.0; }),
                          stored("b", DType::f32, {1}, [](int64_t) { return 0.5; })}));
  EXPECT_TRUE(holds(text, "weights.safetensors: w") && holds(text, "f16") && holds(text, "f32"))
      << text;
}

TEST(FieldLoading, PackedScalesAreWholeAndFinite) {
  WeightOptions options;
  options.bits = 8;
  options.group_size = 32;
  options.scale_dtype = DType::f32;
  // Pointwise: (1, O, Ipacked), scales (1, O, G).
  const std::string text = pointwise(3, 2, 1, options).text;
  const auto codes =
      stored("w.weight", DType::u32, {1, 2, 8}, [](int64_t) { return 4294967295.0; });
  const auto zeros = [](const std::string& key) {
    return stored(key, DType::f32, {1, 2, 1}, [](int64_t) { return 0.0; });
  };
  const Graph pruned{text, file_of({codes, zeros("w.scales"), zeros("w.biases")})};
  for (const char* device : {"reference", "cpu"}) {
    EXPECT_EQ(by_row(run(pruned, Rows({{0, 0, 0, 0}}, {1, 2, 3}).inputs(), device)[0]),
              (ByRow{{{0, 0, 0, 0}, {0, 0}}}));
  }
  const std::string few = load_error(
      text, file_of({codes, stored("w.scales", DType::f32, {1, 1, 1}, [](int64_t) { return 1.0; }),
                     zeros("w.biases")}));
  EXPECT_TRUE(holds(few, "w.scales") && holds(few, "(1, 1, 1)") && holds(few, "(1, 2, 1)")) << few;
  const std::string bad =
      load_error(text, file_of({codes,
                                stored("w.scales", DType::f32, {1, 2, 1},
                                       [](int64_t i) { return i == 1 ? nan : 1.0; }),
                                zeros("w.biases")}));
  EXPECT_TRUE(holds(bad, "w.scales") && holds(bad, "1")) << bad;
  const std::string missing = load_error(text, file_of({codes, zeros("w.scales")}));
  EXPECT_TRUE(holds(missing, "w.biases")) << missing;
  const std::string half = load_error(
      text, file_of({codes, stored("w.scales", DType::f16, {1, 2, 1}, [](int64_t) { return 1.0; }),
                     zeros("w.biases")}));
  EXPECT_TRUE(holds(half, "w.scales") && holds(half, "f16") && holds(half, "f32")) << half;
}

TEST(FieldLoading, ArtifactsOfOtherVersionsAreRefused) {
  const Graph good = pointwise(1, 1, 1);
  ASSERT_TRUE(good.try_load());
  const std::string version = "lattice.ir_version = 2";
  for (const char* other : {"lattice.ir_version = 1", "lattice.ir_version = 3",
                            "lattice.ir_version = \"2\"", "lattice.ir_versions = 2"}) {
    const std::string text = load_error(replaced(good.text, version, other), good.weights);
    EXPECT_TRUE(holds(text, "lattice.ir_version") && holds(text, "2")) << text;
  }
  const std::string digest = load_error(replaced(good.text, "1380f1e8", "1380f1e9"), good.weights);
  EXPECT_TRUE(holds(digest, "1380f1e9") && holds(digest, "1380f1e8"))
      << "found and known: " << digest;
  const std::string file =
      load_error(replaced(good.text, "\"weights.safetensors\"", "\"w.safetensors\""), good.weights);
  EXPECT_TRUE(holds(file, "w.safetensors") && holds(file, "weights.safetensors")) << file;
  const std::string missing = load_error(
      good.text, file_of({stored("v", DType::f32, {1, 1, 1, 1, 1}, [](int64_t) { return 1.0; })}));
  EXPECT_TRUE(holds(missing, "weights.safetensors: w")) << missing;
  const Graph more{good.text,
                   file_of({stored("w", DType::f32, {1, 1, 1, 1, 1}, [](int64_t) { return 1.0; }),
                            stored("left_over", DType::f32, {1}, [](int64_t) { return 1.0; })})};
  EXPECT_TRUE(holds(more.load().inspect(), "left_over"));
}

TEST(FieldLoading, EpsilonIsKeptAndChecked) {
  const Graph norm = graph_of(1, [](GraphBuilder& b, Value x) {
    return must(b.batch_norm(
        x, vector_weight(b, "s", "channel", {1}), vector_weight(b, "b", "bias", {0}),
        vector_weight(b, "m", "channel", {0}), vector_weight(b, "v", "channel", {0.01f}), 0.001f));
  });
  const Rows x({{0, 0, 0, 0}}, {1});
  for (const char* device : {"reference", "cpu"}) {
    EXPECT_NEAR(by_row(run(norm, x.inputs(), device)[0]).begin()->second[0], 9.534626, 1e-5);
  }
  for (const char* eps : {"0.0 : f32", "-1.0 : f32", "0x7FC00000 : f32", "0x7F800000 : f32"}) {
    const std::string text = load_error(
        replaced(norm.text, "eps = 0.001 : f32", std::string("eps = ") + eps), norm.weights);
    EXPECT_TRUE(holds(text, "eps") && holds(text, "graph.mlir:")) << eps << ": " << text;
  }
}

TEST(FieldLoading, ForeignOperationsAreRefusedByName) {
  const Graph good = pointwise(1, 1, 1);
  const std::string last = "    return ";
  const size_t at = good.text.rfind("return");
  ASSERT_NE(at, std::string::npos);
  for (const auto& [line, name] : {std::pair{"%c = arith.constant 1 : i32\n", "arith.constant"},
                                   {"func.call @other() : () -> ()\n", "func.call"},
                                   {"%c = \"tf.Relu\"() : () -> tensor<1xf32>\n", "tf.Relu"}}) {
    std::string text = good.text;
    text.insert(at, line);
    const std::string error = load_error(text, good.weights);
    EXPECT_TRUE(holds(error, name)) << error;
  }
}

// A result that is an argument, and an argument that nothing reads.
TEST(FieldLoading, ResultsNeedNotDependOnEveryInput) {
  GraphBuilder b;
  const Value x = must(b.sparse_input("x", 1));
  must(b.tensor_input("unread", {-1, 2}));
  must(b.output("y", x));
  const Graph graph = finish(b);
  const float numbers[2] = {1, 2};
  const Rows rows({{0, 5, 6, 7}}, {3});
  for (const char* device : {"reference", "cpu"}) {
    EXPECT_EQ(
        by_row(run(graph, {{"x", rows.view()}, {"unread", TensorView{DType::f32, {1, 2}, numbers}}},
                   device)[0]),
        (ByRow{{{0, 5, 6, 7}, {3}}}));
    EXPECT_FALSE(try_run(graph, rows.inputs(), device)) << "an argument is missing all the same";
  }
}

// ------------------------------------------------------------------------------- malformed graph
// text

class MalformedText : public testing::Test {
 protected:
  MalformedText()
      : good_(graph_of(2, [](GraphBuilder& b, Value x) {
          const Value y =
              must(b.conv3d(x, conv_weight(b, "w", {2, 2, 2, 2, 2}, {0.5f}), {}, {2, 2, 2}));
          return must(b.activation(y, "leaky_relu"));
        })) {}
  void TearDown() override {
    EXPECT_TRUE(good_.try_load()) << "the process can load a good artifact afterwards";
  }

  // Refused, with line and column.
  void refuses(const std::string& text, const std::string& what) {
    const auto program = Program::try_load_memory(text, good_.weights);
    ASSERT_FALSE(program) << what;
    EXPECT_EQ(program.error().code(), Code::artifact) << what;
    ASSERT_FALSE(program.error().diagnostics().empty()) << what;
    bool placed = false;
    for (const Diagnostic& each : program.error().diagnostics())
      placed = placed || each.where.line > 0;
    EXPECT_TRUE(placed) << what << ": " << program.error().text();
    EXPECT_LT(program.error().text().size(), 100'000u) << what;
  }

  Graph good_;
};

TEST_F(MalformedText, BadAttributes) {
  const std::string kernel = "kernel_size = array<i64: 2, 2, 2>",
                    stride = "stride = array<i64: 2, 2, 2>";
  const std::string dilation = "dilation = array<i64: 1, 1, 1>", alpha = "alpha = 0.01 : f32";
  for (const auto& [from, to] :
       {std::pair{kernel, "kernel_size = array<i64: 2, 2>"},
        {kernel, "kernel_size = array<i32: 2, 2, 2>"},
        {kernel, "kernel_size = [2, 2, 2]"},
        {kernel, "kernel_size = array<i64: 2147483648, 2, 2>"},
        {kernel, "kernel_size = array<i64>"},
        {kernel, "kernel_size"},
        {stride, "stride = array<i64: 0, 2, 2>"},
        {stride, "stride = array<i64: -9223372036854775808, 2, 2>"},
        {stride, "stride = array<i64: 9223372036854775807, 2, 2>"},
        {dilation, "dilation = array<i64: 1099511627776, 1, 1>"},
        {dilation, "dilation = array<i64: 1, 1, 99999999999999999999999>"},
        {alpha, "alpha = 0x7FC00000 : f32"},
        {alpha, "alpha = -1.0 : f32"},
        {alpha, "alpha = 0.01 : f64"},
        {alpha, "alpha = \"0.01\""},
        {std::string("accumulation = \"canonical_f32\""), "accumulation = 7 : i3"}}) {
    std::string text = good_.text;
    // `stride` stands in sparse.make too, as (1, 1, 1).
    refuses(replaced(text, from, to), to);
  }
}

TEST_F(MalformedText, VoxelSizeThatIsNoNumber) {
  GraphBuilder b;
  const Value points = must(b.tensor_input("points", {-1, 3})),
              features = must(b.tensor_input("f", {-1, 1}));
  const Value batches = must(b.tensor_input("batches", {-1}, DType::i32)),
              active = must(b.tensor_input("count", {1}, DType::i32));
  must(b.output("y", must(b.voxelize(points, features, batches, active, {0.25, 0.25, 0.25},
                                     {0, 0, 0}, "sum"))));
  const Graph graph = finish(b);
  ASSERT_TRUE(graph.try_load());
  for (const char* size : {"0x7FF8000000000000", "0.0", "-0.25", "0x7FF0000000000000"}) {
    refuses(replaced(graph.text, "voxel_size = array<f64: 0.25,",
                     std::string("voxel_size = array<f64: ") + size + ","),
            size);
  }
}

TEST_F(MalformedText, OddBytes) {
  refuses(std::string(100'000, '(') + good_.text, "100,000 nested parentheses");
  refuses(replaced(good_.text, "attributes {",
                   "attributes {deep = " + std::string(100'000, '[') + std::string(100'000, ']') +
                       ", "),
          "nested lists");
  refuses(std::string("\0", 1) + good_.text, "a NUL byte at the start");
  refuses(replaced(good_.text, "func.func", std::string("fu\0nc.func", 10)), "a NUL byte inside");
  refuses("", "an empty file");
  refuses(" \n\t\n", "blanks alone");
  refuses("\xff\xfe" + good_.text, "no UTF-8");
  refuses("ML\xefR" + good_.text, "bytecode");
}

// Foreign module attributes are ignored, whatever their size; Windows line ends are blanks.
TEST_F(MalformedText, LongStringsAndLineEndsAreFine) {
  const auto large = Program::try_load_memory(
      replaced(good_.text, "attributes {",
               "attributes {test.note = \"" + std::string(50'000'000, 'a') + "\", "),
      good_.weights);
  EXPECT_TRUE(large) << large.error().text().substr(0, 1000);
  std::string windows;
  for (const char c : good_.text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_TRUE(Program::try_load_memory(windows, good_.weights));
}

TEST_F(MalformedText, TextCutAnywhere) {
  const size_t end = good_.text.find_last_not_of(" \n"); // the module's closing bracket
  for (size_t length = 1; length <= end; length += 64)
    refuses(good_.text.substr(0, length), "cut after " + std::to_string(length));
  refuses(good_.text.substr(0, end), "without the last bracket");
}

} // namespace
} // namespace lattice::reliability
