// The vector part of the feature steps: serial functions over ranges of rows, one table for each
// SIMD level. Inside this folder; features.cpp runs them in parallel.
#pragma once

#include "kernels/cpu/features/features.h"

namespace lattice::cpu {

// Rows begin .. end-1 of the result.
struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;
};

// Columns that a reduction keeps in registers and on the stack at a time.
inline constexpr int64_t tile_cols = 64;

struct FeatureTable {
  void (*pool)(ConstMatrix x, const Edges& edges, Direction direction, PoolMode mode, Matrix y,
               RowRange range);
  void (*trilinear)(ConstMatrix x, const Edges& edges, Triple scale, Matrix y, RowRange range);
  // Sum or maximum of rows `range` (not empty), columns first_col .. first_col + cols - 1 (at most
  // tile_cols).
  void (*block)(ConstMatrix x, RowRange range, int64_t first_col, int64_t cols, bool maximum,
                float* out);
  // out = out + part, or their maximum.
  void (*fold)(const float* part, int64_t cols, bool maximum, float* out);
  void (*voxelize)(ConstMatrix x, const PointRows& points, VoxelReduction reduction, Matrix y,
                   RowRange range);
  void (*devoxelize)(ConstMatrix x, const PointMapData& map, Matrix y, RowRange range);
  void (*binary)(ConstMatrix lhs, const Edges* lhs_edges, float lhs_fill, ConstMatrix rhs,
                 const Edges* rhs_edges, float rhs_fill, BinaryOp op, Matrix y, RowRange range);
  void (*rowwise)(ConstMatrix x, const EpilogueEntry& entry, Matrix y, RowRange range);
  void (*elementwise)(ConstMatrix x, ElementwiseKind kind, Matrix y, RowRange range);
  void (*layer_norm)(ConstMatrix x, const float* scale, const float* bias, float eps, Matrix y,
                     RowRange range);
  void (*rms_norm)(ConstMatrix x, const float* scale, float eps, Matrix y, RowRange range);
  void (*softmax)(ConstMatrix x, Matrix y, RowRange range);
  void (*narrow)(const float* from, uint16_t* to, int64_t count); // f32 to f16
};

const FeatureTable& feature_table(SimdLevel level);
const FeatureTable& scalar_features();
const FeatureTable& avx2_features();   // the scalar ones where the build has none
const FeatureTable& avx512_features(); // likewise avx2

} // namespace lattice::cpu
