// Operations on feature matrices: they keep the rows of their operand, and so the order those stand in.
#include "plan/lower/geometry.h"

namespace lattice {

namespace {

// A result with the shape and row order of x, or with other channels.
ValueId like(Builder& plan, ValueId x, const Location& where) {
  const Value source = plan.value(x);
  return plan.add_value(source.dtype, source.shape, source.rows_of, where);
}
ValueId like(Builder& plan, ValueId x, int64_t channels, const Location& where) {
  const Value source = plan.value(x);
  return plan.add_value(source.dtype, {source.shape[0], Extent::fixed(channels)}, source.rows_of, where);
}

// A channel or bias weight has one value for each channel of x.
Status check_channels(mlir::Operation* op, Builder& plan, WeightId id, const char* role, ValueId x) {
  const Weight& weight = plan.weight_of(id);
  return plan.require_equal(op, plan.channels_of(x), Extent::fixed(weight.data.shape[0]),
                            fmt::format("{} \"{}\" has {} values: channels of the input", role, weight.storage_key,
                                        weight.data.shape[0]));
}

}  // namespace

Status lower(ir::WeightOp, Builder&) { return {}; }  // the builder knows all weights from the artifact

Status lower(ir::LinearOp op, Builder& plan) {
  const Location where = Builder::location_of(op);
  const ValueId x = plan.dense(op.getInput());
  const WeightId id = plan.weight(op.getWeight());
  const WeightId bias = plan.weight(op.getBias());
  const Weight& weight = plan.weight_of(id);
  const Shape& shape = weight.data.shape;
  int64_t outputs = 0;
  if (weight.bits == 0) {
    outputs = shape[0];
    LATTICE_CHECK(plan.require_equal(
        op, plan.channels_of(x), Extent::fixed(shape[1]),
        fmt::format("weight \"{}\" is {} (O, I): channels of the input", weight.storage_key, text_of(shape))));
  } else {
    outputs = shape[1];
    if (shape[0] != 1 || weight.scales.shape[0] != 1) {
      return plan.refuse(op, "packed weight \"{}\" is {}, expected (1, O, words)", weight.storage_key, text_of(shape));
    }
    LATTICE_CHECK(check_packed(op, plan, weight, "(1, O, words)", outputs, shape[2], weight.scales.shape[2],
                               weight.scales.shape[1], x));
  }
  if (bias != no_id && plan.weight_of(bias).data.shape[0] != outputs) {
    return plan.refuse(op, "bias \"{}\" has {} values, but weight \"{}\" gives {} outputs",
                       plan.weight_of(bias).storage_key, plan.weight_of(bias).data.shape[0], weight.storage_key,
                       outputs);
  }
  const ValueId y = like(plan, x, outputs, where);
  plan.add_step(op, RowsMatmul{x, y, id, bias, {}}, plan.weight_of(id).storage_key);
  return plan.set(op.getResult(), y);
}

Status lower(ir::EmbeddingLookupOp op, Builder& plan) {
  const Location where = Builder::location_of(op);
  const WeightId id = plan.weight(op.getWeight());
  const IntSource indices = plan.ints(op.getIndices());
  const auto type = mlir::cast<mlir::RankedTensorType>(op.getResult().getType());
  const ValueId y =
      plan.add_value(dtype_of(type.getElementType()),
                     {plan.rows_of_ints(indices), Extent::fixed(plan.weight_of(id).data.shape[1])}, no_id, where);
  plan.add_step(op, EmbeddingLookup{indices, id, y}, plan.weight_of(id).storage_key, plan.phase_of(indices));
  return plan.set(op.getResult(), y);
}

Status lower(ir::ElementwiseOp op, Builder& plan) {
  const ValueId x = plan.dense(op.getInput());
  const ValueId y = like(plan, x, Builder::location_of(op));
  plan.add_step(op, Elementwise{x, y, op.getKind() == "exp" ? ElementwiseKind::exp : ElementwiseKind::round});
  return plan.set(op.getResult(), y);
}

Status lower(ir::SoftmaxOp op, Builder& plan) {
  const ValueId x = plan.dense(op.getInput());
  const ValueId y = like(plan, x, Builder::location_of(op));
  plan.add_step(op, Softmax{x, y});
  return plan.set(op.getResult(), y);
}

Status lower(ir::ActivationOp op, Builder& plan) {
  const ValueId x = plan.dense(op.getInput());
  const ValueId y = like(plan, x, Builder::location_of(op));
  EpilogueOp entry;
  entry.kind = EpilogueOp::Kind::activation;
  entry.activation = choice<ActivationKind>(op.getKind());
  entry.approximate = choice<GeluApprox>(op.getApproximate());
  entry.alpha = op.getAlpha();
  entry.beta = op.getBeta();
  entry.threshold = op.getThreshold();
  entry.where = Builder::location_of(op);
  plan.add_step(op, RowwiseOp{x, y, entry});
  return plan.set(op.getResult(), y);
}

Status lower(ir::BatchNormOp op, Builder& plan) {
  const ValueId x = plan.dense(op.getInput());
  EpilogueOp entry;
  entry.kind = EpilogueOp::Kind::batch_norm;
  entry.scale = plan.weight(op.getScale());
  entry.bias = plan.weight(op.getBias());
  entry.mean = plan.weight(op.getMean());
  entry.var = plan.weight(op.getVar());
  entry.eps = op.getEps();
  entry.where = Builder::location_of(op);
  LATTICE_CHECK(check_channels(op, plan, entry.scale, "scale", x));
  LATTICE_CHECK(check_channels(op, plan, entry.bias, "bias", x));
  LATTICE_CHECK(check_channels(op, plan, entry.mean, "mean", x));
  LATTICE_CHECK(check_channels(op, plan, entry.var, "var", x));
  const ValueId y = like(plan, x, entry.where);
  const std::string key = plan.weight_of(entry.scale).storage_key;
  plan.add_step(op, RowwiseOp{x, y, entry}, key);
  return plan.set(op.getResult(), y);
}

Status lower(ir::LayerNormOp op, Builder& plan) {
  const ValueId x = plan.dense(op.getInput());
  const WeightId scale = plan.weight(op.getScale());
  const WeightId bias = plan.weight(op.getBias());
  LATTICE_CHECK(check_channels(op, plan, scale, "scale", x));
  LATTICE_CHECK(check_channels(op, plan, bias, "bias", x));
  const ValueId y = like(plan, x, Builder::location_of(op));
  plan.add_step(op, LayerNorm{x, y, scale, bias, op.getEps()}, plan.weight_of(scale).storage_key);
  return plan.set(op.getResult(), y);
}

Status lower(ir::RmsNormOp op, Builder& plan) {
  const ValueId x = plan.dense(op.getInput());
  const WeightId scale = plan.weight(op.getScale());
  LATTICE_CHECK(check_channels(op, plan, scale, "scale", x));
  const ValueId y = like(plan, x, Builder::location_of(op));
  plan.add_step(op, RmsNorm{x, y, scale, op.getEps()}, plan.weight_of(scale).storage_key);
  return plan.set(op.getResult(), y);
}

}  // namespace lattice
