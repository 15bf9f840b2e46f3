// `lattice inspect`: prints what an artifact takes, does and gives. The text is the library's own.
#include <cstdint>
#include <string>

#include "lattice/lattice.hpp"
#include "tools/lattice/command.h"
#include "tools/lattice/console.h"

namespace lattice::cli {
namespace {

struct Options {
  std::string directory;
  bool dot = false;
  bool allow_unknown_digest = false;
};

Result<int> inspect(const Options& options, bool json) {
  LATTICE_TRY(
      const Program program,
      Program::try_load(options.directory, {"reference", options.allow_unknown_digest, ""}));
  std::string text = program.inspect(json          ? InspectFormat::json
                                     : options.dot ? InspectFormat::dot
                                                   : InspectFormat::text);
  if (text.empty() || text.back() != '\n') text += '\n';
  LATTICE_CHECK(print(text));
  return exit_ok;
}

} // namespace

Command add_inspect(CLI::App& root) {
  auto options = std::make_shared<Options>();
  auto json = std::make_shared<bool>(false);
  CLI::App* app =
      root.add_subcommand("inspect", "Show signature, parameters, topology, steps and memory");
  app->add_option("DIR", options->directory, "Directory with graph.mlir and weights.safetensors")
      ->required();
  auto* as_json = app->add_flag("--json", *json, "Print one JSON object on stdout, nothing else");
  app->add_flag("--dot", options->dot, "Print the steps as a graph for Graphviz")
      ->excludes(as_json);
  app->add_flag("--allow-unknown-digest", options->allow_unknown_digest,
                "Accept a schema digest of no known contract");
  app->footer(R"(Examples:
  lattice inspect net                         a page to read
  lattice inspect net --dot | dot -Tsvg > net.svg
  lattice inspect net --json | jq .signature)");
  return {app, json, [options, json] { return inspect(*options, *json); }};
}

} // namespace lattice::cli
