// The FMA loop, written with the compiler's own vectors: no memory, 12 (24) sums in flight.
#include "kernels/cpu/matmul/fma_peak.h"

#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>
#include <vector>

namespace lattice::cpu {
namespace {

using Clock = std::chrono::steady_clock;

#if defined(__x86_64__)
using Eight = float __attribute__((vector_size(32)));
using Sixteen = float __attribute__((vector_size(64)));

#define LATTICE_TWELVE(step)                                                                       \
  step(0);                                                                                         \
  step(1);                                                                                         \
  step(2);                                                                                         \
  step(3);                                                                                         \
  step(4);                                                                                         \
  step(5);                                                                                         \
  step(6);                                                                                         \
  step(7);                                                                                         \
  step(8);                                                                                         \
  step(9);                                                                                         \
  step(10);                                                                                        \
  step(11)
#define LATTICE_STEP(i) asm volatile("vfmadd213ps %2, %1, %0" : "+x"(s##i) : "x"(a), "x"(b))
#define LATTICE_STEP_V(i) asm volatile("vfmadd213ps %2, %1, %0" : "+v"(s##i) : "v"(a), "v"(b))

__attribute__((target("avx2,fma"))) void eight_lanes(int64_t rounds) {
  Eight a = {0.5f}, b = {1.0f};
  Eight s0 = b, s1 = b, s2 = b, s3 = b, s4 = b, s5 = b, s6 = b, s7 = b, s8 = b, s9 = b, s10 = b,
        s11 = b;
  for (int64_t i = 0; i < rounds; ++i) {
    LATTICE_TWELVE(LATTICE_STEP);
  }
}

__attribute__((target("avx512f"))) void sixteen_lanes(int64_t rounds) {
  Sixteen a = {0.5f}, b = {1.0f};
  Sixteen s0 = b, s1 = b, s2 = b, s3 = b, s4 = b, s5 = b, s6 = b, s7 = b, s8 = b, s9 = b, s10 = b,
          s11 = b;
  for (int64_t i = 0; i < rounds; ++i) {
    LATTICE_TWELVE(LATTICE_STEP_V);
  }
}

#define LATTICE_STEP_ONE(i)                                                                        \
  asm volatile("vfmadd213ss %2, %1, %0" : "+x"(s[i]) : "x"(0.5f), "x"(1.0f))

__attribute__((target("fma"))) void one_lane_fma(int64_t rounds) {
  float s[12] = {};
  for (int64_t i = 0; i < rounds; ++i) {
    LATTICE_TWELVE(LATTICE_STEP_ONE);
  }
}
#endif

// Without the instruction: as slow as the scalar kernels are there.
void one_lane(int64_t rounds) {
  volatile float sum = 1.0f;
  float s[12];
  for (float& value : s) value = sum;
  for (int64_t i = 0; i < rounds; ++i)
    for (float& value : s) value = std::fma(value, 0.5f, 1.0f);
  for (const float value : s) sum = sum + value;
}

void run(SimdLevel level, int64_t rounds) {
#if defined(__x86_64__)
  if (level == SimdLevel::avx512) return sixteen_lanes(rounds);
  if (level == SimdLevel::avx2) return eight_lanes(rounds);
  if (__builtin_cpu_supports("fma")) return one_lane_fma(rounds);
#endif
  one_lane(rounds);
}

} // namespace

double fma_gflops(SimdLevel level, double seconds) {
  const double lanes = level == SimdLevel::avx512 ? 16 : level == SimdLevel::avx2 ? 8 : 1;
  constexpr int64_t rounds = 20000;
  double best = 0;
  const auto start = Clock::now();
  while (std::chrono::duration<double>(Clock::now() - start).count() < seconds) {
    const auto before = Clock::now();
    run(level, rounds);
    const double spent = std::chrono::duration<double>(Clock::now() - before).count();
    best = std::max(best, static_cast<double>(rounds) * 12 * lanes * 2 / spent * 1e-9);
  }
  return best;
}

double fma_gflops(SimdLevel level, double seconds, int32_t threads) {
  std::vector<double> rates(static_cast<size_t>(threads), 0);
  std::vector<std::thread> others;
  for (size_t i = 1; i < rates.size(); ++i)
    others.emplace_back([&, i] { rates[i] = fma_gflops(level, seconds); });
  rates[0] = fma_gflops(level, seconds);
  for (std::thread& other : others) other.join();
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

} // namespace lattice::cpu
