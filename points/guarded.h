// Turns a refused allocation into an error, at the doors of this folder.
// Inside, vectors may throw; no exception leaves a function that returns Result.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include "base/status.h"

namespace lattice {

// f(), or Code::memory when the memory for `what` is refused. f returns a Result or Status.
template <class F>
auto guarded(const std::string& what, F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) { // a vector asked for more than any machine has
  }
  return fail(Code::memory, "there is not enough memory for " + what);
}

} // namespace lattice
