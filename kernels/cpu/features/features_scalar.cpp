// The feature steps without SIMD instructions: one float a lane, std::fma. Slow, and the same bits.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/f16.h"
#include "kernels/cpu/features/feature_table.h"
#include "kernels/math.h"

#define LATTICE_INLINE inline
#define LATTICE_LAMBDA

namespace lattice::cpu {
namespace {

using Vec = float;
using Lanes = math::OneLane;
namespace formulas = math::formulas;
constexpr int lanes = 1;

inline Vec load_whole(const float* from) { return *from; }
inline Vec load_whole(const uint16_t* from) { return f32_from_f16(*from); }
inline void store_whole(float* to, Vec x) { *to = x; }
inline void store_whole(uint16_t* to, Vec x) { *to = f16_from_f32(x); }
// With one lane a part is all or nothing.
inline Vec load_part(const float* from, int64_t count) { return count > 0 ? *from : 0.0f; }
inline Vec load_part(const uint16_t* from, int64_t count) {
  return count > 0 ? f32_from_f16(*from) : 0.0f;
}
inline void store_part(float* to, Vec x, int64_t count) {
  if (count > 0) *to = x;
}
inline void store_part(uint16_t* to, Vec x, int64_t count) {
  if (count > 0) *to = f16_from_f32(x);
}
inline Vec first_of(Vec x, int64_t count) { return count > 0 ? x : 0.0f; }

#include "kernels/cpu/features/vectors_body.inl"

inline Vec keep_first(Vec taken, Vec, Whole) { return taken; }

#include "kernels/cpu/features/reduce_body.inl"
#include "kernels/cpu/features/rowwise_body.inl"

} // namespace

const FeatureTable& scalar_features() { return features; }

} // namespace lattice::cpu
