// Verification: the loader, then the lowering, which sees what no operation can see alone.
#include "author/verify.h"

#include "artifact/load.h"
#include "plan/lower/lower.h"

namespace lattice::author {

Status verify_artifact(const std::filesystem::path& directory) {
  LATTICE_TRY(Artifact artifact, load_artifact(directory, {}));
  LATTICE_TRY(const auto plan, lower(std::move(artifact)));
  static_cast<void>(plan);
  return {};
}

}  // namespace lattice::author
