// Execution of reference_device.h: phases in order; in each the topology, the size checks, the
// features.
#include "exec/reference_device.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "kernels/reference/steps.h"

namespace lattice::reference {

namespace {

class ReferenceTopology : public DeviceTopology {
 public:
  explicit ReferenceTopology(Tables tables) : tables_(std::move(tables)) {}
  int64_t rows(SupportId support) const override {
    return tables_.supports[static_cast<size_t>(support)]->count();
  }
  int64_t bytes() const override { return tables_.bytes; }
  const Tables& tables() const { return tables_; }

 private:
  Tables tables_;
};

// Nothing is kept between runs.
class ReferenceSession : public DeviceSession {};

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

// One run: its tables, its values, and the steps over them.
class Run {
 public:
  Run(const Plan& plan, const std::vector<DenseWeight>& weights, const BoundInputs& inputs,
      Tables tables, Budget budget)
      : plan_(plan), weights_(weights), inputs_(inputs), tables_(std::move(tables)),
        budget_(budget), values_(plan.values.size()) {}

  TensorView view(ValueId id) const {
    const Value& value = plan_.values[static_cast<size_t>(id)];
    if (value.argument != no_id) return inputs_.arguments[static_cast<size_t>(value.argument)];
    return values_[static_cast<size_t>(id)].view();
  }
  ConstMatrix matrix(ValueId id) const { return matrix_of(view(id)); }

  Status topology(int32_t phase, const RunControl& control) {
    return build_phase(
        plan_, phase, inputs_, [this](ValueId id) { return view(id); }, control, budget_, tables_);
  }
  Status sizes(int32_t phase) const { return check_sizes(plan_, phase, inputs_, tables_.counts()); }

  // Makes the result of a step and fills it.
  Status execute(const Step& step) {
    const ValueId id = output_of(step);
    const Value& value = plan_.values[static_cast<size_t>(id)];
    Shape shape = shape_of(value, inputs_, tables_.counts());
    const std::optional<int64_t> elements = checked_product(shape);
    const std::optional<int64_t> bytes =
        elements ? checked_mul(*elements, size_of(value.dtype)) : std::nullopt;
    LATTICE_CHECK(budget_.allows(bytes, step.name.c_str(), step.where));
    LATTICE_TRY(Tensor tensor, make_tensor(value.dtype, std::move(shape)));
    budget_.take(*bytes);
    LATTICE_CHECK(
        std::visit([&](const auto& op) { return fill(step, op, matrix_of(tensor)); }, step.op));
    values_[static_cast<size_t>(id)] = std::move(tensor);
    return {};
  }

  void release(ValueId id) {
    Tensor& tensor = values_[static_cast<size_t>(id)];
    if (tensor.storage == nullptr) return;
    budget_.give_back(elements_of(tensor.shape) * size_of(tensor.dtype));
    tensor = {};
  }

  Result<Outputs> outputs() {
    Outputs list;
    for (size_t i = 0; i < plan_.outputs.size(); ++i) {
      const PlanOutput& output = plan_.outputs[i];
      const std::string& name = plan_.signature.outputs[i].name;
      if (output.kind == PlanOutput::Kind::integers) {
        LATTICE_TRY(Tensor tensor, integer_tensor(output.integers));
        list.push_back({name, std::move(tensor)});
        continue;
      }
      LATTICE_TRY(Tensor tensor, result_tensor(output.value));
      if (output.kind == PlanOutput::Kind::tensor) {
        list.push_back({name, std::move(tensor)});
        continue;
      }
      LATTICE_TRY(Tensor coords, integer_tensor({IntSource::Kind::coords, output.support}));
      if (coords.shape[0] != tensor.shape[0])
        return fail(Code::internal, name + ": coordinates and features differ");
      list.push_back(
          {name, SparseTensor{std::move(coords), std::move(tensor),
                              plan_.supports[static_cast<size_t>(output.support)].stride}});
    }
    return list;
  }

  // What a product did, for the report.
  int64_t pairs_of(const Step& step) const {
    if (const auto* product = std::get_if<RelationMatmul>(&step.op))
      return relation(product->relation, product->y)->edges;
    if (const auto* product = std::get_if<RowsMatmul>(&step.op)) return matrix(product->y).rows();
    return 0;
  }
  const Tables& tables() const { return tables_; }
  const Budget& budget() const { return budget_; }

