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

// Inputs for any of those graphs: distinct rows, and as many points spread over them.
class OpInputs {
 public:
  OpInputs(int64_t rows, int32_t extent, DType dtype, uint32_t seed);
  // Those that the program asks for. They live as long as this.
  Inputs of(const Program& program) const;
  // All the memory that `of` gives away, to see whether it has changed.
  std::vector<std::byte> bytes() const;

 private:
  struct Values {
    std::vector<float> single;
    std::vector<uint16_t> half;
    void round();
    const void* data(DType dtype) const;
  };
  DType dtype_;
  int64_t rows_;
  std::vector<Row> coords_;
  Values x_, points_, point_features_;
  std::vector<int32_t> batches_;
  int32_t active_;
};

// Operations of the dialect that those graphs lack; empty as long as the table is whole.
std::vector<std::string> operations_without_graph();

} // namespace lattice::reliability
