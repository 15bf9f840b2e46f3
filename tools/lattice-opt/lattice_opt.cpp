// lattice-opt: MLIR's own driver for the lattice and func dialects, for tests and for looking at graphs.
// It judges operations one by one; whole artifacts are judged by `lattice verify`.
#include "dialect/dialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char** argv) {
  mlir::DialectRegistry registry;
  lattice::ir::register_dialects(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "lattice graph driver\n", registry));
}
