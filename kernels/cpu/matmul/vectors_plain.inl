// Vectors of kernels_body.inl as plain arrays, with std::fma: no SIMD instruction is named. Not a header:
// included inside a namespace that defines `lanes`.

struct Vec {
  alignas(lanes * sizeof(float)) float at[lanes];
};

template <class F>
Vec per_lane(F f) {
  Vec result;
  for (int i = 0; i < lanes; ++i) result.at[i] = f(i);
  return result;
}

inline Vec zero() {
  return per_lane([](int) { return 0.0f; });
}
inline Vec load_any(const float* from) {
  return per_lane([&](int i) { return from[i]; });
}
inline Vec load(const float* from) { return load_any(from); }
inline void store_any(float* to, const Vec& x) {
  for (int i = 0; i < lanes; ++i) to[i] = x.at[i];
}
inline void store(float* to, const Vec& x) { store_any(to, x); }
inline Vec broadcast(const float* from) {
  return per_lane([&](int) { return *from; });
}
inline Vec add(const Vec& a, const Vec& b) {
  return per_lane([&](int i) { return a.at[i] + b.at[i]; });
}
inline Vec div(const Vec& a, const Vec& b) {
  return per_lane([&](int i) { return a.at[i] / b.at[i]; });
}
inline Vec sqrt(const Vec& a) {
  return per_lane([&](int i) { return std::sqrt(a.at[i]); });
}
inline Vec fma(const Vec& a, const Vec& b, const Vec& c) {
  return per_lane([&](int i) { return std::fma(a.at[i], b.at[i], c.at[i]); });
}
inline void accumulate(Vec& sum, const Vec& a, const Vec& b) { sum = fma(a, b, sum); }
constexpr bool has_memory_fma = lanes == 16;
inline void accumulate_element(Vec& sum, const float* a, const Vec& b) { accumulate(sum, broadcast(a), b); }
inline Vec relu(const Vec& x) {
  return per_lane([&](int i) { return x.at[i] <= 0.0f ? 0.0f : x.at[i]; });
}
inline Vec load_part(const float* from, int64_t count) {
  return per_lane([&](int i) { return i < count ? from[i] : 0.0f; });
}
inline void store_part(float* to, const Vec& x, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = x.at[i];
}
inline Vec load_f16_part(const uint16_t* from, int64_t count) {
  return per_lane([&](int i) { return i < count ? f32_from_f16(from[i]) : 0.0f; });
}
inline Vec load_f16(const uint16_t* from) { return load_f16_part(from, lanes); }
inline void store_f16_part(uint16_t* to, const Vec& x, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = f16_from_f32(x.at[i]);
}
inline void store_f16(uint16_t* to, const Vec& x) { store_f16_part(to, x, lanes); }
inline Vec rounded_to_f16(const Vec& x) {
  return per_lane([&](int i) { return f32_from_f16(f16_from_f32(x.at[i])); });
}
inline void widen_part(float* to, const uint16_t* from, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = f32_from_f16(from[i]);
}

using Lanes = math::OneLane;
constexpr int lanes_step = 1;
inline float lanes_load(const float* from) { return *from; }
inline void lanes_store(float* to, float x) { *to = x; }
namespace formulas = math::formulas;
