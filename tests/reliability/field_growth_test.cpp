// What shows only after many calls or with very large tensors: memory that grows, results that
// change, tails past 2^31.
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <gtest/gtest.h>

#include "author/networks.h"
#include "tests/cases.h"
#include "tests/reliability/graphs.h"

namespace lattice::reliability {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true; // freed memory stays with the sanitizer: sizes say nothing
#else
constexpr bool sanitized = false;
#endif

Graph network(const char* name) { return finish(must(author::make_network(name))); }

// A new voxel count and new buffers each time. After a warm-up nothing is added but what the
// largest scene needs.
TEST(FieldGrowth, RunsLeaveNoMemoryBehind) {
  const int rounds = sanitized ? 40 : 400;
  for (const char* device : {"reference", "cpu"}) {
    const bool slow = std::strcmp(device, "reference") == 0;
    const Program program = network("tiny").load(device);
    Session session(program);
    const auto round = [&](int i) {
      const int64_t count = 200 + i * 37 % 1800;
      const Rows x = random_rows(slow ? count / 8 : count, 4, 40, static_cast<uint32_t>(i));
      session.run(x.inputs());
    };
    const int warm = slow ? rounds / 8 : rounds / 4;
    for (int i = 0; i < warm; ++i) round(i);
    const int64_t before = resident_bytes();
    for (int i = 0; i < 3 * warm; ++i) round(warm + i);
    if (!sanitized) {
      EXPECT_LT(resident_bytes() - before, int64_t{16} << 20) << device;
    }
  }
}

TEST(FieldGrowth, LoadingLeavesNoMemoryBehind) {
  const int rounds = sanitized ? 10 : 60;
  const Graph graph = network("tiny");
  const auto round = [&] {
    Session session(graph.load());
    session.run(random_rows(100, 4, 12, 1).inputs());
  };
  for (int i = 0; i < rounds; ++i) round();
  const int64_t before = resident_bytes();
  for (int i = 0; i < 2 * rounds; ++i) round();
  if (!sanitized) {
    EXPECT_LT(resident_bytes() - before, int64_t{16} << 20);
  }
}

// Kept topologies, prepared and dropped; and faults on the way.
TEST(FieldGrowth, TopologiesAndErrorsLeaveNoMemoryBehind) {
  const Program program = network("codec").load();
  Session session(program);
  const auto round = [&](int i) {
    const Rows x = random_rows(300, 4, 30, static_cast<uint32_t>(i));
    session.run(program.prepare(x.inputs()), x.inputs());
    EXPECT_FALSE(session.try_run(Rows({{0, 0, 0, 0}, {0, 0, 0, 0}}, constant(8, 1)).inputs()));
    EXPECT_FALSE(session.try_run(x.inputs(), {.max_memory = 1 << 16}));
  };
  const int rounds = sanitized ? 5 : 50;
  for (int i = 0; i < rounds; ++i) round(i);
  const int64_t before = resident_bytes();
  for (int i = 0; i < 2 * rounds; ++i) round(i);
  if (!sanitized) {
    EXPECT_LT(resident_bytes() - before, int64_t{16} << 20);
  }
}

// Kernel 2, stride 2, 128 to 128 channels on alternating sizes: no race, no left-over of the run
// before.
TEST(FieldGrowth, AHundredRunsGiveTheSameBits) {
  std::vector<float> numbers(size_t{128} * 8 * 128);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<float>((i * 2654435761u >> 20) % 201) / 1024.0f - 0.1f;
  const Graph graph = graph_of(128, [&](GraphBuilder& b, Value x) {
    return must(b.conv3d(x, conv_weight(b, "w", {128, 2, 2, 2, 128}, numbers), {}, {2, 2, 2}));
  });
  const Rows large = random_rows(sanitized ? 500 : 8000, 128, 32, 1),
             small = random_rows(100, 128, 8, 2);
  const Outputs first = run(graph, large.inputs(), "reference"),
                second = run(graph, small.inputs(), "reference");
  const Program program = graph.load();
  Session session(program);
  for (int i = 0; i < (sanitized ? 10 : 100); ++i) {
    const RunOptions options{.threads = 1 + i % 3};
    ASSERT_EQ(cases::bit_difference(session.run(large.inputs(), options), first), "") << i;
    ASSERT_EQ(cases::bit_difference(session.run(small.inputs(), options), second), "") << i;
  }
}

// ------------------------------------------------------------------------------------ very large
// tensors

// GiB that can be had without pushing anybody out.
int64_t available_gib() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  for (int64_t number = 0; file >> word;) {
    if (word == "MemAvailable:" && file >> number) return number >> 20;
  }
  return 0;
}

