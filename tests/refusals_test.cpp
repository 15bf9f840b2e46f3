// Every refusal folder is refused at the stage its manifest names, on every device, with a message.
#include <gtest/gtest.h>

#include "tests/cases.h"

namespace lattice {
namespace {

class Refusals : public testing::TestWithParam<cases::Case> {};

TEST_P(Refusals, AreRefusedWhereTheManifestSays) {
  for (const char* device : {"reference", "cpu"}) {
    const auto program = Program::try_load(GetParam().folder, {.device = device});
    if (GetParam().stage != "inputs") {
      ASSERT_FALSE(program) << GetParam().reason;
      EXPECT_FALSE(program.error().text().empty());
      EXPECT_TRUE(program.error().code() == Code::artifact || program.error().code() == Code::io);
      RecordProperty("message", program.error().text());
      continue;
    }
    ASSERT_TRUE(program) << program.error().text();
    const SafetensorsFile inputs = cases::open(GetParam().folder / "inputs.safetensors");
    Session session(*program);
    const auto outputs = session.try_run(cases::inputs_of(inputs));
    ASSERT_FALSE(outputs) << GetParam().reason;
    EXPECT_EQ(outputs.error().code(), Code::input) << outputs.error().text();
  }
}

INSTANTIATE_TEST_SUITE_P(Folders, Refusals, testing::ValuesIn(cases::list(LATTICE_TEST_DATA "/refusals")),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace lattice
