// The public Program, Topology and Session: loading, preparing, running. Devices do the work.
#include <chrono>

#include <fmt/format.h>

#include "base/tensor.h"
#include "exec/binding.h"
#include "exec/concurrency.h"
#include "exec/devices.h"
#include "exec/float_environment.h"
#include "exec/load_plan.h"
#include "exec/sizes.h"
#include "plan/dump.h"

namespace lattice {

namespace detail {

struct ProgramState {
  std::shared_ptr<const Plan> plan;
  std::string device;
  std::unique_ptr<DeviceProgram> program;
  std::vector<bool> in_topology;  // by argument: the topology of phase 0 depends on it
};

struct TopologyState {
  std::shared_ptr<const ProgramState> program;
  std::vector<Tensor> copies;  // of the arguments it came from, so that the caller's may go
  BoundInputs inputs;          // views of `copies`; the other arguments are absent
  std::unique_ptr<DeviceTopology> topology;
  int64_t copied_bytes = 0;
};

struct SessionState {
  std::shared_ptr<const ProgramState> program;
  std::unique_ptr<DeviceSession> session;
  RunReport report;
  bool profile = false;
};

}  // namespace detail

namespace {

using detail::ProgramState;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw std::move(result).error();
  return *std::move(result);
}

// There may be no memory left even for the words: then the code alone says it.
tl::unexpected<Error> out_of_memory() {
  try {
    return fail(Code::memory, "out of memory");
  } catch (const std::bad_alloc&) {
    return tl::make_unexpected(Error(Code::memory, std::vector<Diagnostic>{}));
  }
}

// Nothing below a try_* may throw: what the standard library throws for want of memory ends here. And nothing
// below depends on the floating point rules that the host has set.
template <class F>
auto guarded(F&& body) -> decltype(body()) {
  const FloatEnvironment rules;
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const Error& error) {
    return tl::make_unexpected(error);
  } catch (const std::exception& error) {
    return fail(Code::internal, fmt::format("unexpected failure: {}", error.what()));
  }
}

std::vector<bool> topology_arguments(const Plan& plan) {
  std::vector<bool> used(plan.signature.arguments.size(), false);
  const auto use_ints = [&](const IntSource& source) {
    if (source.kind == IntSource::Kind::argument) used[static_cast<size_t>(source.id)] = true;
  };
  const auto use_points = [&](ValueId points) {
    if (points == no_id) return;
    const int32_t argument = plan.values[static_cast<size_t>(points)].argument;
    if (argument != no_id) used[static_cast<size_t>(argument)] = true;
  };
  for (const Support& support : plan.supports) {
    if (support.phase > 0) continue;
    use_ints(support.coords);
    use_ints(support.active);
    use_ints(support.batch_indices);
    use_points(support.points);
  }
  for (const PointMap& map : plan.point_maps) {
    if (map.phase > 0) continue;
    use_ints(map.batch_indices);
    use_ints(map.active);
    use_points(map.points);
  }
  return used;
}

Result<RunControl> control_of(const RunOptions& options, bool profile) {
  if (options.threads < 0) return fail(Code::usage, fmt::format("threads: found {}, expected 0 (all) or more", options.threads));
  if (options.max_memory < 0) {
    return fail(Code::usage, fmt::format("max_memory: found {}, expected 0 (no limit) or more bytes", options.max_memory));
  }
  RunControl control;
  control.threads = options.threads == 0 ? usable_threads() : std::min(options.threads, usable_threads());
  control.max_memory = options.max_memory;
  control.profile_steps = profile;
  control.stop = options.stop;
  return control;
}

// What binding and `inspect` need. The bytes of the weights stay with a device that reads them, or go.
std::shared_ptr<const Plan> without_weight_data(const Plan& plan) {
  auto copy = std::make_shared<Plan>(plan);
  for (Weight& weight : copy->weights) weight.data.data = weight.scales.data = weight.biases.data = nullptr;
  copy->weights_memory.reset();
  return copy;
}

