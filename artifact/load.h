// An artifact directory, or the same in memory, to a verified module with its weights. Next:
// plan/lower.
#pragma once

#include <filesystem>
#include <string_view>

#include "artifact/contract.h"
#include "artifact/mlir.h"
#include "artifact/safetensors.h"
#include "artifact/weights.h"
#include "base/status.h"
#include "lattice/signature.hpp"

namespace lattice {

struct ArtifactOptions : ContractOptions {
  // Most bytes of tensors that the weights file may hold.
  int64_t max_weight_bytes = SafetensorsFile::no_limit;
  // By default a graph.mlir or weights.safetensors that is a link to a file outside the directory
  // is refused, so that an artifact from elsewhere cannot name files of this machine.
  bool follow_links = false;
};

// A graph that is valid in itself and agrees with its weights; channels and strides are
// plan/lower's. Everything in it stays where it is when the artifact is moved.
struct Artifact {
  Artifact() = default;
  Artifact(Artifact&&) = default;
  Artifact& operator=(Artifact&& other) noexcept {
    // The module must go before the context that owns its types.
    std::swap(context, other.context);
    std::swap(module, other.module);
    std::swap(weights_file, other.weights_file);
    std::swap(signature, other.signature);
    std::swap(weights, other.weights);
    return *this;
  }

  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  SafetensorsFile weights_file; // owns what the views of `weights` point to
  Signature signature;          // without strides and channels of sparse values
  Weights weights;

  // The function @forward.
  mlir::func::FuncOp forward() { return *module->getOps<mlir::func::FuncOp>().begin(); }
};

// Reads graph.mlir and weights.safetensors of `directory`, and no other file. An error holds
// everything that is wrong with the artifact as far as it could be read.
Result<Artifact> load_artifact(const std::filesystem::path& directory,
                               const ArtifactOptions& options = {});

// The same for text and weights in memory.
Result<Artifact> load_artifact_text(std::string_view graph, SafetensorsFile weights,
                                    const ArtifactOptions& options = {});

} // namespace lattice
