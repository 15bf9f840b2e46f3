// A subcommand of `lattice`: its options are bound when it is added, it runs once they are parsed.
// One function for each, in the file of its name.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "base/status.h"

namespace lattice::cli {

// Exit codes that scripts rely on.
inline constexpr int exit_ok = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_mismatch = 2;
inline constexpr int exit_usage = 64;

struct Command {
  CLI::App* app = nullptr;
  std::shared_ptr<bool> json;       // --json: one object on stdout, errors included
  std::function<Result<int>()> run; // the exit code, or an error that main prints
};

// What several commands take.
inline void add_directory(CLI::App& app, std::string& directory) {
  app.add_option("DIR", directory, "Directory of graph.mlir and weights.safetensors")
      ->type_name("")
      ->required();
}
inline CLI::Option* add_threads(CLI::App& app, int32_t& threads) {
  return app.add_option("--threads", threads, "0: all the process may use [0]")
      ->type_name("N")
      ->check(CLI::Range(0, std::numeric_limits<int32_t>::max()));
}
inline CLI::Option* add_json(CLI::App& app, bool& json) {
  return app.add_flag("--json", json, "Print one JSON object on stdout, nothing else");
}
inline CLI::Option* add_allow_unknown_digest(CLI::App& app, bool& allow) {
  return app.add_flag("--allow-unknown-digest", allow, "Accept a contract that is not known");
}

Command add_verify(CLI::App& root);
Command add_inspect(CLI::App& root);
Command add_run(CLI::App& root);
Command add_make(CLI::App& root);
Command add_devices(CLI::App& root);
Command add_bench(CLI::App& root);
Command add_profile(CLI::App& root);
Command add_explain(CLI::App& root);
Command add_diff(CLI::App& root);
Command add_completion(CLI::App& root); // `root` must stay until it has run

} // namespace lattice::cli
