// The lattice dialect as C++ classes, made from LatticeOps.td, and the few questions every user
// asks it. No lowering and no artifact rules: those are in plan/lower and artifact.
#pragma once

#include <array>
#include <cstdint>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wpedantic"
#endif
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

namespace lattice::ir {

// The tensor constraints of the .td: dimensions written as a number there must be static here.
bool is_coords(mlir::RankedTensorType type);       // (N, 4) i32
bool is_active(mlir::RankedTensorType type);       // (1) i32
bool is_points(mlir::RankedTensorType type);       // (N, 3) f32 or f16
bool is_indices(mlir::RankedTensorType type);      // (N) i32
bool is_features(mlir::RankedTensorType type);     // (N, C) f32 or f16
bool is_float_tensor(mlir::RankedTensorType type); // f32 or f16

mlir::LogicalResult verify_common_rules(mlir::Operation* op);

// "unknown attribute padding, expected only kernel_size, stride, accumulation".
void append_unknown(mlir::InFlightDiagnostic& diagnostic, mlir::StringAttr found,
                    mlir::OperationName name);

// Carried by every operation of the dialect; see LatticeOps.td.
template <class ConcreteOp>
class CommonRules : public mlir::OpTrait::TraitBase<ConcreteOp, CommonRules> {
 public:
  static mlir::LogicalResult verifyTrait(mlir::Operation* op) { return verify_common_rules(op); }
};

} // namespace lattice::ir

#include "dialect/LatticeDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/LatticeAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/LatticeTypes.h.inc"

#define GET_OP_CLASSES
#include "dialect/LatticeOps.h.inc"
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace lattice::ir {

// lattice and func, the only dialects of a graph.
void register_dialects(mlir::DialectRegistry& registry);

// Verifies every operation under root, root included, and goes on after a fault: all of them are
// reported to the context's diagnostic handler. Then MLIR's own rules (dominance), if no operation
// had a fault.
mlir::LogicalResult verify_all(mlir::Operation* root);

// "conv3d" for lattice.conv3d: the name that errors use.
llvm::StringRef short_name(mlir::Operation* op);

// The three values of a verified triple attribute.
inline std::array<int64_t, 3> triple(llvm::ArrayRef<int64_t> values) {
  return {values[0], values[1], values[2]};
}
inline std::array<double, 3> triple(llvm::ArrayRef<double> values) {
  return {values[0], values[1], values[2]};
}

// Kernel geometry of spec 4. What an operation does not carry has the value that its definition
// gives it.
struct Geometry {
  std::array<int64_t, 3> kernel_size{1, 1, 1}, stride{1, 1, 1}, padding{0, 0, 0}, dilation{1, 1, 1};
};

template <class Op>
concept HasKernel = requires(Op op) {
  op.getKernelSize();
};

// Of a verified convolution or pool.
template <HasKernel Op>
Geometry geometry(Op op) {
  Geometry g;
  g.kernel_size = triple(op.getKernelSize());
  if constexpr (requires { op.getStride(); }) g.stride = triple(op.getStride());
  if constexpr (requires { op.getPadding(); }) g.padding = triple(op.getPadding());
  if constexpr (requires { op.getDilation(); }) g.dilation = triple(op.getDilation());
  return g;
}

// Trilinear upsampling is the transposed relation with K = 2S - 1, P = S - 1, D = 1.
inline Geometry geometry(TrilinearUpsample3dOp op) {
  Geometry g;
  g.stride = triple(op.getStride());
  for (size_t axis = 0; axis < 3; ++axis) {
    g.kernel_size[axis] = 2 * g.stride[axis] - 1;
    g.padding[axis] = g.stride[axis] - 1;
  }
  return g;
}

} // namespace lattice::ir
