// The cpu device: a fused plan with prepacked weights, topologies, and the run itself.
// cpu_program.cpp prepares, cpu_layout.cpp decides where values lie, cpu_run.cpp walks the steps.
#pragma once

#include <map>
#include <optional>

#include <oneapi/tbb/task_arena.h>

#include "exec/device.h"
#include "exec/memory_plan.h"
#include "exec/sizes.h"
#include "kernels/cpu/matmul/matmul.h"
#include "kernels/cpu/topology/topology.h"

namespace lattice::cpu {

// What a step needs besides its operands; null or empty where it has no weights.
struct PreparedStep {
  std::shared_ptr<const MatmulWeights> weights;
  ChannelVector bias;                          // matmul bias; layer_norm bias
  ChannelVector scale;                         // layer_norm, rms_norm
  std::vector<BatchNormConstants> constants;   // one an epilogue entry, empty but for batch_norm
  std::shared_ptr<const float[]> table;        // embedding_lookup: (N, C) widened
};

// Tiles of one relation, made once a topology for the directions that products use.
struct RelationTiles {
  std::shared_ptr<const Tiles> forward, transposed;
};

class CpuTopology final : public DeviceTopology {
 public:
  int64_t rows(SupportId support) const override { return data.supports[static_cast<size_t>(support)]->rows(); }
  int64_t bytes() const override { return data.bytes + tile_bytes; }

  Topology data;
  std::vector<RelationTiles> tiles;  // by RelationId
  int64_t tile_bytes = 0;
};

// One growing piece of 64-byte aligned memory, kept between runs.
class Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Status reserve(int64_t bytes);  // contents are lost when it grows
  void release();
  std::byte* data() const { return data_; }
  int64_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
};

// Where the threads of one caller at a time work. Kept between runs: making and releasing an arena
// of oneTBB takes a lock of the whole process.
class Workplace {
 public:
  // Calls body with `threads` threads to share its work.
  template <class F>
  auto execute(int32_t threads, F&& body) {
    if (threads != threads_) {
      threads_ = 0;  // should the next line throw
      arena_.emplace(threads);
      threads_ = threads;
    }
    return arena_->execute(std::forward<F>(body));
  }

 private:
  std::optional<oneapi::tbb::task_arena> arena_;
  int32_t threads_ = 0;
};

class CpuSession final : public DeviceSession {
 public:
  std::vector<std::unique_ptr<Arena>> values;  // by phase
  Arena scratch;
  Workplace workplace;
  std::shared_ptr<BlockPool> blocks = std::make_shared<BlockPool>();  // of topologies
};

class CpuProgram final : public DeviceProgram {
 public:
  static Result<std::unique_ptr<DeviceProgram>> make(const Plan& plan, SimdLevel level);

  Result<std::unique_ptr<DeviceTopology>> prepare(const BoundInputs& inputs, const RunControl& control,
                                                  DeviceSession* session) const override;
  std::unique_ptr<DeviceSession> session() const override { return std::make_unique<CpuSession>(); }
  Result<Outputs> run(const BoundInputs& inputs, const DeviceTopology& topology, DeviceSession& session,
                      const RunControl& control, RunReport& report) const override;
  std::string explain() const override;

  const Plan& plan() const { return plan_; }
  const PreparedStep& prepared(size_t step) const { return prepared_[step]; }
  int64_t weight_bytes() const { return weight_bytes_; }
  SimdLevel level() const { return level_; }

  // Builds one phase and the tiles its products walk. Runs in the caller's workplace.
  Status build(int32_t phase, const BoundInputs& inputs, const RunControl& control, const PointsOf& points,
               int64_t held_bytes, const std::shared_ptr<BlockPool>& blocks, CpuTopology& topology) const;

 private:
  Status prepare_step(const Step& step);
  Result<std::shared_ptr<const MatmulWeights>> weights_for(WeightId weight, int64_t cin, const PackOptions& options);

  Plan plan_;  // fused; the bytes of its weights are gone, they live in prepared_
  std::vector<PreparedStep> prepared_;
  std::map<std::tuple<WeightId, int64_t, bool, float>, std::shared_ptr<const MatmulWeights>> packed_;
  int64_t weight_bytes_ = 0;
  SimdLevel level_ = SimdLevel::scalar;
};

}  // namespace lattice::cpu
