// Names and choice of SIMD levels.
#include "kernels/cpu/matmul/simd.h"

#include "kernels/cpu/matmul/simd_tables.h"

namespace lattice::cpu {

const char* name_of(SimdLevel level) {
  switch (level) {
  case SimdLevel::scalar: return "scalar";
  case SimdLevel::avx2: return "avx2";
  case SimdLevel::avx512: return "avx512";
  }
  return "unknown";
}

SimdLevel best_simd_level() {
  static const SimdLevel level = supported_level();
  return level;
}

const SimdTable& simd_table(SimdLevel level) {
  switch (level) {
  case SimdLevel::avx512: return avx512_table();
  case SimdLevel::avx2: return avx2_table();
  case SimdLevel::scalar: break;
  }
  return scalar_table();
}

} // namespace lattice::cpu
