// libFuzzer: bytes draw a graph and its input; the cpu must give the bits of the reference, or the
// same error, at every SIMD level the processor has and for any number of threads.
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "tests/cases.h"
#include "tests/random_graph.h"

namespace {

using namespace lattice;

struct Answer {
  Outputs outputs;
  std::string error;
};

// Nothing when the processor lacks the SIMD level.
std::optional<Program> load(const cases::RandomCase& made, const LoadOptions& options) {
  auto program = Program::try_load_memory(made.graph, made.weights, options);
  if (program) return *std::move(program);
  if (program.error().code() == Code::unsupported) return std::nullopt;
  (void)std::fprintf(stderr, "a drawn graph does not load: %s\n", program.error().what());
  std::abort();
}

Answer answer(Session& session, const cases::RandomCase& made, int32_t threads) {
  auto outputs = session.try_run(made.inputs(), {.threads = threads});
  if (!outputs) return {{}, outputs.error().text()};
  return {*std::move(outputs), {}};
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cases::Draw draw(std::span<const uint8_t>(data, size));
  const cases::RandomCase made = cases::draw_case(draw);
  Session slow(load(made, {.device = "reference"}).value());
  const Answer expected = answer(slow, made, 1);
  for (const char* simd : {"scalar", "avx2", "avx512"}) {
    const auto program = load(made, {.simd = simd});
    if (!program) continue;
    Session session(*program);
    for (const int32_t threads : {1, 2, 3}) {
      const Answer found = answer(session, made, threads);
      const std::string difference = found.error != expected.error
                                         ? found.error + " against " + expected.error
                                         : cases::bit_difference(found.outputs, expected.outputs);
      if (difference.empty()) continue;
      (void)std::fprintf(stderr, "%s, %d threads: %s: %s\n", simd, threads, made.what.c_str(),
                         difference.c_str());
      std::abort();
    }
  }
  return 0;
}
