// One hash for every output, whatever must not matter: threads, vector width, the run before, the
// order of the rows, garbage in padding, the host's floating point rules.
#include <algorithm>
#include <cfenv>
#include <cstring>
#include <list>
#include <numeric>
#include <random>

#include <gtest/gtest.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "author/networks.h"
#include "tests/cases.h"
#include "tests/reliability/every_op.h"

namespace lattice::reliability {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

// FNV-1a. NaNs are hashed as one, rows of a sparse output in the order of their coordinates.
class Hash {
 public:
  void add(const void* data, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i)
      value_ = (value_ ^ static_cast<const uint8_t*>(data)[i]) * 1099511628211u;
  }
  void add(const Tensor& tensor, int64_t first, int64_t count) {
    for (int64_t i = first; i < first + count; ++i) {
      if (tensor.dtype == DType::i32) {
        const auto number = load_at<int32_t>(tensor.data(), i);
        add(&number, sizeof(number));
        continue;
      }
      float number = tensor.dtype == DType::f16 ? f32_from_f16(load_at<uint16_t>(tensor.data(), i))
                                                : load_at<float>(tensor.data(), i);
      if (number != number) number = std::numeric_limits<float>::quiet_NaN();
      add(&number, sizeof(number));
    }
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 14695981039346656037u;
};

uint64_t hash_of(const Outputs& outputs) {
  Hash hash;
  for (const Output& output : outputs) {
    hash.add(output.name.data(), output.name.size());
    if (!output.is_sparse()) {
      hash.add(output.tensor().shape.data(), output.tensor().shape.size() * sizeof(int64_t));
      hash.add(output.tensor(), 0, elements_of(output.tensor().shape));
      continue;
    }
    const SparseTensor& sparse = output.sparse();
    hash.add(sparse.stride.data(), sizeof(sparse.stride));
    const std::vector<Row> coords = coords_of(output);
    std::vector<size_t> order(coords.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return coords[a] < coords[b]; });
    const int64_t width = sparse.features.shape[1];
    for (const size_t row : order) {
      hash.add(coords[row].data(), sizeof(Row));
      hash.add(sparse.features, static_cast<int64_t>(row) * width, width);
    }
  }
  return hash.value();
}

// A network or a case with its inputs.
struct Workload {
  std::string name;
  std::function<Program(const LoadOptions&)> load;
  std::function<uint64_t(Session&, const RunOptions&)> run;
};

Workload of_network(const std::string& name, DType dtype, int bits, const Rows& x,
                    int64_t channels) {
  author::NetworkOptions options;
  options.dtype = dtype;
  options.bits = bits;
  const Graph graph = finish(must(author::make_network(name, options)));
  return {name + (bits > 0              ? "_packed"
                  : dtype == DType::f16 ? "_f16"
                                        : ""),
          [graph](const LoadOptions& load) { return must(graph.try_load(load)); },
          [x, channels](Session& session, const RunOptions& run) {
            return hash_of(session.run({{"x", x.view(channels)}}, run));
          }};
}

std::vector<Workload> workloads() {
  std::vector<Workload> list;
  int turn = 0;
  for (const cases::Case& each : cases::list(LATTICE_TEST_DATA "/conformance")) {
    // Sanitizers make it slow, and look at other things: a third of the cases is enough for them.
    if (sanitized && turn++ % 3 != 0) continue;
    const SafetensorsFile inputs = cases::open(each.folder / "inputs.safetensors");
    list.push_back(
        {each.name,
         [folder = each.folder](const LoadOptions& load) { return Program::load(folder, load); },
         [inputs](Session& session, const RunOptions& run) {
           return hash_of(session.run(cases::inputs_of(inputs), run));
         }});
  }
  const Rows scene = random_rows(1500, 4, 24, 5);
  list.push_back(of_network("tiny", DType::f32, 0, scene, 4));
  list.push_back(of_network("tiny", DType::f32, 8, scene, 4));
  list.push_back(of_network("tiny", DType::f16, 0,
                            Rows(scene.coords(), scene.features(), {1, 1, 1}, DType::f16), 4));
  list.push_back(of_network("codec", DType::f32, 0, scene, 4));
  return list;
}

class Determinism : public testing::TestWithParam<size_t> {
 protected:
  static const Workload& workload(size_t index) {
    static const std::vector<Workload> list = workloads();
    return list[index];
  }
  const Workload& tested() const { return workload(GetParam()); }
};

