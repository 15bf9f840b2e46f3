// What every file of the module needs: nanobind, and errors of the library as Python exceptions.
// The exceptions themselves are Python classes, in lattice_runtime/_errors.py.
#pragma once

#include <array>
#include <string>
#include <tuple>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "base/status.h"
#include "lattice/tensor.hpp"

namespace lattice::python {

namespace nb = nanobind;

// What type checkers read in the signatures of the module: an object of any type, and containers.
class Any : public nb::object {
  static bool check(nb::handle) { return true; }

 public:
  NB_OBJECT_DEFAULT(Any, nb::object, "typing.Any", check)
};
template <class... T>
using List = nb::typed<nb::list, T...>;
template <class T>
using Tuple = nb::typed<nb::tuple, T, nb::ellipsis>;
template <class T>
using Named = nb::typed<nb::dict, nb::str, T>;

// Throws lattice::Error, which the module turns into the exception of its code.
template <class T>
T take(Result<T> result) {
  if (!result) throw std::move(result).error();
  return *std::move(result);
}
inline void take(Status status) {
  if (!status) throw std::move(status).error();
}
[[noreturn]] inline void refuse(Code code, std::string message) {
  throw Error(code, std::move(message));
}

// Runs `body` without the interpreter lock; it must touch no Python object.
template <class F>
auto unlocked(F&& body) {
  const nb::gil_scoped_release release;
  return body();
}

// "f32", "float32", ... to a type; `what` stands in the error.
DType dtype_named(std::string_view name, std::string_view what);

// One function a file.
void add_errors(nb::module_& module);
void add_program(nb::module_& module);
void add_artifact(nb::module_& module);
void add_builder(nb::module_& module);
void add_points(nb::module_& module);

} // namespace lattice::python
