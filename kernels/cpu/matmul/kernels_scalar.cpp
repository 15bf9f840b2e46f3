// The kernels without SIMD instructions: every product is one std::fma, which the C library
// emulates where the processor has none. Slow, and the same bits.
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "base/f16.h"
#include "kernels/cpu/matmul/kernels.h"
#include "kernels/cpu/matmul/simd_tables.h"
#include "kernels/math.h"

#define LATTICE_INLINE inline
#define LATTICE_NOINLINE
#define LATTICE_LAMBDA
#define LATTICE_LEVEL_NAME "scalar"
#define LATTICE_KERNEL_LANES 4

namespace lattice::cpu {
namespace {

constexpr int lanes = LATTICE_KERNEL_LANES;

#include "kernels/cpu/matmul/vectors_plain.inl"

#include "kernels/cpu/matmul/activate.inl"

#include "kernels/cpu/matmul/kernels_body.inl"

} // namespace

const SimdTable& scalar_table() {
  static constexpr SimdTable made{SimdLevel::scalar, lanes, kernels, &finish, &widen, &add_squares};
  return made;
}

} // namespace lattice::cpu
