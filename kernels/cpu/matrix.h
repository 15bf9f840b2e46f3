// A feature matrix in memory: rows of channels, maybe a column range of a wider one.
// Says where it is, never who owns it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lattice/tensor.hpp"

namespace lattice::cpu {

// f32 or f16 elements, aligned to their own size. `pitch` counts elements from one row to the next;
// a column range of a wider matrix has pitch > cols.
struct ConstMatrix {
  const void* data = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t pitch = 0;
  DType dtype = DType::f32;

  template <class T>
  const T* row(int64_t index) const {
    return static_cast<const T*>(data) + index * pitch;
  }
};

struct Matrix {
  void* data = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t pitch = 0;
  DType dtype = DType::f32;

  template <class T>
  T* row(int64_t index) const {
    return static_cast<T*>(data) + index * pitch;
  }
  // Columns first .. first + count - 1. Without rows there may be no memory to point into.
  Matrix columns(int64_t first, int64_t count) const {
    void* const start = rows == 0 ? data : static_cast<std::byte*>(data) + first * size_of(dtype);
    return {start, rows, count, pitch, dtype};
  }
  operator ConstMatrix() const { return {data, rows, cols, pitch, dtype}; }
};

} // namespace lattice::cpu
