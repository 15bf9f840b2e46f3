// The kernels of the 16-lane level over plain arrays, so that their blocks and tails are tested on
// every machine. The instructions of that level themselves need a machine that has them.
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "base/f16.h"
#include "kernels/cpu/matmul/kernels.h"
#include "kernels/math.h"

#define LATTICE_INLINE inline
#define LATTICE_NOINLINE
#define LATTICE_LAMBDA
#define LATTICE_LEVEL_NAME "plain"
#define LATTICE_KERNEL_LANES 16

namespace lattice::cpu {
namespace {

constexpr int lanes = LATTICE_KERNEL_LANES;

#include "kernels/cpu/matmul/vectors_plain.inl"

#include "kernels/cpu/matmul/activate.inl"

#include "kernels/cpu/matmul/kernels_body.inl"

} // namespace

const SimdTable& plain16_table() {
  static constexpr SimdTable made{SimdLevel::scalar, lanes, kernels, &finish, &widen, &add_squares};
  return made;
}

} // namespace lattice::cpu
