// `lattice explain`: the steps as the device runs them, which kernel each got and why the others were refused.
#include <fmt/format.h>

#include "lattice/lattice.hpp"
#include "tools/lattice/command.h"
#include "tools/lattice/console.h"

namespace lattice::cli {
namespace {

struct Options {
  std::string directory;
  LoadOptions load;
  bool json = false;
};

Result<int> run(const Options& options) {
  LATTICE_TRY(const Program program, Program::try_load(options.directory, options.load));
  const std::string text = program.explain();
  if (options.json) {
    LATTICE_CHECK(print_json({{"ok", true}, {"device", program.device()}, {"text", text}}));
  } else {
    LATTICE_CHECK(print(text));
  }
  return exit_ok;
}

}  // namespace

Command add_explain(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("explain", "Which kernel each layer gets, and why not another");
  app->add_option("DIR", options->directory, "Directory with graph.mlir and weights.safetensors")->required();
  app->add_option("--device", options->load.device, "cpu or reference")->capture_default_str();
  app->add_option("--simd", options->load.simd, "Highest level to use: scalar, avx2, avx512");
  auto json = std::shared_ptr<bool>(options, &options->json);
  app->add_flag("--json", *json, "Print one JSON object on stdout, nothing else");
  app->footer("Examples:\n  lattice explain net\n  lattice explain net --simd scalar");
  return {app, json, [options] { return run(*options); }};
}

}  // namespace lattice::cli
