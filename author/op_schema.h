// The operations as the dialect's .td lists them: operands, attributes, words. A table, made from
// the .td at build time. No rules: those are the verifier's.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lattice::author {

enum class ValueKind : uint8_t { sparse, tensor, weight };

struct OperandSchema {
  std::string_view name; // "target"
  ValueKind kind;
  std::string_view family;   // weights: "conv3d"
  std::string_view expected; // for errors: "a conv3d weight"
  bool optional;
};

// How an attribute is written.
enum class AttributeKind : uint8_t {
  symbol,
  string,
  integer,
  real,
  triple,
  real_triple,
  choice,
  packing
};

struct AttributeSchema {
  std::string_view name; // "kernel_size"
  AttributeKind kind;
  std::string_view keyword;                // choice: "pool_mode", as in #lattice.pool_mode<max>
  std::span<const std::string_view> words; // choice: "sum", "max", "avg"
};

struct OpSchema {
  std::string_view name; // without "lattice.": "sparse.make"
  std::span<const OperandSchema> operands;
  std::span<const AttributeSchema> attributes;
  std::span<const std::string_view> results; // their names
};

// In the order of the .td.
std::span<const OpSchema> op_schemas();

// Null when the dialect has no such operation.
const OpSchema* op_schema_named(std::string_view name);

} // namespace lattice::author
