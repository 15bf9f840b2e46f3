// One graph for each operation of the dialect, all on a sparse input "x" of two channels.
#pragma once

#include <string>
#include <vector>

#include "tests/reliability/graphs.h"

namespace lattice::reliability {

struct OpGraph {
  std::string name;
  Graph graph;
  bool points = false; // also takes points, point_features, point_batch, point_active
};

// `dtype` is that of the features. Together the graphs use every operation there is.
std::vector<OpGraph> graphs_of_every_op(DType dtype);

// Operations of the dialect that those graphs lack; empty as long as the table is whole.
std::vector<std::string> operations_without_graph();

} // namespace lattice::reliability
