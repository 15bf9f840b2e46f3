// Placement of values; see cpu_layout.h.
#include "exec/cpu_layout.h"

#include <algorithm>

#include "base/checked.h"
#include "base/tensor.h"
#include "kernels/faults.h"

namespace lattice::cpu {

namespace {

size_t at(int32_t id) { return static_cast<size_t>(id); }

// A tensor of any rank as rows of channels: the last dimension is the channels.
struct Sides {
  int64_t rows = 1, cols = 1;
};

Result<Sides> sides_of(const Shape& shape, DType dtype) {
  const auto elements = checked_product(shape);
  if (!elements || !checked_mul(*elements, size_of(dtype))) {
    return fail(Code::memory, "a value of shape " + text_of(shape) + " does not fit 64 bits");
  }
  if (shape.empty()) return Sides{};
  Sides sides{1, shape.back()};
  for (size_t axis = 0; axis + 1 < shape.size(); ++axis) sides.rows *= shape[axis];
  return sides;
}

bool is_product(const Step& step) {
  return std::holds_alternative<RelationMatmul>(step.op) || std::holds_alternative<RowsMatmul>(step.op);
}

// Lifetimes and uses of the values of one phase, in positions among its steps.
struct Lifetimes {
  std::vector<int32_t> first, last;  // by ValueId; first -1: not made in this phase
  std::vector<int32_t> uses;         // by ValueId, over the whole plan
};

Lifetimes lifetimes_of(const Plan& plan, int32_t phase) {
  Lifetimes life{std::vector<int32_t>(plan.values.size(), -1), std::vector<int32_t>(plan.values.size(), -1),
                 std::vector<int32_t>(plan.values.size(), 0)};
  int32_t position = 0;
  for (const Step& step : plan.steps) {
    if (step.phase == phase) {
      life.first[at(output_of(step))] = life.last[at(output_of(step))] = position;
    }
    visit_inputs(step, [&](ValueId value) {
      ++life.uses[at(value)];
      if (step.phase == phase) life.last[at(value)] = position;
    });
    if (step.phase == phase) ++position;
  }
  const int32_t end = std::max(position - 1, 0);
  const auto keep = [&](ValueId value) {
    if (value == no_id) return;
    ++life.uses[at(value)];
    life.last[at(value)] = end;
  };
  for (const Step& step : plan.steps) {
    if (step.phase > phase) visit_inputs(step, [&](ValueId value) { life.last[at(value)] = end; });
  }
  for (const Support& support : plan.supports) keep(support.points);
  for (const PointMap& map : plan.point_maps) keep(map.points);
  for (const PlanOutput& output : plan.outputs) keep(output.value);
  return life;
}

// What the products of a phase need for their tiles, all threads together.
int64_t scratch_of(const Run& run, int32_t phase, int32_t threads) {
  const Plan& plan = run.program.plan();
  int64_t most = 0;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    if (plan.steps[i].phase != phase) continue;
    if (const auto* op = std::get_if<RelationMatmul>(&plan.steps[i].op)) {
      const MatmulWeights& weights = *run.program.prepared(i).weights;
      const int64_t tile_rows = choose_tile_rows(weights, run.values[at(op->y)].rows, threads);
      most = std::max(most, scratch_bytes(weights, tile_rows, run.values[at(op->x)].dtype));
    } else if (const auto* rows = std::get_if<RowsMatmul>(&plan.steps[i].op)) {
      most = std::max(most, rows_scratch_bytes(*run.program.prepared(i).weights, run.values[at(rows->x)].dtype));
    }
  }
  return most * threads;
}

}  // namespace

Counts Run::counts() const {
  return {[this](SupportId id) { return topology.data.supports[at(id)]->rows(); },
          [this](BatchesId id) { return topology.data.batches[at(id)]->count; }};
}

Status lay_out_arguments(Run& run) {
  const Plan& plan = run.program.plan();
  for (size_t i = 0; i < plan.values.size(); ++i) {
    const Value& value = plan.values[i];
    if (value.argument == no_id || !run.inputs.present[at(value.argument)]) continue;
    TensorView view = run.inputs.arguments[at(value.argument)];
    if (reinterpret_cast<uintptr_t>(view.data) % static_cast<uintptr_t>(size_of(view.dtype)) != 0) {
      LATTICE_TRY(Tensor copy, copy_of(view));
      view = copy.view();
      run.arena_bytes += elements_of(view.shape) * size_of(view.dtype);
      run.live_bytes += elements_of(view.shape) * size_of(view.dtype);
      run.copies.push_back(std::move(copy));
    }
    LATTICE_TRY(const Sides sides, sides_of(view.shape, view.dtype));
    run.values[i] = {const_cast<void*>(view.data), sides.rows, sides.cols, sides.cols, view.dtype};  // never written
    run.laid_out[i] = true;
  }
  for (const TensorView& view : run.inputs.arguments) {
    if (view.data != nullptr) run.input_bytes += elements_of(view.shape) * size_of(view.dtype);
  }
  return {};
}

