// Making, taking apart and joining sparse values.
#include "plan/lower/builder.h"

namespace lattice {

Status lower(ir::SparseMakeOp op, Builder& plan) {
  const Location where = Builder::location_of(op);
  Support definition;
  definition.rule = SupportRule::made;
  definition.coords = plan.ints(op.getCoords());
  definition.active = plan.ints(op.getActive());
  definition.stride = ir::triple(op.getStride());
  definition.where = where;
  const SupportId support = plan.add_support(std::move(definition));
  const ValueId features = plan.in_caller_order(plan.dense(op.getFeatures()), where);
  LATTICE_CHECK(plan.require_equal(op, plan.value(features).shape[0], plan.capacity_of(support),
                                   "rows of the features against rows of the coordinates"));
  plan.set(op.getResult(), SparseValue{support, plan.in_support_order(features, support, where)});
  return {};
}

Status lower(ir::SparseDecomposeOp op, Builder& plan) {
  const SparseValue input = plan.sparse(op.getInput());
  const auto declared = mlir::cast<mlir::RankedTensorType>(op.getCoords().getType());
  if (!declared.isDynamicDim(0)) {
    LATTICE_CHECK(plan.require_equal(op, Extent::of_support(input.support), Extent::fixed(declared.getDimSize(0)),
                                     "active rows against the declared rows of the coordinates"));
  }
  plan.set(op.getCoords(), IntSource{IntSource::Kind::coords, input.support});
  plan.set(op.getActive(), IntSource{IntSource::Kind::count, input.support});
  return plan.set(op.getFeatures(), input.features);
}

Status lower(ir::SparseWithFeaturesOp op, Builder& plan) {
  const Location where = Builder::location_of(op);
  const SparseValue input = plan.sparse(op.getInput());
  ValueId features = plan.dense(op.getFeatures());
  if (plan.value(features).rows_of != input.support) {
    features = plan.in_caller_order(features, where);
    LATTICE_CHECK(plan.require_equal(op, plan.value(features).shape[0], Extent::of_support(input.support),
                                     "rows of the features against rows of the sparse value",
                                     plan.capacity_of(input.support)));
    features = plan.in_support_order(features, input.support, where);
  }
  plan.set(op.getResult(), SparseValue{input.support, features});
  return {};
}

namespace {

Status check_strides(mlir::Operation* op, Builder& plan, SparseValue a, const char* a_name, SparseValue b,
                     const char* b_name) {
  if (plan.stride_of(a) == plan.stride_of(b)) return {};
  return plan.refuse(op, "{} has stride {}, {} has stride {}; they must be equal", a_name, text_of(plan.stride_of(a)),
                     b_name, text_of(plan.stride_of(b)));
}

SupportId joined(mlir::Operation* op, Builder& plan, SparseValue lhs, SparseValue rhs, Join join) {
  if (lhs.support == rhs.support || join == Join::left) return lhs.support;
  if (join == Join::right) return rhs.support;
  Support definition;
  definition.rule = SupportRule::joined;
  definition.from = lhs.support;
  definition.other = rhs.support;
  definition.join = join;
  definition.stride = plan.stride_of(lhs);
  definition.where = Builder::location_of(op);
  return plan.add_support(std::move(definition));
}

}  // namespace

Status lower(ir::SparseReindexOp op, Builder& plan) {
  const SparseValue input = plan.sparse(op.getInput());
  const SparseValue target = plan.sparse(op.getTarget());
  const Location where = Builder::location_of(op);
  LATTICE_CHECK(check_strides(op, plan, input, "the input", target, "the target"));
  if (input.support == target.support) {  // every row is present: the input itself
    plan.set(op.getResult(), input);
    return {};
  }
  const RelationUse relation = plan.alignment(input.support, target.support, where);
  const ValueId y = plan.add_rows_of(target.support, plan.value(input.features).dtype,
                                     plan.channels_of(input.features), where);
  plan.add_step(op, Reindex{input.features, y, relation, op.getFill()}, {}, plan.phase_of(relation));
  plan.set(op.getResult(), SparseValue{target.support, y});
  return {};
}

Status lower(ir::SparseBinaryOp op, Builder& plan) {
  const SparseValue lhs = plan.sparse(op.getLhs());
  const SparseValue rhs = plan.sparse(op.getRhs());
  const Location where = Builder::location_of(op);
  LATTICE_CHECK(check_strides(op, plan, lhs, "lhs", rhs, "rhs"));
  LATTICE_CHECK(plan.require_equal(op, plan.channels_of(rhs.features), plan.channels_of(lhs.features),
                                   "channels of rhs against channels of lhs"));
  const SupportId support = joined(op, plan, lhs, rhs, choice<Join>(op.getJoin()));
  Binary step;
  step.lhs = lhs.features;
  step.rhs = rhs.features;
  step.lhs_relation = plan.alignment(lhs.support, support, where);
  step.rhs_relation = plan.alignment(rhs.support, support, where);
  step.op = choice<BinaryOp>(op.getOp());
  step.lhs_fill = op.getLhsFill();
  step.rhs_fill = op.getRhsFill();
  step.y = plan.add_rows_of(support, plan.value(lhs.features).dtype, plan.channels_of(lhs.features), where);
  plan.set(op.getResult(), SparseValue{support, step.y});
  const int32_t phase = std::max(plan.phase_of(step.lhs_relation), plan.phase_of(step.rhs_relation));
  plan.add_step(op, step, {}, phase);
  return {};
}

Status lower(ir::SparseCatOp op, Builder& plan) {
  const SparseValue lhs = plan.sparse(op.getLhs());
  const SparseValue rhs = plan.sparse(op.getRhs());
  const Location where = Builder::location_of(op);
  LATTICE_CHECK(check_strides(op, plan, lhs, "lhs", rhs, "rhs"));
  const Extent left = plan.channels_of(lhs.features), right = plan.channels_of(rhs.features);
  if (left.kind != Extent::Kind::fixed || right.kind != Extent::Kind::fixed) {
    return plan.refuse(op, "both sides need a declared number of channels");
  }
  const SupportId support = joined(op, plan, lhs, rhs, choice<Join>(op.getJoin()));
  Cat step;
  step.lhs = lhs.features;
  step.rhs = rhs.features;
  step.lhs_relation = plan.alignment(lhs.support, support, where);
  step.rhs_relation = plan.alignment(rhs.support, support, where);
  step.y = plan.add_rows_of(support, plan.value(lhs.features).dtype, Extent::fixed(left.value + right.value), where);
  plan.set(op.getResult(), SparseValue{support, step.y});
  const int32_t phase = std::max(plan.phase_of(step.lhs_relation), plan.phase_of(step.rhs_relation));
  plan.add_step(op, step, {}, phase);
  return {};
}

}  // namespace lattice
