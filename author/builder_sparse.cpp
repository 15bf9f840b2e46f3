// Operations that make, open and join sparse values, pools, upsampling and points.
#include <algorithm>

#include <fmt/format.h>

#include "author/builder.h"
#include "author/stride.h"
#include "base/checked.h"

namespace lattice::author {

Result<Value> GraphBuilder::make_sparse(Value coords, Value features, Value active, Triple stride,
                                        std::string_view name) {
  const Value operands[] = {coords, features, active};
  LATTICE_TRY(const OpSchema* schema, check_operands("sparse.make", operands));
  LATTICE_CHECK(check_equal(fmt::format("sparse.make: the row count of %{}", at(coords).name),
                            at(coords).shape.front(), at(features).shape.front(),
                            fmt::format("%{}", at(features).name)));
  const Attribute attributes[] = {{"stride", stride}, {"coord_order", "batch_x_y_z"}};
  return emit_one(*schema, operands, attributes,
                  {.kind = ValueKind::sparse,
                   .dtype = at(features).dtype,
                   .shape = {-1, at(features).channels()},
                   .stride = stride},
                  name);
}

Result<Value> GraphBuilder::sparse_make(Value coords, Value features, Value active, Triple stride) {
  return make_sparse(coords, features, active, stride, {});
}

Result<Decomposed> GraphBuilder::sparse_decompose(Value input) {
  const Value operands[] = {input};
  LATTICE_TRY(const OpSchema* schema, check_operands("sparse.decompose", operands));
  const ValueInfo results[] = {{.dtype = DType::i32, .shape = {-1, 4}},
                               {.dtype = at(input).dtype, .shape = {-1, at(input).channels()}},
                               {.dtype = DType::i32, .shape = {1}}};
  LATTICE_TRY(const auto values, emit(*schema, operands, {}, results));
  return Decomposed{values[0], values[1], values[2]};
}

Result<Value> GraphBuilder::sparse_with_features(Value input, Value features) {
  const Value operands[] = {input, features};
  LATTICE_TRY(const OpSchema* schema, check_operands("sparse.with_features", operands));
  ValueInfo result = at(input);
  result.shape = {-1, at(features).channels()};
  return emit_one(*schema, operands, {}, std::move(result));
}

Result<Value> GraphBuilder::sparse_reindex(Value input, Value target, float fill) {
  const Value operands[] = {input, target};
  LATTICE_TRY(const OpSchema* schema, check_operands("sparse.reindex", operands));
  LATTICE_CHECK(check_target(schema->name, target, at(input).stride));
  const Attribute attributes[] = {{"fill", fill}};
  return emit_one(*schema, operands, attributes, at(input));
}

Result<Value> GraphBuilder::sparse_binary(Value lhs, Value rhs, std::string_view op,
                                          std::string_view join, float lhs_fill, float rhs_fill) {
  const Value operands[] = {lhs, rhs};
  LATTICE_TRY(const OpSchema* schema, check_operands("sparse.binary", operands));
  LATTICE_CHECK(check_same_grid(schema->name, lhs, rhs));
  LATTICE_CHECK(
      check_equal("sparse.binary: channels of rhs", at(rhs).channels(), at(lhs).channels(), "lhs"));
  const Attribute attributes[] = {{"op", std::string(op)},
                                  {"join", std::string(join)},
                                  {"lhs_fill", lhs_fill},
                                  {"rhs_fill", rhs_fill}};
  return emit_one(*schema, operands, attributes, at(lhs));
}

Result<Value> GraphBuilder::sparse_cat(Value lhs, Value rhs, std::string_view join) {
  const Value operands[] = {lhs, rhs};
  LATTICE_TRY(const OpSchema* schema, check_operands("sparse.cat", operands));
  LATTICE_CHECK(check_same_grid(schema->name, lhs, rhs));
  ValueInfo result = at(lhs);
  const bool known = at(lhs).channels() >= 0 && at(rhs).channels() >= 0;
  if (known && at(lhs).channels() > most_channels - at(rhs).channels()) {
    return fail(Code::usage, fmt::format("sparse.cat: {} and {} channels, expected at most {} together",
                                         at(lhs).channels(), at(rhs).channels(), most_channels));
  }
  result.shape = {-1, known ? at(lhs).channels() + at(rhs).channels() : -1};
  const Attribute attributes[] = {{"join", std::string(join)}};
  return emit_one(*schema, operands, attributes, std::move(result));
}

Status GraphBuilder::check_same_grid(std::string_view op, Value lhs, Value rhs) const {
  const ValueInfo &left = at(lhs), &right = at(rhs);
  if (left.dtype != right.dtype) {
    return fail(Code::usage, fmt::format("{}: lhs %{} is {}, but rhs %{} is {}", op, left.name,
                                         name_of(left.dtype), right.name, name_of(right.dtype)));
  }
  if (left.stride != right.stride) {
    return fail(Code::usage,
                fmt::format("{}: lhs %{} has stride {}, but rhs %{} has {}", op, left.name,
                            text_of(left.stride), right.name, text_of(right.stride)));
  }
  return {};
}

// -------------------------------------------------------------------------------- pools,
// upsampling

Result<Value> GraphBuilder::pool3d(Value input, std::string_view mode, Triple kernel_size,
                                   Triple stride, Triple padding, Triple dilation) {
  const Value operands[] = {input};
  LATTICE_TRY(const OpSchema* schema, check_operands("pool3d", operands));
  ValueInfo result = at(input);
  LATTICE_TRY(result.stride, coarser(schema->name, result.stride, stride));
  const Attribute attributes[] = {{"mode", std::string(mode)},
                                  {"kernel_size", kernel_size},
                                  {"stride", stride},
                                  {"padding", padding},
                                  {"dilation", dilation}};
  return emit_one(*schema, operands, attributes, std::move(result));
}

Result<Value> GraphBuilder::pool_transpose3d(Value input, Value target, Triple kernel_size,
                                             Triple stride, Triple padding, Triple dilation) {
  const Value operands[] = {input, target};
  LATTICE_TRY(const OpSchema* schema, check_operands("pool_transpose3d", operands));
  ValueInfo result = at(input);
  LATTICE_TRY(result.stride, finer(schema->name, result.stride, stride));
  if (target) LATTICE_CHECK(check_target(schema->name, target, result.stride));
  const Attribute attributes[] = {{"kernel_size", kernel_size},
                                  {"stride", stride},
                                  {"padding", padding},
                                  {"dilation", dilation}};
  return emit_one(*schema, operands, attributes, std::move(result));
}

Result<Value> GraphBuilder::trilinear_upsample3d(Value input, Value target, Triple stride) {
  const Value operands[] = {input, target};
  LATTICE_TRY(const OpSchema* schema, check_operands("trilinear_upsample3d", operands));
  ValueInfo result = at(input);
  LATTICE_TRY(result.stride, finer(schema->name, result.stride, stride));
  if (target) LATTICE_CHECK(check_target(schema->name, target, result.stride));
  const Attribute attributes[] = {{"stride", stride}};
  return emit_one(*schema, operands, attributes, std::move(result));
}

Result<Value> GraphBuilder::global_pool(Value input, std::string_view mode, int64_t batch_size) {
  const Value operands[] = {input};
  LATTICE_TRY(const OpSchema* schema, check_operands("global_pool", operands));
  const Attribute attributes[] = {{"mode", std::string(mode)}, {"batch_size", batch_size}};
  return emit_one(*schema, operands, attributes,
                  {.dtype = at(input).dtype,
                   .shape = {std::max<int64_t>(batch_size, -1), at(input).channels()}});
}

// ---------------------------------------------------------------------------------------------
// points

Result<Value> GraphBuilder::voxelize(Value points, Value features, Value batch_indices,
                                     Value active_rows, std::array<double, 3> voxel_size,
                                     std::array<double, 3> origin, std::string_view reduction,
                                     Triple stride, std::optional<DType> dtype) {
  const Value operands[] = {points, features, batch_indices, active_rows};
  LATTICE_TRY(const OpSchema* schema, check_operands("voxelize", operands));
  const Attribute attributes[] = {{"voxel_size", voxel_size},
                                  {"origin", origin},
                                  {"reduction", std::string(reduction)},
                                  {"stride", stride}};
  return emit_one(*schema, operands, attributes,
                  {.kind = ValueKind::sparse,
                   .dtype = dtype.value_or(at(features).dtype),
                   .shape = {-1, at(features).channels()},
                   .stride = stride});
}

Result<Value> GraphBuilder::devoxelize(Value points, Value voxels, Value batch_indices,
                                       Value point_active_rows, std::array<double, 3> voxel_size,
                                       std::array<double, 3> origin, std::string_view interpolation,
                                       std::optional<DType> dtype) {
  const Value operands[] = {points, voxels, batch_indices, point_active_rows};
  LATTICE_TRY(const OpSchema* schema, check_operands("devoxelize", operands));
  const Attribute attributes[] = {{"voxel_size", voxel_size},
                                  {"origin", origin},
                                  {"interpolation", std::string(interpolation)}};
  const int64_t rows = at(points).shape.empty() ? -1 : at(points).shape.front();
  return emit_one(
      *schema, operands, attributes,
      {.dtype = dtype.value_or(at(voxels).dtype), .shape = {rows, at(voxels).channels()}});
}

} // namespace lattice::author
