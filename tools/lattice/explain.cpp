// `lattice explain`: the steps as the device runs them, which kernel each got and why the others
// were refused. Reads the text of Program::explain, whose form lattice.hpp describes; chooses
// nothing.
#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "artifact/quote.h"
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

struct Refusal {
  std::string kernel, reason;
  bool operator==(const Refusal&) const = default;
};
struct Choice {
  std::string kernel, because;
  std::vector<Refusal> refused;
  bool operator==(const Choice&) const = default;
};
struct ExplainedStep {
  std::string where, name, parameter;
  Choice choice;
};

// Takes off `text` what stands before `at`, where a mark of some letters was found, and the mark;
// all of it where none was.
std::string_view take(std::string_view& text, size_t at, size_t mark_size) {
  const std::string_view head = text.substr(0, at);
  text.remove_prefix(std::min(text.size(), at == std::string_view::npos ? at : at + mark_size));
  return head;
}

Result<std::vector<ExplainedStep>> steps_of(std::string_view text) {
  std::vector<ExplainedStep> steps;
  while (!text.empty()) {
    std::string_view line = take(text, text.find('\n'), 1);
    if (line.starts_with("  ")) {
      line.remove_prefix(2);
      if (steps.empty()) return fail(Code::internal, fmt::format("no step before {}", quote(line)));
      Choice& choice = steps.back().choice;
      if (line.starts_with("not ")) {
        line.remove_prefix(4);
        const std::string_view kernel = take(line, line.find(": "), 2);
        choice.refused.push_back({std::string(kernel), std::string(line)});
      } else {
        choice.because += (choice.because.empty() ? "" : " ") + std::string(line);
      }
      continue;
    }
    const size_t colon = line.rfind(": ");
    if (colon == std::string_view::npos)
      return fail(Code::internal, fmt::format("not a step and its kernel: {}", quote(line)));
    ExplainedStep step;
    step.choice.kernel = line.substr(colon + 2);
    line = line.substr(0, colon);
    step.where = take(line, line.find(' '), 1);
    step.name = take(line, line.find(' '), 1);
    step.parameter = line;
    steps.push_back(std::move(step));
  }
  return steps;
}

Json json_of(const std::vector<ExplainedStep>& steps) {
  Json list = Json::array();
  for (const ExplainedStep& step : steps) {
    Json refused = Json::array();
    for (const Refusal& each : step.choice.refused)
      refused.push_back({{"kernel", each.kernel}, {"reason", each.reason}});
    list.push_back({{"name", step.name},
                    {"parameter", step.parameter},
                    {"location", step.where},
                    {"kernel", step.choice.kernel},
                    {"because", step.choice.because},
                    {"refused", std::move(refused)}});
  }
  return list;
}

constexpr size_t columns = 80;

// `first` and `text` in lines of 80 columns, broken at blanks, the later ones below the text.
std::string wrapped(std::string first, std::string_view text) {
  const std::string indent(first.size(), ' ');
  std::string lines;
  while (first.size() < columns && first.size() + text.size() > columns) {
    const size_t blank = text.rfind(' ', columns - first.size());
    if (blank == std::string_view::npos || blank == 0) break;
    lines += first + std::string(take(text, blank, 1)) + '\n';
    first = indent;
  }
  return lines + first + std::string(text) + '\n';
}

// The steps, and below them each choice once: most layers of a network share a few.
std::string text_of(const std::vector<ExplainedStep>& steps) {
  std::string text = fmt::format("{:<28} {:<18} {}\n", "layer", "where", "kernel");
  std::vector<const Choice*> choices;
  for (const ExplainedStep& step : steps) {
    std::string layer = step.parameter.empty() ? step.name : step.parameter;
    if (layer.size() > 28) layer = layer.substr(0, 27) + "~";
    text += wrapped(fmt::format("{:<28} {:<18} ", layer, step.where), step.choice.kernel);
    const bool reasons = !step.choice.because.empty() || !step.choice.refused.empty();
    const auto same = [&](const Choice* each) { return *each == step.choice; };
    if (reasons && std::none_of(choices.begin(), choices.end(), same))
      choices.push_back(&step.choice);
  }
  for (const Choice* choice : choices) {
    text += '\n' + wrapped(choice->kernel + ": ", choice->because);
    for (const Refusal& each : choice->refused)
      text += wrapped("  not " + each.kernel + ": ", each.reason);
  }
  return text;
}

Result<int> run(const Options& options) {
  LATTICE_TRY(const Program program, Program::try_load(options.directory, options.load));
  LATTICE_TRY(const std::vector<ExplainedStep> steps, steps_of(program.explain()));
  if (options.json) {
    LATTICE_CHECK(
        print_json({{"ok", true}, {"device", program.device()}, {"steps", json_of(steps)}}));
  } else {
    LATTICE_CHECK(print(text_of(steps)));
  }
  return exit_ok;
}

} // namespace

Command add_explain(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app =
      root.add_subcommand("explain", "Which kernel each layer gets, and why not another");
  add_directory(*app, options->directory);
  app->add_option("--device", options->load.device, "cpu, or reference: slow, to check [cpu]")
      ->type_name("NAME");
  app->add_option("--simd", options->load.simd, "At most scalar, avx2, avx512; same results")
      ->type_name("LEVEL");
  auto json = std::shared_ptr<bool>(options, &options->json);
  add_json(*app, *json);
  app->footer(R"(Examples:
  lattice explain net                 each layer and its kernel, then why
  lattice explain net --simd scalar   as on a machine without vectors
  lattice explain net --json | jq -r '.steps[] | .parameter + ": " + .kernel'

A kernel "avx2 3x4" computes 4 vectors of output channels for 3 pairs of rows at
once. Those that were not taken follow with the reason.)");
  return {app, json, [options] { return run(*options); }};
}

} // namespace lattice::cli
