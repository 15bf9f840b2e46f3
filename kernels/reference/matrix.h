// Feature matrices as the reference sees them: elements are read as f32 and rounded once when
// stored. Owns nothing, knows nothing of steps.
#pragma once

#include <cstring>

#include "base/f16.h"
#include "base/tensor.h"

namespace lattice::reference {

// `value` as it is after being stored as `dtype` and read again.
inline float stored_as(DType dtype, float value) {
  return dtype == DType::f16 ? f32_from_f16(f16_from_f32(value)) : value;
}

// Rows of f32 or f16 that somebody else holds, at any address.
class ConstMatrix {
 public:
  ConstMatrix() = default;
  ConstMatrix(const void* data, int64_t rows, int64_t cols, DType dtype)
      : data_(data), rows_(rows), cols_(cols), dtype_(dtype) {}

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  DType dtype() const { return dtype_; }
  float operator()(int64_t row, int64_t col) const {
    const int64_t at = row * cols_ + col;
    return dtype_ == DType::f16 ? f32_from_f16(load_at<uint16_t>(data_, at))
                                : load_at<float>(data_, at);
  }

 private:
  const void* data_ = nullptr;
  int64_t rows_ = 0;
  int64_t cols_ = 0;
  DType dtype_ = DType::f32;
};

class Matrix {
 public:
  Matrix(void* data, int64_t rows, int64_t cols, DType dtype)
      : data_(data), rows_(rows), cols_(cols), dtype_(dtype) {}

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  DType dtype() const { return dtype_; }
  void set(int64_t row, int64_t col, float value) const {
    const int64_t at = row * cols_ + col;
    if (dtype_ == DType::f16) {
      static_cast<uint16_t*>(data_)[at] = f16_from_f32(value);
    } else {
      static_cast<float*>(data_)[at] = value;
    }
  }

 private:
  void* data_ = nullptr;
  int64_t rows_ = 0;
  int64_t cols_ = 0;
  DType dtype_ = DType::f32;
};

// The first dimension as rows, all others as columns.
inline int64_t columns_of(const Shape& shape) {
  int64_t columns = 1;
  for (size_t axis = 1; axis < shape.size(); ++axis) columns *= shape[axis];
  return columns;
}
inline ConstMatrix matrix_of(const TensorView& view) {
  return {view.data, view.shape.empty() ? 1 : view.shape[0], columns_of(view.shape), view.dtype};
}
inline Matrix matrix_of(Tensor& tensor) {
  return {tensor.storage.get(), tensor.shape.empty() ? 1 : tensor.shape[0],
          columns_of(tensor.shape), tensor.dtype};
}

} // namespace lattice::reference
