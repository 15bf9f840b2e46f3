// libFuzzer: bytes draw a graph and its input; the cpu must give the bits of the reference, or the same error.
#include <cstdio>
#include <cstdlib>

#include "tests/cases.h"
#include "tests/random_graph.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lattice;
  cases::Draw draw(std::span<const uint8_t>(data, size));
  const cases::RandomCase made = cases::draw_case(draw);
  std::string errors[2];
  Outputs outputs[2];
  int index = 0;
  for (const char* device : {"reference", "cpu"}) {
    const auto program = Program::try_load_memory(made.graph, made.weights, {.device = device});
    if (!program) {
      (void)std::fprintf(stderr, "a drawn graph does not load: %s\n", program.error().what());
      std::abort();
    }
    Session session(*program);
    auto run = session.try_run(made.inputs(), {.threads = 2});
    if (run) {
      outputs[index] = *std::move(run);
    } else {
      errors[index] = run.error().text();
    }
    ++index;
  }
  const std::string difference = errors[0] != errors[1] ? errors[0] + " against " + errors[1]
                                                        : cases::bit_difference(outputs[0], outputs[1]);
  if (!difference.empty()) {
    (void)std::fprintf(stderr, "%s: %s\n", made.what.c_str(), difference.c_str());
    std::abort();
  }
  return 0;
}