 private:
  // `use.id` == no_id: the rows of y are those of x.
  std::shared_ptr<const RelationTable> relation(RelationUse use, ValueId y) const {
    if (use.id != no_id) return tables_.relation(use);
    const Shape shape = shape_of(plan_.values[static_cast<size_t>(y)], inputs_, tables_.counts());
    return std::make_shared<const RelationTable>(identity_table(shape[0]));
  }
  const DenseWeight* weight(WeightId id) const {
    return id == no_id ? nullptr : &weights_[static_cast<size_t>(id)];
  }

  EpilogueEntry entry(const EpilogueOp& op) const {
    EpilogueEntry entry{op, {}, {}};
    if (op.kind == EpilogueOp::Kind::batch_norm) {
      entry.constants = scale_shift(*weight(op.scale), *weight(op.bias), *weight(op.mean),
                                    *weight(op.var), op.eps);
    }
    if (op.kind == EpilogueOp::Kind::residual) entry.residual = matrix(op.residual);
    return entry;
  }
  EpilogueEntries entries(const Epilogue& epilogue) const {
    EpilogueEntries list;
    for (const EpilogueOp& op : epilogue) list.push_back(entry(op));
    return list;
  }
  // A step that reads row after row of x must find them all.
  static Status check_rows(const Step& step, int64_t found, int64_t needed) {
    if (found >= needed) return {};
    return fail(Code::input,
                fmt::format("{}: found {} rows, expected {}", step.name, found, needed),
                step.where);
  }

  Status fill(const Step&, const RelationMatmul& op, Matrix y) {
    relation_matmul(*relation(op.relation, op.y), matrix(op.x), *weight(op.weight), weight(op.bias),
                    {op.normalized, op.eps}, entries(op.epilogue), y);
    return {};
  }
  Status fill(const Step& step, const RowsMatmul& op, Matrix y) {
    LATTICE_CHECK(check_rows(step, matrix(op.x).rows(), y.rows()));
    rows_matmul(matrix(op.x), *weight(op.weight), weight(op.bias), entries(op.epilogue), y);
    return {};
  }
  Status fill(const Step&, const Pool& op, Matrix y) {
    pool(*relation(op.relation, op.y), op.mode, matrix(op.x), y);
    return {};
  }
  Status fill(const Step&, const TrilinearUpsample& op, Matrix y) {
    trilinear_upsample(*relation(op.relation, op.y), op.scale, matrix(op.x), y);
    return {};
  }
  Status fill(const Step&, const GlobalPool& op, Matrix y) {
    global_pool(*tables_.batches[static_cast<size_t>(op.batches)], op.mode, matrix(op.x), y);
    return {};
  }
  Status fill(const Step& step, const Voxelize& op, Matrix y) {
    const SupportTable& voxels = *tables_.supports[static_cast<size_t>(op.voxels)];
    LATTICE_CHECK(
        check_rows(step, matrix(op.x).rows(), static_cast<int64_t>(voxels.voxel_of_point.size())));
    voxelize(voxels, op.reduction, matrix(op.x), y);
    return {};
  }
  Status fill(const Step& step, const Devoxelize& op, Matrix y) {
    const PointTable& map = *tables_.point_maps[static_cast<size_t>(op.map)];
    LATTICE_CHECK(check_rows(step, map.points, y.rows()));
    devoxelize(map, matrix(op.x), y);
    return {};
  }
  Status fill(const Step&, const Reindex& op, Matrix y) {
    reindex(*relation(op.relation, op.y), op.fill, matrix(op.x), y);
    return {};
  }
  Status fill(const Step&, const Binary& op, Matrix y) {
    binary(*relation(op.lhs_relation, op.y), *relation(op.rhs_relation, op.y), op, matrix(op.lhs),
           matrix(op.rhs), y);
    return {};
  }
  Status fill(const Step&, const Cat& op, Matrix y) {
    cat(*relation(op.lhs_relation, op.y), *relation(op.rhs_relation, op.y), matrix(op.lhs),
        matrix(op.rhs), y);
    return {};
  }
  Status fill(const Step& step, const EmbeddingLookup& op, Matrix y) {
    LATTICE_TRY(const Integers indices, integers_of(op.indices, inputs_, tables_));
    LATTICE_CHECK(check_rows(step, indices.matrix.rows, y.rows()));
    return embedding_lookup(indices.matrix, *weight(op.weight), step.where, y);
  }
  Status fill(const Step&, const Elementwise& op, Matrix y) {
    elementwise(op.kind, matrix(op.x), y);
    return {};
  }
  Status fill(const Step&, const Softmax& op, Matrix y) {
    softmax(matrix(op.x), y);
    return {};
  }
  Status fill(const Step&, const RowwiseOp& op, Matrix y) {
    rowwise(entry(op.op), matrix(op.x), y);
    return {};
  }
  Status fill(const Step&, const LayerNorm& op, Matrix y) {
    layer_norm(*weight(op.scale), *weight(op.bias), op.eps, matrix(op.x), y);
    return {};
  }
  Status fill(const Step&, const RmsNorm& op, Matrix y) {
    rms_norm(*weight(op.scale), op.eps, matrix(op.x), y);
    return {};
  }
  Status fill(const Step& step, const ToSupportRows& op, Matrix y) {
    LATTICE_CHECK(check_rows(step, matrix(op.x).rows(), y.rows()));
    copy_rows(matrix(op.x), y);
    return {};
  }
  Status fill(const Step& step, const ToCallerRows& op, Matrix y) {
    LATTICE_CHECK(check_rows(step, matrix(op.x).rows(), y.rows()));
    copy_rows(matrix(op.x), y);
    return {};
  }

