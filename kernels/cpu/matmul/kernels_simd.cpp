// The AVX2 and AVX-512 kernels: the vectors of kernels_body.inl from Highway, once for each target.
// Targets without fma are left out; the scalar level stands in for them.
#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "kernels/cpu/matmul/kernels.h"
#include "kernels/cpu/matmul/simd_tables.h"

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/matmul/kernels_simd.cpp"
#include <hwy/foreach_target.h> // includes this file again for every target

#include <hwy/highway.h>

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
#undef LATTICE_INLINE
#undef LATTICE_NOINLINE
#undef LATTICE_LAMBDA
#undef LATTICE_LEVEL_NAME
#undef LATTICE_KERNEL_LANES
#undef LATTICE_LANES_INLINE
#define LATTICE_INLINE inline __attribute__((always_inline))
#define LATTICE_NOINLINE __attribute__((noinline))
#define LATTICE_LAMBDA HWY_ATTR __attribute__((always_inline))
#define LATTICE_LANES_INLINE inline
#if HWY_TARGET == HWY_AVX2
#define LATTICE_LEVEL_NAME "avx2"
#define LATTICE_KERNEL_LANES 8
#else
#define LATTICE_LEVEL_NAME "avx512"
#define LATTICE_KERNEL_LANES 16
#endif

HWY_BEFORE_NAMESPACE();
namespace lattice::cpu::HWY_NAMESPACE {
namespace {

#include "kernels/cpu/highway_vectors.inl"

constexpr int lanes = LATTICE_KERNEL_LANES;
static_assert(lanes == hn::MaxLanes(Floats()));

LATTICE_INLINE Vec zero() { return hn::Zero(Floats()); }
LATTICE_INLINE Vec load(const float* from) { return hn::Load(Floats(), from); }
LATTICE_INLINE Vec load_any(const float* from) { return hn::LoadU(Floats(), from); }
LATTICE_INLINE void store(float* to, Vec x) { hn::Store(x, Floats(), to); }
LATTICE_INLINE void store_any(float* to, Vec x) { hn::StoreU(x, Floats(), to); }
LATTICE_INLINE Vec broadcast(const float* from) { return hn::Set(Floats(), *from); }
LATTICE_INLINE Vec add(Vec a, Vec b) { return hn::Add(a, b); }
LATTICE_INLINE Vec div(Vec a, Vec b) { return hn::Div(a, b); }
LATTICE_INLINE Vec sqrt(Vec a) { return hn::Sqrt(a); }
LATTICE_INLINE Vec fma(Vec a, Vec b, Vec c) { return hn::MulAdd(a, b, c); }
// sum = fma(a, b, sum), in the register that holds sum: the compiler would rotate sums through
// registers and spend moves on it.
LATTICE_INLINE void accumulate(Vec& sum, Vec a, Vec b) {
  __asm__("vfmadd231ps %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
}
// Where 32 registers hold the weights of 16 input channels beside the sums, and fma reads one element into all lanes:
// sum = fma(*a, b, sum).
constexpr bool has_memory_fma = LATTICE_KERNEL_LANES == 16;
LATTICE_INLINE void accumulate_element(Vec& sum, const float* a, Vec b) {
#if LATTICE_KERNEL_LANES == 16
  __asm__("vfmadd231ps %2%{1to16%}, %1, %0" : "+v"(sum.raw) : "v"(b.raw), "m"(*a));
#else
  accumulate(sum, broadcast(a), b);
#endif
}
LATTICE_INLINE Vec relu(Vec x) { return hn::IfThenZeroElse(hn::Le(x, zero()), x); }

LATTICE_INLINE Vec load_part(const float* from, int64_t count) {
  return hn::MaskedLoad(hn::FirstN(Floats(), static_cast<size_t>(count)), Floats(), from);
}
LATTICE_INLINE void store_part(float* to, Vec x, int64_t count) { store_first(to, x, count); }
LATTICE_INLINE Vec load_f16(const uint16_t* from) {
  return hn::PromoteTo(Floats(),
                       hn::LoadU(Halves(), reinterpret_cast<const hwy::float16_t*>(from)));
}
LATTICE_INLINE void store_f16(uint16_t* to, Vec x) {
  hn::StoreU(hn::DemoteTo(Halves(), x), Halves(), reinterpret_cast<hwy::float16_t*>(to));
}
LATTICE_INLINE Vec rounded_to_f16(Vec x) {
  return hn::PromoteTo(Floats(), hn::DemoteTo(Halves(), x));
}
template <int step>
LATTICE_INLINE void widen_some(float* to, const uint16_t* from) {
  using Few = hn::CappedTag<float, step>;
  using FewHalves = hn::Rebind<hwy::float16_t, Few>;
  const auto halves = hn::LoadU(FewHalves(), reinterpret_cast<const hwy::float16_t*>(from));
  hn::StoreU(hn::PromoteTo(Few(), halves), Few(), to);
}
LATTICE_INLINE void widen_part(float* to, const uint16_t* from, int64_t count) {
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) widen_some<4>(to + i, from + i);
  for (; i < count; ++i) widen_some<1>(to + i, from + i);
}
LATTICE_INLINE Vec load_f16_part(const uint16_t* from, int64_t count) {
  uint16_t whole[lanes] = {};
  for (int64_t i = 0; i < count; ++i) whole[i] = from[i];
  return load_f16(whole);
}
LATTICE_INLINE void store_f16_part(uint16_t* to, Vec x, int64_t count) {
  uint16_t whole[lanes];
  store_f16(whole, x);
  for (int64_t i = 0; i < count; ++i) to[i] = whole[i];
}

constexpr int lanes_step = lanes;
LATTICE_INLINE Vec lanes_load(const float* from) { return load(from); }
LATTICE_INLINE void lanes_store(float* to, Vec x) { store(to, x); }

#include "kernels/math_formulas.inl"

#include "kernels/cpu/matmul/activate.inl"

#include "kernels/cpu/matmul/kernels_body.inl"

} // namespace

const SimdTable& table() {
  static constexpr SimdTable made{lanes == 16 ? SimdLevel::avx512 : SimdLevel::avx2, lanes, kernels,
                                  &finish, &widen, &add_squares};
  return made;
}

} // namespace lattice::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace lattice::cpu {

// Asked of the processor directly: Highway's own answer needs its library, whose start-up measures
// timers for longer than a small artifact takes to load.
SimdLevel supported_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl");
  if (avx2 && avx512) return SimdLevel::avx512;
  if (avx2) return SimdLevel::avx2;
#endif
  return SimdLevel::scalar;
}

#if HWY_TARGETS & HWY_AVX2
const SimdTable& avx2_table() { return N_AVX2::table(); }
#else
const SimdTable& avx2_table() { return scalar_table(); }
#endif
#if HWY_TARGETS & HWY_AVX3
const SimdTable& avx512_table() { return N_AVX3::table(); }
#else
const SimdTable& avx512_table() { return avx2_table(); }
#endif

} // namespace lattice::cpu
#endif
