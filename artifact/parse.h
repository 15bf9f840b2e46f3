// Graph text to an MLIR module that has not been verified. Used by load.cpp alone.
#pragma once

#include <string>
#include <string_view>

#include "artifact/findings.h"
#include "artifact/mlir.h"

namespace lattice {

// Collects what MLIR has to say while it lives, in our words and with our places; nothing is
// printed.
class DiagnosticCollector {
 public:
  DiagnosticCollector(mlir::MLIRContext& context, Findings& findings);

 private:
  mlir::ScopedDiagnosticHandler handler_;
};

// A context that knows lattice and func, makes no threads and prints no operations into messages.
std::unique_ptr<mlir::MLIRContext> make_context();

// The one module of `text`, or null after an error. Every operation and argument gets the line and
// column where it stands in the text as its location, in place of what a loc(...) says: that names
// a file of the machine the graph was made on. `file` is the name used in locations.
mlir::OwningOpRef<mlir::ModuleOp> parse_graph(std::string_view text, const std::string& file,
                                              mlir::MLIRContext& context, Findings& findings);

} // namespace lattice
