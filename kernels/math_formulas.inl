// The formulas of spec 5 over any number of lanes: one float here, a SIMD vector in kernels/cpu. Not a
// header: it has no guard and is included inside a namespace, once for each kind of lanes and target.
//
// Lanes supply F (floats), I (int32s of the same count), masks, and: set, set_int, fma (a*b + c),
// fnma (c - a*b), less, less_equal, equal, select, abs, copysign, sqrt, bits, value, both, either,
// shift_left, shift_right. F has + - * / and I has + -. Every one is exact or rounded once, so the same
// sequence gives the same bits at any width. Selects instead of branches; a NaN passes through each of them.
//
// The constants are minimax fits of ours; kernels/math_test.cpp measures the errors.

namespace formulas {

// e^x. x = n*ln2 + r, |r| <= ln2/2, e^x = 2^n * (1 + r + r^2 q(r)). 2^n is applied in two halves, so that
// only the last product rounds where the result is subnormal.
template <class Lanes>
LATTICE_LANES_INLINE typename Lanes::F exp(Lanes l, typename Lanes::F x) {
  using F = typename Lanes::F;
  using I = typename Lanes::I;
  const F above = l.set(89.0f), below = l.set(-104.0f);  // infinity, respectively 0, from here on
  x = l.select(l.less(above, x), above, x);
  x = l.select(l.less(x, below), below, x);
  const F magic = l.set(0x1.8p23f);  // adding it leaves the nearest integer in the low bits
  const F shifted = l.fma(x, l.set(0x1.715476p+0f), magic);
  const F n = shifted - magic;
  F r = l.fnma(n, l.set(0x1.62e4p-1f), x);
  r = l.fnma(n, l.set(0x1.7f7d1cp-20f), r);
  F q = l.fma(l.set(0x1.a1b7f2p-13f), r, l.set(0x1.6d9684p-10f));
  q = l.fma(q, r, l.set(0x1.11107cp-7f));
  q = l.fma(q, r, l.set(0x1.55548p-5f));
  q = l.fma(q, r, l.set(0x1.555556p-3f));
  q = l.fma(q, r, l.set(0.5f));
  const F y = l.fma(r * r, q, r) + l.set(1.0f);
  const I k = l.bits(shifted) - l.set_int(0x4b400000);
  const I half = l.template shift_right<1>(k);
  const I rest = k - half;
  const F first = l.value(l.template shift_left<23>(half + l.set_int(127)));
  const F second = l.value(l.template shift_left<23>(rest + l.set_int(127)));
  return (y * first) * second;
}

// log(1 + u) for u in [0, 1]. With s = u / (2 + u): log(1 + u) = 2 atanh(s) = u - s (u - s^2 R(s^2)).
template <class Lanes>
LATTICE_LANES_INLINE typename Lanes::F log1p_unit(Lanes l, typename Lanes::F u) {
  using F = typename Lanes::F;
  const F s = u / (l.set(2.0f) + u);
  const F z = s * s;
  F r = l.fma(l.set(0x1.f1af34p-3f), z, l.set(0x1.b6d68ep-3f));
  r = l.fma(r, z, l.set(0x1.250974p-2f));
  r = l.fma(r, z, l.set(0x1.9996a8p-2f));
  r = l.fma(r, z, l.set(0x1.555558p-1f));
  return l.fnma(s, l.fnma(z, r, u), u);
}

// tanh x = x + x^3 P(x^2) near 0, else 1 - 2 / (e^2x + 1).
template <class Lanes>
LATTICE_LANES_INLINE typename Lanes::F tanh(Lanes l, typename Lanes::F x) {
  using F = typename Lanes::F;
  const F t = l.abs(x);
  const F z = t * t;
  F p = l.fma(l.set(0x1.197b24p-9f), z, l.set(-0x1.0c212ep-7f));
  p = l.fma(p, z, l.set(0x1.6394d4p-6f));
  p = l.fma(p, z, l.set(-0x1.b9ef7cp-5f));
  p = l.fma(p, z, l.set(0x1.11106cp-3f));
  p = l.fma(p, z, l.set(-0x1.555554p-2f));
  const F near = l.fma(t * z, p, t);
  const F far = l.set(1.0f) - l.set(2.0f) / (exp(l, t + t) + l.set(1.0f));
  return l.copysign(l.select(l.less(t, l.set(0.625f)), near, far), x);
}

// erf x = x + x P(x^2) near 0, else 1 - e^-g(x); g = -log(erfc). From 4 on it is 1.
template <class Lanes>
LATTICE_LANES_INLINE typename Lanes::F erf(Lanes l, typename Lanes::F x) {
  using F = typename Lanes::F;
  const F t = l.abs(x);
  const F z = t * t;
  F p = l.fma(l.set(0x1.5f61acp-14f), z, l.set(-0x1.ab0962p-11f));
  p = l.fma(p, z, l.set(0x1.54df6ap-8f));
  p = l.fma(p, z, l.set(-0x1.b81112p-6f));
  p = l.fma(p, z, l.set(0x1.ce2e28p-4f));
  p = l.fma(p, z, l.set(-0x1.812744p-2f));
  p = l.fma(p, z, l.set(0x1.06eba8p-3f));
  const F near = l.fma(t, p, t);
  const F bound = l.set(4.0f);
  const F c = l.select(l.less(bound, t), bound, t);
  F g = l.fma(l.set(0x1.64078ep-16f), c, l.set(-0x1.c91432p-12f));
  g = l.fma(g, c, l.set(0x1.11cecep-8f));
  g = l.fma(g, c, l.set(-0x1.9bda0ap-6f));
  g = l.fma(g, c, l.set(0x1.bba0c6p-4f));
  g = l.fma(g, c, l.set(0x1.4442cep-1f));
  g = l.fma(g, c, l.set(0x1.2128aep+0f));
  g = l.fma(g, c, l.set(-0x1.738d34p-13f));
  const F far = l.set(1.0f) - exp(l, l.set(0.0f) - g);
  return l.copysign(l.select(l.less(t, l.set(0.925f)), near, far), x);
}

// 1 / (1 + e^-x), without overflow on either side. q = e / (1 + e) with e = e^-|x| is refined by its
// residual e - q (1 + e), times 1 / (1 + e) = 1 - q: that takes the rounding of 1 + e out of it.
template <class Lanes>
LATTICE_LANES_INLINE typename Lanes::F sigmoid(Lanes l, typename Lanes::F x) {
  using F = typename Lanes::F;
  const F one = l.set(1.0f);
  const F e = exp(l, l.set(0.0f) - l.abs(x));
  F q = e / (one + e);
  const F residual = l.fnma(q, e, e - q);
  q = l.fma(residual, one - q, q);
  return l.select(l.less(x, l.set(0.0f)), q, one - q);
}

// To the nearest integer, halves to the even one. From 2^23 on every float is an integer.
template <class Lanes>
LATTICE_LANES_INLINE typename Lanes::F round_half_even(Lanes l, typename Lanes::F x) {
  using F = typename Lanes::F;
  const F big = l.set(0x1p23f);
  const F t = l.abs(x);
  const F rounded = l.copysign((t + big) - big, x);
  return l.select(l.less(t, big), rounded, x);
}

// The larger of two; NaN if either is, and -0 < +0.
template <class Lanes>
LATTICE_LANES_INLINE typename Lanes::F maximum(Lanes l, typename Lanes::F a, typename Lanes::F b) {
  using F = typename Lanes::F;
  const F larger = l.select(l.less(a, b), b, a);
  const F same = l.select(l.equal(a, b), l.both(a, b), larger);
  return l.select(l.equal(b, b), same, b);
}

// The smaller of two; NaN if either is, and -0 < +0.
template <class Lanes>
LATTICE_LANES_INLINE typename Lanes::F minimum(Lanes l, typename Lanes::F a, typename Lanes::F b) {
  using F = typename Lanes::F;
  const F smaller = l.select(l.less(b, a), b, a);
  const F same = l.select(l.equal(a, b), l.either(a, b), smaller);
  return l.select(l.equal(b, b), same, b);
}

template <class Lanes>
LATTICE_LANES_INLINE typename Lanes::F relu(Lanes l, typename Lanes::F x) {
  const typename Lanes::F zero = l.set(0.0f);
  return l.select(l.less_equal(x, zero), zero, x);
}

template <class Lanes>
LATTICE_LANES_INLINE typename Lanes::F silu(Lanes l, typename Lanes::F x) {
  return x * sigmoid(l, x);
}

template <class Lanes>
LATTICE_LANES_INLINE typename Lanes::F leaky_relu(Lanes l, typename Lanes::F x, typename Lanes::F alpha) {
  return l.select(l.less(x, l.set(0.0f)), alpha * x, x);
}

// approximate = none and precise
template <class Lanes>
LATTICE_LANES_INLINE typename Lanes::F gelu(Lanes l, typename Lanes::F x) {
  return (l.set(0.5f) * x) * (l.set(1.0f) + erf(l, x * l.set(0x1.6a09e6p-1f)));
}

// approximate = tanh
template <class Lanes>
LATTICE_LANES_INLINE typename Lanes::F gelu_tanh(Lanes l, typename Lanes::F x) {
  using F = typename Lanes::F;
  const F inner = l.set(0x1.988454p-1f) * l.fma((l.set(0.044715f) * x) * x, x, x);
  return (l.set(0.5f) * x) * (l.set(1.0f) + tanh(l, inner));
}

// approximate = fast
template <class Lanes>
LATTICE_LANES_INLINE typename Lanes::F gelu_fast(Lanes l, typename Lanes::F x) {
  return x * sigmoid(l, l.set(1.702f) * x);
}

// x where beta x > threshold, else log(1 + e^(beta x)) / beta, as (max(z, 0) + log(1 + e^-|z|)) / beta.
template <class Lanes>
LATTICE_LANES_INLINE typename Lanes::F softplus(Lanes l, typename Lanes::F x, typename Lanes::F beta,
                                typename Lanes::F threshold) {
  using F = typename Lanes::F;
  const F zero = l.set(0.0f);
  const F z = beta * x;
  const F soft = log1p_unit(l, exp(l, zero - l.abs(z)));
  const F above = l.select(l.less(z, zero), zero, z);
  return l.select(l.less(threshold, z), x, (above + soft) / beta);
}

}  // namespace formulas
