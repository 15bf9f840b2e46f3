// Artifact to plan, for the executor: load, verify, lower.
#include "exec/load_plan.h"

#include "artifact/load.h"
#include "plan/lower/lower.h"

namespace lattice {

namespace {
ArtifactOptions artifact_options(const LoadOptions& options) {
  ArtifactOptions result;
  result.allow_unknown_digest = options.allow_unknown_digest;
  return result;
}
}  // namespace

Result<std::shared_ptr<const Plan>> load_plan(const std::filesystem::path& directory, const LoadOptions& options) {
  LATTICE_TRY(Artifact artifact, load_artifact(directory, artifact_options(options)));
  return lower(std::move(artifact));
}

Result<std::shared_ptr<const Plan>> load_plan_memory(const std::string& graph, std::span<const std::byte> weights,
                                                     const LoadOptions& options) {
  LATTICE_TRY(SafetensorsFile file, SafetensorsFile::parse(weights, "weights.safetensors"));
  LATTICE_TRY(Artifact artifact, load_artifact_text(graph, std::move(file), artifact_options(options)));
  return lower(std::move(artifact));
}

}  // namespace lattice
