// The numbers of a tensor as f64, whatever its type and alignment, and a summary of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/f16.h"
#include "base/tensor.h"

namespace lattice::cli {

inline bool is_float(DType dtype) { return dtype == DType::f32 || dtype == DType::f16; }

// The element at `index` of an f32, f16, i32 or u32 tensor; NaN for any other type.
inline double value_at(const TensorView& tensor, int64_t index) {
  switch (tensor.dtype) {
  case DType::f32: return load_at<float>(tensor.data, index);
  case DType::f16: return f32_from_f16(load_at<uint16_t>(tensor.data, index));
  case DType::i32: return load_at<int32_t>(tensor.data, index);
  case DType::u32: return load_at<uint32_t>(tensor.data, index);
  default: return std::numeric_limits<double>::quiet_NaN();
  }
}

// Of the values that are not NaN; min and max are NaN when there is none.
struct ValueRange {
  double min = std::numeric_limits<double>::quiet_NaN();
  double max = std::numeric_limits<double>::quiet_NaN();
  double mean = std::numeric_limits<double>::quiet_NaN();
  int64_t nan = 0;
};

inline ValueRange range_of(const TensorView& tensor) {
  ValueRange range;
  const int64_t count = elements_of(tensor.shape);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double value = value_at(tensor, i);
    if (std::isnan(value)) {
      ++range.nan;
      continue;
    }
    range.min = std::fmin(range.min, value); // fmin takes the number where the other is NaN
    range.max = std::fmax(range.max, value);
    sum += value;
  }
  if (range.nan < count) range.mean = sum / static_cast<double>(count - range.nan);
  return range;
}

} // namespace lattice::cli
