// Pools and upsampling: the relations of convolutions with a reduction in place of a product.
#include "plan/lower/geometry.h"

namespace lattice {

Status lower(ir::Pool3dOp op, Builder& plan) {
  const ir::Geometry geometry = ir::geometry(op);
  const SparseValue input = plan.sparse(op.getInput());
  const Location where = Builder::location_of(op);
  LATTICE_TRY(const SupportId target, forward_target(op, plan, input, std::nullopt, geometry));
  const RelationUse relation =
      plan.relation(input.support, target, geometry, forward_base(geometry), Direction::forward, where);
  const Value& x = plan.value(input.features);
  const ValueId y = plan.add_rows_of(target, x.dtype, plan.channels_of(input.features), where);
  plan.add_step(op, Pool{input.features, y, relation, choice<PoolMode>(op.getMode())}, {}, plan.phase_of(relation));
  plan.set(op.getResult(), SparseValue{target, y});
  return {};
}

namespace {

// The target support, relation and result value of pool_transpose3d and trilinear_upsample3d.
struct Upward {
  SparseValue result;
  RelationUse relation;
};

template <class UpOp>
Result<Upward> upward(UpOp op, Builder& plan) {
  const ir::Geometry geometry = ir::geometry(op);
  const SparseValue input = plan.sparse(op.getInput());
  const Location where = Builder::location_of(op);
  std::optional<SparseValue> target;
  if (op.getTarget()) target = plan.sparse(op.getTarget());
  LATTICE_TRY(const SupportId support, transposed_target(op, plan, input, target, geometry));
  const RelationUse relation =
      plan.relation(support, input.support, geometry, transposed_base(geometry), Direction::transposed, where);
  const DType dtype = plan.value(input.features).dtype;
  const ValueId y = plan.add_rows_of(support, dtype, plan.channels_of(input.features), where);
  return Upward{{support, y}, relation};
}

}  // namespace

Status lower(ir::PoolTranspose3dOp op, Builder& plan) {
  LATTICE_TRY(const Upward up, upward(op, plan));
  plan.add_step(op, Pool{plan.sparse(op.getInput()).features, up.result.features, up.relation, PoolMode::avg}, {},
                plan.phase_of(up.relation));
  plan.set(op.getResult(), up.result);
  return {};
}

Status lower(ir::TrilinearUpsample3dOp op, Builder& plan) {
  LATTICE_TRY(const Upward up, upward(op, plan));
  plan.add_step(op,
                TrilinearUpsample{plan.sparse(op.getInput()).features, up.result.features, up.relation,
                                  ir::geometry(op).stride},
                {}, plan.phase_of(up.relation));
  plan.set(op.getResult(), up.result);
  return {};
}

Status lower(ir::GlobalPoolOp op, Builder& plan) {
  const SparseValue input = plan.sparse(op.getInput());
  const Location where = Builder::location_of(op);
  const PoolMode mode = choice<PoolMode>(op.getMode());
  const auto batch_size = static_cast<int64_t>(op.getBatchSize());
  Batches batches;
  batches.support = input.support;
  batches.batch_size = batch_size;
  batches.empty_is_error = mode == PoolMode::max;
  batches.where = where;
  const BatchesId id = plan.add_batches(std::move(batches));
  const Extent rows = batch_size >= 0 ? Extent::fixed(batch_size) : Extent::of_batches(id);
  const ValueId y =
      plan.add_value(plan.value(input.features).dtype, {rows, plan.channels_of(input.features)}, no_id, where);
  plan.add_step(op, GlobalPool{input.features, y, id, mode}, {}, plan.phase_of_support(input.support));
  return plan.set(op.getResult(), y);
}

}  // namespace lattice
