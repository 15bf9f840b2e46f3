// Lattice Runtime: loads a sparse 3D network from an artifact directory and runs it.
//
//   lattice::Program program = lattice::Program::load("model/");
//   lattice::Session session(program);
//   std::vector<lattice::Output> outputs = session.run({{"x", lattice::SparseView{coords, features}}});
//
// Threads: a Program and a Topology are immutable and may be used from any number of threads at once. A
// Session holds scratch memory and is used by one thread at a time; make one for each thread.
// Errors: every function comes in two forms. `load` throws lattice::Error, `try_load` returns it in a
// Result. After an error everything can go on being used. The library never prints and never aborts.
// Results: for an f32 artifact the bits depend on the inputs alone, never on the number of threads, the
// processor's vector width or the device.
#pragma once

#include <atomic>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "lattice/signature.hpp"
#include "lattice/status.hpp"
#include "lattice/tensor.hpp"

#pragma GCC visibility push(default)

namespace lattice {

struct LoadOptions {
  // "cpu", or "reference": plain loops in the order of the definition, slow, for checking the others.
  std::string device = "cpu";
  // Accept a schema digest that is not in the table of known contract releases.
  bool allow_unknown_digest = false;
  // Highest SIMD level to use: "", "scalar", "avx2", "avx512". Results are the same at each; for tests.
  std::string simd = "";
};

struct RunOptions {
  int32_t threads = 0;     // 0, or more than the process may use: as many as it may use
  int64_t max_memory = 0;  // bytes a run may hold at once, topology included; 0: no limit of ours
  bool trusted = false;    // inputs are known to be divisible and unique: skip those two checks
  // Set to true from another thread to end the run at the next step, with Code::interrupted.
  const std::atomic<bool>* stop = nullptr;
};

// One argument of a run. Without a name it is positional; a SparseView stands for the three arguments of a
// sparse input. Nothing is copied and nothing is kept after the call: the memory stays the caller's.
struct Input {
  Input(std::string argument, TensorView tensor) : name(std::move(argument)), value(std::move(tensor)) {}
  Input(std::string argument, SparseView sparse) : name(std::move(argument)), value(std::move(sparse)) {}
  Input(TensorView tensor) : value(std::move(tensor)) {}   // NOLINT: reads well in a list
  Input(SparseView sparse) : value(std::move(sparse)) {}   // NOLINT

  std::string name;
  std::variant<TensorView, SparseView> value;
};
using Inputs = std::vector<Input>;

// One result of a run, in the order of the signature.
struct Output {
  std::string name;
  std::variant<Tensor, SparseTensor> value;

  bool is_sparse() const { return value.index() == 1; }
  const Tensor& tensor() const { return std::get<Tensor>(value); }
  const SparseTensor& sparse() const { return std::get<SparseTensor>(value); }
};
using Outputs = std::vector<Output>;

// A thread at work in a step.
struct ThreadTime {
  int32_t thread = 0;     // its place in the pool, from 0
  double start_ms = 0;    // after the start of the step
  double milliseconds = 0;
};

// One step of the feature phase of a run.
struct StepTime {
  std::string name;       // "subm_conv3d+batch_norm+activation"
  std::string parameter;  // the layer's weight key, or empty
  Location where;         // in graph.mlir
  std::string kernel;     // the kernel that ran
  int64_t rows = 0;       // rows of the result
  int64_t pairs = 0;      // edges of its relation; rows for plain products, 0 where it has no weights
  double gflop = 0;       // 2 * pairs * Cin * Cout / 1e9
  int64_t bytes = 0;      // features and weights read and written, at least
  double start_ms = 0;    // after the end of the topology
  double milliseconds = 0;
  std::vector<ThreadTime> threads;  // of products, which is where the time goes
};

// What a run did. Times are wall-clock.
struct RunReport {
  double topology_ms = 0;
  double features_ms = 0;
  double total_ms = 0;
  int64_t voxels = 0;      // active rows of the first support
  int64_t pairs = 0;       // edges of all products
  double gflop = 0;
  int64_t peak_bytes = 0;  // largest sum of arena, topology, outputs and weights
  int64_t live_bytes = 0;  // largest set of values that had to be alive at once, with the same extras
  int32_t threads = 0;
  std::string simd;        // "avx2", "avx512", "scalar", "reference"
  std::vector<StepTime> steps;  // filled when asked for by Session::profile
};

namespace detail {
struct ProgramState;
struct TopologyState;
struct SessionState;
}  // namespace detail

class Topology;

enum class InspectFormat : int32_t { text = 0, json = 1, dot = 2 };

// A loaded, verified, frozen network. Copies share it.
class Program {
 public:
  // Reads graph.mlir and weights.safetensors of `directory`, checks everything that does not depend on the
  // values of inputs, and prepares the weights for the device. All faults of a graph are reported at once.
  static Program load(const std::filesystem::path& directory, const LoadOptions& options = {});
  static Result<Program> try_load(const std::filesystem::path& directory, const LoadOptions& options = {});

