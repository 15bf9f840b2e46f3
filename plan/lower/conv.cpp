// The ten convolutions: how their supports come about and which product they are (spec 4 and 5). Pools
// share the geometry and are in pool.cpp.
#include "plan/lower/geometry.h"

namespace lattice {

namespace {

// The checks and the step every convolution ends in, once its target support and relation are known.
struct Product {
  SupportId target = no_id;
  RelationUse relation;   // id == no_id: a plain product on the rows
  bool normalized = false;
  float eps = 0;
};

// Weight against kernel, input and bias. Shapes: dense (O, Kx, Ky, Kz, I); packed pointwise (1, O, Ipacked),
// packed spatial (K, Ipacked, O), input channels padded to whole groups.
Result<int64_t> output_channels(mlir::Operation* op, Builder& plan, WeightId id, const Triple& kernel, ValueId input) {
  const Weight& weight = plan.weight_of(id);
  const Shape& shape = weight.data.shape;
  const std::string& key = weight.storage_key;
  const int64_t volume = kernel[0] * kernel[1] * kernel[2];
  if (weight.bits == 0) {
    if (shape[1] != kernel[0] || shape[2] != kernel[1] || shape[3] != kernel[2]) {
      return plan.refuse(op, "weight \"{}\" is {} in weights.safetensors (Cout, Kx, Ky, Kz, Cin), but kernel_size is {}",
                         key, text_of(shape), text_of(kernel));
    }
    LATTICE_CHECK(plan.require_equal(op, plan.channels_of(input), Extent::fixed(shape[4]),
                                     fmt::format("weight \"{}\" is {} (Cout, Kx, Ky, Kz, Cin): channels of the input",
                                                 key, text_of(shape))));
    return shape[0];
  }
  const bool pointwise = volume == 1;
  const int64_t outputs = pointwise ? shape[1] : shape[2];
  const int64_t words = pointwise ? shape[2] : shape[1];
  const int64_t groups = pointwise ? weight.scales.shape[2] : weight.scales.shape[1];
  const int64_t scale_outputs = pointwise ? weight.scales.shape[1] : weight.scales.shape[2];
  const char* layout = pointwise ? "(1, Cout, words)" : "(kernel rows, words, Cout)";
  if (shape[0] != volume || weight.scales.shape[0] != volume) {
    return plan.refuse(op, "packed weight \"{}\" is {} {}, but kernel_size {} has {} kernel rows", key, text_of(shape),
                       layout, text_of(kernel), volume);
  }
  LATTICE_CHECK(check_packed(op, plan, weight, layout, outputs, words, groups, scale_outputs, input));
  return outputs;
}

Status check_bias(mlir::Operation* op, Builder& plan, WeightId bias, int64_t channels) {
  if (bias == no_id) return {};
  const Weight& weight = plan.weight_of(bias);
  if (weight.data.shape[0] == channels) return {};
  return plan.refuse(op, "bias \"{}\" has {} values in weights.safetensors, but the weight gives {} output channels",
                     weight.storage_key, weight.data.shape[0], channels);
}

template <class ConvOp>
Status finish(ConvOp op, Builder& plan, const Triple& kernel, const Product& product) {
  const SparseValue input = plan.sparse(op.getInput());
  const WeightId weight = plan.weight(op.getWeight());
  const WeightId bias = plan.weight(op.getBias());
  LATTICE_TRY(const int64_t channels, output_channels(op, plan, weight, kernel, input.features));
  LATTICE_CHECK(check_bias(op, plan, bias, channels));
  const DType dtype = plan.value(input.features).dtype;
  const ValueId y = plan.add_rows_of(product.target, dtype, Extent::fixed(channels), Builder::location_of(op));
  const std::string& key = plan.weight_of(weight).storage_key;
  if (product.relation.id == no_id) {
    plan.add_step(op, RowsMatmul{input.features, y, weight, bias, {}}, key);
  } else {
    plan.add_step(op,
                  RelationMatmul{input.features, y, product.relation, weight, bias, product.normalized, product.eps, {}},
                  key, plan.phase_of(product.relation));
  }
  plan.set(op.getResult(), SparseValue{product.target, y});
  return {};
}

// K = 1, S = 1, P = 0 reads the row itself whatever the dilation: a plain product, unless it is normalized.
// A normalized one is plain only if the dilation is 1 too (spec 5).
bool is_pointwise(const ir::Geometry& geometry) {
  return geometry.kernel_size == Triple{1, 1, 1} && geometry.stride == Triple{1, 1, 1} &&
         geometry.padding == Triple{0, 0, 0};
}
bool is_plain(const ir::Geometry& geometry) { return is_pointwise(geometry) && geometry.dilation == Triple{1, 1, 1}; }

template <class ConvOp>
Product normalized_product(ConvOp op, const ir::Geometry& geometry) {
  Product product;
  if constexpr (requires { op.getEps(); }) {
    product.normalized = !is_plain(geometry);
    product.eps = op.getEps();
  }
  return product;
}

template <class ConvOp>
Status lower_conv(ConvOp op, Builder& plan, Direction direction, std::optional<SparseValue> target) {
  const ir::Geometry geometry = ir::geometry(op);
  const SparseValue input = plan.sparse(op.getInput());
  const bool forward = direction == Direction::forward;
  Product product = normalized_product(op, geometry);
  LATTICE_TRY(product.target, forward ? forward_target(op, plan, input, target, geometry)
                                      : transposed_target(op, plan, input, target, geometry));
  if (product.target != input.support || !is_pointwise(geometry) || product.normalized) {
    const SupportId fine = forward ? input.support : product.target;
    const SupportId coarse = forward ? product.target : input.support;
    product.relation = plan.relation(fine, coarse, geometry, forward ? forward_base(geometry) : transposed_base(geometry),
                                     direction, Builder::location_of(op));
  }
  return finish(op, plan, geometry.kernel_size, product);
}

}  // namespace

Status lower(ir::Conv3dOp op, Builder& plan) { return lower_conv(op, plan, Direction::forward, std::nullopt); }
Status lower(ir::SubmConv3dOp op, Builder& plan) { return lower_conv(op, plan, Direction::forward, std::nullopt); }
Status lower(ir::NormalizedSubmConv3dOp op, Builder& plan) {
  return lower_conv(op, plan, Direction::forward, std::nullopt);
}
Status lower(ir::TargetConv3dOp op, Builder& plan) {
  return lower_conv(op, plan, Direction::forward, plan.sparse(op.getTarget()));
}

Status lower(ir::ConvTranspose3dOp op, Builder& plan) {
  return lower_conv(op, plan, Direction::transposed, std::nullopt);
}
Status lower(ir::NormalizedConvTranspose3dOp op, Builder& plan) {
  return lower_conv(op, plan, Direction::transposed, std::nullopt);
}
Status lower(ir::GenerativeConvTranspose3dOp op, Builder& plan) {
  return lower_conv(op, plan, Direction::transposed, std::nullopt);
}
Status lower(ir::NormalizedGenerativeConvTranspose3dOp op, Builder& plan) {
  return lower_conv(op, plan, Direction::transposed, std::nullopt);
}
Status lower(ir::TargetConvTranspose3dOp op, Builder& plan) {
  return lower_conv(op, plan, Direction::transposed, plan.sparse(op.getTarget()));
}
Status lower(ir::TargetNormalizedConvTranspose3dOp op, Builder& plan) {
  return lower_conv(op, plan, Direction::transposed, plan.sparse(op.getTarget()));
}

}  // namespace lattice
