// What the machine can do at most: fused multiply-adds in registers alone.
#pragma once

#include "kernels/cpu/matmul/simd.h"

namespace lattice::bench {

// GFLOP/s of one thread during about `seconds`, with the vectors of `level`.
double fma_gflops(cpu::SimdLevel level, double seconds);

}  // namespace lattice::bench
