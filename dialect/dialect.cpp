// The dialect object: registration, and the code generated from the .td.
// No rules: those are in verify*.cpp.
#include "dialect/dialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wpedantic"

#include "dialect/LatticeDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/LatticeAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/LatticeTypes.cpp.inc"

namespace lattice::ir {

void LatticeDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/LatticeAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/LatticeTypes.cpp.inc"
      >();
  add_operations();
}

void register_dialects(mlir::DialectRegistry& registry) {
  registry.insert<LatticeDialect, mlir::func::FuncDialect>();
}

} // namespace lattice::ir
