// What differs between two graphs and between two weights files. Decides nothing about exit codes
// or printing, and does not judge which of the two is better.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "artifact/safetensors.h"
#include "tools/lattice/console.h"

namespace lattice::cli {

// An operation that stands in both graphs with other attributes, types or operands, one that stands
// in one of them only, or a property of the whole graph.
struct GraphDifference {
  enum class Kind : uint8_t { added, removed, changed };
  struct Change {
    std::string what; // "kernel_size", "operand 1", "result type"
    Json before, after;
  };
  Kind kind = Kind::changed;
  std::string operation;       // "subm_conv3d"; "graph" for a property of the whole
  std::string parameter;       // key of its first weight, or empty
  int64_t before = -1;         // place among the operations of A, from 1; -1 if added
  int64_t after = -1;          // the same in B; -1 if removed
  std::vector<Change> changes; // of changed ones
};

// `before` and `after` are what describe_graph gives. Operations are matched in order by their name
// and the key of their first weight. Names of values and symbols are labels and do not count: an
// operand is the same if the operations that give it match.
std::vector<GraphDifference> graph_differences(const Json& before, const Json& after);

struct WeightDifference {
  enum class Kind : uint8_t { added, removed, reshaped, values };
  Kind kind = Kind::values;
  std::string key;
  DType before_dtype = DType::f32, after_dtype = DType::f32; // of those that there are
  Shape before_shape, after_shape;
  // values: same type and shape, other bits
  int64_t elements = 0;
  int64_t differ = 0;
  double absolute = 0;  // largest |a - b|; infinite where only one of them is a number
  double relative = 0;  // largest |a - b| / max(|a|, |b|)
  bool measured = true; // false for types without numbers here (f8)
};

// By key, those of A in its order, then those that only B has.
std::vector<WeightDifference> weight_differences(const SafetensorsFile& before,
                                                 const SafetensorsFile& after);

} // namespace lattice::cli
