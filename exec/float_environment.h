// The floating point rules that arithmetic here counts on, for as long as one of these lives: round to nearest,
// no traps, subnormals kept. A host may have set others; it gets them back.
#pragma once

#include <cfenv>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace lattice {

// Worker threads take the rules of the thread that makes their arena, so this stands before the arena.
class FloatEnvironment {
 public:
  FloatEnvironment() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
#if defined(__SSE2__)
    _mm_setcsr(0x1f80);  // FE_DFL_ENV says nothing of flush-to-zero and denormals-are-zero
#endif
  }
  ~FloatEnvironment() { std::fesetenv(&before_); }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
  std::fenv_t before_;
};

}  // namespace lattice
