// global_pool: one row a batch. Sums run in ascending (x, y, z), in blocks of 256 rows whose sums
// are added in order, so neither the order of rows nor threads can be seen in the result.
#include "kernels/math.h"
#include "kernels/reference/steps.h"

namespace lattice::reference {

namespace {

constexpr int64_t block_rows = 256;

float sum_of(const BatchTable& batches, int64_t begin, int64_t end, ConstMatrix x, int64_t col) {
  float total = 0.0f;
  for (int64_t block = begin; block < end; block += block_rows) {
    float part = 0.0f;
    for (int64_t i = block; i < std::min(end, block + block_rows); ++i) {
      part = part + x(batches.order[static_cast<size_t>(i)], col);
    }
    total = total + part;
  }
  return total;
}

float max_of(const BatchTable& batches, int64_t begin, int64_t end, ConstMatrix x, int64_t col) {
  float largest = x(batches.order[static_cast<size_t>(begin)], col);
  for (int64_t i = begin + 1; i < end; ++i) {
    largest = math::maximum(largest, x(batches.order[static_cast<size_t>(i)], col));
  }
  return largest;
}

} // namespace

void global_pool(const BatchTable& batches, PoolMode mode, ConstMatrix x, Matrix y) {
  for (int64_t batch = 0; batch < batches.count(); ++batch) {
    const int64_t begin = batches.begin[static_cast<size_t>(batch)];
    const int64_t end = batches.begin[static_cast<size_t>(batch) + 1];
    for (int64_t col = 0; col < y.cols(); ++col) {
      float result = 0.0f; // of an empty batch; for max the topology refused it
      if (begin < end) {
        result = mode == PoolMode::max ? max_of(batches, begin, end, x, col)
                                       : sum_of(batches, begin, end, x, col);
        if (mode == PoolMode::avg) result = result / static_cast<float>(end - begin);
      }
      y.set(batch, col, result);
    }
  }
}

} // namespace lattice::reference
