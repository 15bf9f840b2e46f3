// What a program takes and gives: names, roles, types. Part of the public interface.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lattice/tensor.hpp"

#pragma GCC visibility push(default)

namespace lattice {

// What an argument or a result is for (spec 1).
enum class Role : uint8_t { tensor, sparse_coords, sparse_features, sparse_active, sparse_tensor };

const char* name_of(Role role);  // "sparse_coords", ...

// One argument of the graph, in order.
struct ArgumentInfo {
  std::string name;  // its ABI name: "x_features"
  Role role = Role::tensor;
  DType dtype = DType::f32;
  Shape shape;       // -1: any size
  int32_t group = -1;  // index into Signature::groups, -1 for plain tensors
};

// Three arguments that together are one sparse input.
struct SparseGroup {
  std::string name;      // "x"; "input" for the bare names coords, features, active
  int32_t first = 0;     // index of the coords argument; features and active follow
  Triple stride{1, 1, 1};  // that the graph gives it; (0, 0, 0) when it makes no sparse value of it
};

// One result of the graph, in order.
struct OutputInfo {
  std::string name;
  Role role = Role::tensor;  // tensor or sparse_tensor
  DType dtype = DType::f32;  // of the features for a sparse output
  Shape shape;               // tensor: -1 where only a run knows; sparse: (-1, channels)
  Triple stride{1, 1, 1};    // sparse outputs
};

struct Signature {
  std::vector<ArgumentInfo> arguments;
  std::vector<SparseGroup> groups;
  std::vector<OutputInfo> outputs;
  std::string schema_digest;
  std::string contract;  // releases that share the digest: "0.6.0 to 0.6.3"; empty when unknown

  // Index of the argument or group with this name, or -1.
  int32_t argument_named(const std::string& name) const;
  int32_t group_named(const std::string& name) const;
};

// The whole signature in a few lines, as error messages and `inspect` print it.
std::string text_of(const Signature& signature);

}  // namespace lattice

#pragma GCC visibility pop
