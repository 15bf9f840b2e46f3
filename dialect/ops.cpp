// The operation classes generated from LatticeOps.td, and their registration.
// On its own because it is by far the slowest file to compile.
#include "dialect/dialect.h"
#include "dialect/strict_registration.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wpedantic"

namespace lattice::ir {
namespace {

// The attributes of a weight, less its name: that stands before them, and may not be given again.
mlir::ParseResult parseWeightAttributes(mlir::OpAsmParser& parser,
                                        mlir::NamedAttrList& attributes) {
  const llvm::SMLoc start = parser.getCurrentLocation();
  const auto error = [&] { return parser.emitError(start) << "'lattice.weight' op "; };
  if (mlir::failed(parser.parseOptionalAttrDict(attributes))) return mlir::failure();
  const mlir::OperationName name(WeightOp::getOperationName(), parser.getContext());
  if (attributes.get(WeightOp::getSymNameAttrName(name)))
    return error() << "sym_name is given twice, before and between the braces";
  return WeightOp::verifyInherentAttrs(name, attributes, error);
}

void printWeightAttributes(mlir::OpAsmPrinter& printer, WeightOp op,
                           mlir::DictionaryAttr attributes) {
  printer.printOptionalAttrDict(attributes.getValue(), {op.getSymNameAttrName()});
}

} // namespace
} // namespace lattice::ir

#define GET_OP_CLASSES
#include "dialect/LatticeOps.cpp.inc"

namespace lattice::ir {
namespace {

template <class... Ops>
void register_all(LatticeDialect& dialect) {
  (StrictModel<Ops>::insert(dialect), ...);
}

} // namespace

void LatticeDialect::add_operations() {
  register_all<
#define GET_OP_LIST
#include "dialect/LatticeOps.cpp.inc"
      >(*this);
}

} // namespace lattice::ir