TEST_P(Determinism, ThreadsVectorWidthAndRepetition) {
  Session reference(tested().load({.device = "reference"}));
  const uint64_t expected = tested().run(reference, {});
  EXPECT_EQ(tested().run(reference, {}), expected);
  for (const char* simd : {"scalar", "avx2", "avx512"}) {
    try {
      Session session(tested().load({.simd = simd}));
      for (const int32_t threads : {1, 2, 3})
        EXPECT_EQ(tested().run(session, {.threads = threads}), expected) << simd << ", " << threads;
      EXPECT_EQ(tested().run(session, {}), expected) << simd << ", again";
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), Code::unsupported) << error.what();
    }
  }
}

#if defined(__SSE2__)
// Flush-to-zero, denormals-are-zero and another rounding; the host finds them as it left them.
TEST_P(Determinism, RulesOfTheHost) {
  Session session(tested().load({}));
  const uint64_t expected = tested().run(session, {});
  const unsigned before = _mm_getcsr();
  for (const unsigned rules : {0x9fc0u, 0x5f80u, 0xffc0u, 0x3f80u}) {
    _mm_setcsr(rules);
    Session other(tested().load({}));
    const unsigned after_load = _mm_getcsr();
    const uint64_t two = tested().run(other, {.threads = 2}),
                   one = tested().run(session, {.threads = 1});
    Session slow(tested().load({.device = "reference"}));
    const uint64_t reference = tested().run(slow, {});
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    EXPECT_EQ(after_load & 0xffc0u, rules) << "the host's rules are kept";
    EXPECT_EQ(after & 0xffc0u, rules);
    EXPECT_EQ(two, expected) << std::hex << rules;
    EXPECT_EQ(one, expected) << std::hex << rules;
    EXPECT_EQ(reference, expected) << std::hex << rules;
  }
}
#endif

INSTANTIATE_TEST_SUITE_P(Cases, Determinism, testing::Range(size_t{0}, workloads().size()),
                         [](const auto& tested) { return workloads()[tested.param].name; });

// Garbage after the active rows: duplicates, NaN, batches below 0.
struct Arranged {
  std::vector<int32_t> coords;
  std::vector<float> features;
  int64_t active = 0;

  Inputs inputs(int64_t channels) const {
    const auto rows = static_cast<int64_t>(coords.size() / 4);
    return {{"x", SparseView{{DType::i32, {rows, 4}, coords.data()},
                             {DType::f32, {rows, channels}, features.data()},
                             active}}};
  }
};

