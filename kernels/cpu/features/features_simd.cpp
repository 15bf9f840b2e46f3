// The feature steps for AVX2 and AVX-512: the vectors of the *_body.inl files from Highway, once
// for each target. Targets without fma are left out; the scalar level stands in for them.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/cpu/features/feature_table.h"
#include "kernels/math.h"

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/features/features_simd.cpp"
#include <hwy/foreach_target.h> // includes this file again for every target

#include <hwy/highway.h>

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
#undef LATTICE_INLINE
#undef LATTICE_LAMBDA
#undef LATTICE_LANES_INLINE
#define LATTICE_INLINE inline __attribute__((always_inline))
#define LATTICE_LAMBDA HWY_ATTR __attribute__((always_inline))
#define LATTICE_LANES_INLINE inline __attribute__((always_inline))

HWY_BEFORE_NAMESPACE();
namespace lattice::cpu::HWY_NAMESPACE {
namespace {

#include "kernels/cpu/highway_vectors.inl"

constexpr int lanes = HWY_TARGET == HWY_AVX2 ? 8 : 16;
static_assert(lanes == hn::MaxLanes(Floats()));

LATTICE_INLINE auto first_lanes(int64_t count) {
  return hn::FirstN(Floats(), static_cast<size_t>(count));
}
LATTICE_INLINE Vec load_whole(const float* from) { return hn::LoadU(Floats(), from); }
LATTICE_INLINE Vec load_whole(const uint16_t* from) {
  return hn::PromoteTo(Floats(),
                       hn::LoadU(Halves(), reinterpret_cast<const hwy::float16_t*>(from)));
}
LATTICE_INLINE void store_whole(float* to, Vec x) { hn::StoreU(x, Floats(), to); }
LATTICE_INLINE void store_whole(uint16_t* to, Vec x) {
  hn::StoreU(hn::DemoteTo(Halves(), x), Halves(), reinterpret_cast<hwy::float16_t*>(to));
}
LATTICE_INLINE Vec load_part(const float* from, int64_t count) {
  return hn::MaskedLoad(first_lanes(count), Floats(), from);
}
LATTICE_INLINE Vec load_part(const uint16_t* from, int64_t count) {
  uint16_t whole[lanes] = {};
  for (int64_t i = 0; i < count; ++i) whole[i] = from[i];
  return load_whole(whole);
}
LATTICE_INLINE void store_part(float* to, Vec x, int64_t count) {
  store_first(to, x, count);
}
LATTICE_INLINE void store_part(uint16_t* to, Vec x, int64_t count) {
  uint16_t whole[lanes];
  store_whole(whole, x);
  for (int64_t i = 0; i < count; ++i) to[i] = whole[i];
}
LATTICE_INLINE Vec first_of(Vec x, int64_t count) {
  return hn::IfThenElseZero(first_lanes(count), x);
}

#include "kernels/math_formulas.inl"

#include "kernels/cpu/features/vectors_body.inl"

LATTICE_INLINE Vec keep_first(Vec taken, Vec, Whole) { return taken; }
LATTICE_INLINE Vec keep_first(Vec taken, Vec kept, int64_t count) {
  return hn::IfThenElse(first_lanes(count), taken, kept);
}

#include "kernels/cpu/features/reduce_body.inl"

#include "kernels/cpu/features/rowwise_body.inl"

} // namespace

const FeatureTable& target_features() { return features; }

} // namespace lattice::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace lattice::cpu {

#if HWY_TARGETS & HWY_AVX2
const FeatureTable& avx2_features() { return N_AVX2::target_features(); }
#else
const FeatureTable& avx2_features() { return scalar_features(); }
#endif
#if HWY_TARGETS & HWY_AVX3
const FeatureTable& avx512_features() { return N_AVX3::target_features(); }
#else
const FeatureTable& avx512_features() { return avx2_features(); }
#endif

} // namespace lattice::cpu
#endif
