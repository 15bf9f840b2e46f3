// `lattice diff`: what differs between two artifacts, operation by operation and tensor by tensor.
// Runs neither of them.
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "artifact/describe_graph.h"
#include "artifact/guard.h"
#include "base/file.h"
#include "tools/lattice/command.h"
#include "tools/lattice/differences.h"

namespace lattice::cli {
namespace {

struct Options {
  std::string before, after;
  bool allow_unknown_digest = false;
};

struct Read {
  Json graph;
  SafetensorsFile weights;
};

// Both sides hold files of the same names: errors carry the path that was given.
Error with_path(const Error& error, const std::string& directory) {
  std::vector<Diagnostic> diagnostics = error.diagnostics();
  for (Diagnostic& each : diagnostics) {
    const std::filesystem::path file(each.where.file);
    if (!each.where.file.empty() && !file.has_parent_path())
      each.where.file = (std::filesystem::path(directory) / file).string();
  }
  return Error(error.code(), std::move(diagnostics));
}

// As everywhere, a link out of the directory is not followed: an artifact from elsewhere cannot
// name files of this machine.
Result<std::filesystem::path> inside(const std::filesystem::path& directory, const char* name) {
  namespace fs = std::filesystem;
  const fs::path path = directory / name;
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
  const fs::path target = fs::canonical(path, error);
  if (error || target.parent_path() == fs::canonical(directory, error)) return path;
  return fail(Code::io, "is a link to a file outside the artifact directory",
              {path.string(), 0, 0, ""});
}

// Each file is judged on its own; whether the two agree is the business of `verify`.
Result<Read> read(const std::string& directory, bool allow_unknown_digest) {
  const std::filesystem::path path(directory);
  const auto parts = [&]() -> Result<Read> {
    Read side;
    LATTICE_TRY(const auto graph_path, inside(path, "graph.mlir"));
    LATTICE_TRY(const auto weights_path, inside(path, "weights.safetensors"));
    LATTICE_TRY(const std::string text, read_file(graph_path, GraphLimits::bytes));
    ContractOptions options;
    options.allow_unknown_digest = allow_unknown_digest;
    LATTICE_TRY(const std::string graph, describe_graph(text, options));
    side.graph = Json::parse(graph);
    LATTICE_TRY(side.weights, SafetensorsFile::open(weights_path));
    return side;
  };
  Result<Read> side = parts();
  if (!side) return tl::make_unexpected(with_path(side.error(), directory));
  return side;
}

std::string name_of(GraphDifference::Kind kind) {
  switch (kind) {
  case GraphDifference::Kind::added: return "added";
  case GraphDifference::Kind::removed: return "removed";
  default: return "changed";
  }
}

Json json_of(const GraphDifference& difference) {
  Json object{{"kind", name_of(difference.kind)}, {"operation", difference.operation}};
  if (!difference.parameter.empty()) object["parameter"] = difference.parameter;
  if (difference.before > 0) object["place_in_a"] = difference.before;
  if (difference.after > 0) object["place_in_b"] = difference.after;
  if (difference.kind != GraphDifference::Kind::changed) return object;
  object["changes"] = Json::array();
  for (const GraphDifference::Change& each : difference.changes)
    object["changes"].push_back({{"what", each.what}, {"a", each.before}, {"b", each.after}});
  return object;
}

Json json_of(const WeightDifference& difference) {
  const Json before{{"dtype", name_of(difference.before_dtype)},
                    {"shape", difference.before_shape}};
  const Json after{{"dtype", name_of(difference.after_dtype)}, {"shape", difference.after_shape}};
  switch (difference.kind) {
  case WeightDifference::Kind::removed:
    return {{"kind", "removed"}, {"key", difference.key}, {"a", before}};
  case WeightDifference::Kind::added:
    return {{"kind", "added"}, {"key", difference.key}, {"b", after}};
  case WeightDifference::Kind::reshaped:
    return {{"kind", "type"}, {"key", difference.key}, {"a", before}, {"b", after}};
  default: break;
  }
  Json object{{"kind", "values"},
              {"key", difference.key},
              {"elements", difference.elements},
              {"differ", difference.differ}};
  if (difference.measured) {
    object["max_absolute"] = json_number(difference.absolute);
    object["max_relative"] = json_number(difference.relative);
  }
  return object;
}

std::string text_of(const GraphDifference& difference) {
  const bool added = difference.kind == GraphDifference::Kind::added;
  const char* sign = added ? "+" : difference.kind == GraphDifference::Kind::removed ? "-" : "~";
  std::string text = fmt::format("  {} {}", sign, difference.operation);
  if (!difference.parameter.empty()) text += " " + difference.parameter;
  if (difference.before > 0 || difference.after > 0)
    text += fmt::format(", operation {}{}", added ? difference.after : difference.before,
                        added ? " of B" : "");
  text += "\n";
  const auto shown = [](const Json& value) {
    return value.is_null() ? "(none)" : value.is_string() ? value.get<std::string>() : value.dump();
  };
  for (const GraphDifference::Change& each : difference.changes) {
    const std::string a = shown(each.before), b = shown(each.after);
    const std::string line = fmt::format("      {}: {} -> {}\n", each.what, a, b);
    text += line.size() <= 81
                ? line
                : fmt::format("      {}:\n        A {}\n        B {}\n", each.what, a, b);
  }
  return text;
}

std::string text_of(const std::vector<WeightDifference>& differences) {
  std::string lists, table;
  for (const WeightDifference& each : differences) {
    const auto type = [](DType dtype, const Shape& shape) {
      return fmt::format("{} of {}", lattice::text_of(shape), lattice::name_of(dtype));
    };
    const std::string before = type(each.before_dtype, each.before_shape);
    const std::string after = type(each.after_dtype, each.after_shape);
    switch (each.kind) {
    case WeightDifference::Kind::removed:
      lists += fmt::format("  - {}: {}\n", each.key, before);
      break;
    case WeightDifference::Kind::added:
      lists += fmt::format("  + {}: {}\n", each.key, after);
      break;
    case WeightDifference::Kind::reshaped:
      lists += fmt::format("  ~ {}: {} -> {}\n", each.key, before, after);
      break;
    case WeightDifference::Kind::values:
      // The end of a key tells more than its start.
      table +=
          fmt::format("  {:<36} {:>18} {:>10} {:>10}\n",
                      each.key.size() > 36 ? "~" + each.key.substr(each.key.size() - 35) : each.key,
                      fmt::format("{}/{}", each.differ, each.elements),
                      each.measured ? fmt::format("{:.3g}", each.absolute) : "-",
                      each.measured ? fmt::format("{:.3g}", each.relative) : "-");
    }
  }
  if (table.empty()) return lists;
  return lists +
         fmt::format("  {:<36} {:>18} {:>10} {:>10}\n", "other values", "differ", "max abs",
                     "max rel") +
         table;
}

Result<int> diff(const Options& options, bool json) {
  LATTICE_TRY(const Read before, read(options.before, options.allow_unknown_digest));
  LATTICE_TRY(const Read after, read(options.after, options.allow_unknown_digest));
  const auto graph = graph_differences(before.graph, after.graph);
  const auto weights = weight_differences(before.weights, after.weights);
  const bool equal = graph.empty() && weights.empty();
  if (json) {
    Json object{{"ok", equal}, {"a", options.before}, {"b", options.after}, {"equal", equal}};
    object["graph"] = object["weights"] = Json::array();
    for (const GraphDifference& each : graph) object["graph"].push_back(json_of(each));
    for (const WeightDifference& each : weights) object["weights"].push_back(json_of(each));
    LATTICE_CHECK(print_json(object));
    return equal ? exit_ok : exit_mismatch;
  }
  std::string text;
  if (equal) {
    text = fmt::format("equal: {} operations, {} tensors\n", before.graph["ops"].size(),
                       before.weights.entries().size());
  }
  if (!graph.empty()) {
    text += fmt::format("graph: {} difference{}\n", graph.size(), graph.size() == 1 ? "" : "s");
    for (const GraphDifference& each : graph) text += text_of(each);
  }
  if (!weights.empty()) {
    text += fmt::format("weights: {} tensor{}\n", weights.size(),
                        weights.size() == 1 ? " differs" : "s differ");
    text += text_of(weights);
  }
  LATTICE_CHECK(print(text));
  return equal ? exit_ok : exit_mismatch;
}

} // namespace

Command add_diff(CLI::App& root) {
  auto options = std::make_shared<Options>();
  auto json = std::make_shared<bool>(false);
  CLI::App* app = root.add_subcommand("diff", "What differs between two artifacts");
  app->add_option("A", options->before, "Directory of the first artifact")
      ->type_name("")
      ->required();
  app->add_option("B", options->after, "Directory of the second")->type_name("")->required();
  add_json(*app, *json);
  add_allow_unknown_digest(*app, options->allow_unknown_digest);
  app->footer(R"(Examples:
  lattice diff old new          0 equal, 2 different, 1 one cannot be read
  lattice diff old new --json | jq '.weights[] | select(.max_relative > 1e-3)'

Operations are matched in order by name and weight: + only in B, - only in A,
~ in both, with other attributes, types or operands. Names of values and symbols
do not count. Tensors are compared by bits; max abs is the largest |a - b|, max
rel the largest |a - b| / max(|a|, |b|).)");
  return {app, json, [options, json] { return diff(*options, *json); }};
}

} // namespace lattice::cli
