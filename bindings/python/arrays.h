// Arrays of Python as views, and tensors of ours as arrays. Nothing here knows what an array is
// for.
#pragma once

#include <nanobind/ndarray.h>

#include "base/tensor.h"
#include "door.h"

namespace lattice::python {

// An array given by the caller. The view is into the caller's memory where that is row-major, else
// into `copy`. Lives only as long as a call, and is made and destroyed with the interpreter lock.
struct GivenArray {
  nb::ndarray<nb::ro> array;
  Tensor copy;
  TensorView view;
};

// Anything with DLPack or the buffer protocol. With `as_i32`, 64-bit integers are converted; one
// that does not fit is an error that names its place. `name` stands for the array in errors. An
// array on another device is Code::device.
GivenArray given_array(nb::handle object, const std::string& name, bool as_i32 = false);

// The same, but it must have this type and, where not -1, this shape.
GivenArray given_array(nb::handle object, const std::string& name, DType dtype, const Shape& shape);

// A numpy array.
class NumpyArray : public nb::object {
  static bool check(nb::handle object) { return nb::ndarray_check(object); }

 public:
  NB_OBJECT(NumpyArray, nb::object, "numpy.ndarray", check)
};

// On the tensor's memory, which it keeps. bf16 and f8 come as unsigned integers.
NumpyArray array_of(const Tensor& tensor);

} // namespace lattice::python
