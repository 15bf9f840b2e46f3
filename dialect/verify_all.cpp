// Verification that goes on after a fault, so that all faults of a graph are reported together.
// MLIR's own verifier stops at the first.
#include "dialect/dialect.h"
#include "mlir/IR/Verifier.h"

namespace lattice::ir {

mlir::LogicalResult verify_all(mlir::Operation* root) {
  bool good = true;
  root->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) {
    const auto info = op->getName().getRegisteredInfo();
    if (!info || mlir::succeeded(info->verifyInvariants(op))) return mlir::WalkResult::advance();
    good = false;
    // What stands in a function may rely on the function being sound, as func.return does.
    return mlir::WalkResult::skip();
  });
  if (!good) return mlir::failure();
  return mlir::verify(root, /*verifyRecursively=*/true);
}

} // namespace lattice::ir