Result<std::shared_ptr<const ProgramState>> make_state(Result<std::shared_ptr<const Plan>> loaded,
                                                        const LoadOptions& options) {
  LATTICE_TRY(std::shared_ptr<const Plan> plan, std::move(loaded));
  auto state = std::make_shared<ProgramState>();
  state->device = options.device;
  state->in_topology = topology_arguments(*plan);
  state->plan = without_weight_data(*plan);
  LATTICE_TRY(state->program, make_device_program(std::move(plan), options));
  return state;
}

// Sizes that inputs alone decide are checked before anything reads their rows.
Status check_bound(const Plan& plan, const BoundInputs& inputs) {
  const Counts nothing{[](SupportId) { return int64_t{0}; }, [](BatchesId) { return int64_t{0}; }};
  return check_sizes(plan, before_topology, inputs, nothing);
}

int64_t first_support_rows(const Plan& plan, const DeviceTopology& topology) {
  for (size_t i = 0; i < plan.supports.size(); ++i) {
    if (plan.supports[i].phase == 0) return topology.rows(static_cast<SupportId>(i));
  }
  return 0;
}

Result<Outputs> run_features(const ProgramState& program, const BoundInputs& inputs, const DeviceTopology& topology,
                             DeviceSession& session, const RunControl& control, RunReport& report) {
  const auto start = Clock::now();
  LATTICE_TRY(Outputs outputs, program.program->run(inputs, topology, session, control, report));
  report.features_ms = milliseconds_since(start);
  report.voxels = first_support_rows(*program.plan, topology);
  return outputs;
}

}  // namespace

// ------------------------------------------------------------------------------------------- Program

Result<Program> Program::try_load(const std::filesystem::path& directory, const LoadOptions& options) {
  return guarded([&]() -> Result<Program> {
    LATTICE_TRY(auto state, make_state(load_plan(directory, options), options));
    return Program(std::move(state));
  });
}

Result<Program> Program::try_load_memory(const std::string& graph, std::span<const std::byte> weights,
                                         const LoadOptions& options) {
  return guarded([&]() -> Result<Program> {
    LATTICE_TRY(auto state, make_state(load_plan_memory(graph, weights, options), options));
    return Program(std::move(state));
  });
}

Program Program::load(const std::filesystem::path& directory, const LoadOptions& options) {
  return value_or_throw(try_load(directory, options));
}

Program Program::load_memory(const std::string& graph, std::span<const std::byte> weights, const LoadOptions& options) {
  return value_or_throw(try_load_memory(graph, weights, options));
}

const Signature& Program::signature() const { return state_->plan->signature; }
const std::string& Program::device() const { return state_->device; }

std::string Program::inspect(InspectFormat format) const {
  switch (format) {
    case InspectFormat::json: return dump_json(*state_->plan);
    case InspectFormat::dot: return dump_dot(*state_->plan);
    case InspectFormat::text: break;
  }
  return dump_text(*state_->plan);
}

std::string Program::explain() const { return state_->program->explain(); }

std::vector<std::string> Program::topology_inputs() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < state_->in_topology.size(); ++i) {
    if (state_->in_topology[i]) names.push_back(state_->plan->signature.arguments[i].name);
  }
  return names;
}

Result<Topology> Program::try_prepare(const Inputs& given, const RunOptions& options) const {
  return guarded([&]() -> Result<Topology> {
    const Plan& plan = *state_->plan;
    LATTICE_TRY(const RunControl control, control_of(options, false));
    std::vector<Need> needs(plan.signature.arguments.size(), Need::ignored);
    for (size_t i = 0; i < needs.size(); ++i) {
      if (state_->in_topology[i]) needs[i] = Need::required;
    }
    LATTICE_TRY(Binding binding, bind_inputs(plan.signature, given, needs));
    auto topology = std::make_shared<detail::TopologyState>();
    topology->program = state_;
    topology->inputs.trusted = options.trusted;
    topology->inputs.present = binding.inputs.present;
    for (size_t i = 0; i < needs.size(); ++i) {
      Tensor copy;
      if (binding.inputs.present[i]) {
        LATTICE_TRY(copy, copy_of(binding.inputs.arguments[i]));
        topology->copied_bytes += elements_of(copy.shape) * size_of(copy.dtype);
      }
      topology->inputs.arguments.push_back(copy.view());
      topology->copies.push_back(std::move(copy));
    }
    LATTICE_CHECK(check_bound(plan, topology->inputs));
    LATTICE_TRY(topology->topology, state_->program->prepare(topology->inputs, control, nullptr));
    return Topology(std::move(topology));
  });
}

