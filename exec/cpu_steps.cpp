// One call of a kernel for each step; see cpu_steps.h. What a step computes is in kernels/.
#include "exec/cpu_steps.h"

#include <algorithm>
#include <chrono>

#include "base/tensor.h"
#include "kernels/cpu/features/features.h"
#include "kernels/faults.h"

namespace lattice::cpu {

namespace {

size_t at(int32_t id) { return static_cast<size_t>(id); }

// Everything a step's kernel call may want.
struct Context {
  Run& run;
  const Step& step;
  const PreparedStep& prepared;
  CpuSession& session;
  int32_t threads;
  int64_t max_memory;
  SimdLevel level;
  std::vector<EpilogueEntry>& entries;  // storage for the epilogue of this step
  std::vector<ThreadSpan>& spans;       // of the threads of this step; empty unless steps are profiled

  Matrix value(ValueId id) const { return run.values[at(id)]; }
  const Edges* edges(const RelationUse& use) const {
    return use.id == no_id ? nullptr : run.topology.data.relations[at(use.id)].get();
  }
};

EpilogueEntry entry_of(const Context& context, const EpilogueOp& op, const BatchNormConstants& constants) {
  EpilogueEntry entry;
  entry.kind = op.kind;
  entry.scale = constants.scale.data();
  entry.shift = constants.shift.data();
  if (op.kind == EpilogueOp::Kind::residual) entry.residual = context.value(op.residual);
  entry.activation = op.activation;
  entry.approximate = op.approximate;
  entry.alpha = op.alpha;
  entry.beta = op.beta;
  entry.threshold = op.threshold;
  return entry;
}

EpilogueArgs epilogue_of(const Context& context, const Epilogue& epilogue) {
  context.entries.clear();
  for (size_t i = 0; i < epilogue.size(); ++i) {
    context.entries.push_back(entry_of(context, epilogue[i], context.prepared.constants[i]));
  }
  return {context.prepared.bias.data(), context.entries};
}

Result<Scratch> scratch_for(const Context& context, int64_t bytes) {
  const int64_t wanted = context.run.held_bytes() + bytes * context.threads;
  if (context.max_memory > 0 && wanted > context.max_memory) {
    return tl::make_unexpected(faults::memory_limit(wanted, context.max_memory, "the scratch of a step", context.step.where));
  }
  LATTICE_CHECK(context.session.scratch.reserve(bytes * context.threads));
  return Scratch{context.session.scratch.data(), bytes, context.spans.empty() ? nullptr : context.spans.data()};
}

Status run_op(const Context& context, const RelationMatmul& op) {
  const auto relation = at(op.relation.id);
  const RelationTiles& tiles = context.run.topology.tiles[relation];
  RelationMatmulArgs args;
  args.weights = context.prepared.weights.get();
  args.edges = context.edges(op.relation);
  args.direction = op.relation.direction;
  args.tiles = op.relation.direction == Direction::forward ? tiles.forward.get() : tiles.transposed.get();
  args.one_edge = one_edge_a_row(context.run.program.plan().relations[relation], op.relation.direction);
  args.x = context.value(op.x);
  args.y = context.value(op.y);
  args.tile_rows = choose_tile_rows(*args.weights, args.y.rows, context.threads);
  args.epilogue = epilogue_of(context, op.epilogue);
  LATTICE_TRY(const Scratch scratch, scratch_for(context, scratch_bytes(*args.weights, args.tile_rows, args.x.dtype)));
  relation_matmul(args, scratch);
  return {};
}

Status run_op(const Context& context, const RowsMatmul& op) {
  RowsMatmulArgs args;
  args.weights = context.prepared.weights.get();
  args.x = context.value(op.x);
  args.y = context.value(op.y);
  args.x.rows = args.y.rows;
  args.epilogue = epilogue_of(context, op.epilogue);
  LATTICE_TRY(const Scratch scratch, scratch_for(context, rows_scratch_bytes(*args.weights, args.x.dtype)));
  rows_matmul(args, scratch);
  return {};
}

Status run_op(const Context& context, const ::lattice::Pool& op) {
  pool(context.level, context.value(op.x), *context.edges(op.relation), op.relation.direction, op.mode,
       context.value(op.y));
  return {};
}

Status run_op(const Context& context, const TrilinearUpsample& op) {
  trilinear_upsample(context.level, context.value(op.x), *context.edges(op.relation), op.scale, context.value(op.y));
  return {};
}

Status run_op(const Context& context, const GlobalPool& op) {
  global_pool(context.level, context.value(op.x), *context.run.topology.data.batches[at(op.batches)], op.mode,
              context.value(op.y));
  return {};
}

Status run_op(const Context& context, const Voxelize& op) {
  voxelize(context.level, context.value(op.x), *context.run.topology.data.point_rows[at(op.voxels)], op.reduction,
           context.value(op.y));
  return {};
}

Status run_op(const Context& context, const Devoxelize& op) {
  devoxelize(context.level, context.value(op.x), *context.run.topology.data.point_maps[at(op.map)], context.value(op.y));
  return {};
}

Status run_op(const Context& context, const Reindex& op) {
  reindex(context.level, context.value(op.x), *context.edges(op.relation), op.fill, context.value(op.y));
  return {};
}

Status run_op(const Context& context, const Binary& op) {
  binary(context.level, context.value(op.lhs), context.edges(op.lhs_relation), op.lhs_fill, context.value(op.rhs),
         context.edges(op.rhs_relation), op.rhs_fill, op.op, context.value(op.y));
  return {};
}

Status run_op(const Context& context, const Cat& op) {
  const Matrix y = context.value(op.y);
  int64_t column = 0;
  for (const auto& [side, relation] : {std::pair{op.lhs, op.lhs_relation}, std::pair{op.rhs, op.rhs_relation}}) {
    const Matrix x = context.value(side);
    // A side that its product has written in place is there already.
    if (context.run.cat_of[at(side)] != op.y) cat_side(context.level, x, context.edges(relation), y.columns(column, x.cols));
    column += x.cols;
  }
  return {};
}

Status run_op(const Context& context, const EmbeddingLookup& op) {
  int32_t count = 0;
  TensorView indices;
  if (op.indices.kind == IntSource::Kind::argument) {
    indices = context.run.inputs.arguments[at(op.indices.id)];
  } else {
    count = static_cast<int32_t>(context.run.topology.data.supports[at(op.indices.id)]->rows());
    indices = {DType::i32, {1}, &count};
  }
  const Weight& weight = context.run.program.plan().weights[at(op.weight)];
  return embedding_lookup(indices, context.prepared.table.get(), weight.data.shape[0], context.step.where,
                          context.value(op.y));
}

Status run_op(const Context& context, const Elementwise& op) {
  elementwise(context.level, context.value(op.x), op.kind, context.value(op.y));
  return {};
}

Status run_op(const Context& context, const Softmax& op) {
  softmax(context.level, context.value(op.x), context.value(op.y));
  return {};
}

Status run_op(const Context& context, const RowwiseOp& op) {
  rowwise(context.level, context.value(op.x), entry_of(context, op.op, context.prepared.constants[0]), context.value(op.y));
  return {};
}

Status run_op(const Context& context, const LayerNorm& op) {
  layer_norm(context.level, context.value(op.x), context.prepared.scale.data(), context.prepared.bias.data(), op.eps,
             context.value(op.y));
  return {};
}

Status run_op(const Context& context, const RmsNorm& op) {
  rms_norm(context.level, context.value(op.x), context.prepared.scale.data(), op.eps, context.value(op.y));
  return {};
}

Status run_op(const Context& context, const ToSupportRows& op) {
  const Plan& plan = context.run.program.plan();
  const Matrix x = context.value(op.x);
  const SupportId support = plan.values[at(op.y)].rows_of;
  to_support_rows({x.dtype, {x.rows, x.cols}, x.data}, *context.run.topology.data.orders[at(support)], context.value(op.y));
  return {};
}

Status run_op(const Context& context, const ToCallerRows& op) {
  const SupportId support = context.run.program.plan().values[at(op.x)].rows_of;
  to_caller_rows(context.value(op.x), *context.run.topology.data.orders[at(support)], context.value(op.y));
  return {};
}

// What a step moves and multiplies, for the report.
StepTime measure(const Context& context) {
  const Step& step = context.step;
  StepTime time;
  time.name = step.name;
  time.parameter = step.parameter;
  time.where = step.where;
  const Matrix y = context.value(output_of(step));
  time.rows = y.rows;
  time.kernel = "one kernel";
  visit_inputs(step, [&](ValueId id) {
    const Matrix x = context.value(id);
    time.bytes += x.rows * x.cols * size_of(x.dtype);
  });
  time.bytes += y.rows * y.cols * size_of(y.dtype);
  if (const MatmulWeights* weights = context.prepared.weights.get()) {
    const auto* op = std::get_if<RelationMatmul>(&step.op);
    time.pairs = op != nullptr ? context.edges(op->relation)->pairs() : y.rows;
    time.gflop = 2e-9 * static_cast<double>(time.pairs) * static_cast<double>(weights->cin) * static_cast<double>(weights->cout);
    time.kernel = weights->kernel_name();
    time.bytes += weights->bytes;
  }
  return time;
}

}  // namespace

Status run_steps(Run& run, int32_t phase, CpuSession& session, const RunControl& control, RunReport& report) {
  const Plan& plan = run.program.plan();
  std::vector<EpilogueEntry> entries;
  std::vector<ThreadSpan> spans;
  const auto run_start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    if (step.phase != phase) continue;
    if (control.stopped()) return fail(Code::interrupted, "the run was stopped before " + step.name, step.where);
    const Context context{run,     step, run.program.prepared(i), session, control.threads, control.max_memory, run.program.level(),
                          entries, spans};
    if (control.profile_steps) spans.assign(static_cast<size_t>(control.threads), ThreadSpan{});
    const auto start = std::chrono::steady_clock::now();
    LATTICE_CHECK(std::visit([&](const auto& op) { return run_op(context, op); }, step.op));
    const auto end = std::chrono::steady_clock::now();
    StepTime time = measure(context);
    report.pairs += time.pairs;
    report.gflop += time.gflop;
    if (!control.profile_steps) continue;
    time.milliseconds = std::chrono::duration<double, std::milli>(end - start).count();
    time.start_ms = std::chrono::duration<double, std::milli>(start - run_start).count();
    for (size_t thread = 0; thread < spans.size(); ++thread) {
      if (!spans[thread].worked) continue;
      time.threads.push_back({static_cast<int32_t>(thread),
                              std::chrono::duration<double, std::milli>(spans[thread].begin - start).count(),
                              std::chrono::duration<double, std::milli>(spans[thread].end - spans[thread].begin).count()});
    }
    report.steps.push_back(std::move(time));
  }
  return {};
}

}  // namespace lattice::cpu
