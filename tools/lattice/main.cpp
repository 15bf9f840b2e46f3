// The program `lattice`: picks the subcommand, turns every way to fail into an exit code.
// What the subcommands do stands in the files of their names.
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string_view>

#include <fmt/format.h>

#include "lattice/lattice.hpp"
#include "tools/lattice/command.h"
#include "tools/lattice/console.h"

namespace lattice::cli {
namespace {

constexpr const char* examples = R"(Examples:
  lattice make MinkUNet42 --out net         write a network with random weights
  lattice verify net                        is this artifact valid? 0 yes, 1 no
  lattice inspect net                       what does it take, do and give?
  lattice run net --points scan.bin --voxel-size 0.05 --output labels.ply
  lattice run net --inputs in.safetensors --expect out.safetensors --json
  lattice bench net --scene kitti           how fast is it?
  lattice diff old new                      what has changed? exit 0: nothing

Exit codes: 0 ok, 1 failed, 2 results or artifacts differ, 64 wrong use.
`lattice COMMAND --help` has more examples.)";

int exit_code_of(const Error& error) {
  return error.code() == Code::usage ? exit_usage : exit_failed;
}

int report(const Command& command, const Error& error) {
  print_error(error);
  if (*command.json) (void)print_json(json_of(error));
  return exit_code_of(error);
}

int run(const Command& command) {
  try {
    const Result<int> code = command.run();
    return code ? *code : report(command, code.error());
  } catch (const std::bad_alloc&) {
    return report(command, Error(Code::memory, "the system gave no more memory"));
  } catch (const std::exception& fault) {
    return report(command, Error(Code::internal, fault.what()));
  }
}

int main_of(int argc, const char* const* argv) {
  CLI::App root("Runs trained sparse 3D networks: graph.mlir and weights.safetensors.");
  root.name("lattice");
  root.set_version_flag("--version", fmt::format("lattice {}", version()));
  root.footer(examples);
  root.get_formatter()->column_width(28);
  root.require_subcommand(1);
  root.fallthrough(false);
  const std::array commands{add_verify(root),    add_inspect(root), add_run(root),
                            add_make(root),      add_diff(root),    add_bench(root),
                            add_profile(root),   add_explain(root), add_devices(root),
                            add_completion(root)};
  try {
    root.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // --help and --version arrive as errors that are none.
    if (root.exit(error, std::cout, std::cerr) == 0) return exit_ok;
    const auto asked = [](const char* word) { return std::string_view(word) == "--json"; };
    if (std::any_of(argv, argv + argc, asked))
      (void)print_json(json_of(Error(Code::usage, error.what())));
    return exit_usage;
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return run(command);
  }
  return exit_usage;
}

} // namespace
} // namespace lattice::cli

int main(int argc, char** argv) {
  try {
    return lattice::cli::main_of(argc, argv);
  } catch (const std::exception& fault) {
    (void)std::fprintf(stderr, "error: %s\n", fault.what());
    return lattice::cli::exit_failed;
  }
}
