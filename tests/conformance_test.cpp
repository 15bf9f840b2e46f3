// Every case folder on every device, SIMD level and thread count: right within its tolerance, and the cpu
// equal to the reference bit for bit. More folders come from LATTICE_MORE_CASES (a path list with ':').
#include <cstdlib>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/cases.h"

namespace lattice {
namespace {

std::vector<cases::Case> all_cases() {
  std::vector<cases::Case> found = cases::list(LATTICE_TEST_DATA "/conformance");
  if (const char* more = std::getenv("LATTICE_MORE_CASES")) {
    std::stringstream paths(more);
    for (std::string path; std::getline(paths, path, ':');) {
      for (cases::Case& each : cases::list(path)) found.push_back(std::move(each));
    }
  }
  return found;
}

class Conformance : public testing::TestWithParam<cases::Case> {
 protected:
  Outputs run(const LoadOptions& load, const RunOptions& options) {
    Session session(Program::load(GetParam().folder, load));
    return session.run(cases::inputs_of(inputs_), options);
  }

  SafetensorsFile inputs_ = cases::open(GetParam().folder / "inputs.safetensors");
  SafetensorsFile expected_ = cases::open(GetParam().folder / "expected.safetensors");
};

TEST_P(Conformance, ReferenceGivesTheAnswer) {
  const Outputs outputs = run({.device = "reference"}, {});
  EXPECT_EQ(cases::difference(outputs, expected_, GetParam().rtol, GetParam().atol), "");
}

TEST_P(Conformance, CpuGivesTheBitsOfTheReference) {
  const Outputs reference = run({.device = "reference"}, {});
  for (const char* simd : {"scalar", "avx2", "avx512"}) {
    const auto offered = Program::try_load(GetParam().folder, {.simd = simd});
    if (!offered && offered.error().code() == Code::unsupported) continue;  // not on this processor
    for (const int32_t threads : {1, 2, 3}) {
      const Outputs outputs = run({.simd = simd}, {.threads = threads});
      EXPECT_EQ(cases::bit_difference(outputs, reference), "") << simd << ", " << threads << " threads";
      EXPECT_EQ(cases::difference(outputs, expected_, GetParam().rtol, GetParam().atol), "");
    }
  }
}

// A kept topology gives what a cold run gives, as often as wanted.
TEST_P(Conformance, KeptTopologyGivesTheSameBits) {
  for (const char* device : {"reference", "cpu"}) {
    const Program program = Program::load(GetParam().folder, {.device = device});
    Session session(program);
    const Inputs inputs = cases::inputs_of(inputs_);
    const Outputs cold = session.run(inputs);
    const Topology topology = program.prepare(inputs);
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(cases::bit_difference(session.run(topology, inputs), cold), "") << device;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Folders, Conformance, testing::ValuesIn(all_cases()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace lattice
