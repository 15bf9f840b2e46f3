// Names, roles and types of what the function takes and gives (spec 1). Used by contract.cpp alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "artifact/findings.h"
#include "lattice/signature.hpp"

namespace mlir::func {
class FuncOp;
}

namespace lattice {

// The module's four lists; one that could not be read is absent and has been reported.
struct DeclaredSignature {
  std::optional<std::vector<std::string>> input_names, input_roles, output_names, output_roles;
};

// Fills arguments, groups and outputs of `signature`, and adds every breach to `findings`.
void check_signature(mlir::func::FuncOp forward, const DeclaredSignature& declared,
                     Signature& signature, Findings& findings);

} // namespace lattice
