// The run on the CPU: phases in order, each its topology, its layout and its steps.
#include <algorithm>
#include <chrono>

#include "base/tensor.h"
#include "exec/cpu_layout.h"
#include "exec/cpu_steps.h"
#include "kernels/faults.h"

namespace lattice::cpu {

namespace {

size_t at(int32_t id) { return static_cast<size_t>(id); }

// An i32 result: an argument again, or what decompose gives.
Result<Tensor> integers(const Run& run, const IntSource& source) {
  const auto id = at(source.id);
  if (source.kind == IntSource::Kind::argument) return copy_of(run.inputs.arguments[id]);
  const SupportData& support = *run.topology.data.supports[id];
  if (source.kind == IntSource::Kind::count) {
    LATTICE_TRY(Tensor count, make_tensor(DType::i32, {1}));
    *reinterpret_cast<int32_t*>(count.storage.get()) = static_cast<int32_t>(support.rows());
    return count;
  }
  LATTICE_TRY(Tensor coords, make_tensor(DType::i32, {support.rows(), 4}));
  write_coords(support, run.topology.data.orders[id].get(), reinterpret_cast<int32_t*>(coords.storage.get()));
  return coords;
}

Result<Outputs> outputs_of(Run& run) {
  const Plan& plan = run.program.plan();
  Outputs outputs;
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const PlanOutput& output = plan.outputs[i];
    const OutputInfo& info = plan.signature.outputs[i];
    if (output.kind == PlanOutput::Kind::integers) {
      LATTICE_TRY(Tensor tensor, integers(run, output.integers));
      outputs.push_back({info.name, std::move(tensor)});
      continue;
    }
    Tensor tensor = std::move(run.outputs[i]);
    if (!tensor.storage) {  // an argument handed through, or a value that an earlier output holds
      const Value& value = plan.values[at(output.value)];
      const Shape shape = shape_of(value, run.inputs, run.counts());
      LATTICE_TRY(tensor, copy_of({value.dtype, shape, run.values[at(output.value)].data}));
    }
    if (output.kind == PlanOutput::Kind::tensor) {
      outputs.push_back({info.name, std::move(tensor)});
    } else {
      LATTICE_TRY(Tensor coords, integers(run, {IntSource::Kind::coords, output.support}));
      outputs.push_back({info.name, SparseTensor{std::move(coords), std::move(tensor), info.stride}});
    }
  }
  return outputs;
}

}  // namespace

Result<Outputs> CpuProgram::run(const BoundInputs& inputs, const DeviceTopology& prepared, DeviceSession& session_base,
                                const RunControl& control, RunReport& report) const {
  auto& session = static_cast<CpuSession&>(session_base);
  Run run{*this, inputs, static_cast<const CpuTopology&>(prepared), {}, {}, {}, {}, {}};
  run.values.resize(plan_.values.size());
  run.laid_out.assign(plan_.values.size(), false);
  run.outputs.resize(plan_.outputs.size());
  run.cat_of.assign(plan_.values.size(), no_id);
  const Status done = session.workplace.execute(control.threads, [&]() -> Status {
    LATTICE_CHECK(lay_out_arguments(run));
    for (int32_t phase = 0; phase < plan_.phases; ++phase) {
      if (phase > 0) {
        const PointsOf points = [&](ValueId id) {
          const Matrix& matrix = run.values[at(id)];
          return TensorView{matrix.dtype, {matrix.rows, matrix.cols}, matrix.data};
        };
        LATTICE_CHECK(build(phase, inputs, control, points, weight_bytes_ + run.arena_bytes, session.blocks, run.topology));
      }
      LATTICE_CHECK(check_sizes(plan_, phase, inputs, run.counts()));
      LATTICE_CHECK(lay_out(run, phase, session, control));
      LATTICE_CHECK(run_steps(run, phase, session, control, report));
    }
    return {};
  });
  if (!done) return tl::make_unexpected(done.error());
  const int64_t fixed = weight_bytes_ + run.topology.bytes() + run.output_bytes + run.input_bytes;
  report.peak_bytes = fixed + run.arena_bytes + session.scratch.bytes();
  report.live_bytes = fixed + run.live_bytes;
  report.simd = name_of(level_);
  report.threads = control.threads;
  return outputs_of(run);
}

}  // namespace lattice::cpu
