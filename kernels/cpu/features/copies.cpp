// Feature steps that move rows without arithmetic: alignments, look-ups, and the way between the
// caller's row order and a support's. No vectors are named here: the copies are the C library's.
#include <algorithm>
#include <cstring>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include "base/f16.h"
#include "base/tensor.h"
#include "kernels/cpu/features/feature_table.h"
#include "kernels/cpu/features/features.h"
#include "kernels/faults.h"

namespace lattice::cpu {

namespace {

// Some hundred kilobytes a task: less is not worth another thread.
template <class Body>
void for_ranges(const Matrix& y, const Body& body) {
  const int64_t row_bytes = std::max<int64_t>(1, y.cols * size_of(y.dtype));
  const int64_t grain = std::max<int64_t>(1, (int64_t{1} << 17) / row_bytes);
  tbb::parallel_for(
      tbb::blocked_range<int64_t>(0, y.rows, grain),
      [&](const tbb::blocked_range<int64_t>& part) { body(part.begin(), part.end()); });
}

int64_t row_bytes_of(const Matrix& y) { return y.cols * size_of(y.dtype); }

std::byte* row_at(const Matrix& y, int64_t row) {
  return static_cast<std::byte*>(y.data) + row * y.pitch * size_of(y.dtype);
}
const std::byte* row_at(const ConstMatrix& x, int64_t row) {
  return static_cast<const std::byte*>(x.data) + row * x.pitch * size_of(x.dtype);
}

void copy_bytes(std::byte* to, const void* from, int64_t bytes) {
  if (bytes > 0) std::memcpy(to, from, static_cast<size_t>(bytes));
}

void fill_row(const Matrix& y, int64_t row, float fill) {
  if (y.dtype == DType::f16) {
    std::fill_n(y.row<uint16_t>(row), y.cols, f16_from_f32(fill));
  } else {
    std::fill_n(y.row<float>(row), y.cols, fill);
  }
}

// Rows of y that have an edge are copied, the others filled. A null `edges`: every row is copied.
void align(ConstMatrix x, const Edges* edges, float fill, Matrix y) {
  const int64_t bytes = row_bytes_of(y);
  for_ranges(y, [&](int64_t begin, int64_t end) {
    const EdgeList* list = edges == nullptr ? nullptr : &edges->lists[0];
    if (list == nullptr || list->identity) {
      const int64_t copied = list == nullptr ? end : std::clamp(list->count, begin, end);
      for (int64_t row = begin; row < copied; ++row)
        copy_bytes(row_at(y, row), row_at(x, row), bytes);
      for (int64_t row = copied; row < end; ++row) fill_row(y, row, fill);
      return;
    }
    int64_t at =
        std::lower_bound(list->coarse, list->coarse + list->count, static_cast<Row>(begin)) -
        list->coarse;
    for (int64_t row = begin; row < end; ++row) {
      if (at < list->count && list->coarse[at] == row) {
        copy_bytes(row_at(y, row), row_at(x, list->fine[at++]), bytes);
      } else {
        fill_row(y, row, fill);
      }
    }
  });
}

} // namespace

void reindex(SimdLevel, ConstMatrix x, const Edges& edges, float fill, Matrix y) {
  align(x, &edges, fill, y);
}

void cat_side(SimdLevel, ConstMatrix x, const Edges* edges, Matrix columns) {
  align(x, edges, 0.0f, columns);
}

Status embedding_lookup(const TensorView& indices, const float* table, int64_t entries,
                        const Location& where, Matrix y) {
  for (int64_t row = 0; row < y.rows; ++row) {
    const int32_t index = load_at<int32_t>(indices.data, row);
    if (index < 0 || index >= entries) {
      return tl::make_unexpected(faults::embedding_out_of_range(row, index, entries, where));
    }
  }
  const FeatureTable& vectors = feature_table(best_simd_level());
  for_ranges(y, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const float* from = table + int64_t{load_at<int32_t>(indices.data, row)} * y.cols;
      if (y.dtype == DType::f16) {
        vectors.narrow(from, y.row<uint16_t>(row), y.cols);
      } else {
        copy_bytes(row_at(y, row), from, row_bytes_of(y));
      }
    }
  });
  return {};
}

void to_support_rows(const TensorView& x, const Order& order, Matrix y) {
  const int64_t bytes = row_bytes_of(y);
  const std::byte* from = static_cast<const std::byte*>(x.data);
  for_ranges(y, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      copy_bytes(row_at(y, row), from + int64_t{order.caller(row)} * bytes, bytes);
    }
  });
}

void to_caller_rows(ConstMatrix x, const Order& order, Matrix y) {
  const int64_t bytes = row_bytes_of(y);
  for_ranges(y, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      copy_bytes(row_at(y, order.caller(row)), row_at(x, row), bytes);
  });
}

} // namespace lattice::cpu
