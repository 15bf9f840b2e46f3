// The table of op_schema.h, from the generated file. No other list of operations exists in this
// room.
#include "author/op_schema.h"

#include <algorithm>

namespace lattice::author {
namespace {

// Defines operations[].
#include "author/op_schema.inc"

} // namespace

std::span<const OpSchema> op_schemas() { return operations; }

const OpSchema* op_schema_named(std::string_view name) {
  const auto found = std::ranges::find(operations, name, &OpSchema::name);
  return found == std::end(operations) ? nullptr : &*found;
}

} // namespace lattice::author
