// Which vector instructions the products use. Every level gives the same bits.
// Chosen once a program, never per call.
#pragma once

#include <cstdint>

namespace lattice::cpu {

enum class SimdLevel : uint8_t { scalar, avx2, avx512 };

const char* name_of(SimdLevel level); // "scalar", "avx2", "avx512"

// The best level that this build and this processor offer.
SimdLevel best_simd_level();

inline bool offers(SimdLevel level) { return level <= best_simd_level(); }

} // namespace lattice::cpu
