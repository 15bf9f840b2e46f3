// Building and running of plan_under_test.h.
#include "kernels/reference/plan_under_test.h"

#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "base/f16.h"
#include "base/tensor.h"

namespace lattice::testing {

namespace {

std::vector<std::byte> stored(DType dtype, const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * static_cast<size_t>(size_of(dtype)));
  for (size_t i = 0; i < values.size(); ++i) {
    const uint16_t half = f16_from_f32(values[i]);
    if (dtype == DType::f16) std::memcpy(&bytes[2 * i], &half, 2);
    if (dtype == DType::f32) std::memcpy(&bytes[4 * i], &values[i], 4);
  }
  return bytes;
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::vector<float> floats_of(const Tensor& tensor) {
  std::vector<float> values;
  for (int64_t i = 0; i < elements_of(tensor.shape); ++i) {
    values.push_back(tensor.dtype == DType::f16 ? f32_from_f16(tensor.as<uint16_t>()[i])
                                                : tensor.as<float>()[i]);
  }
  return values;
}

} // namespace

std::map<Row, float> Rows::by_coord() const {
  std::map<Row, float> map;
  for (size_t i = 0; i < coords.size(); ++i)
    map[coords[i]] = values[i * static_cast<size_t>(channels)];
  return map;
}

std::vector<float> ones(int64_t count) {
  return std::vector<float>(static_cast<size_t>(count), 1.0f);
}

std::vector<float> random_values(int64_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(-1.0f, 1.0f);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = distribution(generator);
  return values;
}

int32_t PlanUnderTest::argument(DType dtype, Shape shape, std::vector<std::byte> bytes) {
  arguments_.push_back({dtype, std::move(shape), std::move(bytes)});
  return static_cast<int32_t>(arguments_.size()) - 1;
}

SparseValue PlanUnderTest::input(std::vector<Row> coords, std::vector<float> features,
                                 Triple stride, DType dtype, int64_t active) {
  const int64_t rows = static_cast<int64_t>(coords.size());
  const int64_t cols = rows == 0 ? 1 : static_cast<int64_t>(features.size()) / rows;
  const SupportId support_id = made(std::move(coords), stride, active);
  const ValueId given = dense(std::move(features), cols, dtype);
  const ValueId x = value_on(support_id, cols, dtype);
  step(ToSupportRows{given, x}, "sparse.make");
  return {support_id, x};
}

SupportId PlanUnderTest::made(std::vector<Row> coords, Triple stride, int64_t active) {
  const int64_t rows = static_cast<int64_t>(coords.size());
  Support definition;
  definition.rule = SupportRule::made;
  definition.coords = {IntSource::Kind::argument,
                       argument(DType::i32, {rows, 4}, bytes_of(coords))};
  definition.active = integers({static_cast<int32_t>(active < 0 ? rows : active)});
  definition.stride = stride;
  return support(definition);
}

ValueId PlanUnderTest::dense(std::vector<float> values, int64_t cols, DType dtype) {
  const int64_t rows = cols == 0 ? 0 : static_cast<int64_t>(values.size()) / cols;
  const int32_t id = argument(dtype, {rows, cols}, stored(dtype, values));
  const ValueId x = value(Extent::of_argument(id, 0), cols, dtype);
  plan.values.back().argument = id;
  return x;
}

IntSource PlanUnderTest::integers(std::vector<int32_t> values) {
  const int64_t count = static_cast<int64_t>(values.size());
  return {IntSource::Kind::argument, argument(DType::i32, {count}, bytes_of(values))};
}

WeightId PlanUnderTest::weight(WeightFamily family, Shape shape, const std::vector<float>& values,
                               DType dtype) {
  weight_memory_.push_back(std::make_shared<std::vector<std::byte>>(stored(dtype, values)));
  Weight made_weight;
  made_weight.family = family;
  made_weight.dtype = dtype;
  made_weight.data = {dtype, std::move(shape), weight_memory_.back()->data()};
  plan.weights.push_back(made_weight);
  return static_cast<WeightId>(plan.weights.size()) - 1;
}

WeightId PlanUnderTest::packed(WeightFamily family, int32_t bits, int64_t group_size, Shape shape,
                               const std::vector<uint32_t>& codes, Shape scale_shape,
                               const std::vector<float>& scales, const std::vector<float>& biases) {
  const auto kept = [&](std::vector<std::byte> bytes) {
    weight_memory_.push_back(std::make_shared<std::vector<std::byte>>(std::move(bytes)));
    return weight_memory_.back()->data();
  };
  Weight made_weight;
  made_weight.family = family;
  made_weight.bits = bits;
  made_weight.group_size = group_size;
  made_weight.data = {DType::u32, std::move(shape), kept(bytes_of(codes))};
  made_weight.scales = {DType::f32, scale_shape, kept(bytes_of(scales))};
  made_weight.biases = {DType::f32, scale_shape, kept(bytes_of(biases))};
  plan.weights.push_back(made_weight);
  return static_cast<WeightId>(plan.weights.size()) - 1;
}

SupportId PlanUnderTest::support(Support definition) {
  plan.phases = std::max(plan.phases, definition.phase + 1);
  plan.supports.push_back(std::move(definition));
  const SupportId id = static_cast<SupportId>(plan.supports.size()) - 1;
  plan.topology.push_back({TopologyStep::Kind::support, id});
  return id;
}

SupportId PlanUnderTest::forward_support(SupportId from, KernelShape kernel) {
  if (kernel.stride == Triple{1, 1, 1} && kernel.padding == Triple{0, 0, 0}) return from;
  Support definition;
  definition.rule = SupportRule::floor;
  definition.from = from;
  definition.kernel_stride = kernel.stride;
  const Triple stride = plan.supports[static_cast<size_t>(from)].stride;
  for (size_t axis = 0; axis < 3; ++axis)
    definition.stride[axis] = stride[axis] * kernel.stride[axis];
  return support(definition);
}

SupportId PlanUnderTest::transposed_support(SupportId from, KernelShape kernel) {
  Support definition;
  definition.rule = SupportRule::transposed;
  definition.from = from;
  definition.kernel_size = kernel.size;
  definition.kernel_stride = kernel.stride;
  definition.padding = kernel.padding;
  definition.dilation = kernel.dilation;
  const Triple stride = plan.supports[static_cast<size_t>(from)].stride;
  for (size_t axis = 0; axis < 3; ++axis)
    definition.stride[axis] = stride[axis] / kernel.stride[axis];
  return support(definition);
}

RelationUse PlanUnderTest::relation(SupportId fine, SupportId coarse, KernelShape kernel,
                                    Triple base, Direction direction) {
  Relation definition;
  definition.fine = fine;
  definition.coarse = coarse;
  definition.size = kernel.size;
  definition.stride = kernel.stride;
  definition.dilation = kernel.dilation;
  definition.base = base;
  plan.relations.push_back(definition);
  const RelationId id = static_cast<RelationId>(plan.relations.size()) - 1;
  plan.topology.push_back({TopologyStep::Kind::relation, id});
  return {id, direction};
}

RelationUse PlanUnderTest::forward(SupportId fine, SupportId coarse, KernelShape kernel) {
  Triple base{};
  for (size_t axis = 0; axis < 3; ++axis) {
    const bool odd = kernel.size[axis] % 2 == 1;
    base[axis] =
        -kernel.padding[axis] - (odd ? (kernel.size[axis] - 1) / 2 * kernel.dilation[axis] : 0);
  }
  return relation(fine, coarse, kernel, base, Direction::forward);
}

RelationUse PlanUnderTest::transposed(SupportId fine, SupportId coarse, KernelShape kernel) {
  const Triple p = kernel.padding;
  return relation(fine, coarse, kernel, {-p[0], -p[1], -p[2]}, Direction::transposed);
}

RelationUse PlanUnderTest::alignment(SupportId from, SupportId to) {
  return relation(from, to, {}, {0, 0, 0}, Direction::forward);
}

PointMapId PlanUnderTest::point_map(PointMap definition) {
  plan.point_maps.push_back(std::move(definition));
  const PointMapId id = static_cast<PointMapId>(plan.point_maps.size()) - 1;
  plan.topology.push_back({TopologyStep::Kind::point_map, id});
  return id;
}

BatchesId PlanUnderTest::batches(SupportId support_id, int64_t batch_size, bool empty_is_error) {
  plan.batches.push_back({support_id, batch_size, empty_is_error, 0, {}});
  const BatchesId id = static_cast<BatchesId>(plan.batches.size()) - 1;
  plan.topology.push_back({TopologyStep::Kind::batches, id});
  return id;
}

ValueId PlanUnderTest::value(Extent rows, int64_t cols, DType dtype, SupportId rows_of) {
  Value made_value;
  made_value.dtype = dtype;
  made_value.shape = {rows, Extent::fixed(cols)};
  made_value.rows_of = rows_of;
  plan.values.push_back(std::move(made_value));
  return static_cast<ValueId>(plan.values.size()) - 1;
}

ValueId PlanUnderTest::value_on(SupportId support_id, int64_t cols, DType dtype) {
  return value(Extent::of_support(support_id), cols, dtype, support_id);
}

void PlanUnderTest::step(Op op, std::string name) {
  Step made_step;
  made_step.op = std::move(op);
  made_step.name = std::move(name);
  visit_inputs(made_step, [&](ValueId id) {
    made_step.phase = std::max(made_step.phase, plan.values[static_cast<size_t>(id)].phase);
  });
  const ValueId y = output_of(made_step);
  Value& result = plan.values[static_cast<size_t>(y)];
  if (result.rows_of != no_id) {
    made_step.phase =
        std::max(made_step.phase, plan.supports[static_cast<size_t>(result.rows_of)].phase);
  }
  result.phase = made_step.phase;
  plan.steps.push_back(std::move(made_step));
}

SparseValue PlanUnderTest::conv3d(SparseValue x, KernelShape kernel, WeightId weight_id,
                                  int64_t out, WeightId bias, DType dtype) {
  const SupportId target = forward_support(x.support, kernel);
  return conv_onto(x, target, forward(x.support, target, kernel), weight_id, out, bias, dtype);
}

SparseValue PlanUnderTest::conv_onto(SparseValue x, SupportId target, RelationUse use,
                                     WeightId weight_id, int64_t out, WeightId bias, DType dtype) {
  RelationMatmul op;
  op.x = x.features;
  op.y = value_on(target, out, dtype);
  op.relation = use;
  op.weight = weight_id;
  op.bias = bias;
  step(op, "conv3d");
  return {target, op.y};
}

SparseValue PlanUnderTest::pool3d(SparseValue x, KernelShape kernel, PoolMode mode,
                                  int64_t channels, DType dtype) {
  const SupportId target = forward_support(x.support, kernel);
  const ValueId y = value_on(target, channels, dtype);
  step(Pool{x.features, y, forward(x.support, target, kernel), mode}, "pool3d");
  return {target, y};
}

BoundInputs PlanUnderTest::bound() const {
  BoundInputs inputs;
  inputs.trusted = trusted;
  for (const Argument& given : arguments_) {
    inputs.arguments.push_back({given.dtype, given.shape, given.bytes.data()});
    inputs.present.push_back(true);
  }
  return inputs;
}

Result<Outputs> PlanUnderTest::try_run(const RunControl& control, RunReport* report) {
  LATTICE_TRY(const auto program, make_reference_program(std::make_shared<const Plan>(plan)));
  BoundInputs inputs = bound();
  std::vector<std::vector<std::byte>> shifted;
  for (size_t i = 0; unaligned && i < inputs.arguments.size(); ++i) {
    const std::vector<std::byte>& bytes = arguments_[i].bytes;
    shifted.emplace_back(bytes.size() + 1);
    std::copy(bytes.begin(), bytes.end(), shifted.back().begin() + 1);
    inputs.arguments[i].data = shifted.back().data() + 1;
  }
  LATTICE_TRY(const auto topology, program->prepare(inputs, control, nullptr));
  const auto session = program->session();
  RunReport unused;
  return program->run(inputs, *topology, *session, control, report != nullptr ? *report : unused);
}

void PlanUnderTest::output(SparseValue sparse) {
  plan.signature.outputs = {OutputInfo{"y", Role::sparse_tensor, DType::f32, {-1, -1}, {1, 1, 1}}};
  plan.outputs = {PlanOutput{PlanOutput::Kind::sparse, sparse.features, {}, sparse.support}};
}

void PlanUnderTest::output(ValueId id) {
  plan.signature.outputs = {OutputInfo{"y", Role::tensor, DType::f32, {-1, -1}, {1, 1, 1}}};
  plan.outputs = {PlanOutput{PlanOutput::Kind::tensor, id, {}, no_id}};
}

Result<Rows> PlanUnderTest::try_rows(SparseValue sparse) {
  output(sparse);
  LATTICE_TRY(const Outputs outputs, try_run());
  const SparseTensor& result = outputs[0].sparse();
  Rows rows;
  rows.stride = result.stride;
  rows.channels = result.features.shape[1];
  rows.values = floats_of(result.features);
  for (int64_t i = 0; i < result.coords.shape[0]; ++i) {
    const int32_t* at = result.coords.as<int32_t>() + 4 * i;
    rows.coords.push_back({at[0], at[1], at[2], at[3]});
  }
  return rows;
}

Rows PlanUnderTest::rows(SparseValue sparse) {
  Result<Rows> result = try_rows(sparse);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().text());
  return result ? *result : Rows{};
}

std::vector<float> PlanUnderTest::values(ValueId id) {
  output(id);
  Result<Outputs> outputs = try_run();
  EXPECT_TRUE(outputs.has_value()) << (outputs ? "" : outputs.error().text());
  return outputs ? floats_of((*outputs)[0].tensor()) : std::vector<float>{};
}

Error PlanUnderTest::error_of(SparseValue sparse) {
  Result<Rows> result = try_rows(sparse);
  EXPECT_FALSE(result.has_value());
  return result ? Error(Code::ok, "no error") : result.error();
}

Error PlanUnderTest::error_of(ValueId id) {
  output(id);
  Result<Outputs> outputs = try_run();
  EXPECT_FALSE(outputs.has_value());
  return outputs ? Error(Code::ok, "no error") : outputs.error();
}

} // namespace lattice::testing
