// Texts and look-ups of signatures. The types are public: include/lattice/signature.hpp.
#include "lattice/signature.hpp"

#include <fmt/format.h>

namespace lattice {

const char* name_of(Role role) {
  switch (role) {
    case Role::tensor: return "tensor";
    case Role::sparse_coords: return "sparse_coords";
    case Role::sparse_features: return "sparse_features";
    case Role::sparse_active: return "sparse_active";
    case Role::sparse_tensor: return "sparse_tensor";
  }
  return "unknown";
}

int32_t Signature::argument_named(const std::string& name) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].name == name) return static_cast<int32_t>(i);
  }
  return -1;
}

int32_t Signature::group_named(const std::string& name) const {
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].name == name) return static_cast<int32_t>(i);
  }
  return -1;
}

namespace {

std::string dims_of(const Shape& shape) {
  std::string text;
  for (const int64_t dim : shape) text += dim < 0 ? "?x" : fmt::format("{}x", dim);
  return text;
}

}  // namespace

std::string text_of(const Signature& signature) {
  std::string text = "inputs:";
  for (size_t i = 0; i < signature.arguments.size(); ++i) {
    const ArgumentInfo& argument = signature.arguments[i];
    text += fmt::format("\n  {} {}: {}{}", i, argument.name, dims_of(argument.shape), name_of(argument.dtype));
    if (argument.group < 0) continue;
    const SparseGroup& group = signature.groups[static_cast<size_t>(argument.group)];
    text += fmt::format(" ({} of sparse input \"{}\")", name_of(argument.role), group.name);
  }
  text += "\noutputs:";
  for (size_t i = 0; i < signature.outputs.size(); ++i) {
    const OutputInfo& output = signature.outputs[i];
    text += fmt::format("\n  {} {}: {}{}", i, output.name, dims_of(output.shape), name_of(output.dtype));
    if (output.role == Role::sparse_tensor) text += fmt::format(" (sparse, stride {})", text_of(output.stride));
  }
  return text;
}

}  // namespace lattice
