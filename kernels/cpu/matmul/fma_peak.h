// What the machine can do at most: fused multiply-adds in registers alone.
#pragma once

#include "kernels/cpu/matmul/simd.h"

namespace lattice::cpu {

// GFLOP/s of one thread during about `seconds`, with the vectors of `level`.
double fma_gflops(SimdLevel level, double seconds);

// The same with `threads` threads at once, added up.
double fma_gflops(SimdLevel level, double seconds, int32_t threads);

} // namespace lattice::cpu
