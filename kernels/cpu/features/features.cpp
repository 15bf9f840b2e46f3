// Feature steps in parallel: cuts rows into ranges and gives each to the table of its SIMD level.
// How the ranges fall cannot be seen in the results.
#include "kernels/cpu/features/features.h"

#include <algorithm>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include "kernels/cpu/features/feature_table.h"

namespace lattice::cpu {

namespace {

// body(range) over all rows, in ranges of about 32,000 elements and at least one row.
template <class Body>
void for_ranges(int64_t rows, int64_t cols, const Body& body) {
  constexpr int64_t elements = 32768;
  const int64_t grain = std::max<int64_t>(1, elements / std::max<int64_t>(1, cols));
  if (rows <= grain) {
    if (rows > 0) body(RowRange{0, rows});
    return;
  }
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, rows, grain),
                    [&](const tbb::blocked_range<int64_t>& part) {
                      body(RowRange{part.begin(), part.end()});
                    });
}

// Where elements do not care for their column, rows that follow each other are cut into long ones.
constexpr int64_t long_row = 4096;

bool is_contiguous(const ConstMatrix& x) { return x.pitch == x.cols; }

// body(x, y, range) with rows of `long_row` elements where the operands allow it.
template <class Body>
void for_elements(ConstMatrix x, Matrix y, const Body& body) {
  if (!is_contiguous(x) || !is_contiguous(y)) {
    for_ranges(y.rows, y.cols, [&](RowRange range) { body(x, y, range); });
    return;
  }
  const int64_t elements = y.rows * y.cols;
  const int64_t whole = elements / long_row;
  const auto reshaped = [](auto matrix, int64_t first, int64_t rows, int64_t cols) {
    using Byte = std::conditional_t<std::is_same_v<decltype(matrix), ConstMatrix>, const std::byte,
                                    std::byte>;
    if (first > 0) matrix.data = static_cast<Byte*>(matrix.data) + first * size_of(matrix.dtype);
    matrix.rows = rows;
    matrix.cols = matrix.pitch = cols;
    return matrix;
  };
  for_ranges(whole, long_row, [&](RowRange range) {
    body(reshaped(x, 0, whole, long_row), reshaped(y, 0, whole, long_row), range);
  });
  const int64_t rest = elements - whole * long_row;
  if (rest > 0)
    body(reshaped(x, whole * long_row, 1, rest), reshaped(y, whole * long_row, 1, rest),
         RowRange{0, 1});
}

} // namespace

const FeatureTable& feature_table(SimdLevel level) {
  switch (level) {
  case SimdLevel::avx512: return avx512_features();
  case SimdLevel::avx2: return avx2_features();
  case SimdLevel::scalar: break;
  }
  return scalar_features();
}

void pool(SimdLevel level, ConstMatrix x, const Edges& edges, Direction direction, PoolMode mode,
          Matrix y) {
  const FeatureTable& table = feature_table(level);
  for_ranges(y.rows, y.cols,
             [&](RowRange range) { table.pool(x, edges, direction, mode, y, range); });
}

void trilinear_upsample(SimdLevel level, ConstMatrix x, const Edges& edges, Triple scale,
                        Matrix y) {
  const FeatureTable& table = feature_table(level);
  for_ranges(y.rows, y.cols, [&](RowRange range) { table.trilinear(x, edges, scale, y, range); });
}

namespace {

constexpr int64_t block_rows = 256;  // of the definition (spec 5)
constexpr int64_t group_blocks = 32; // whose sums are held at a time

// One batch, `cols` columns from `col` on: blocks of a group in parallel, then added in order.
void pool_batch(const FeatureTable& table, ConstMatrix x, RowRange rows, int64_t col, int64_t cols,
                bool maximum, float* total) {
  alignas(64) float parts[group_blocks][tile_cols];
  const int64_t blocks = (rows.end - rows.begin + block_rows - 1) / block_rows;
  for (int64_t group = 0; group < blocks; group += group_blocks) {
    const int64_t count = std::min(group_blocks, blocks - group);
    for_ranges(count, block_rows * cols, [&](RowRange range) {
      for (int64_t i = range.begin; i < range.end; ++i) {
        const int64_t begin = rows.begin + (group + i) * block_rows;
        table.block(x, {begin, std::min(rows.end, begin + block_rows)}, col, cols, maximum,
                    parts[i]);
      }
    });
    for (int64_t i = 0; i < count; ++i) {
      if (maximum && group + i == 0) {
        std::copy_n(parts[0], cols, total);
      } else {
        table.fold(parts[i], cols, maximum, total);
      }
    }
  }
}

void store_pooled(const FeatureTable& table, const float* total, int64_t col, int64_t cols,
                  Matrix y, int64_t batch) {
  if (y.dtype == DType::f16) {
    table.narrow(total, y.row<uint16_t>(batch) + col, cols);
  } else {
    std::copy_n(total, cols, y.row<float>(batch) + col);
  }
}

} // namespace

