// The reference device: runs a plan step by step with the kernels of kernels/reference, on one
// thread. Keeps every support in the spec's row order. make_reference_program is declared in
// exec/device.h.
#pragma once

#include "exec/reference_topology.h"
#include "kernels/reference/weights.h"

namespace lattice::reference {

class ReferenceProgram : public DeviceProgram {
 public:
  ReferenceProgram(std::shared_ptr<const Plan> plan, std::vector<DenseWeight> weights);

  Result<std::unique_ptr<DeviceTopology>> prepare(const BoundInputs& inputs,
                                                  const RunControl& control,
                                                  DeviceSession* session) const override;
  std::unique_ptr<DeviceSession> session() const override;
  Result<Outputs> run(const BoundInputs& inputs, const DeviceTopology& topology,
                      DeviceSession& session, const RunControl& control,
                      RunReport& report) const override;
  std::string explain() const override;

 private:
  std::shared_ptr<const Plan> plan_;
  std::vector<DenseWeight> weights_;
  std::vector<size_t> order_; // indices of steps as they run
  std::vector<size_t>
      last_use_; // by value: the position in order_ after which it may go, or SIZE_MAX
  int64_t weight_bytes_ = 0;
};

} // namespace lattice::reference
