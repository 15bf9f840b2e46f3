// What a graph says of itself, operation by operation, as JSON: for tools that show or translate
// graphs. Not the plan: nothing is fused, shared or ordered anew here.
#pragma once

#include <string>
#include <string_view>

#include "artifact/contract.h"
#include "base/status.h"

namespace lattice {

// Judges the text as far as that goes without weights: limits, grammar, contract, every operation.
Status verify_graph(std::string_view text, const ContractOptions& options = {});

// One JSON object:
//   ir_version, schema_digest, weight_file, name ("forward")
//   args, outputs: [{name: "%x_coords", abi_name, type, role}]
//   ops: [{name: "lattice.conv3d", operands: ["%x", ...], results, attrs, operand_types,
//          result_types}]
//   returns: ["%y"]
// Names are those of the text ("%8#1" for one of several results), types are MLIR text. Attributes:
// numbers, strings and lists where they are those, else MLIR text. lattice operations only, in
// order. An invalid graph is the error of verify_graph.
Result<std::string> describe_graph(std::string_view text, const ContractOptions& options = {});

} // namespace lattice