  // The same from memory: the text of a graph and the bytes of a safetensors file (copied).
  static Program load_memory(const std::string& graph, std::span<const std::byte> weights,
                             const LoadOptions& options = {});
  static Result<Program> try_load_memory(const std::string& graph, std::span<const std::byte> weights,
                                         const LoadOptions& options = {});

  const Signature& signature() const;
  const std::string& device() const;

  // Signature, parameters, topology, steps, memory, unused weights.
  std::string inspect(InspectFormat format = InspectFormat::text) const;

  // The steps as the device runs them: which kernel each got, and why others were refused. A line for each
  // step: its place in the graph, a blank, its name, a blank, the layer's weight key or nothing, a colon, the
  // kernel. Below it and indented, "not ", a refused kernel, a colon and the reason; any other indented line
  // says what decided the choice.
  std::string explain() const;

  // Builds every support and relation that depends on inputs alone. `inputs` must hold the arguments named
  // by topology_inputs() and may hold the others, which are ignored.
  Topology prepare(const Inputs& inputs, const RunOptions& options = {}) const;
  Result<Topology> try_prepare(const Inputs& inputs, const RunOptions& options = {}) const;

  // Arguments on which the topology depends, by ABI name.
  std::vector<std::string> topology_inputs() const;

  const std::shared_ptr<const detail::ProgramState>& state() const { return state_; }

 private:
  explicit Program(std::shared_ptr<const detail::ProgramState> state) : state_(std::move(state)) {}
  std::shared_ptr<const detail::ProgramState> state_;
};

// Coordinates prepared once, to be run with new features as often as wanted. Owns all it needs: the inputs
// it was made from may go. Copies share it.
class Topology {
 public:
  int64_t rows() const;   // active rows of the first support
  int64_t bytes() const;  // memory it holds
  const std::shared_ptr<const detail::TopologyState>& state() const { return state_; }

 private:
  friend class Program;
  explicit Topology(std::shared_ptr<const detail::TopologyState> state) : state_(std::move(state)) {}
  std::shared_ptr<const detail::TopologyState> state_;
};

// Runs a program, one call at a time. Keeps scratch memory between calls, never results or inputs.
class Session {
 public:
  explicit Session(Program program);
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // Cold maps: builds the topology of these inputs, then runs.
  Outputs run(const Inputs& inputs, const RunOptions& options = {});
  Result<Outputs> try_run(const Inputs& inputs, const RunOptions& options = {});

  // Hot maps: runs on a kept topology of the same program. Arguments the topology came from may be left out
  // (any that the features need are taken from it) and are ignored if given.
  Outputs run(const Topology& topology, const Inputs& inputs, const RunOptions& options = {});
  Result<Outputs> try_run(const Topology& topology, const Inputs& inputs, const RunOptions& options = {});

  // Times and sizes of the last successful run. Step times are taken only while `profile(true)` is set.
  const RunReport& report() const;
  void profile(bool each_step);

 private:
  std::unique_ptr<detail::SessionState> state_;
};

struct DeviceInfo {
  std::string name;         // "cpu"
  std::string description;  // "AVX2, 2 threads"
};

// Devices of this machine that a program can be loaded for.
std::vector<DeviceInfo> devices();

// "0.1.0"
const char* version();

}  // namespace lattice

#pragma GCC visibility pop
