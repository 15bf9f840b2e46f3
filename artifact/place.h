// Places in graph.mlir, from MLIR's terms to ours.
#pragma once

#include "lattice/status.hpp"

namespace mlir {
class Location;
class Operation;
} // namespace mlir

namespace lattice {

// The file, line and column of a location; empty if it holds none.
Location place_of(mlir::Location location);
// Where an operation of a loaded graph stands, whatever loc(...) the text gives it.
Location place_of(mlir::Operation* op);

} // namespace lattice