  Result<Tensor> integer_tensor(const IntSource& source) {
    LATTICE_TRY(const Integers integers, integers_of(source, inputs_, tables_));
    LATTICE_CHECK(budget_.allows(elements_of(integers.shape) * 4, "an output", {}));
    budget_.take(elements_of(integers.shape) * 4);
    return copy_of({DType::i32, integers.shape, integers.matrix.data});
  }
  Result<Tensor> result_tensor(ValueId id) {
    if (plan_.values[static_cast<size_t>(id)].argument == no_id)
      return values_[static_cast<size_t>(id)];
    const TensorView argument = view(id);
    const int64_t bytes = elements_of(argument.shape) * size_of(argument.dtype);
    LATTICE_CHECK(budget_.allows(bytes, "an output", {}));
    budget_.take(bytes);
    return copy_of(argument);
  }

  const Plan& plan_;
  const std::vector<DenseWeight>& weights_;
  const BoundInputs& inputs_;
  Tables tables_;
  Budget budget_;
  std::vector<Tensor> values_;
};

// Steps as they run: phase after phase, otherwise as listed.
std::vector<size_t> running_order(const Plan& plan) {
  std::vector<size_t> order(plan.steps.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return plan.steps[a].phase < plan.steps[b].phase; });
  return order;
}

// By value the position in `order` of the last step that reads it; what outputs or later topologies
// read stays to the end.
std::vector<size_t> last_uses(const Plan& plan, const std::vector<size_t>& order) {
  std::vector<size_t> last(plan.values.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) {
    const Step& step = plan.steps[order[i]];
    last[static_cast<size_t>(output_of(step))] = i;
    visit_inputs(step, [&](ValueId id) {
      if (id != no_id) last[static_cast<size_t>(id)] = i;
    });
  }
  const auto keep = [&](ValueId id) {
    if (id != no_id) last[static_cast<size_t>(id)] = SIZE_MAX;
  };
  for (const PlanOutput& output : plan.outputs) keep(output.value);
  for (const Support& support : plan.supports) keep(support.points);
  for (const PointMap& map : plan.point_maps) keep(map.points);
  return last;
}

// Containers throw when memory is refused; that must not leave the room.
template <class T, class Body>
Result<T> without_exceptions(Body body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return fail(Code::memory, "out of memory: the system refused an allocation");
  } catch (const std::length_error&) {
    return fail(Code::memory, "out of memory: a table would not fit the address space");
  }
}

} // namespace

ReferenceProgram::ReferenceProgram(std::shared_ptr<const Plan> plan,
                                   std::vector<DenseWeight> weights)
    : plan_(std::move(plan)), weights_(std::move(weights)), order_(running_order(*plan_)),
      last_use_(last_uses(*plan_, order_)) {
  for (const DenseWeight& weight : weights_)
    weight_bytes_ += static_cast<int64_t>(weight.values.size() * sizeof(float));
}

Result<std::unique_ptr<DeviceTopology>> ReferenceProgram::prepare(const BoundInputs& inputs,
                                                                  const RunControl& control,
                                                                  DeviceSession*) const {
  return without_exceptions<std::unique_ptr<DeviceTopology>>(
      [&]() -> Result<std::unique_ptr<DeviceTopology>> {
        Tables tables = empty_tables(*plan_);
        Budget budget{control.max_memory, weight_bytes_, weight_bytes_};
        const auto argument = [&](ValueId id) {
          return inputs
              .arguments[static_cast<size_t>(plan_->values[static_cast<size_t>(id)].argument)];
        };
        LATTICE_CHECK(build_phase(*plan_, 0, inputs, argument, control, budget, tables));
        return std::make_unique<ReferenceTopology>(std::move(tables));
      });
}

