// Kernel geometry that convolutions, pools and upsampling share (spec 4): target supports, base offsets,
// and the shape of packed weights.
#pragma once

#include "plan/lower/builder.h"

namespace lattice {

// in = out * S + offset - P, offsets centred on odd axes.
inline Triple forward_base(const ir::Geometry& geometry) {
  Triple base{};
  for (size_t axis = 0; axis < 3; ++axis) {
    const int64_t size = geometry.kernel_size[axis];
    const int64_t centre = size % 2 == 1 ? (size - 1) / 2 * geometry.dilation[axis] : 0;
    base[axis] = -centre - geometry.padding[axis];
  }
  return base;
}

// out = in * S + index * D - P, never centred.
inline Triple transposed_base(const ir::Geometry& geometry) {
  return {-geometry.padding[0], -geometry.padding[1], -geometry.padding[2]};
}

// The rows of a forward operation: the target's, or the input's when S = 1, else the distinct floor(in / S).
// (With S = 1 and a padding the floor is the input's rows again.)
Result<SupportId> forward_target(mlir::Operation* op, Builder& plan, SparseValue input,
                                 std::optional<SparseValue> target, const ir::Geometry& geometry);

// The rows of a transposed operation: the target's, or the distinct outputs.
Result<SupportId> transposed_target(mlir::Operation* op, Builder& plan, SparseValue input,
                                    std::optional<SparseValue> target, const ir::Geometry& geometry);

// Codes, scales and biases of a packed weight against each other and against the input's channels.
Status check_packed(mlir::Operation* op, Builder& plan, const Weight& weight, const char* layout, int64_t outputs,
                    int64_t words, int64_t groups, int64_t scale_outputs, ValueId input);

}  // namespace lattice
