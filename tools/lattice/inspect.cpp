// `lattice inspect`: prints what an artifact takes, does and gives. The text is the library's own.
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "exec/load_plan.h"
#include "lattice/lattice.hpp"
#include "plan/dump.h"
#include "plan/memory_bound.h"
#include "tools/lattice/command.h"
#include "tools/lattice/console.h"

namespace lattice::cli {
namespace {

struct Options {
  std::string directory;
  bool dot = false;
  int64_t rows = -1; // not asked for
  bool allow_unknown_digest = false;
};

Json json_of(const MemoryBound& bound, int64_t rows) {
  return {{"rows", rows},
          {"weights_bytes", bound.weights},
          {"inputs_bytes", bound.inputs},
          {"topology_bytes", bound.topology},
          {"features_bytes", bound.features},
          {"total_bytes", bound.total()},
          {"edges", bound.edges},
          {"worst_step", text_of(bound.worst)}};
}

std::string text_of_bound(const MemoryBound& bound, int64_t rows) {
  return fmt::format("\nmemory, at most, for {} rows of each input:\n"
                     "  weights    {}\n"
                     "  inputs     {}\n"
                     "  topology   {}, {} edges\n"
                     "  features   {} alive at once, at {}\n"
                     "  total      {}\n",
                     grouped(rows), human_bytes(bound.weights), human_bytes(bound.inputs),
                     human_bytes(bound.topology), grouped(bound.edges), human_bytes(bound.features),
                     text_of(bound.worst), human_bytes(bound.total()));
}

// Nothing is prepared for a device: the plan is all there is to show.
Result<int> inspect(const Options& options, bool json) {
  LoadOptions load;
  load.allow_unknown_digest = options.allow_unknown_digest;
  LATTICE_TRY(const auto plan, load_plan(options.directory, load));
  if (json) {
    Json object{{"ok", true}};
    object.update(Json::parse(dump_json(*plan)));
    if (options.rows >= 0) {
      LATTICE_TRY(const MemoryBound bound, bound_memory(*plan, options.rows));
      object["memory"] = json_of(bound, options.rows);
    }
    LATTICE_CHECK(print_json(object));
    return exit_ok;
  }
  std::string text = options.dot ? dump_dot(*plan) : dump_text(*plan);
  if (text.empty() || text.back() != '\n') text += '\n';
  if (options.rows >= 0) {
    LATTICE_TRY(const MemoryBound bound, bound_memory(*plan, options.rows));
    text += text_of_bound(bound, options.rows);
  }
  LATTICE_CHECK(print(text));
  return exit_ok;
}

} // namespace

Command add_inspect(CLI::App& root) {
  auto options = std::make_shared<Options>();
  auto json = std::make_shared<bool>(false);
  CLI::App* app = root.add_subcommand("inspect", "Show signature, topology, steps, memory");
  add_directory(*app, options->directory);
  auto* as_json = add_json(*app, *json);
  auto* as_dot = app->add_flag("--dot", options->dot, "Print the steps as a graph for Graphviz")
                     ->excludes(as_json);
  app->add_option("--rows", options->rows, "Bound the memory of a run with N rows in each input")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber)
      ->excludes(as_dot);
  add_allow_unknown_digest(*app, options->allow_unknown_digest);
  app->footer(R"(Examples:
  lattice inspect net                         a page to read
  lattice inspect net --dot | dot -Tsvg > net.svg
  lattice inspect net --rows 100000           and how much memory that can take
  lattice inspect net --json | jq .)");
  return {app, json, [options, json] { return inspect(*options, *json); }};
}

} // namespace lattice::cli
