// The tables of the levels, for simd.cpp to choose from. Inside this folder.
#pragma once

#include "kernels/cpu/matmul/kernels.h"

namespace lattice::cpu {

SimdLevel supported_level(); // by this processor
const SimdTable& scalar_table();
const SimdTable& avx2_table();
const SimdTable& avx512_table();

} // namespace lattice::cpu
