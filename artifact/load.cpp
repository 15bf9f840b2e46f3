// The steps of loading, in order. Each step's rules are in the file named after it.
#include "artifact/load.h"

#include <algorithm>
#include <new>
#include <system_error>

#include <fmt/format.h>

#include "artifact/guard.h"
#include "artifact/parse.h"
#include "base/file.h"

namespace lattice {
namespace {

namespace fs = std::filesystem;

constexpr const char* graph_name = "graph.mlir";
constexpr const char* weights_name = "weights.safetensors";

// The path of `name`, unless it is a link that leads out of the directory.
Result<fs::path> inside(const fs::path& directory, const char* name,
                        const ArtifactOptions& options) {
  const fs::path path = directory / name;
  std::error_code error;
  if (options.follow_links || !fs::is_symlink(fs::symlink_status(path, error))) return path;
  const fs::path home = fs::canonical(directory, error);
  if (error) return path; // opening it will say what is wrong
  const fs::path target = fs::canonical(path, error);
  if (error) return path;
  const auto [rest, unused] = std::mismatch(home.begin(), home.end(), target.begin(), target.end());
  if (rest == home.end()) return path;
  return fail(Code::io,
              "is a link to a file outside the artifact directory, which only follow_links allows",
              {path.string(), 0, 0, ""});
}

// Contract, operations and weights are judged together; text that does not parse ends it before
// them.
Result<Artifact> load(const Result<std::string_view>& graph, Result<SafetensorsFile> weights,
                      const ArtifactOptions& options) try {
  Findings findings;
  if (!weights) findings.add(weights.error());
  const Status guarded =
      graph ? guard_graph_text(*graph, graph_name) : tl::make_unexpected(graph.error());
  if (!guarded) {
    findings.add(guarded.error());
    return tl::make_unexpected(findings.status().error());
  }

  Artifact artifact;
  artifact.context = make_context();
  const DiagnosticCollector collector(*artifact.context, findings);
  artifact.module = parse_graph(*graph, graph_name, *artifact.context, findings);
  if (artifact.module) {
    artifact.signature = check_contract(*artifact.module, options, findings);
    (void)ir::verify_all(artifact.module->getOperation()); // what it finds reaches the collector
    if (weights) artifact.weights = check_weights(*artifact.module, *weights, findings);
  }
  LATTICE_CHECK(findings.status());
  artifact.weights_file = *std::move(weights);
  return artifact;
} catch (const std::bad_alloc&) {
  return fail(Code::memory, "out of memory while loading an artifact");
}

} // namespace

Result<Artifact> load_artifact(const fs::path& directory, const ArtifactOptions& options) try {
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (!fs::exists(status)) {
    return fail(
        Code::io,
        fmt::format("cannot be opened: {}", error ? error.message() : "No such file or directory"),
        {directory.empty() ? "''" : directory.string(), 0, 0, ""});
  }
  if (!fs::is_directory(status)) {
    return fail(
        Code::io,
        fmt::format("is no directory, expected one that holds {} and {}", graph_name, weights_name),
        {directory.string(), 0, 0, ""});
  }
  const auto graph = inside(directory, graph_name, options).and_then([](const fs::path& path) {
    return read_file(path, GraphLimits::bytes);
  });
  auto weights = inside(directory, weights_name, options).and_then([&](const fs::path& path) {
    return SafetensorsFile::open(path, options.max_weight_bytes);
  });
  return load(graph.map([](const std::string& text) { return std::string_view(text); }),
              std::move(weights), options);
} catch (const std::bad_alloc&) {
  return fail(Code::memory, "out of memory while loading an artifact");
} catch (const fs::filesystem_error& error) {
  return fail(Code::io, error.code().message(), {directory.string(), 0, 0, ""});
}

Result<Artifact> load_artifact_text(std::string_view graph, SafetensorsFile weights,
                                    const ArtifactOptions& options) {
  return load(graph, std::move(weights), options);
}

} // namespace lattice
