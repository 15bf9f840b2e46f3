// Random graphs on random coordinates: the cpu device gives the bits of the reference at every SIMD level and
// thread count, whatever order the input rows come in.
#include <algorithm>
#include <cstdlib>
#include <map>

#include <gtest/gtest.h>

#include "base/tensor.h"
#include "tests/cases.h"
#include "tests/random_graph.h"

namespace lattice {
namespace {

int rounds() {
  const char* more = std::getenv("LATTICE_DIFFERENTIAL_ROUNDS");
  return more != nullptr ? std::atoi(more) : 400;
}

// The run's outputs, or its error as text: both devices must say the same.
struct Answer {
  Outputs outputs;
  std::string error;
};

Answer answer(const cases::RandomCase& made, const LoadOptions& load, const RunOptions& run) {
  const auto program = Program::try_load_memory(made.graph, made.weights, load);
  if (!program) return {{}, "load: " + program.error().text()};
  Session session(*program);
  auto outputs = session.try_run(made.inputs(), run);
  if (!outputs) return {{}, outputs.error().text()};
  return {*std::move(outputs), ""};
}

TEST(Differential, CpuEqualsReference) {
  int refused = 0;
  for (int seed = 0; seed < rounds(); ++seed) {
    cases::Draw draw(static_cast<uint64_t>(seed) + 1);
    const cases::RandomCase made = cases::draw_case(draw);
    const Answer reference = answer(made, {.device = "reference"}, {});
    ASSERT_NE(reference.error.substr(0, 5), "load:") << "seed " << seed << ": " << reference.error << "\n" << made.graph;
    refused += reference.error.empty() ? 0 : 1;
    for (const char* simd : {"scalar", "avx2", "avx512"}) {
      const auto offered = Program::try_load_memory(made.graph, made.weights, {.simd = simd});
      if (!offered && offered.error().code() == Code::unsupported) continue;
      for (const int32_t threads : {1, 2}) {
        const Answer cpu = answer(made, {.simd = simd}, {.threads = threads});
        ASSERT_EQ(cpu.error, reference.error) << "seed " << seed << ", " << simd << ": " << made.what;
        ASSERT_EQ(cases::bit_difference(cpu.outputs, reference.outputs), "")
            << "seed " << seed << ", " << simd << ", " << threads << " threads: " << made.what;
      }
    }
  }
  EXPECT_LT(refused, rounds() / 2) << "most graphs must run";
}

using Row = std::array<int32_t, 4>;

// Rows of a sparse output by coordinate.
std::map<Row, std::vector<std::byte>> by_coordinate(const SparseTensor& sparse) {
  std::map<Row, std::vector<std::byte>> rows;
  const int64_t width = sparse.features.shape[1] * size_of(sparse.features.dtype);
  for (int64_t i = 0; i < sparse.coords.shape[0]; ++i) {
    Row row;
    std::memcpy(row.data(), sparse.coords.storage.get() + i * 16, 16);
    const std::byte* begin = sparse.features.storage.get() + i * width;
    rows[row] = std::vector<std::byte>(begin, begin + width);
  }
  return rows;
}

// Only the order of points in a voxel may matter; these graphs have no voxelize.
TEST(Differential, RowOrderOfTheInputDoesNotMatter) {
  for (int seed = 0; seed < rounds() / 4; ++seed) {
    cases::Draw draw(static_cast<uint64_t>(seed) + 100000);
    cases::RandomCase made = cases::draw_case(draw);
    const Answer before = answer(made, {}, {});
    if (!before.error.empty()) continue;
    // Reverse the active rows.
    const auto channels = static_cast<size_t>(made.channels);
    for (int32_t i = 0, j = made.active - 1; i < j; ++i, --j) {
      const auto a = static_cast<size_t>(i), b = static_cast<size_t>(j);
      std::swap_ranges(made.coords.begin() + static_cast<std::ptrdiff_t>(a * 4),
                       made.coords.begin() + static_cast<std::ptrdiff_t>(a * 4 + 4),
                       made.coords.begin() + static_cast<std::ptrdiff_t>(b * 4));
      for (size_t c = 0; c < channels; ++c) {
        std::swap(made.features[a * channels + c], made.features[b * channels + c]);
        std::swap(made.half[a * channels + c], made.half[b * channels + c]);
      }
    }
    const Answer after = answer(made, {}, {});
    ASSERT_EQ(after.error, "") << "seed " << seed;
    for (size_t i = 0; i < before.outputs.size(); ++i) {
      if (before.outputs[i].is_sparse()) {
        EXPECT_EQ(by_coordinate(before.outputs[i].sparse()), by_coordinate(after.outputs[i].sparse()))
            << "seed " << seed << ": " << made.what;
      } else {
        EXPECT_EQ(cases::bit_difference({before.outputs[i]}, {after.outputs[i]}), "") << "seed " << seed << ": " << made.what;
      }
    }
  }
}

}  // namespace
}  // namespace lattice