std::unique_ptr<DeviceSession> ReferenceProgram::session() const {
  return std::make_unique<ReferenceSession>();
}

Result<Outputs> ReferenceProgram::run(const BoundInputs& inputs, const DeviceTopology& topology,
                                      DeviceSession&, const RunControl& control,
                                      RunReport& report) const {
  const auto* kept = dynamic_cast<const ReferenceTopology*>(&topology);
  if (kept == nullptr) return fail(Code::usage, "the topology was made by another device");
  return without_exceptions<Outputs>([&]() -> Result<Outputs> {
    const auto start = std::chrono::steady_clock::now();
    const int64_t held = weight_bytes_ + kept->bytes();
    Budget budget{control.max_memory, held, held};
    LATTICE_CHECK(budget.allows(0, "the topology", {}));
    Run run(*plan_, weights_, inputs, kept->tables(), budget);
    report.pairs = 0;
    report.gflop = 0;
    report.steps.clear();
    for (int32_t phase = 0; phase < plan_->phases; ++phase) {
      if (phase > 0) LATTICE_CHECK(run.topology(phase, control));
      LATTICE_CHECK(run.sizes(phase));
      for (size_t i = 0; i < order_.size(); ++i) {
        const Step& step = plan_->steps[order_[i]];
        if (step.phase != phase) continue;
        if (control.stopped()) return fail(Code::interrupted, "the run was stopped");
        const auto step_start = std::chrono::steady_clock::now();
        LATTICE_CHECK(run.execute(step));
        StepTime time;
        time.name = step.name;
        time.parameter = step.parameter;
        time.where = step.where;
        time.kernel = "reference";
        time.milliseconds = milliseconds_since(step_start);
        time.start_ms = std::chrono::duration<double, std::milli>(step_start - start).count();
        time.rows = run.matrix(output_of(step)).rows();
        time.pairs = run.pairs_of(step);
        int64_t operands = 0;
        visit_inputs(step, [&](ValueId id) {
          const TensorView x = run.view(id);
          if (operands++ == 0) {
            time.gflop = 2e-9 * static_cast<double>(time.pairs) *
                         static_cast<double>(matrix_of(x).cols()) *
                         static_cast<double>(run.matrix(output_of(step)).cols());
          }
          time.bytes += elements_of(x.shape) * size_of(x.dtype);
        });
        const TensorView y = run.view(output_of(step));
        time.bytes += elements_of(y.shape) * size_of(y.dtype);
        report.pairs += time.pairs;
        report.gflop += time.gflop;
        if (control.profile_steps) report.steps.push_back(std::move(time));
        const auto release_if_last = [&](ValueId id) {
          if (last_use_[static_cast<size_t>(id)] == i) run.release(id);
        };
        visit_inputs(step, release_if_last);
        release_if_last(output_of(step));
      }
    }
    LATTICE_TRY(Outputs outputs, run.outputs());
    report.features_ms = milliseconds_since(start);
    report.voxels = plan_->supports.empty() ? 0 : run.tables().supports[0]->count();
    report.peak_bytes = run.budget().peak;
    report.live_bytes = report.peak_bytes; // values go as soon as their last reader has run
    report.threads = 1;
    report.simd = "reference";
    return outputs;
  });
}

std::string ReferenceProgram::explain() const {
  std::string text;
  for (const Step& step : plan_->steps) {
    text += fmt::format("{} {} {}: reference (the only kernel of this device)\n",
                        text_of(step.where), step.name, step.parameter);
  }
  return text;
}

} // namespace lattice::reference

namespace lattice {

Result<std::unique_ptr<DeviceProgram>> make_reference_program(std::shared_ptr<const Plan> plan) {
  try {
    std::vector<reference::DenseWeight> weights;
    for (const Weight& weight : plan->weights) {
      LATTICE_TRY(reference::DenseWeight dense, reference::dense_weight(weight));
      weights.push_back(std::move(dense));
    }
    return std::make_unique<reference::ReferenceProgram>(std::move(plan), std::move(weights));
  } catch (const std::bad_alloc&) {
    return fail(Code::memory, "out of memory: the weights do not fit");
  }
}

} // namespace lattice
