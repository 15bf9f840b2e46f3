// Supports of forward and transposed operations; see geometry.h.
#include "plan/lower/geometry.h"

#include "base/checked.h"

namespace lattice {

namespace {

// stride * factor per axis, refused when it leaves 64 bits.
Result<Triple> multiplied(mlir::Operation* op, Builder& plan, const Triple& stride, const Triple& factor) {
  Triple product{};
  for (size_t axis = 0; axis < 3; ++axis) {
    const auto value = checked_mul(stride[axis], factor[axis]);
    if (!value) {
      return plan.refuse(op, "the input's stride {} times stride {} does not fit 64 bits", text_of(stride),
                         text_of(factor));
    }
    product[axis] = *value;
  }
  return product;
}

// stride / factor per axis, refused when it does not divide.
Result<Triple> divided(mlir::Operation* op, Builder& plan, const Triple& stride, const Triple& factor) {
  Triple quotient{};
  for (size_t axis = 0; axis < 3; ++axis) {
    if (stride[axis] % factor[axis] != 0) {
      return plan.refuse(op, "stride {} does not divide the input's stride {}", text_of(factor), text_of(stride));
    }
    quotient[axis] = stride[axis] / factor[axis];
  }
  return quotient;
}

Status check_target(mlir::Operation* op, Builder& plan, SparseValue input, SparseValue target, const Triple& expected) {
  if (plan.stride_of(target) == expected) return {};
  return plan.refuse(op, "the target has stride {}, expected {} from the input's stride {}",
                     text_of(plan.stride_of(target)), text_of(expected), text_of(plan.stride_of(input)));
}

}  // namespace

Result<SupportId> forward_target(mlir::Operation* op, Builder& plan, SparseValue input,
                                 std::optional<SparseValue> target, const ir::Geometry& geometry) {
  LATTICE_TRY(const Triple stride, multiplied(op, plan, plan.stride_of(input), geometry.stride));
  if (target) {
    LATTICE_CHECK(check_target(op, plan, input, *target, stride));
    return target->support;
  }
  if (geometry.stride == Triple{1, 1, 1}) return input.support;
  Support definition;
  definition.rule = SupportRule::floor;
  definition.from = input.support;
  definition.kernel_stride = geometry.stride;
  definition.stride = stride;
  definition.where = Builder::location_of(op);
  return plan.add_support(std::move(definition));
}

Result<SupportId> transposed_target(mlir::Operation* op, Builder& plan, SparseValue input,
                                    std::optional<SparseValue> target, const ir::Geometry& geometry) {
  LATTICE_TRY(const Triple stride, divided(op, plan, plan.stride_of(input), geometry.stride));
  if (target) {
    LATTICE_CHECK(check_target(op, plan, input, *target, stride));
    return target->support;
  }
  if (geometry.kernel_size == Triple{1, 1, 1} && geometry.stride == Triple{1, 1, 1} &&
      geometry.padding == Triple{0, 0, 0}) {
    return input.support;
  }
  Support definition;
  definition.rule = SupportRule::transposed;
  definition.from = input.support;
  definition.kernel_size = geometry.kernel_size;
  definition.kernel_stride = geometry.stride;
  definition.padding = geometry.padding;
  definition.dilation = geometry.dilation;
  definition.stride = stride;
  definition.where = Builder::location_of(op);
  return plan.add_support(std::move(definition));
}

Status check_packed(mlir::Operation* op, Builder& plan, const Weight& weight, const char* layout, int64_t outputs,
                    int64_t words, int64_t groups, int64_t scale_outputs, ValueId input) {
  const std::string& key = weight.storage_key;
  if (scale_outputs != outputs) {
    return plan.refuse(op, "packed weight \"{}\" has codes {} {} for {} output channels, but scales {} for {}", key,
                       text_of(weight.data.shape), layout, outputs, text_of(weight.scales.shape), scale_outputs);
  }
  const int64_t codes_per_word = 32 / weight.bits;
  const auto stored = checked_mul(words, codes_per_word);
  if (!stored || *stored % weight.group_size != 0 || *stored / weight.group_size != groups) {
    return plan.refuse(op, "packed weight \"{}\" has {} words of codes an output, but {} groups of {} in its scales {}",
                       key, words, groups, weight.group_size, text_of(weight.scales.shape));
  }
  const Extent channels = plan.channels_of(input);
  if (channels.kind != Extent::Kind::fixed) {
    return plan.refuse(op, "packed weight \"{}\" needs an input with a declared number of channels", key);
  }
  const int64_t wanted = (channels.value + weight.group_size - 1) / weight.group_size;
  if (wanted != groups) {
    return plan.refuse(op, "packed weight \"{}\" holds {} groups of {} input channels, but the input has {} channels",
                       key, groups, weight.group_size, channels.value);
  }
  return {};
}

}  // namespace lattice
