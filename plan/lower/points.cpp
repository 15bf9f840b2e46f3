// Between points and voxels.
#include "plan/lower/builder.h"

namespace lattice {

namespace {

std::array<float, 3> rounded(llvm::ArrayRef<double> values) {
  return {static_cast<float>(values[0]), static_cast<float>(values[1]), static_cast<float>(values[2])};
}

// Rows of the points against another operand that has one row a point.
template <class PointOp>
Status check_rows(PointOp op, Builder& plan, ValueId points, Extent rows, const char* what) {
  return plan.require_equal(op, rows, plan.value(points).shape[0],
                            fmt::format("rows of the {} against rows of the points", what));
}

}  // namespace

Status lower(ir::VoxelizeOp op, Builder& plan) {
  const Location where = Builder::location_of(op);
  const ValueId points = plan.in_caller_order(plan.dense(op.getPoints()), where);
  const ValueId features = plan.in_caller_order(plan.dense(op.getFeatures()), where);
  LATTICE_CHECK(check_rows(op, plan, points, plan.value(features).shape[0], "features"));
  Support definition;
  definition.rule = SupportRule::voxels;
  definition.points = points;
  definition.batch_indices = plan.ints(op.getBatchIndices());
  definition.active = plan.ints(op.getActiveRows());
  definition.voxel_size = rounded(op.getVoxelSize());
  definition.origin = rounded(op.getOrigin());
  definition.stride = ir::triple(op.getStride());
  definition.where = where;
  LATTICE_CHECK(check_rows(op, plan, points, plan.rows_of_ints(definition.batch_indices), "batch indices"));
  const SupportId support = plan.add_support(std::move(definition));
  const auto type = mlir::cast<ir::SparseTensorType>(op.getResult().getType());
  const ValueId y = plan.add_rows_of(support, dtype_of(type.element_type()), plan.channels_of(features), where);
  plan.add_step(op, Voxelize{features, y, support, choice<VoxelReduction>(op.getReduction())}, {},
                plan.phase_of_support(support));
  plan.set(op.getResult(), SparseValue{support, y});
  return {};
}

Status lower(ir::DevoxelizeOp op, Builder& plan) {
  const Location where = Builder::location_of(op);
  const ValueId points = plan.in_caller_order(plan.dense(op.getPoints()), where);
  const SparseValue voxels = plan.sparse(op.getVoxels());
  PointMap map;
  map.points = points;
  map.voxels = voxels.support;
  map.batch_indices = plan.ints(op.getBatchIndices());
  map.active = plan.ints(op.getPointActiveRows());
  map.voxel_size = rounded(op.getVoxelSize());
  map.origin = rounded(op.getOrigin());
  map.interpolation = choice<PointInterpolation>(op.getInterpolation());
  map.where = where;
  LATTICE_CHECK(check_rows(op, plan, points, plan.rows_of_ints(map.batch_indices), "batch indices"));
  const PointMapId id = plan.add_point_map(std::move(map));
  const auto type = mlir::cast<mlir::RankedTensorType>(op.getResult().getType());
  const ValueId y = plan.add_value(dtype_of(type.getElementType()),
                                   {plan.value(points).shape[0], plan.channels_of(voxels.features)}, no_id, where);
  plan.add_step(op, Devoxelize{voxels.features, y, id}, {}, plan.plan().point_maps[static_cast<size_t>(id)].phase);
  return plan.set(op.getResult(), y);
}

}  // namespace lattice
