// `lattice verify`: loads an artifact and says everything that is wrong with it. Runs nothing.
#include <string>

#include <fmt/format.h>

#include "lattice/lattice.hpp"
#include "tools/lattice/command.h"
#include "tools/lattice/console.h"

namespace lattice::cli {
namespace {

struct Options {
  std::string directory;
  bool allow_unknown_digest = false;
};

Result<int> verify(const Options& options, bool json) {
  // The reference device keeps weights as they are: nothing is prepared that is not run.
  LATTICE_TRY(
      const Program program,
      Program::try_load(options.directory, {"reference", options.allow_unknown_digest, ""}));
  const Signature& signature = program.signature();
  if (json) {
    LATTICE_CHECK(print_json(
        {{"ok", true}, {"artifact", options.directory}, {"signature", json_of(signature)}}));
  } else {
    LATTICE_CHECK(print(fmt::format("{}: ok\n", options.directory)));
  }
  return exit_ok;
}

} // namespace

Command add_verify(CLI::App& root) {
  auto options = std::make_shared<Options>();
  auto json = std::make_shared<bool>(false);
  CLI::App* app = root.add_subcommand("verify", "List all faults of an artifact");
  add_directory(*app, options->directory);
  add_json(*app, *json);
  add_allow_unknown_digest(*app, options->allow_unknown_digest);
  app->footer(R"(Examples:
  lattice verify net                  "net: ok" and exit 0, or every fault
                                      with its place on stderr and exit 1
  lattice verify net --json | jq .    the same for scripts)");
  return {app, json, [options, json] { return verify(*options, *json); }};
}

} // namespace lattice::cli
