// The feature steps of a plan as plain loops in the spec's order (spec 5): the oracle of every
// device. Slow on purpose. Shapes are checked before: y has the rows and channels that the step
// gives.
//
// Every function reads its operands as f32, works in f32 and rounds each result once, when it is
// stored.
#pragma once

#include "kernels/reference/epilogue.h"
#include "kernels/reference/topology.h"

namespace lattice::reference {

struct Normalization {
  bool on = false;
  float eps = 0;
};

// `bias` may be null.
void relation_matmul(const RelationTable& relation, ConstMatrix x, const DenseWeight& w,
                     const DenseWeight* bias, Normalization normalization,
                     const EpilogueEntries& epilogue, Matrix y);
void rows_matmul(ConstMatrix x, const DenseWeight& w, const DenseWeight* bias,
                 const EpilogueEntries& epilogue, Matrix y);

void pool(const RelationTable& relation, PoolMode mode, ConstMatrix x, Matrix y);
void trilinear_upsample(const RelationTable& relation, Triple scale, ConstMatrix x, Matrix y);
void global_pool(const BatchTable& batches, PoolMode mode, ConstMatrix x, Matrix y);

void voxelize(const SupportTable& voxels, VoxelReduction reduction, ConstMatrix x, Matrix y);
void devoxelize(const PointTable& map, ConstMatrix x, Matrix y);

// Relations of one kernel row each.
void reindex(const RelationTable& relation, float fill, ConstMatrix x, Matrix y);
void binary(const RelationTable& lhs_relation, const RelationTable& rhs_relation,
            const Binary& step, ConstMatrix lhs, ConstMatrix rhs, Matrix y);
void cat(const RelationTable& lhs_relation, const RelationTable& rhs_relation, ConstMatrix lhs,
         ConstMatrix rhs, Matrix y);

// An index outside the table is an error that names its row.
Status embedding_lookup(IntMatrix indices, const DenseWeight& table, const Location& where,
                        Matrix y);

void rowwise(const EpilogueEntry& entry, ConstMatrix x, Matrix y); // activation, batch_norm
void elementwise(ElementwiseKind kind, ConstMatrix x, Matrix y);
void softmax(ConstMatrix x, Matrix y);
void layer_norm(const DenseWeight& scale, const DenseWeight& bias, float eps, ConstMatrix x,
                Matrix y);
void rms_norm(const DenseWeight& scale, float eps, ConstMatrix x, Matrix y);

// The first y.rows() rows of x: the reference keeps every support in the caller's order.
void copy_rows(ConstMatrix x, Matrix y);

} // namespace lattice::reference
