// Short forms for returning errors inside the library. The types are the public ones.
#pragma once

#include "lattice/status.hpp"

namespace lattice {

inline tl::unexpected<Error> fail(Code code, std::string message, Location where = {}) {
  return tl::make_unexpected(Error(code, std::move(message), std::move(where)));
}

}  // namespace lattice

#define LATTICE_JOIN_(a, b) a##b
#define LATTICE_JOIN(a, b) LATTICE_JOIN_(a, b)

// LATTICE_TRY(auto x, f()): x = the value of f(), or return its error.
#define LATTICE_TRY(declaration, expression)                                      \
  auto LATTICE_JOIN(result_, __LINE__) = (expression);                             \
  if (!LATTICE_JOIN(result_, __LINE__))                                            \
    return tl::make_unexpected(std::move(LATTICE_JOIN(result_, __LINE__)).error()); \
  declaration = *std::move(LATTICE_JOIN(result_, __LINE__))

// LATTICE_CHECK(f()): return f()'s error, if it has one.
#define LATTICE_CHECK(expression)                                                       \
  do {                                                                                  \
    if (auto lattice_status = (expression); !lattice_status)                            \
      return tl::make_unexpected(std::move(lattice_status).error());                    \
  } while (false)
