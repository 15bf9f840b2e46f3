// Making a plan ready for the CPU: fusion, prepacked weights, topologies. The run is in cpu_run.cpp.
#include "exec/cpu_program.h"

#include <algorithm>
#include <new>

#include <fmt/format.h>

#include "base/f16.h"
#include "base/huge_pages.h"
#include "base/tensor.h"
#include "kernels/faults.h"
#include "plan/fuse.h"

namespace lattice::cpu {

// --------------------------------------------------------------------------------------------- Arena

Arena::~Arena() { release(); }

void Arena::release() {
  ::operator delete(data_, std::align_val_t{huge_page});
  data_ = nullptr;
  bytes_ = 0;
}

Status Arena::reserve(int64_t bytes) {
  if (bytes <= bytes_) return {};
  release();
  const size_t rounded = (static_cast<size_t>(bytes) + huge_page - 1) / huge_page * huge_page;
  data_ = static_cast<std::byte*>(::operator new(rounded, std::align_val_t{huge_page}, std::nothrow));
  if (data_ == nullptr) return tl::make_unexpected(faults::out_of_memory(bytes, "the values of the run"));
  prefer_huge_pages(data_, rounded);
  bytes_ = bytes;
  return {};
}

// ------------------------------------------------------------------------------------------- weights

Result<std::shared_ptr<const MatmulWeights>> CpuProgram::weights_for(WeightId weight, int64_t cin,
                                                                     const PackOptions& options) {
  auto& slot = packed_[{weight, cin, options.normalized, options.eps}];
  if (!slot) {
    LATTICE_TRY(MatmulWeights packed, pack_weights(plan_.weights[static_cast<size_t>(weight)], cin, options));
    weight_bytes_ += packed.bytes;
    slot = std::make_shared<const MatmulWeights>(std::move(packed));
  }
  return slot;
}

Status CpuProgram::prepare_step(const Step& step) {
  const auto weight = [&](WeightId id) -> const Weight& { return plan_.weights[static_cast<size_t>(id)]; };
  const auto channels = [&](ValueId id) { return plan_.values[static_cast<size_t>(id)].shape[1].value; };
  PreparedStep prepared;
  const auto epilogue = [&](const Epilogue& entries) -> Status {
    for (const EpilogueOp& entry : entries) {
      prepared.constants.emplace_back();
      if (entry.kind != EpilogueOp::Kind::batch_norm) continue;
      LATTICE_TRY(prepared.constants.back(),
                  batch_norm_constants(weight(entry.scale), weight(entry.bias), weight(entry.mean), weight(entry.var),
                                       entry.eps));
    }
    return {};
  };
  const auto vector = [&](WeightId id, ChannelVector& out) -> Status {
    if (id == no_id) return {};
    LATTICE_TRY(out, channel_vector(weight(id)));
    weight_bytes_ += out.channels * static_cast<int64_t>(sizeof(float));
    return {};
  };
  if (const auto* op = std::get_if<RelationMatmul>(&step.op)) {
    LATTICE_TRY(prepared.weights, weights_for(op->weight, channels(op->x), {.simd = &simd_table(level_), .normalized = op->normalized, .eps = op->eps}));
    LATTICE_CHECK(vector(op->bias, prepared.bias));
    LATTICE_CHECK(epilogue(op->epilogue));
  } else if (const auto* rows = std::get_if<RowsMatmul>(&step.op)) {
    LATTICE_TRY(prepared.weights, weights_for(rows->weight, channels(rows->x), {.simd = &simd_table(level_)}));
    LATTICE_CHECK(vector(rows->bias, prepared.bias));
    LATTICE_CHECK(epilogue(rows->epilogue));
  } else if (const auto* rowwise = std::get_if<RowwiseOp>(&step.op)) {
    LATTICE_CHECK(epilogue({rowwise->op}));
  } else if (const auto* layer = std::get_if<LayerNorm>(&step.op)) {
    LATTICE_CHECK(vector(layer->scale, prepared.scale));
    LATTICE_CHECK(vector(layer->bias, prepared.bias));
  } else if (const auto* rms = std::get_if<RmsNorm>(&step.op)) {
    LATTICE_CHECK(vector(rms->scale, prepared.scale));
  } else if (const auto* lookup = std::get_if<EmbeddingLookup>(&step.op)) {
    const TensorView& data = weight(lookup->weight).data;
    const int64_t count = elements_of(data.shape);
    std::shared_ptr<float[]> table(new (std::nothrow) float[static_cast<size_t>(std::max<int64_t>(count, 1))]);
    if (!table) return tl::make_unexpected(faults::out_of_memory(count * 4, "an embedding table"));
    for (int64_t i = 0; i < count; ++i) {
      table[i] = data.dtype == DType::f16 ? f32_from_f16(load_at<uint16_t>(data.data, i)) : load_at<float>(data.data, i);
    }
    prepared.table = std::move(table);
    weight_bytes_ += count * static_cast<int64_t>(sizeof(float));
  }
  prepared_.push_back(std::move(prepared));
  return {};
}

Result<std::unique_ptr<DeviceProgram>> CpuProgram::make(const Plan& plan, SimdLevel level) {
  auto program = std::make_unique<CpuProgram>();
  program->plan_ = fuse(plan);
  program->level_ = level;
  for (const Step& step : program->plan_.steps) LATTICE_CHECK(program->prepare_step(step));
  program->packed_.clear();
  for (Weight& weight : program->plan_.weights) weight.data.data = weight.scales.data = weight.biases.data = nullptr;
  program->plan_.weights_memory.reset();
  return std::unique_ptr<DeviceProgram>(std::move(program));
}

std::string CpuProgram::explain() const {
  std::string text;
  for (size_t i = 0; i < prepared_.size(); ++i) {
    const Step& step = plan_.steps[i];
    std::string choice = prepared_[i].weights ? cpu::explain(*prepared_[i].weights) : "one kernel";
    // The kernel stands in the line of the step, what decided on it below: see Program::explain.
    if (const size_t colon = choice.find(": "); colon != std::string::npos) choice.replace(colon, 2, "\n  ");
    text += fmt::format("{} {} {}: {}\n", text_of(step.where), step.name, step.parameter, choice);
  }
  return text;
}

// ------------------------------------------------------------------------------------------ topology

Status CpuProgram::build(int32_t phase, const BoundInputs& inputs, const RunControl& control, const PointsOf& points,
                         int64_t held_bytes, const std::shared_ptr<BlockPool>& blocks, CpuTopology& topology) const {
  LATTICE_CHECK(build_phase(plan_, phase, inputs, control, points, held_bytes, topology.data, blocks));
  topology.tiles.resize(plan_.relations.size());
  for (const Step& step : plan_.steps) {
    const auto* op = std::get_if<RelationMatmul>(&step.op);
    if (op == nullptr) continue;
    const auto id = static_cast<size_t>(op->relation.id);
    if (plan_.relations[id].phase != phase) continue;
    auto& slot = op->relation.direction == Direction::forward ? topology.tiles[id].forward : topology.tiles[id].transposed;
    if (slot) continue;
    slot = std::make_shared<const Tiles>(make_tiles(*topology.data.relations[id], op->relation.direction, tile_granule));
    topology.tile_bytes += static_cast<int64_t>(slot->begin.size() * sizeof(Row));
  }
  return {};
}

Result<std::unique_ptr<DeviceTopology>> CpuProgram::prepare(const BoundInputs& inputs, const RunControl& control,
                                                            DeviceSession* session) const {
  auto topology = std::make_unique<CpuTopology>();
  auto* const kept = static_cast<CpuSession*>(session);
  const auto blocks = kept == nullptr ? nullptr : kept->blocks;
  Workplace own;
  Workplace& workplace = kept == nullptr ? own : kept->workplace;
  const Status built = workplace.execute(control.threads, [&] {
    return build(0, inputs, control, [](ValueId) { return TensorView{}; }, weight_bytes_, blocks, *topology);
  });
  if (!built) return tl::make_unexpected(built.error());
  return std::unique_ptr<DeviceTopology>(std::move(topology));
}

}  // namespace lattice::cpu

namespace lattice {

Result<std::unique_ptr<DeviceProgram>> make_cpu_program(std::shared_ptr<const Plan> plan, const LoadOptions& options) {
  cpu::SimdLevel level = cpu::best_simd_level();
  if (!options.simd.empty()) {
    bool known = false;
    for (const auto each : {cpu::SimdLevel::scalar, cpu::SimdLevel::avx2, cpu::SimdLevel::avx512}) {
      if (options.simd != cpu::name_of(each)) continue;
      if (!cpu::offers(each)) {
        return fail(Code::unsupported, fmt::format("simd level \"{}\" is not offered by this processor, the best is \"{}\"",
                                                   options.simd, cpu::name_of(level)));
      }
      level = each;
      known = true;
    }
    if (!known) return fail(Code::usage, fmt::format("simd level \"{}\" is not known: scalar, avx2 or avx512", options.simd));
  }
  return cpu::CpuProgram::make(*plan, level);
}

}  // namespace lattice