Topology Program::prepare(const Inputs& inputs, const RunOptions& options) const {
  return value_or_throw(try_prepare(inputs, options));
}

// ------------------------------------------------------------------------------------------ Topology

int64_t Topology::rows() const { return first_support_rows(*state_->program->plan, *state_->topology); }
int64_t Topology::bytes() const { return state_->topology->bytes() + state_->copied_bytes; }

// ------------------------------------------------------------------------------------------- Session

Session::Session(Program program) : state_(std::make_unique<detail::SessionState>()) {
  state_->program = program.state();
  state_->session = state_->program->program->session();
}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

Result<Outputs> Session::try_run(const Inputs& given, const RunOptions& options) {
  return guarded([&]() -> Result<Outputs> {
    const ProgramState& program = *state_->program;
    const auto start = Clock::now();
    LATTICE_TRY(const RunControl control, control_of(options, state_->profile));
    const std::vector<Need> needs(program.plan->signature.arguments.size(), Need::required);
    LATTICE_TRY(Binding binding, bind_inputs(program.plan->signature, given, needs));
    binding.inputs.trusted = options.trusted;
    LATTICE_CHECK(check_bound(*program.plan, binding.inputs));
    RunReport report;
    LATTICE_TRY(auto topology, program.program->prepare(binding.inputs, control, state_->session.get()));
    report.topology_ms = milliseconds_since(start);
    LATTICE_TRY(Outputs outputs,
                run_features(program, binding.inputs, *topology, *state_->session, control, report));
    report.total_ms = milliseconds_since(start);
    state_->report = std::move(report);
    return outputs;
  });
}

Result<Outputs> Session::try_run(const Topology& kept, const Inputs& given, const RunOptions& options) {
  return guarded([&]() -> Result<Outputs> {
    const ProgramState& program = *state_->program;
    if (kept.state()->program != state_->program) {
      return fail(Code::usage, "the topology was prepared by another program");
    }
    const auto start = Clock::now();
    LATTICE_TRY(const RunControl control, control_of(options, state_->profile));
    std::vector<Need> needs(program.plan->signature.arguments.size(), Need::required);
    for (size_t i = 0; i < needs.size(); ++i) {
      if (program.in_topology[i]) needs[i] = Need::ignored;
    }
    LATTICE_TRY(Binding binding, bind_inputs(program.plan->signature, given, needs));
    for (size_t i = 0; i < needs.size(); ++i) {
      if (!program.in_topology[i]) continue;
      binding.inputs.arguments[i] = kept.state()->inputs.arguments[i];
      binding.inputs.present[i] = true;
    }
    binding.inputs.trusted = options.trusted || kept.state()->inputs.trusted;
    LATTICE_CHECK(check_bound(*program.plan, binding.inputs));
    RunReport report;
    LATTICE_TRY(Outputs outputs, run_features(program, binding.inputs, *kept.state()->topology, *state_->session,
                                              control, report));
    report.total_ms = milliseconds_since(start);
    state_->report = std::move(report);
    return outputs;
  });
}

Outputs Session::run(const Inputs& inputs, const RunOptions& options) {
  return value_or_throw(try_run(inputs, options));
}

Outputs Session::run(const Topology& topology, const Inputs& inputs, const RunOptions& options) {
  return value_or_throw(try_run(topology, inputs, options));
}

const RunReport& Session::report() const { return state_->report; }
void Session::profile(bool each_step) { state_->profile = each_step; }

const char* version() { return LATTICE_VERSION; }

}  // namespace lattice
