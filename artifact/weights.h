// The tensors that the weights of a graph name, found in the file and judged against their
// declaration (C7). Shapes against kernel sizes and channels of the operations that use them:
// plan/lower.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "artifact/findings.h"
#include "artifact/safetensors.h"
#include "base/weight_family.h"
#include "lattice/tensor.hpp"

namespace mlir {
class ModuleOp;
class Operation;
} // namespace mlir

namespace lattice {

// How a weight is stored: as numbers, or as unsigned codes with a scale and a bias for each group
// of input channels: value = fma(scale, code, bias).
struct WeightPacking {
  int bits = 0; // of a code: 4 or 8; 0 for a dense weight
  int64_t group_size = 0;
  DType scale_dtype = DType::f32;

  bool dense() const { return bits == 0; }
  int64_t codes_a_word() const { return 32 / bits; }
};

// One lattice.weight of a graph. The views are into the weights file, at any alignment.
struct WeightInfo {
  std::string symbol;      // "conv_weight" for @conv_weight
  std::string storage_key; // "conv.weight"
  WeightFamily family = WeightFamily::conv3d;
  DType dtype = DType::f32; // declared: f32 or f16
  WeightPacking packing;

  // Dense: conv3d (Cout, Kx, Ky, Kz, Cin), linear (O, I), embedding (N, C), channel and bias (C).
  // Packed: u32 codes; pointwise (1, O, words), spatial (K, words, O).
  TensorView values;
  TensorView scales, biases; // packed only: pointwise (1, O, groups), spatial (K, groups, O)

  Location where; // of the operation

  // Packed only: the form for kernels of one row, which linear always has.
  bool pointwise() const { return values.shape[0] == 1; }
  int64_t out_channels() const;
  // Packed: as stored, a multiple of the group size, so at least the channels the operation reads.
  int64_t in_channels() const;
};

// The weights of a graph in its order, and which operation each belongs to.
struct Weights {
  std::vector<WeightInfo> infos;
  std::vector<std::string> unused; // keys of the file that no weight names, in the file's order

  // Null for an operation that is no lattice.weight of the graph.
  const WeightInfo* find(mlir::Operation* op) const {
    const auto found = index.find(op);
    return found == index.end() ? nullptr : &infos[found->second];
  }
  std::unordered_map<mlir::Operation*, size_t> index;
};

// Adds every disagreement to `findings`, each with the key, what is stored and what was expected.
// Weights that are wrong in themselves (C3) are passed over: the verifier reports them.
Weights check_weights(mlir::ModuleOp module, const SafetensorsFile& file, Findings& findings);

} // namespace lattice
