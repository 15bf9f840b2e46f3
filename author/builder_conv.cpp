// The ten convolutions. They differ in support and normalization; what they need is listed in the
// .td.
#include <algorithm>

#include <fmt/format.h>

#include "author/builder.h"
#include "author/stride.h"
#include "base/checked.h"

namespace lattice::author {
namespace {

Status check_stride(std::string_view op, const Triple& stride) {
  if (std::ranges::all_of(stride, [](int64_t step) { return step >= 1; })) return {};
  return fail(Code::usage,
              fmt::format("{}: stride {}, expected at least 1 on every axis", op, text_of(stride)));
}

} // namespace

Result<Triple> coarser(std::string_view op, const Triple& value, const Triple& by) {
  LATTICE_CHECK(check_stride(op, by));
  Triple result{};
  for (size_t axis = 0; axis < 3; ++axis) {
    const auto product = checked_mul(value[axis], by[axis]);
    if (!product)
      return fail(Code::usage, fmt::format("{}: stride {} times {} is too large", op,
                                           text_of(value), text_of(by)));
    result[axis] = *product;
  }
  return result;
}

Result<Triple> finer(std::string_view op, const Triple& value, const Triple& by) {
  LATTICE_CHECK(check_stride(op, by));
  Triple result{};
  for (size_t axis = 0; axis < 3; ++axis) {
    if (value[axis] % by[axis] != 0) {
      return fail(Code::usage, fmt::format("{}: the input's stride {} cannot be divided by {}", op,
                                           text_of(value), text_of(by)));
    }
    result[axis] = value[axis] / by[axis];
  }
  return result;
}

enum class Towards { coarse, fine };

struct GraphBuilder::ConvCall {
  std::string_view op;
  Towards towards = Towards::coarse;
  Value input, weight, bias;
  Value target{};
  bool has_target = false;
  Triple stride{1, 1, 1};
  Triple padding{0, 0, 0};
  Triple dilation{1, 1, 1};
  float eps = 0;
};

Result<Value> GraphBuilder::convolution(const ConvCall& call) {
  std::vector<Value> operands{call.input};
  if (call.has_target) operands.push_back(call.target);
  operands.insert(operands.end(), {call.weight, call.bias});
  LATTICE_TRY(const OpSchema* schema, check_operands(call.op, operands));

  const ValueInfo& weight = at(call.weight);
  ValueInfo result = at(call.input);
  LATTICE_CHECK(check_equal(fmt::format("{}: Cin of the weight %{}", call.op, weight.name),
                            weight.shape[4], result.channels(),
                            fmt::format("the input %{}", result.name)));
  if (call.bias) {
    LATTICE_CHECK(
        check_equal(fmt::format("{}: the length of the bias %{}", call.op, at(call.bias).name),
                    at(call.bias).shape[0], weight.shape[0],
                    fmt::format("Cout of the weight %{}", weight.name)));
  }
  const auto step = call.towards == Towards::coarse ? coarser : finer;
  LATTICE_TRY(result.stride, step(call.op, result.stride, call.stride));
  if (call.has_target) LATTICE_CHECK(check_target(call.op, call.target, result.stride));
  result.shape = {-1, weight.shape[0]};

  // Everything a convolution can have; the .td says which of it this one has.
  std::vector<Attribute> attributes = {
      {"kernel_size", Triple{weight.shape[1], weight.shape[2], weight.shape[3]}},
      {"stride", call.stride},
      {"padding", call.padding},
      {"dilation", call.dilation},
      {"eps", call.eps},
      {"accumulation", "canonical_f32"}};
  std::erase_if(attributes, [&](const Attribute& attribute) {
    return std::ranges::find(schema->attributes, attribute.name, &AttributeSchema::name) ==
           schema->attributes.end();
  });
  return emit_one(*schema, operands, attributes, std::move(result));
}

Result<Value> GraphBuilder::conv3d(Value input, Value weight, Value bias, Triple stride,
                                   Triple padding, Triple dilation) {
  return convolution({.op = "conv3d",
                      .input = input,
                      .weight = weight,
                      .bias = bias,
                      .stride = stride,
                      .padding = padding,
                      .dilation = dilation});
}

Result<Value> GraphBuilder::subm_conv3d(Value input, Value weight, Value bias, Triple dilation) {
  return convolution(
      {.op = "subm_conv3d", .input = input, .weight = weight, .bias = bias, .dilation = dilation});
}

Result<Value> GraphBuilder::normalized_subm_conv3d(Value input, Value weight, Value bias,
                                                   Triple dilation, float eps) {
  return convolution({.op = "normalized_subm_conv3d",
                      .input = input,
                      .weight = weight,
                      .bias = bias,
                      .dilation = dilation,
                      .eps = eps});
}

Result<Value> GraphBuilder::target_conv3d(Value input, Value target, Value weight, Value bias,
                                          Triple stride, Triple padding, Triple dilation) {
  return convolution({.op = "target_conv3d",
                      .input = input,
                      .weight = weight,
                      .bias = bias,
                      .target = target,
                      .has_target = true,
                      .stride = stride,
                      .padding = padding,
                      .dilation = dilation});
}

Result<Value> GraphBuilder::conv_transpose3d(Value input, Value weight, Value bias, Triple stride,
                                             Triple padding, Triple dilation) {
  return convolution({.op = "conv_transpose3d",
                      .towards = Towards::fine,
                      .input = input,
                      .weight = weight,
                      .bias = bias,
                      .stride = stride,
                      .padding = padding,
                      .dilation = dilation});
}

Result<Value> GraphBuilder::target_conv_transpose3d(Value input, Value target, Value weight,
                                                    Value bias, Triple stride, Triple padding,
                                                    Triple dilation) {
  return convolution({.op = "target_conv_transpose3d",
                      .towards = Towards::fine,
                      .input = input,
                      .weight = weight,
                      .bias = bias,
                      .target = target,
                      .has_target = true,
                      .stride = stride,
                      .padding = padding,
                      .dilation = dilation});
}

Result<Value> GraphBuilder::normalized_conv_transpose3d(Value input, Value weight, Value bias,
                                                        Triple stride, Triple padding,
                                                        Triple dilation, float eps) {
  return convolution({.op = "normalized_conv_transpose3d",
                      .towards = Towards::fine,
                      .input = input,
                      .weight = weight,
                      .bias = bias,
                      .stride = stride,
                      .padding = padding,
                      .dilation = dilation,
                      .eps = eps});
}

Result<Value> GraphBuilder::target_normalized_conv_transpose3d(Value input, Value target,
                                                               Value weight, Value bias,
                                                               Triple stride, Triple padding,
                                                               Triple dilation, float eps) {
  return convolution({.op = "target_normalized_conv_transpose3d",
                      .towards = Towards::fine,
                      .input = input,
                      .weight = weight,
                      .bias = bias,
                      .target = target,
                      .has_target = true,
                      .stride = stride,
                      .padding = padding,
                      .dilation = dilation,
                      .eps = eps});
}

Result<Value> GraphBuilder::generative_conv_transpose3d(Value input, Value weight, Value bias,
                                                        Triple stride) {
  return convolution({.op = "generative_conv_transpose3d",
                      .towards = Towards::fine,
                      .input = input,
                      .weight = weight,
                      .bias = bias,
                      .stride = stride});
}

Result<Value> GraphBuilder::normalized_generative_conv_transpose3d(Value input, Value weight,
                                                                   Value bias, Triple stride,
                                                                   float eps) {
  return convolution({.op = "normalized_generative_conv_transpose3d",
                      .towards = Towards::fine,
                      .input = input,
                      .weight = weight,
                      .bias = bias,
                      .stride = stride,
                      .eps = eps});
}

} // namespace lattice::author
