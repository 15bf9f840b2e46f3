// Gives every argument of a program its value: by position, by name, or as one sparse tensor (spec 6).
// Checks types, ranks and declared sizes; what the values are is the topology's business.
#pragma once

#include "exec/device.h"

namespace lattice {

// The views of `inputs`, plus storage for the active counts that sparse tensors bring along.
struct Binding {
  BoundInputs inputs;
  std::vector<std::unique_ptr<int32_t>> active_counts;
};

enum class Need : uint8_t {
  required,  // must be given
  optional,  // may be given
  ignored,   // given or not, it is not looked at
};

// `needs` has one entry per argument. Errors name the argument and carry the expected signature.
Result<Binding> bind_inputs(const Signature& signature, const Inputs& given, const std::vector<Need>& needs);

}  // namespace lattice