class VeryLarge : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("LATTICE_LARGE_TESTS") == nullptr)
      GTEST_SKIP() << "set LATTICE_LARGE_TESTS=1: needs 17 GiB and minutes";
    if (available_gib() < 18)
      GTEST_SKIP() << "needs 18 GiB, " << available_gib() << " are available";
  }
};

// One row past 2^31 bytes, and past 2^31 elements: the last row comes back, through linear and a
// 1x1x1 layer.
TEST_F(VeryLarge, LastRowPast2To31) {
  constexpr int64_t channels = 1024;
  std::vector<float> identity(size_t{channels} * channels, 0.0f);
  for (size_t i = 0; i < channels; ++i) identity[i * channels + i] = 1;
  const Graph graph = graph_of(channels, {1, 1, 1}, DType::f16, [&](GraphBuilder& b, Value x) {
    return must(b.subm_conv3d(
        x, conv_weight(b, "w", {channels, 1, 1, 1, channels}, identity, {.dtype = DType::f16})));
  });
  const Program program = graph.load();
  for (const int64_t rows : {int64_t{1048577}, int64_t{2097153}}) {
    std::vector<int32_t> coords(static_cast<size_t>(rows * 4), 0);
    for (int64_t i = 0; i < rows; ++i)
      coords[static_cast<size_t>(i * 4 + 1)] = static_cast<int32_t>(i);
    std::vector<uint16_t> features(static_cast<size_t>(rows * channels), 0);
    for (int64_t c = 0; c < channels; ++c) {
      features[static_cast<size_t>((rows - 1) * channels + c)] =
          f16_from_f32(static_cast<float>(c + 1));
    }
    Session session(program);
    const auto outputs =
        session.try_run({{"x", SparseView{{DType::i32, {rows, 4}, coords.data()},
                                          {DType::f16, {rows, channels}, features.data()}}}});
    if (!outputs) { // a clear refusal is right too
      EXPECT_EQ(outputs.error().code(), Code::memory) << outputs.error().text();
      continue;
    }
    EXPECT_EQ(
        std::memcmp((*outputs)[0].sparse().features.data(), features.data(), features.size() * 2),
        0)
        << rows;
  }
}

// A table of 27 neighbours a row passes 2^31 bytes.
TEST_F(VeryLarge, NeighbourTablePast2To31) {
  constexpr int64_t rows = 19884108 + 1;
  const Graph graph = graph_of(1, [](GraphBuilder& b, Value x) {
    return must(b.subm_conv3d(x, conv_weight(b, "w", {1, 3, 3, 3, 1}, {1})));
  });
  std::vector<int32_t> coords(static_cast<size_t>(rows * 4), 0);
  std::vector<float> features(static_cast<size_t>(rows), 0.0f);
  for (int64_t i = 0; i < rows; ++i) {
    coords[static_cast<size_t>(i * 4 + 1)] = static_cast<int32_t>(i / 1'000'000);
    coords[static_cast<size_t>(i * 4 + 2)] = static_cast<int32_t>(i % 1'000'000);
  }
  features[static_cast<size_t>(rows - 1)] = 7;
  Session session(graph.load());
  const auto outputs =
      session.try_run({{"x", SparseView{{DType::i32, {rows, 4}, coords.data()},
                                        {DType::f32, {rows, 1}, features.data()}}}});
  ASSERT_TRUE(outputs || outputs.error().code() == Code::memory) << outputs.error().text();
  if (!outputs) return;
  const float* y = (*outputs)[0].sparse().features.as<float>();
  int64_t reached = 0;
  for (int64_t i = 0; i < rows; ++i) reached += y[i] == 7.0f ? 1 : 0;
  EXPECT_EQ(y[rows - 1], 7.0f);
  EXPECT_EQ(y[rows - 2], 7.0f);
  EXPECT_EQ(reached, 5) << "the last row, the one before it, and three of the line below";
}

} // namespace
} // namespace lattice::reliability
