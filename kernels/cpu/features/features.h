// The feature steps of the CPU device that are not products: one function a step of plan.h. Bits
// are those of kernels/reference at every SIMD level and thread count. Products are in
// kernels/cpu/matmul.
//
// All run in the caller's task arena and may use all its threads; none allocates in proportion to
// its operands. y never overlaps an operand unless said. f16 elements are widened, worked on in f32
// and rounded once. A null `edges` means the rows agree: row i of y is row i of the operand.
#pragma once

#include "base/status.h"
#include "kernels/cpu/matmul/epilogue.h"
#include "kernels/cpu/matmul/simd.h"
#include "kernels/cpu/matrix.h"
#include "kernels/cpu/relation.h"
#include "kernels/cpu/topology/topology.h"

namespace lattice::cpu {

// pool3d (forward: y has the coarse rows) and pool_transpose3d (transposed: y has the fine rows).
void pool(SimdLevel level, ConstMatrix x, const Edges& edges, Direction direction, PoolMode mode,
          Matrix y);

// y has the fine rows of a relation of size 2 * scale - 1.
void trilinear_upsample(SimdLevel level, ConstMatrix x, const Edges& edges, Triple scale, Matrix y);

// One row of y a batch. Rows of x are in ascending (batch, x, y, z).
void global_pool(SimdLevel level, ConstMatrix x, const BatchRows& batches, PoolMode mode, Matrix y);

// x has a row a point in the caller's order, y a row a voxel.
void voxelize(SimdLevel level, ConstMatrix x, const PointRows& points, VoxelReduction reduction,
              Matrix y);

// x has a row a voxel, y a row a point.
void devoxelize(SimdLevel level, ConstMatrix x, const PointMapData& map, Matrix y);

// The alignments: relations of one kernel row whose fine rows are the operand's and coarse rows
// y's.
void reindex(SimdLevel level, ConstMatrix x, const Edges& edges, float fill, Matrix y);
void binary(SimdLevel level, ConstMatrix lhs, const Edges* lhs_edges, float lhs_fill,
            ConstMatrix rhs, const Edges* rhs_edges, float rhs_fill, BinaryOp op, Matrix y);
// One side of sparse.cat into its column range of y: rows without an edge get 0.
void cat_side(SimdLevel level, ConstMatrix x, const Edges* edges, Matrix columns);

// activation, batch_norm. y may be x.
void rowwise(SimdLevel level, ConstMatrix x, const EpilogueEntry& entry, Matrix y);
// scale and bias are ChannelVectors' data. y may be x.
void layer_norm(SimdLevel level, ConstMatrix x, const float* scale, const float* bias, float eps,
                Matrix y);
void rms_norm(SimdLevel level, ConstMatrix x, const float* scale, float eps, Matrix y);
void softmax(SimdLevel level, ConstMatrix x, Matrix y);
void elementwise(SimdLevel level, ConstMatrix x, ElementwiseKind kind, Matrix y);

// indices: (N) i32, any alignment. table: entries x y.cols floats.
Status embedding_lookup(const TensorView& indices, const float* table, int64_t entries,
                        const Location& where, Matrix y);

// Between the caller's row order and a support's. x of to_support_rows may be unaligned and have
// more rows.
void to_support_rows(const TensorView& x, const Order& order, Matrix y);
void to_caller_rows(ConstMatrix x, const Order& order, Matrix y);

} // namespace lattice::cpu
