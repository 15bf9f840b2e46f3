// What happens to a finished element before it is stored, with every pointer resolved.
// The arithmetic itself is in kernels_body.inl; the plan's description is EpilogueOp in
// plan/plan.h.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/status.h"
#include "kernels/cpu/matrix.h"
#include "plan/plan.h"

namespace lattice::cpu {

// One f32 a channel, 64-byte aligned and padded with zeros to whole vectors of any level.
struct ChannelVector {
  std::shared_ptr<const float[]> storage;
  int64_t channels = 0;
  const float* data() const { return storage.get(); }
};

// A channel or bias weight, widened.
Result<ChannelVector> channel_vector(const Weight& weight);

// y = fma(x, scale, shift): scale / sqrt(var + eps) and fma(-mean, scale, bias). Spec 5.
struct BatchNormConstants {
  ChannelVector scale;
  ChannelVector shift;
};
Result<BatchNormConstants> batch_norm_constants(const Weight& scale, const Weight& bias,
                                                const Weight& mean, const Weight& var, float eps);

struct EpilogueEntry {
  EpilogueOp::Kind kind = EpilogueOp::Kind::activation;
  const float* scale = nullptr; // batch_norm: both padded as a ChannelVector is
  const float* shift = nullptr;
  ConstMatrix residual; // residual: as many rows as y, y's dtype
  ActivationKind activation = ActivationKind::relu;
  GeluApprox approximate = GeluApprox::none;
  float alpha = 0, beta = 1, threshold = 20;
};

struct EpilogueArgs {
  const float* bias = nullptr; // null: none; padded as a ChannelVector is
  std::span<const EpilogueEntry> entries;
};

} // namespace lattice::cpu
