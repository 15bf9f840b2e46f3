// The vectors of the Highway target at hand, and these as lanes of math_formulas.inl. Not a header: it has no
// guard and is included inside a namespace of HWY_NAMESPACE, where LATTICE_INLINE is defined.

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Halves = hn::Rebind<hwy::float16_t, Floats>;
using Ints = hn::Rebind<int32_t, Floats>;
using Vec = hn::Vec<Floats>;

// The first floats of x. Without AVX-512 a masked store takes dozens of cycles on some processors.
LATTICE_INLINE void store_first(float* to, Vec x, int64_t count) {
#if HWY_TARGET == HWY_AVX2
  alignas(32) float whole[hn::MaxLanes(Floats())];
  hn::Store(x, Floats(), whole);
  for (int64_t i = 0; i < count; ++i) to[i] = whole[i];
#else
  hn::BlendedStore(x, hn::FirstN(Floats(), static_cast<size_t>(count)), Floats(), to);
#endif
}

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
