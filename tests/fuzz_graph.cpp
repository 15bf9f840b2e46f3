// libFuzzer: any text as graph.mlir, through guard, parser, contract, verifier and weights check.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "artifact/load.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto artifact = lattice::load_artifact_text(text, lattice::SafetensorsFile());
  if (!artifact && artifact.error().diagnostics().empty()) std::abort();
  return 0;
}
