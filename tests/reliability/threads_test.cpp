// Threads that share something, for ThreadSanitizer to watch: the workers of one run, sessions on
// one program, and programs that are loaded side by side. Inputs are large enough that every loop
// is cut into pieces.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "author/networks.h"
#include "tests/cases.h"
#include "tests/reliability/every_op.h"

namespace lattice::reliability {
namespace {

TEST(Threads, EveryOperationOnManyWorkers) {
  for (const DType dtype : {DType::f32, DType::f16}) {
    const OpInputs arguments(6000, 40, dtype, 1);
    for (const OpGraph& each : graphs_of_every_op(dtype)) {
      const Program program = each.graph.load();
      const Inputs inputs = arguments.of(program);
      Session session(program);
      const auto alone = session.try_run(inputs, {.threads = 1});
      ASSERT_TRUE(alone) << each.name << ": " << alone.error().text();
      for (const int32_t threads : {2, 4}) {
        const auto together = session.try_run(inputs, {.threads = threads});
        ASSERT_TRUE(together) << each.name << ": " << together.error().text();
        EXPECT_EQ(cases::bit_difference(*together, *alone), "")
            << each.name << ", " << threads << " threads";
      }
    }
  }
}

// Every thread with inputs of its own and a session of its own; what they share is immutable.
TEST(Threads, SessionsOnOneProgram) {
  for (const char* device : {"cpu", "reference"}) {
    for (const char* name : {"tiny", "codec"}) {
      const Program program = finish(must(author::make_network(name))).load(device);
      std::atomic<int> wrong{0};
      std::vector<std::thread> workers;
      for (uint32_t thread = 0; thread < 4; ++thread) {
        workers.emplace_back([&program, &wrong, thread] {
          Session session(program);
          const Rows x = random_rows(300 + 50 * thread, 4, 16, thread);
          const Outputs first = session.run(x.inputs(), {.threads = 1});
          for (const int32_t threads : {2, 3}) {
            const Topology topology = program.prepare(x.inputs(), {.threads = threads});
            if (!cases::bit_difference(session.run(topology, x.inputs(), {.threads = threads}),
                                       first)
                     .empty())
              ++wrong;
          }
          if (program.inspect().empty() || program.explain().empty()) ++wrong;
        });
      }
      for (std::thread& worker : workers) worker.join();
      EXPECT_EQ(wrong, 0) << device << ", " << name;
    }
  }
}

TEST(Threads, ProgramsAreLoadedSideBySide) {
  const Graph good = finish(must(author::make_network("tiny")));
  Graph bad = good;
  bad.text.resize(bad.text.size() / 2);
  std::atomic<int> wrong{0};
  std::vector<std::thread> workers;
  for (int thread = 0; thread < 4; ++thread) {
    workers.emplace_back([&, thread] {
      for (int i = 0; i < 3; ++i) {
        const bool whole = (thread + i) % 2 == 0;
        if ((whole ? good : bad)
                .try_load({.device = i % 2 == 0 ? "cpu" : "reference"})
                .has_value() != whole)
          ++wrong;
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(wrong, 0);
}

// The one thing a run may be given that other threads write.
TEST(Threads, RunsAreStoppedFromOutside) {
  const Program program = finish(must(author::make_network("tiny"))).load();
  const Rows x = random_rows(2000, 4, 24, 1);
  for (int i = 0; i < 4; ++i) {
    std::atomic<bool> stop{false};
    std::thread other([&] { stop = true; });
    const auto outputs = Session(program).try_run(x.inputs(), {.threads = 3, .stop = &stop});
    other.join();
    EXPECT_TRUE(outputs || outputs.error().code() == Code::interrupted);
  }
}

} // namespace
} // namespace lattice::reliability
