// Checks that the verifiers of several families share. Each reports what it finds and returns
// failure; a verifier combines them with `all` so that every fault of an operation is reported.
#pragma once

#include <cmath>
#include <initializer_list>

#include "dialect/dialect.h"

namespace lattice::ir {

using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

// An error at the operation that begins with its name: "conv3d: ".
mlir::InFlightDiagnostic error(mlir::Operation* op);

// As messages show them: 0.05, nan; tensor<?x3xf32>.
std::string shown(double value);
std::string shown(mlir::Type type);

// Success if all are; the braces evaluate every one of them, in order.
LogicalResult all(std::initializer_list<LogicalResult> results);

// C2. Three values from `least` to 2^31 - 1.
LogicalResult check_triple(mlir::Operation* op, llvm::StringRef name,
                           llvm::ArrayRef<int64_t> values, int64_t least);
// C2. kernel_size, and whichever of stride, padding and dilation the operation has.
LogicalResult check_triples(mlir::Operation* op);

// C4. Also what float makes of the value, where it is given as f64.
LogicalResult check_positive(mlir::Operation* op, llvm::StringRef name, double value);
LogicalResult check_finite(mlir::Operation* op, llvm::StringRef name, double value);

// C4. `found` is one of the words allowed.
LogicalResult check_word(mlir::Operation* op, llvm::StringRef name, llvm::StringRef found,
                         llvm::ArrayRef<llvm::StringLiteral> allowed);
template <class Choice>
LogicalResult check_choice(mlir::Operation* op, llvm::StringRef name, Choice found) {
  return check_word(op, name, found.getValue(), Choice::allowed());
}

// C5. The float type of a sparse value, weight or tensor; null if it has none.
mlir::Type float_of(mlir::Type type);
LogicalResult check_same_float(mlir::Operation* op, llvm::StringRef name, mlir::Type type,
                               llvm::StringRef like_name, mlir::Type like);

// C6. One dimension of two tensors; a dynamic one agrees with any.
LogicalResult check_dim(mlir::Operation* op, llvm::StringRef what, llvm::StringRef name,
                        mlir::RankedTensorType type, unsigned axis, llvm::StringRef like_name,
                        mlir::RankedTensorType like, unsigned like_axis);
// C5 and C6. The result has the float type, rank and static dimensions of the input.
LogicalResult check_same_tensor(mlir::Operation* op, mlir::RankedTensorType result,
                                mlir::RankedTensorType input);

} // namespace lattice::ir
