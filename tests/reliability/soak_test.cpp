// Thousands of runs from several threads on one program: the same bits as alone, and memory that
// stays level. LATTICE_SOAK_RUNS sets how many.
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "author/networks.h"
#include "tests/cases.h"
#include "tests/reliability/graphs.h"

namespace lattice::reliability {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

int runs() {
  const char* given = std::getenv("LATTICE_SOAK_RUNS");
  return given != nullptr ? std::atoi(given) : sanitized ? 100 : 2400;
}

struct Scene {
  Rows rows;
  Outputs expected;
  Topology topology;
};

// Inputs of very different sizes, the empty one among them, with what a single thread makes of
// them.
std::vector<Scene> scenes_of(const Program& program) {
  Session session(program);
  std::vector<Scene> scenes;
  for (const int64_t count : {0, 1, 5, 60, 200, 350, 500}) {
    Rows rows = random_rows(count, 4, 16, static_cast<uint32_t>(count) + 1);
    const Inputs inputs{{"x", rows.view(4)}};
    Outputs expected = session.run(inputs, {.threads = 1});
    Topology topology = program.prepare(inputs);
    scenes.push_back({std::move(rows), std::move(expected), std::move(topology)});
  }
  return scenes;
}

// Every thread has its session, all share the program and the topologies. Each third run is on a
// kept topology, each seventh is an error.
void soak(const char* network, const char* device, int count) {
  constexpr int threads = 4;
  const Program program = finish(must(author::make_network(network))).load(device);
  const std::vector<Scene> scenes = scenes_of(program);
  std::mutex mutex;
  std::string fault;
  const auto work = [&](int thread, int first, int last) {
    Session session(program);
    const auto wrong = [&](const std::string& text) {
      const std::lock_guard lock(mutex);
      if (fault.empty()) fault = text;
    };
    for (int i = first; i < last; ++i) {
      const Scene& scene = scenes[static_cast<size_t>(i * 7 + thread) % scenes.size()];
      const Inputs inputs{{"x", scene.rows.view(4)}};
      const RunOptions options{.threads = 1 + (i + thread) % 2};
      if (i % 7 == 3) {
        if (session.try_run({}, options)) wrong("a run without inputs gave a result");
        continue;
      }
      const auto outputs = i % 3 == 0 ? session.try_run(scene.topology, inputs, options)
                                      : session.try_run(inputs, options);
      if (!outputs) return wrong(outputs.error().text());
      if (const std::string text = cases::bit_difference(*outputs, scene.expected); !text.empty())
        wrong(text);
    }
  };
  const auto all = [&](int first, int last) {
    std::vector<std::thread> workers;
    for (int thread = 0; thread < threads; ++thread)
      workers.emplace_back(work, thread, first, last);
    for (std::thread& worker : workers) worker.join();
  };
  const int each = count / threads;
  all(0, each / 3);
  const int64_t before = resident_bytes();
  all(each / 3, each);
  EXPECT_EQ(fault, "");
  if (!sanitized) {
    EXPECT_LT(resident_bytes() - before, int64_t{32} << 20) << "memory grows";
  }
}

TEST(Soak, SegmentationNetwork) { soak("tiny", "cpu", runs()); }
TEST(Soak, GenerativeNetwork) { soak("codec", "cpu", runs() / 3); }
TEST(Soak, ReferenceDevice) { soak("tiny", "reference", runs() / 12); }

// Sessions that come and go, programs and topologies that outlive the handles they were made from.
TEST(Soak, HandlesMayGoInAnyOrder) {
  const Graph graph = finish(must(author::make_network("tiny")));
  const Rows x = random_rows(80, 4, 10, 1);
  const Outputs expected = run(graph, x.inputs(), "cpu");
  std::atomic<int> wrong{0};
  std::vector<std::thread> workers;
  for (int thread = 0; thread < 3; ++thread) {
    workers.emplace_back([&] {
      for (int i = 0; i < (sanitized ? 3 : 15); ++i) {
        auto program = std::make_unique<Program>(graph.load());
        auto inputs = std::make_unique<Rows>(x);
        const Topology topology = program->prepare(inputs->inputs());
        inputs.reset();
        Session session(*program);
        program.reset();
        if (!cases::bit_difference(session.run(topology, x.inputs()), expected).empty()) ++wrong;
        Session moved(std::move(session));
        if (!cases::bit_difference(moved.run(x.inputs()), expected).empty()) ++wrong;
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(wrong, 0);
}

// A topology belongs to its program; another one, even of the same text, says so.
TEST(Soak, TopologiesOfOtherProgramsAreRefused) {
  const Graph graph = finish(must(author::make_network("tiny")));
  const Rows x = random_rows(80, 4, 10, 1);
  const Program one = graph.load(), two = graph.load();
  Session session(two);
  const auto outputs = session.try_run(one.prepare(x.inputs()), x.inputs());
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().code(), Code::usage);
}

} // namespace
} // namespace lattice::reliability
