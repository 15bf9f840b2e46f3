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

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Halves = hn::Rebind<hwy::float16_t, Floats>;
using Ints = hn::Rebind<int32_t, Floats>;
using Vec = hn::Vec<Floats>;
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
  hn::BlendedStore(x, first_lanes(count), Floats(), to);
}
LATTICE_INLINE void store_part(uint16_t* to, Vec x, int64_t count) {
  uint16_t whole[lanes];
  store_whole(whole, x);
  for (int64_t i = 0; i < count; ++i) to[i] = whole[i];
}
LATTICE_INLINE Vec first_of(Vec x, int64_t count) {
  return hn::IfThenElseZero(first_lanes(count), x);
}

// Vectors as lanes of math_formulas.inl.
struct Lanes {
  using F = Vec;
  using I = hn::Vec<Ints>;
  LATTICE_INLINE F set(float value) const { return hn::Set(Floats(), value); }
  LATTICE_INLINE I set_int(int32_t value) const { return hn::Set(Ints(), value); }
  LATTICE_INLINE F fma(F a, F b, F c) const { return hn::MulAdd(a, b, c); }
  LATTICE_INLINE F fnma(F a, F b, F c) const { return hn::NegMulAdd(a, b, c); }
  LATTICE_INLINE auto less(F a, F b) const { return hn::Lt(a, b); }
  LATTICE_INLINE auto less_equal(F a, F b) const { return hn::Le(a, b); }
  LATTICE_INLINE auto equal(F a, F b) const { return hn::Eq(a, b); }
  template <class Mask>
  LATTICE_INLINE F select(Mask mask, F yes, F no) const {
    return hn::IfThenElse(mask, yes, no);
  }
  LATTICE_INLINE F abs(F a) const { return hn::Abs(a); }
  LATTICE_INLINE F copysign(F magnitude, F sign) const { return hn::CopySign(magnitude, sign); }
  LATTICE_INLINE F sqrt(F a) const { return hn::Sqrt(a); }
  LATTICE_INLINE I bits(F a) const { return hn::BitCast(Ints(), a); }
  LATTICE_INLINE F value(I a) const { return hn::BitCast(Floats(), a); }
  LATTICE_INLINE F both(F a, F b) const { return hn::And(a, b); }
  LATTICE_INLINE F either(F a, F b) const { return hn::Or(a, b); }
  template <int count>
  LATTICE_INLINE I shift_left(I a) const {
    return hn::ShiftLeft<count>(a);
  }
  template <int count>
  LATTICE_INLINE I shift_right(I a) const {
    return hn::ShiftRight<count>(a);
  }
};

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
