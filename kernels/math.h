// exp, tanh, erf and what is made of them, in our own f32: the same bits on every machine, at most
// 2 ulp from the true value for exp, log1p, tanh, erf and sigmoid. The formulas are in
// math_formulas.inl; here they are for one float.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#define LATTICE_LANES_INLINE inline

namespace lattice::math {

// One float as lanes of math_formulas.inl.
struct OneLane {
  using F = float;
  using I = int32_t;

  F set(float value) const { return value; }
  I set_int(int32_t value) const { return value; }
  F fma(F a, F b, F c) const { return std::fma(a, b, c); }
  F fnma(F a, F b, F c) const { return std::fma(-a, b, c); }
  bool less(F a, F b) const { return a < b; }
  bool less_equal(F a, F b) const { return a <= b; }
  bool equal(F a, F b) const { return a == b; }
  F select(bool mask, F yes, F no) const { return mask ? yes : no; }
  F abs(F a) const { return value(bits(a) & 0x7fffffff); }
  F copysign(F magnitude, F sign) const {
    return value((bits(magnitude) & 0x7fffffff) | (bits(sign) & INT32_MIN));
  }
  F sqrt(F a) const { return std::sqrt(a); }
  I bits(F a) const { return std::bit_cast<I>(a); }
  F value(I a) const { return std::bit_cast<F>(a); }
  F both(F a, F b) const { return value(bits(a) & bits(b)); }
  F either(F a, F b) const { return value(bits(a) | bits(b)); }
  template <int count>
  I shift_left(I a) const {
    return static_cast<I>(static_cast<uint32_t>(a) << count);
  }
  template <int count>
  I shift_right(I a) const {
    return a >> count;
  }
};

#include "kernels/math_formulas.inl"

inline float exp(float x) { return formulas::exp(OneLane{}, x); }
inline float log1p_unit(float u) { return formulas::log1p_unit(OneLane{}, u); }
inline float tanh(float x) { return formulas::tanh(OneLane{}, x); }
inline float erf(float x) { return formulas::erf(OneLane{}, x); }
inline float sigmoid(float x) { return formulas::sigmoid(OneLane{}, x); }
inline float round_half_even(float x) { return formulas::round_half_even(OneLane{}, x); }
inline float maximum(float a, float b) { return formulas::maximum(OneLane{}, a, b); }
inline float minimum(float a, float b) { return formulas::minimum(OneLane{}, a, b); }
inline float relu(float x) { return formulas::relu(OneLane{}, x); }
inline float silu(float x) { return formulas::silu(OneLane{}, x); }
inline float leaky_relu(float x, float alpha) { return formulas::leaky_relu(OneLane{}, x, alpha); }
inline float gelu(float x) { return formulas::gelu(OneLane{}, x); }
inline float gelu_tanh(float x) { return formulas::gelu_tanh(OneLane{}, x); }
inline float gelu_fast(float x) { return formulas::gelu_fast(OneLane{}, x); }
inline float softplus(float x, float beta, float threshold) {
  return formulas::softplus(OneLane{}, x, beta, threshold);
}

} // namespace lattice::math

#undef LATTICE_LANES_INLINE
