// The artifact contract of spec 1: what the module says about itself and what its one function may
// be. Not the operations in it (dialect/) and not the weights (weights.h).
#pragma once

#include <span>
#include <string_view>

#include "artifact/findings.h"
#include "lattice/signature.hpp"

namespace mlir {
class ModuleOp;
}

namespace lattice {

struct ContractRelease {
  std::string_view releases; // "0.6.0 to 0.6.3"
  std::string_view digest;
};

// digests.inc as data.
std::span<const ContractRelease> accepted_contracts();

struct ContractOptions {
  // Take a schema digest that is not in the table. The graph is checked all the same.
  bool allow_unknown_digest = false;
};

// Adds every breach of the contract to `findings`. The signature is complete when there was none,
// except for strides and the channels of sparse outputs, which follow from the operations. Safe on
// a module that has not been verified.
Signature check_contract(mlir::ModuleOp module, const ContractOptions& options, Findings& findings);

} // namespace lattice
