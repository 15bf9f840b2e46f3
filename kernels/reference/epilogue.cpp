// Formulas of epilogue.h.
#include "kernels/reference/epilogue.h"

#include <cmath>

#include "kernels/math.h"

namespace lattice::reference {

ScaleShift scale_shift(const DenseWeight& scale, const DenseWeight& bias, const DenseWeight& mean,
                       const DenseWeight& var, float eps) {
  ScaleShift constants;
  for (int64_t c = 0; c < scale.out; ++c) {
    const float s = scale[c] / std::sqrt(var[c] + eps);
    constants.s.push_back(s);
    constants.t.push_back(std::fma(-mean[c], s, bias[c]));
  }
  return constants;
}

float activation(const EpilogueOp& op, float x) {
  switch (op.activation) {
  case ActivationKind::relu: return math::relu(x);
  case ActivationKind::sigmoid: return math::sigmoid(x);
  case ActivationKind::gelu:
    if (op.approximate == GeluApprox::tanh) return math::gelu_tanh(x);
    if (op.approximate == GeluApprox::fast) return math::gelu_fast(x);
    return math::gelu(x);
  case ActivationKind::silu: return math::silu(x);
  case ActivationKind::leaky_relu: return math::leaky_relu(x, op.alpha);
  case ActivationKind::tanh: return math::tanh(x);
  case ActivationKind::softplus: return math::softplus(x, op.beta, op.threshold);
  }
  return x;
}

float apply(const EpilogueEntry& entry, int64_t row, int64_t col, float x) {
  switch (entry.op.kind) {
  case EpilogueOp::Kind::batch_norm: {
    const size_t c = static_cast<size_t>(col);
    return std::fma(x, entry.constants.s[c], entry.constants.t[c]);
  }
  case EpilogueOp::Kind::residual:
    return entry.op.residual_first ? entry.residual(row, col) + x : x + entry.residual(row, col);
  case EpilogueOp::Kind::activation: return activation(entry.op, x);
  }
  return x;
}

float apply_all(const EpilogueEntries& entries, DType dtype, int64_t row, int64_t col, float x) {
  for (const EpilogueEntry& entry : entries) x = apply(entry, row, col, stored_as(dtype, x));
  return x;
}

} // namespace lattice::reference
