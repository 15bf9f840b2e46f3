// Making tensors, and reading elements from memory that may not be aligned.
#pragma once

#include <cstring>

#include "base/status.h"
#include "lattice/tensor.hpp"

namespace lattice {

// A tensor of zeros, 64-byte aligned. Fails with Code::memory when the size overflows or the system
// refuses it.
Result<Tensor> make_tensor(DType dtype, Shape shape);

// A copy of `view` in memory of its own.
Result<Tensor> copy_of(const TensorView& view);

// Elements in a shape already known to be sane (made by make_tensor or checked at a border).
inline int64_t elements_of(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t dim : shape) count *= dim;
  return count;
}

// The element at `index` of memory with any alignment.
template <class T>
T load_at(const void* data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

}  // namespace lattice
