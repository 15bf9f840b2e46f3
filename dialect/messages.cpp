// What errors of the dialect look like.
// Which errors there are is decided in verify*.cpp.
#include "dialect/verify.h"

#include <cstdio>

namespace lattice::ir {

llvm::StringRef short_name(mlir::Operation* op) { return op->getName().stripDialect(); }

mlir::InFlightDiagnostic error(mlir::Operation* op) {
  return op->emitError() << short_name(op) << ": ";
}

std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string shown(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

void append_unknown(mlir::InFlightDiagnostic& diagnostic, mlir::StringAttr found,
                    mlir::OperationName name) {
  diagnostic << "unknown attribute " << found.getValue() << ", expected ";
  const llvm::ArrayRef<mlir::StringAttr> known = name.getAttributeNames();
  if (known.empty()) {
    diagnostic << "none";
    return;
  }
  diagnostic << "only ";
  llvm::interleaveComma(known, diagnostic,
                        [&](mlir::StringAttr each) { diagnostic << each.getValue(); });
}

} // namespace lattice::ir