Status lay_out(Run& run, int32_t phase, CpuSession& session, const RunControl& control) {
  const Plan& plan = run.program.plan();
  const Lifetimes life = lifetimes_of(plan, phase);
  const Counts counts = run.counts();

  // Sizes first: everything is known now.
  std::vector<Shape> shapes(plan.values.size());
  for (size_t i = 0; i < plan.values.size(); ++i) {
    if (life.first[i] < 0) continue;
    shapes[i] = shape_of(plan.values[i], run.inputs, counts);
    LATTICE_TRY(const Sides sides, sides_of(shapes[i], plan.values[i].dtype));
    run.values[i] = {nullptr, sides.rows, sides.cols, sides.cols, plan.values[i].dtype};
  }

  // A value that nothing reads but one concatenation is written where that wants it.
  for (const Step& step : plan.steps) {
    const auto* cat = std::get_if<Cat>(&step.op);
    if (cat == nullptr || step.phase != phase) continue;
    for (const auto& [side, relation] : {std::pair{cat->lhs, cat->lhs_relation}, std::pair{cat->rhs, cat->rhs_relation}}) {
      const bool made_by_product = std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& maker) {
        return maker.phase == phase && output_of(maker) == side && is_product(maker);
      });
      if (relation.id == no_id && life.uses[at(side)] == 1 && made_by_product) run.cat_of[at(side)] = cat->y;
    }
  }

  // Outputs get their own memory, handed to the caller in the end.
  std::vector<std::pair<size_t, ValueId>> own;
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const ValueId value = plan.outputs[i].value;
    if (value == no_id || life.first[at(value)] < 0) continue;
    const bool taken = std::any_of(own.begin(), own.end(), [&](const auto& entry) { return entry.second == value; });
    if (!taken) own.emplace_back(i, value);
    run.output_bytes += elements_of(shapes[at(value)]) * size_of(plan.values[at(value)].dtype);
  }

  // Coordinates are handed out too.
  for (const PlanOutput& output : plan.outputs) {
    const bool coords = output.kind == PlanOutput::Kind::integers && output.integers.kind == IntSource::Kind::coords;
    if (!coords && output.kind != PlanOutput::Kind::sparse) continue;
    const auto support = coords ? static_cast<SupportId>(output.integers.id) : output.support;
    if (plan.supports[at(support)].phase == phase) run.output_bytes += counts.support(support) * 16;
  }

  std::vector<Block> blocks;
  std::vector<int32_t> block_of(plan.values.size(), -1);
  for (size_t i = 0; i < plan.values.size(); ++i) {
    if (life.first[i] < 0 || run.cat_of[i] != no_id) continue;
    const bool is_own = std::any_of(own.begin(), own.end(), [&](const auto& entry) { return at(entry.second) == i; });
    if (is_own) continue;
    Block block{elements_of(shapes[i]) * size_of(plan.values[i].dtype), life.first[i], life.last[i]};
    for (size_t side = 0; side < plan.values.size(); ++side) {
      if (life.first[side] >= 0 && run.cat_of[side] == static_cast<ValueId>(i)) {
        block.first = std::min(block.first, life.first[side]);
      }
    }
    block_of[i] = static_cast<int32_t>(blocks.size());
    blocks.push_back(block);
  }
  LATTICE_TRY(const MemoryPlan memory, plan_memory(blocks));
  run.arena_bytes += memory.bytes;
  run.live_bytes += memory.live_bytes;
  const int64_t scratch = std::max(scratch_of(run, phase, control.threads), session.scratch.bytes());
  const int64_t wanted = run.held_bytes() + scratch;
  if (control.max_memory > 0 && wanted > control.max_memory) {
    return tl::make_unexpected(faults::memory_limit(wanted, control.max_memory, "the features", {}));
  }

  while (session.values.size() <= at(phase)) session.values.push_back(std::make_unique<Arena>());
  Arena& arena = *session.values[at(phase)];
  // Memory kept from earlier runs counts too, but can go.
  const int64_t kept = std::max<int64_t>(arena.bytes() - memory.bytes, 0) + session.blocks->idle_bytes();
  if (control.max_memory > 0 && wanted + kept > control.max_memory) {
    session.blocks->trim();
    if (arena.bytes() > memory.bytes) arena.release();
  }
  LATTICE_CHECK(arena.reserve(memory.bytes));
  LATTICE_CHECK(session.scratch.reserve(scratch));  // the steps find it there and allocate nothing
  for (const auto& [output, value] : own) {
    LATTICE_TRY(run.outputs[output], make_tensor(plan.values[at(value)].dtype, shapes[at(value)]));
    run.values[at(value)].data = run.outputs[output].storage.get();
  }
  for (size_t i = 0; i < plan.values.size(); ++i) {
    if (block_of[i] >= 0) run.values[i].data = arena.data() + memory.offsets[at(block_of[i])];
    if (life.first[i] >= 0) run.laid_out[i] = true;
  }
  for (const Step& step : plan.steps) {
    const auto* cat = std::get_if<Cat>(&step.op);
    if (cat == nullptr || step.phase != phase) continue;
    const Matrix whole = run.values[at(cat->y)];
    int64_t column = 0;
    for (const ValueId side : {cat->lhs, cat->rhs}) {
      Matrix& part = run.values[at(side)];
      if (run.cat_of[at(side)] == cat->y) part = whole.columns(column, part.cols);
      column += part.cols;
    }
  }
  return {};
}

}  // namespace lattice::cpu