void global_pool(SimdLevel level, ConstMatrix x, const BatchRows& batches, PoolMode mode,
                 Matrix y) {
  const FeatureTable& table = feature_table(level);
  for (int64_t batch = 0; batch < y.rows;
       ++batch) { // an empty batch is 0; for max the topology refused it
    std::fill_n(static_cast<std::byte*>(y.data) + batch * y.pitch * size_of(y.dtype),
                y.cols * size_of(y.dtype), std::byte{0});
  }
  const int64_t count = static_cast<int64_t>(batches.ranges.size());
  const int64_t rows_a_batch = x.rows / std::max<int64_t>(1, count);
  for_ranges(count, std::max<int64_t>(1, rows_a_batch) * y.cols, [&](RowRange range) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      const BatchRows::Range& rows = batches.ranges[static_cast<size_t>(i)];
      for (int64_t col = 0; col < y.cols; col += tile_cols) {
        const int64_t cols = std::min(tile_cols, y.cols - col);
        alignas(64) float total[tile_cols] = {};
        pool_batch(table, x, {rows.begin, rows.end}, col, cols, mode == PoolMode::max, total);
        if (mode == PoolMode::avg) {
          const float divisor = static_cast<float>(rows.end - rows.begin);
          for (int64_t c = 0; c < cols; ++c) total[c] = total[c] / divisor;
        }
        store_pooled(table, total, col, cols, y, rows.batch);
      }
    }
  });
}

void voxelize(SimdLevel level, ConstMatrix x, const PointRows& points, VoxelReduction reduction,
              Matrix y) {
  const FeatureTable& table = feature_table(level);
  for_ranges(y.rows, y.cols,
             [&](RowRange range) { table.voxelize(x, points, reduction, y, range); });
}

void devoxelize(SimdLevel level, ConstMatrix x, const PointMapData& map, Matrix y) {
  const FeatureTable& table = feature_table(level);
  for_ranges(y.rows, y.cols * map.slots,
             [&](RowRange range) { table.devoxelize(x, map, y, range); });
}

void binary(SimdLevel level, ConstMatrix lhs, const Edges* lhs_edges, float lhs_fill,
            ConstMatrix rhs, const Edges* rhs_edges, float rhs_fill, BinaryOp op, Matrix y) {
  const FeatureTable& table = feature_table(level);
  for_ranges(y.rows, y.cols, [&](RowRange range) {
    table.binary(lhs, lhs_edges, lhs_fill, rhs, rhs_edges, rhs_fill, op, y, range);
  });
}

void rowwise(SimdLevel level, ConstMatrix x, const EpilogueEntry& entry, Matrix y) {
  const FeatureTable& table = feature_table(level);
  if (entry.kind == EpilogueOp::Kind::batch_norm) {
    for_ranges(y.rows, y.cols, [&](RowRange range) { table.rowwise(x, entry, y, range); });
    return;
  }
  for_elements(x, y, [&](ConstMatrix from, Matrix to, RowRange range) {
    table.rowwise(from, entry, to, range);
  });
}

void elementwise(SimdLevel level, ConstMatrix x, ElementwiseKind kind, Matrix y) {
  const FeatureTable& table = feature_table(level);
  for_elements(x, y, [&](ConstMatrix from, Matrix to, RowRange range) {
    table.elementwise(from, kind, to, range);
  });
}

void layer_norm(SimdLevel level, ConstMatrix x, const float* scale, const float* bias, float eps,
                Matrix y) {
  const FeatureTable& table = feature_table(level);
  for_ranges(y.rows, y.cols,
             [&](RowRange range) { table.layer_norm(x, scale, bias, eps, y, range); });
}

void rms_norm(SimdLevel level, ConstMatrix x, const float* scale, float eps, Matrix y) {
  const FeatureTable& table = feature_table(level);
  for_ranges(y.rows, y.cols, [&](RowRange range) { table.rms_norm(x, scale, eps, y, range); });
}

void softmax(SimdLevel level, ConstMatrix x, Matrix y) {
  const FeatureTable& table = feature_table(level);
  for_ranges(y.rows, y.cols, [&](RowRange range) { table.softmax(x, y, range); });
}

} // namespace lattice::cpu