Arranged arrange(const Rows& x, int64_t channels, uint32_t seed, int64_t padding) {
  std::mt19937 generator(seed);
  std::vector<size_t> order(x.coords().size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (seed > 0) std::shuffle(order.begin(), order.end(), generator);
  Arranged made;
  for (const size_t row : order) {
    made.coords.insert(made.coords.end(), x.coords()[row].begin(), x.coords()[row].end());
    for (int64_t c = 0; c < channels; ++c)
      made.features.push_back(
          x.features()[row * static_cast<size_t>(channels) + static_cast<size_t>(c)]);
  }
  made.active = x.count();
  for (int64_t i = 0; i < padding; ++i) {
    for (int axis = 0; axis < 4; ++axis)
      made.coords.push_back(i % 2 == 0 ? static_cast<int32_t>(generator())
                                       : made.coords[static_cast<size_t>(axis)]);
    for (int64_t c = 0; c < channels; ++c)
      made.features.push_back(i % 3 == 0 ? std::numeric_limits<float>::quiet_NaN() : 1e30f);
  }
  return made;
}

// The large networks on a small scene, and the scene upside down.
struct LargeNetwork {
  const char* name;
  const char* kind; // "f32", "f16", "int8"
};
class DeterminismOfNetworks : public testing::TestWithParam<LargeNetwork> {};

TEST_P(DeterminismOfNetworks, ThreadsVectorWidthAndOrder) {
  if (sanitized)
    GTEST_SKIP() << "the kernels and loops are those of the other tests, on weights of 150 MB";
  const std::string name = GetParam().name, kind = GetParam().kind;
  int64_t channels = 0;
  for (const author::NetworkInfo& info : author::networks()) {
    if (info.name == name) channels = info.input_channels;
  }
  ASSERT_GT(channels, 0);
  author::NetworkOptions options;
  if (kind == "f16") options.dtype = DType::f16;
  if (kind == "int8") options.bits = 8;
  const Graph graph = finish(must(author::make_network(name, options)));
  const Rows drawn = random_rows(250, channels, 14, 3);
  const Rows scene(drawn.coords(), drawn.features(), {1, 1, 1}, options.dtype);
  const Arranged turned = arrange(scene, channels, 1, 5);
  uint64_t expected = 0;
  {
    Session reference(graph.load("reference"));
    expected = hash_of(reference.run({{"x", scene.view(channels)}}));
  }
  for (const char* simd : {"scalar", "avx2", "avx512"}) {
    const auto program = graph.try_load({.simd = simd});
    if (!program) {
      ASSERT_EQ(program.error().code(), Code::unsupported) << program.error().text();
      continue;
    }
    Session session(*program);
    for (const int32_t threads : {1, 2, 3}) {
      EXPECT_EQ(hash_of(session.run({{"x", scene.view(channels)}}, {.threads = threads})), expected)
          << simd << ", " << threads;
    }
    if (options.dtype == DType::f16) continue;
    EXPECT_EQ(hash_of(session.run(turned.inputs(channels))), expected) << simd << ", another order";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Networks, DeterminismOfNetworks,
    testing::Values(LargeNetwork{"minkunet42", "f32"}, LargeNetwork{"minkunet42", "f16"},
                    LargeNetwork{"spunet34", "f32"}, LargeNetwork{"centerpoint", "f32"},
                    LargeNetwork{"centerpoint", "int8"}),
    [](const auto& tested) { return std::string(tested.param.name) + "_" + tested.param.kind; });

// Subnormal numbers at work: what flushing would change shows in the result.
TEST(DeterminismOfSubnormals, AreKept) {
  const Graph graph = graph_of(1, [](GraphBuilder& b, Value x) {
    return must(b.subm_conv3d(x, conv_weight(b, "w", {1, 3, 3, 3, 1}, {0.5f})));
  });
  const float tiny = std::numeric_limits<float>::denorm_min() * 64;
  const Rows x({{0, 0, 0, 0}, {0, 1, 0, 0}}, {tiny, tiny * 3});
#if defined(__SSE2__)
  const unsigned before = _mm_getcsr();
  _mm_setcsr(0x9fc0u);
#endif
  std::vector<ByRow> found;
  for (const char* device : {"reference", "cpu"})
    found.push_back(by_row(run(graph, x.inputs(), device)[0]));
#if defined(__SSE2__)
  _mm_setcsr(before);
#endif
  for (const ByRow& each : found)
    EXPECT_EQ(each, (ByRow{{{0, 0, 0, 0}, {tiny * 2}}, {{0, 1, 0, 0}, {tiny * 2}}}));
}

// The rows of every sparse input of a case in another order, with garbage behind them.
class ArrangedCase {
 public:
  ArrangedCase(const Signature& signature, const SafetensorsFile& given, uint32_t seed,
               int64_t padding) {
    std::mt19937 generator(seed);
    for (const ArgumentInfo& argument : signature.arguments) {
      if (argument.group < 0) inputs_.emplace_back(argument.name, given.find(argument.name)->view);
    }
    for (const SparseGroup& group : signature.groups) {
      const auto& info = [&](int32_t which) -> const ArgumentInfo& {
        return signature.arguments[static_cast<size_t>(group.first + which)];
      };
      const TensorView coords = given.find(info(0).name)->view,
                       features = given.find(info(1).name)->view;
      const int64_t count = load_at<int32_t>(given.find(info(2).name)->view.data, 0);
      // Where the graph fixes the number of rows there is no room for more.
      const int64_t rows =
          info(0).shape[0] >= 0 || info(1).shape[0] >= 0 ? coords.shape[0] : count + padding;
      std::vector<int64_t> order(static_cast<size_t>(count));
      std::iota(order.begin(), order.end(), int64_t{0});
      if (seed > 0) std::shuffle(order.begin(), order.end(), generator);
      const int64_t width = features.shape[1] * size_of(features.dtype);
      std::vector<std::byte>& to_coords = memory_.emplace_back(static_cast<size_t>(rows * 16));
      std::vector<std::byte>& to_features = memory_.emplace_back(static_cast<size_t>(rows * width));
      for (auto* garbage : {&to_coords, &to_features}) {
        for (std::byte& each : *garbage) each = static_cast<std::byte>(generator() | 0x78);
      }
      for (size_t i = 0; i < order.size(); ++i) {
        const auto at = static_cast<int64_t>(i);
        std::memcpy(to_coords.data() + at * 16,
                    static_cast<const char*>(coords.data) + order[i] * 16, 16);
        std::memcpy(to_features.data() + at * width,
                    static_cast<const char*>(features.data) + order[i] * width,
                    static_cast<size_t>(width));
      }
      inputs_.emplace_back(info(0).name, TensorView{DType::i32, {rows, 4}, to_coords.data()});
      inputs_.emplace_back(
          info(1).name, TensorView{features.dtype, {rows, features.shape[1]}, to_features.data()});
      inputs_.emplace_back(info(2).name, given.find(info(2).name)->view);
    }
  }
  const Inputs& inputs() const { return inputs_; }

 private:
  std::list<std::vector<std::byte>> memory_;
  Inputs inputs_;
};

// Outputs of a case, rows of plain tensors sorted by their bytes: they follow the order of the
// input.
uint64_t hash_of_rows(const Outputs& outputs) {
  Outputs sorted = outputs;
  for (Output& output : sorted) {
    if (output.is_sparse() || output.tensor().shape.empty() || output.tensor().shape[0] == 0)
      continue;
    const Tensor& tensor = output.tensor();
    const int64_t bytes = elements_of(tensor.shape) * size_of(tensor.dtype);
    const auto width = static_cast<size_t>(bytes / tensor.shape[0]);
    std::vector<std::string> rows;
    for (int64_t i = 0; i < tensor.shape[0]; ++i)
      rows.emplace_back(reinterpret_cast<const char*>(tensor.storage.get()) +
                            i * static_cast<int64_t>(width),
                        width);
    std::sort(rows.begin(), rows.end());
    Tensor made = must(make_tensor(tensor.dtype, tensor.shape));
    for (size_t i = 0; i < rows.size(); ++i)
      std::memcpy(made.storage.get() + i * width, rows[i].data(), width);
    output.value = std::move(made);
  }
  return hash_of(sorted);
}

TEST(DeterminismOfRows, OfEveryCase) {
  int tested = 0;
  for (const cases::Case& each : cases::list(LATTICE_TEST_DATA "/conformance")) {
    const SafetensorsFile given = cases::open(each.folder / "inputs.safetensors");
    const Program program = Program::load(each.folder);
    const Signature& signature = program.signature();
    if (signature.groups.empty()) continue;
    // Rows of a plain tensor may belong to rows of the sparse one: then only padding can be tried.
    bool alone = true;
    for (const ArgumentInfo& argument : signature.arguments) alone = alone && argument.group >= 0;
    Session session(program), slow(Program::load(each.folder, {.device = "reference"}));
    const uint64_t expected = hash_of_rows(session.run(cases::inputs_of(given)));
    for (const uint32_t seed : {0u, 1u, 2u}) {
      if (seed > 0 && !alone) continue;
      const ArrangedCase arranged(signature, given, seed, 7);
      EXPECT_EQ(hash_of_rows(session.run(arranged.inputs())), expected)
          << each.name << ", order " << seed;
      EXPECT_EQ(hash_of_rows(slow.run(arranged.inputs())), expected)
          << each.name << ", order " << seed;
    }
    ++tested;
  }
  EXPECT_GT(tested, 80);
}

TEST(DeterminismOfRows, OrderAndPaddingDoNotMatter) {
  std::vector<std::pair<std::string, Graph>> graphs;
  for (const char* name : {"tiny", "codec"})
    graphs.emplace_back(name, finish(must(author::make_network(name))));
  for (const OpGraph& each : graphs_of_every_op(DType::f32)) {
    // Plain tensors have one row per input row, in its order.
    if (!each.points) graphs.emplace_back(each.name, each.graph);
  }
  for (const auto& [name, graph] : graphs) {
    const Program program = graph.load();
    const int64_t channels = program.signature().arguments[1].shape[1];
    const bool dense =
        !name.starts_with("global") && program.signature().outputs[0].role == Role::tensor;
    const Rows x = random_rows(400, channels, 12, 11);
    Session session(program), slow(graph.load("reference"));
    const uint64_t expected = hash_of(session.run(arrange(x, channels, 0, 0).inputs(channels)));
    EXPECT_EQ(hash_of(session.run(arrange(x, channels, 0, 17).inputs(channels))), expected)
        << name << ": padding";
    EXPECT_EQ(hash_of(slow.run(arrange(x, channels, 0, 17).inputs(channels))), expected)
        << name << ": padding";
    if (dense) continue;
    for (const uint32_t seed : {1u, 2u, 3u}) {
      const Arranged other = arrange(x, channels, seed, 9);
      EXPECT_EQ(hash_of(session.run(other.inputs(channels))), expected)
          << name << ", order " << seed;
      EXPECT_EQ(hash_of(slow.run(other.inputs(channels))), expected) << name << ", order " << seed;
    }
  }
}

} // namespace
} // namespace lattice::reliability
