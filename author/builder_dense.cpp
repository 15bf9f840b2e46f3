// Operations on features, and weights. On a sparse value an operation on features is decompose, the
// operation, with_features: the format has no other way to say it.
#include <algorithm>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "author/builder.h"
#include "author/quantize.h"
#include "base/checked.h"
#include "base/f16.h"
#include "base/tensor.h"
#include "base/utf8.h"

namespace lattice::author {
namespace {

// What the weights file holds of a family. Which families there are, the .td says.
size_t rank_of(std::string_view family) {
  if (family == "conv3d") return 5;
  return family == "linear" || family == "embedding" ? 2 : 1;
}

Result<Tensor> dense_tensor(std::string_view key, const Shape& shape, std::span<const float> data,
                            DType dtype) {
  LATTICE_TRY(Tensor tensor, make_tensor(dtype, shape));
  if (dtype == DType::f32) {
    std::ranges::copy(data, reinterpret_cast<float*>(tensor.storage.get()));
    return tensor;
  }
  auto* half = reinterpret_cast<uint16_t*>(tensor.storage.get());
  for (size_t i = 0; i < data.size(); ++i) {
    half[i] = f16_from_f32(data[i]);
    if ((half[i] & 0x7fffu) == 0x7c00u && data[i] <= std::numeric_limits<float>::max() &&
        data[i] >= std::numeric_limits<float>::lowest()) {
      return fail(Code::usage, fmt::format("weight \"{}\": element {} is {}, too large for f16",
                                           key, i, data[i]));
    }
  }
  return tensor;
}

} // namespace

// --------------------------------------------------------------------------------------------
// weights

Result<Value> GraphBuilder::weight(std::string_view storage_key, std::string_view family,
                                   const Shape& shape, std::span<const float> data,
                                   const WeightOptions& options) {
  const OpSchema* schema = op_schema_named("weight");
  const std::string key(storage_key);
  const auto refuse = [&](std::string_view text) {
    return fail(Code::usage, fmt::format("weight \"{}\": {}", key, text));
  };
  if (key.empty()) return fail(Code::usage, "weight: the storage key is empty");
  if (first_invalid_utf8(key) != std::string::npos)
    return fail(Code::usage, "weight: the storage key is not valid UTF-8");
  if (schema == nullptr) return fail(Code::internal, "the dialect has no operation weight");

  // One layout for each family, named after it: conv3d_o_xyz_i.
  const auto layouts = std::ranges::find(schema->attributes, "layout", &AttributeSchema::name);
  std::string_view layout;
  if (layouts != schema->attributes.end()) {
    for (const std::string_view word : layouts->words)
      if (word.starts_with(fmt::format("{}_", family))) layout = word;
  }
  if (layout.empty()) return refuse(fmt::format("unknown family {}", family));
  if (options.dtype != DType::f32 && options.dtype != DType::f16) {
    return refuse(fmt::format("dtype {}, expected f32 or f16", name_of(options.dtype)));
  }
  const auto elements = checked_product(shape);
  if (shape.size() != rank_of(family) || !elements) {
    return refuse(fmt::format("shape {}, expected {} dimensions for a {} weight", text_of(shape),
                              rank_of(family), family));
  }
  if (*elements != static_cast<int64_t>(data.size())) {
    return refuse(fmt::format("{} numbers, but the shape {} holds {}", data.size(), text_of(shape),
                              *elements));
  }

  // Everything that can fail comes before anything is added.
  std::string packing = "dense";
  std::vector<Stored> tensors;
  if (options.bits == 0) {
    LATTICE_TRY(Tensor tensor, dense_tensor(key, shape, data, options.dtype));
    tensors.push_back({key, std::move(tensor)});
  } else {
    auto packed =
        quantize_affine(shape, data, options.bits, options.group_size, options.scale_dtype);
    if (!packed) return refuse(packed.error().diagnostics().front().message);
    packing = fmt::format("int{}, group_size = {}, scale_dtype = {}, mode = affine", options.bits,
                          options.group_size, name_of(options.scale_dtype));
    tensors.push_back({key + ".weight", std::move(packed->codes)});
    tensors.push_back({key + ".scales", std::move(packed->scales)});
    tensors.push_back({key + ".biases", std::move(packed->biases)});
  }
  if (weight_keys_.contains(key)) return refuse("the key is taken");
  for (const Stored& tensor : tensors)
    if (stored_keys_.contains(tensor.key))
      return refuse(fmt::format("the key \"{}\" is taken", tensor.key));

  const std::string symbol = free_name(key);
  const Attribute attributes[] = {{"sym_name", symbol},
                                  {"storage_key", key},
                                  {"layout", std::string(layout)},
                                  {"packing", packing}};
  LATTICE_TRY(const Value value, emit_one(*schema, {}, attributes,
                                          {.kind = ValueKind::weight,
                                           .dtype = options.dtype,
                                           .shape = shape,
                                           .family = std::string(family),
                                           .packed = options.bits != 0},
                                          symbol));
  weight_keys_.insert(key);
  for (Stored& tensor : tensors) {
    stored_keys_.insert(tensor.key);
    stored_.push_back(std::move(tensor));
  }
  parameters_ += *elements;
  return value;
}

// -------------------------------------------------------------------------------------------
// features

template <class ResultOf>
Result<Value> GraphBuilder::rowwise(std::string_view op, std::vector<Value> operands,
                                    std::initializer_list<Attribute> attributes,
                                    ResultOf result_of) {
  const Value input = operands[0];
  LATTICE_CHECK(check_handle(fmt::format("{}: input", op), input));
  const bool sparse = at(input).kind == ValueKind::sparse;
  const size_t before = values_.size();
  if (sparse) {
    LATTICE_TRY(const Decomposed parts, sparse_decompose(input));
    operands[0] = parts.features;
  }
  const auto run = [&]() -> Result<Value> {
    LATTICE_TRY(const OpSchema* schema, check_operands(op, operands));
    LATTICE_TRY(ValueInfo result, std::invoke(result_of, *this, *schema, operands));
    LATTICE_TRY(const Value value,
                emit_one(*schema, operands, std::span(attributes.begin(), attributes.size()),
                         std::move(result)));
    if (sparse) return sparse_with_features(input, value);
    return value;
  };
  auto value = run();
  if (!value && sparse) { // take the decompose back
    for (size_t i = before; i < values_.size(); ++i) names_.erase(values_[i].name);
    values_.resize(before);
    lines_.pop_back();
    operations_.pop_back();
  }
  return value;
}

// The result is like the input, whose channels every weight must have.
Result<ValueInfo> GraphBuilder::like_input(const OpSchema& schema,
                                           std::span<const Value> operands) const {
  for (size_t i = 1; i < operands.size(); ++i) {
    const ValueInfo &input = at(operands[0]), &weight = at(operands[i]);
    LATTICE_CHECK(check_equal(fmt::format("{}: the length of {} (%{})", schema.name,
                                          schema.operands[i].name, weight.name),
                              weight.shape[0], input.channels(),
                              fmt::format("the input %{}", input.name)));
  }
  return at(operands[0]);
}

Result<Value> GraphBuilder::linear(Value input, Value weight, Value bias) {
  return rowwise(
      "linear", {input, weight, bias}, {},
      [&](const GraphBuilder&, const OpSchema&,
          std::span<const Value> operands) -> Result<ValueInfo> {
        ValueInfo result = at(operands[0]);
        const ValueInfo& matrix = at(weight);
        LATTICE_CHECK(check_equal(
            fmt::format("linear: the input size of the weight %{}", matrix.name), matrix.shape[1],
            result.channels(), fmt::format("the input %{}", result.name)));
        if (bias) {
          LATTICE_CHECK(check_equal(
              fmt::format("linear: the length of the bias %{}", at(bias).name), at(bias).shape[0],
              matrix.shape[0], fmt::format("the output of the weight %{}", matrix.name)));
        }
        if (!result.shape.empty()) result.shape.back() = matrix.shape[0];
        return result;
      });
}

Result<Value> GraphBuilder::elementwise(Value input, std::string_view kind) {
  return rowwise("elementwise", {input}, {{"kind", std::string(kind)}}, &GraphBuilder::like_input);
}

Result<Value> GraphBuilder::softmax(Value input, int64_t axis) {
  return rowwise("softmax", {input}, {{"axis", axis}}, &GraphBuilder::like_input);
}

Result<Value> GraphBuilder::activation(Value input, std::string_view kind,
                                       std::string_view approximate, float alpha, float beta,
                                       float threshold) {
  return rowwise("activation", {input},
                 {{"kind", std::string(kind)},
                  {"approximate", std::string(approximate)},
                  {"alpha", alpha},
                  {"beta", beta},
                  {"threshold", threshold}},
                 &GraphBuilder::like_input);
}

Result<Value> GraphBuilder::batch_norm(Value input, Value scale, Value bias, Value mean, Value var,
                                       float eps) {
  return rowwise("batch_norm", {input, scale, bias, mean, var}, {{"eps", eps}},
                 &GraphBuilder::like_input);
}

Result<Value> GraphBuilder::layer_norm(Value input, Value scale, Value bias, float eps) {
  return rowwise("layer_norm", {input, scale, bias}, {{"eps", eps}}, &GraphBuilder::like_input);
}

Result<Value> GraphBuilder::rms_norm(Value input, Value scale, float eps) {
  return rowwise("rms_norm", {input, scale}, {{"eps", eps}}, &GraphBuilder::like_input);
}

Result<Value> GraphBuilder::embedding_lookup(Value indices, Value weight,
                                             std::optional<DType> dtype) {
  const Value operands[] = {indices, weight};
  LATTICE_TRY(const OpSchema* schema, check_operands("embedding_lookup", operands));
  const int64_t rows = at(indices).shape.empty() ? -1 : at(indices).shape.front();
  return emit_one(
      *schema, operands, {},
      {.dtype = dtype.value_or(at(weight).dtype), .shape = {rows, at(weight).shape[1]}});
}

} // namespace lattice::author
