// The 31 operations: what they take, what they give, what is refused.
// Their arithmetic is defined in docs/numerics.md; the checks are in verify_*.cpp.
#ifndef LATTICE_OPS_TD
#define LATTICE_OPS_TD

include "LatticeDialect.td"

// What every operation is checked for: no unknown attribute (C4), well-formed result types (C1).
def CommonRules : NativeOpTrait<"CommonRules"> { let cppNamespace = "::lattice::ir"; }

class Lattice_Op<string mnemonic, list<Trait> traits = []>
    : Op<Lattice_Dialect, mnemonic, !listconcat([CommonRules], traits)> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

include "ops_sparse.td"
include "ops_conv.td"
include "ops_pool.td"
include "ops_points.td"
include "ops_dense.td"

#endif
