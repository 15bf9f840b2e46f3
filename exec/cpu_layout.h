// Where each value of one phase lies: in an argument, in an output, in a column range of a concatenation, or
// in the arena.
#pragma once

#include "exec/cpu_program.h"

namespace lattice::cpu {

// The state of one run.
struct Run {
  const CpuProgram& program;
  const BoundInputs& inputs;
  CpuTopology topology;               // shares its parts with the one that was prepared
  std::vector<Matrix> values;         // by ValueId; arguments are not written to
  std::vector<bool> laid_out;
  std::vector<Tensor> outputs;        // by output; tensors (features for sparse ones)
  std::vector<ValueId> cat_of;        // by ValueId: the concatenation whose columns hold it, or no_id
  std::vector<Tensor> copies;         // of arguments that are not aligned
  int64_t arena_bytes = 0, live_bytes = 0, output_bytes = 0, input_bytes = 0;

  Counts counts() const;
  // What the run holds besides the caller's inputs and the scratch of steps.
  int64_t held_bytes() const { return program.weight_bytes() + topology.bytes() + arena_bytes + output_bytes; }
};

// Lays out the values that the steps of `phase` make, and reserves the memory. Checks the limit first.
Status lay_out(Run& run, int32_t phase, CpuSession& session, const RunControl& control);

// Views of the float arguments.
Status lay_out_arguments(Run& run);

}  // namespace lattice::cpu
