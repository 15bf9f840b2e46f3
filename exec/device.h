// What a device is to the executor: it prepares weights once, topologies when asked, and runs features.
// Devices are listed in exec/devices.cpp; each has a folder of kernels and one file here.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "lattice/lattice.hpp"
#include "plan/plan.h"

namespace lattice {

// Arguments of one run in the order of the signature, checked against it (spec 6). Views may be unaligned.
// A run on a kept topology may lack those the features do not read: present[i] is false, data null.
struct BoundInputs {
  std::vector<TensorView> arguments;
  std::vector<bool> present;
  bool trusted = false;  // skip divisibility and uniqueness of made supports
};

struct RunControl {
  int32_t threads = 1;      // at least 1
  int64_t max_memory = 0;   // bytes; 0: none
  bool profile_steps = false;
  const std::atomic<bool>* stop = nullptr;

  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

// The supports and relations of phase 0, in the device's own form. Immutable once made.
class DeviceTopology {
 public:
  virtual ~DeviceTopology() = default;
  virtual int64_t rows(SupportId support) const = 0;  // active rows; the support is of phase 0
  virtual int64_t bytes() const = 0;
};

// Scratch memory that is worth keeping between runs. One thread at a time.
class DeviceSession {
 public:
  virtual ~DeviceSession() = default;
};

// A plan made ready for a device: weights in its layout, steps fused as it likes. Immutable.
class DeviceProgram {
 public:
  virtual ~DeviceProgram() = default;
  // With a session the topology may lie in memory that the session keeps for the next one; it is then
  // gone before the session's next run. Without one it holds just what it needs.
  virtual Result<std::unique_ptr<DeviceTopology>> prepare(const BoundInputs& inputs, const RunControl& control,
                                                          DeviceSession* session) const = 0;
  virtual std::unique_ptr<DeviceSession> session() const = 0;
  // Later topology phases (voxelize on computed points) run inside. Fills everything of the report but
  // topology_ms and total_ms. Outputs are in the caller's order.
  virtual Result<Outputs> run(const BoundInputs& inputs, const DeviceTopology& topology,
                              DeviceSession& session, const RunControl& control,
                              RunReport& report) const = 0;
  // Steps as the device runs them and the kernel each got, with the reasons others were refused.
  virtual std::string explain() const = 0;
};

// The plan outlives the device program.
Result<std::unique_ptr<DeviceProgram>> make_reference_program(std::shared_ptr<const Plan> plan);
Result<std::unique_ptr<DeviceProgram>> make_cpu_program(std::shared_ptr<const Plan> plan,
                                                        const LoadOptions& options);

}  // namespace lattice
