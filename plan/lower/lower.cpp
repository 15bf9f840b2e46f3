// The way through a graph: arguments, weights, every operation in order, results.
#include "plan/lower/lower.h"

#include <algorithm>

#include "artifact/mlir.h"
#include "artifact/place.h"
#include "base/checked.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include <llvm/ADT/TypeSwitch.h>
#pragma GCC diagnostic pop

#include "plan/lower/builder.h"

namespace lattice {

namespace {

size_t at(int32_t id) { return static_cast<size_t>(id); }

// Every operation of the dialect must have a lower(): the list is made from the .td.
Status lower_operation(mlir::Operation* op, Builder& plan) {
  return llvm::TypeSwitch<mlir::Operation*, Status>(op)
      .Case<
#define GET_OP_LIST
#include "dialect/LatticeOps.cpp.inc"
          >([&](auto concrete) { return lower(concrete, plan); })
      .Default([&](mlir::Operation*) { return plan.refuse(op, "is not an operation of the dialect"); });
}

}  // namespace

Builder::Builder(const Artifact& artifact) : artifact_(artifact) {
  plan_.signature = artifact.signature;
  plan_.unused_weights = artifact.weights.unused;
}

Status Builder::arguments(mlir::func::FuncOp forward) {
  for (const mlir::BlockArgument argument : forward.getArguments()) {
    const auto index = static_cast<int32_t>(argument.getArgNumber());
    const auto type = mlir::cast<mlir::RankedTensorType>(argument.getType());
    if (type.getElementType().isInteger(32)) {
      ints_[argument] = {IntSource::Kind::argument, index};
      continue;
    }
    std::vector<Extent> shape;
    for (unsigned axis = 0; axis < type.getRank(); ++axis) {
      shape.push_back(type.isDynamicDim(axis) ? Extent::of_argument(index, static_cast<int32_t>(axis))
                                              : Extent::fixed(type.getDimSize(axis)));
    }
    const ValueId id = add_value(dtype_of(type.getElementType()), std::move(shape), no_id, {});
    plan_.values[at(id)].argument = index;
    dense_[argument] = id;
    if (const int64_t widest = widest_since(at(id)); widest > most_channels) {
      return fail(Code::artifact,
                  fmt::format("argument \"{}\" has {} channels, expected at most {}",
                              plan_.signature.arguments[at(index)].name, widest, most_channels),
                  place_of(argument.getLoc()));
    }
  }
  return {};
}

// The largest declared size of an axis but the first among the values from `first` on.
int64_t Builder::widest_since(size_t first) const {
  int64_t widest = 0;
  for (size_t i = first; i < plan_.values.size(); ++i) {
    const std::vector<Extent>& shape = plan_.values[i].shape;
    for (size_t axis = 1; axis < shape.size(); ++axis) {
      if (shape[axis].kind == Extent::Kind::fixed) widest = std::max(widest, shape[axis].value);
    }
  }
  return widest;
}

void Builder::weights(mlir::func::FuncOp forward) {
  for (auto op : forward.getOps<ir::WeightOp>()) {
    const WeightInfo* info = artifact_.weights.find(op);
    if (info == nullptr) continue;
    Weight weight;
    weight.storage_key = info->storage_key;
    weight.family = info->family;
    weight.dtype = info->dtype;
    weight.bits = info->packing.bits;
    weight.group_size = info->packing.group_size;
    weight.data = info->values;
    weight.scales = info->scales;
    weight.biases = info->biases;
    weight.where = info->where;
    plan_.weights.push_back(std::move(weight));
    weights_[op.getResult()] = static_cast<WeightId>(plan_.weights.size() - 1);
  }
}

// Whether everything the operation reads has been lowered; an operation behind a fault is passed over, so
// that one fault gives one error.
bool Builder::known(mlir::Value value) const {
  return sparse_.contains(value) || dense_.contains(value) || ints_.contains(value) || weights_.contains(value);
}

Status Builder::outputs(mlir::Operation* terminator) {
  for (const mlir::Value value : terminator->getOperands()) {
    PlanOutput output;
    OutputInfo& info = plan_.signature.outputs[plan_.outputs.size()];
    const Location where = location_of(terminator);
    if (sparse_.contains(value)) {
      const SparseValue sparse_value = sparse(value);
      use_row_order(sparse_value.support);
      output.kind = PlanOutput::Kind::sparse;
      output.support = sparse_value.support;
      output.value = in_caller_order(sparse_value.features, where);
      info.stride = stride_of(sparse_value);
    } else if (dense_.contains(value)) {
      output.kind = PlanOutput::Kind::tensor;
      output.value = in_caller_order(dense(value), where);
    } else {
      output.kind = PlanOutput::Kind::integers;
      output.integers = ints(value);
      if (output.integers.kind == IntSource::Kind::coords) use_row_order(output.integers.id);
    }
    plan_.outputs.push_back(std::move(output));
  }
  return {};
}

// What lowering has learned: dynamic channels that an operation fixed, strides of groups, output shapes.
void Builder::finish_signature() {
  Signature& signature = plan_.signature;
  for (SparseGroup& group : signature.groups) {
    group.stride = {0, 0, 0};
    for (const Support& made : plan_.supports) {
      if (made.rule != SupportRule::made || made.coords != IntSource{IntSource::Kind::argument, group.first}) continue;
      group.stride = made.stride;
      break;
    }
  }
  for (size_t i = 0; i < plan_.outputs.size(); ++i) {
    const PlanOutput& output = plan_.outputs[i];
    OutputInfo& info = signature.outputs[i];
    if (output.kind == PlanOutput::Kind::integers) continue;
    const Value& made = value(output.value);
    info.dtype = made.dtype;
    info.shape.clear();
    for (const Extent& extent : made.shape) {
      const Extent known_extent = canonical(extent);
      info.shape.push_back(known_extent.kind == Extent::Kind::fixed ? known_extent.value : -1);
    }
  }
}

// Supports whose row order matters pass that on to what their order is defined by.
void Builder::propagate_row_order() {
  for (size_t i = plan_.supports.size(); i-- > 0;) {
    const Support made = plan_.supports[i];
    if (!made.row_order_used) continue;
    if (made.from != no_id) use_row_order(made.from);
    if (made.other != no_id) use_row_order(made.other);
    if (made.coords.kind == IntSource::Kind::coords) use_row_order(made.coords.id);
  }
}

Result<Plan> Builder::run(mlir::func::FuncOp forward) {
  LATTICE_CHECK(arguments(forward));
  weights(forward);
  mlir::Block& body = forward.getBody().front();
  for (mlir::Operation& op : body.without_terminator()) {
    const auto operand_known = [&](mlir::Value value) { return known(value); };
    if (!std::all_of(op.operand_begin(), op.operand_end(), operand_known)) continue;
    const size_t before = plan_.values.size();
    const Status lowered = lower_operation(&op, *this);
    if (!lowered) {
      for (const Diagnostic& fault : lowered.error().diagnostics()) faults_.push_back(fault);
      continue;
    }
    const int64_t widest = widest_since(before);
    if (widest <= most_channels) continue;
    faults_.push_back({fmt::format("{}: {} channels, expected at most {}", ir::short_name(&op).str(), widest, most_channels),
                       location_of(&op), {}});
    break;  // what follows would add up such numbers
  }
  if (!faults_.empty()) return tl::make_unexpected(Error(Code::artifact, faults_));
  LATTICE_CHECK(outputs(body.getTerminator()));
  propagate_row_order();
  finish_signature();
  for (Value& each : plan_.values) {
    for (Extent& extent : each.shape) extent = canonical(extent);
  }
  for (const Support& each : plan_.supports) plan_.phases = std::max(plan_.phases, each.phase + 1);
  for (const PointMap& each : plan_.point_maps) plan_.phases = std::max(plan_.phases, each.phase + 1);
  return std::move(plan_);
}

Result<std::shared_ptr<const Plan>> lower(Artifact artifact) {
  LATTICE_TRY(Plan plan, Builder(artifact).run(artifact.forward()));
  plan.weights_memory = std::make_shared<SafetensorsFile>(std::move(artifact.weights_file));
  return std::make_shared<const Plan>(std::move(plan));
}

}  // namespace lattice
