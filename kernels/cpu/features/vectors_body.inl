// Loops over the channels of a row, in whole vectors and one part. Not a header: included inside a
// namespace that defines Vec, lanes, Lanes, and load, store, first for whole and part vectors.

struct Whole {};

// body(column, Whole or how many are left) until all n columns are done.
template <class Body>
LATTICE_INLINE void each(int64_t n, Body body) {
  int64_t c = 0;
  for (; c + lanes <= n; c += lanes) body(c, Whole{});
  if constexpr (lanes > 1) {
    if (c < n) body(c, n - c);
  }
}

LATTICE_INLINE Vec load(const float* from, Whole) { return load_whole(from); }
LATTICE_INLINE Vec load(const uint16_t* from, Whole) { return load_whole(from); }
LATTICE_INLINE void store(float* to, Vec x, Whole) { store_whole(to, x); }
LATTICE_INLINE void store(uint16_t* to, Vec x, Whole) { store_whole(to, x); }
// Lanes past the first `count` are 0.
LATTICE_INLINE Vec load(const float* from, int64_t count) { return load_part(from, count); }
LATTICE_INLINE Vec load(const uint16_t* from, int64_t count) { return load_part(from, count); }
LATTICE_INLINE void store(float* to, Vec x, int64_t count) { store_part(to, x, count); }
LATTICE_INLINE void store(uint16_t* to, Vec x, int64_t count) { store_part(to, x, count); }
LATTICE_INLINE Vec first(Vec x, Whole) { return x; }
LATTICE_INLINE Vec first(Vec x, int64_t count) { return first_of(x, count); }

// f with elements of type float or uint16_t (binary16), as `dtype` says.
template <class F>
LATTICE_INLINE void with_element(DType dtype, F f) {
  if (dtype == DType::f16) {
    f(uint16_t{});
  } else {
    f(float{});
  }
}
