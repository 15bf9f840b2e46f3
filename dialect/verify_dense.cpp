// Rules of the operations on feature matrices, as far as one operation can tell.
// Lengths of weights are compared with the weights file when an artifact is loaded.
#include "dialect/verify.h"

namespace lattice::ir {

LogicalResult LinearOp::verify() {
  return all({check_same_float(*this, "result", getType(), "input", getInput().getType()),
              check_dim(*this, "rows", "result", getType(), 0, "input", getInput().getType(), 0)});
}

LogicalResult EmbeddingLookupOp::verify() {
  return check_dim(*this, "rows", "result", getType(), 0, "indices", getIndices().getType(), 0);
}

LogicalResult ElementwiseOp::verify() {
  return all({check_word(*this, "kind", getKind(), {"exp", "round"}),
              check_same_tensor(*this, getType(), getInput().getType())});
}

LogicalResult SoftmaxOp::verify() {
  const auto axis = static_cast<int64_t>(getAxis());
  return all({axis == -1 || axis == 1
                  ? success()
                  : LogicalResult(error(*this) << "axis is " << axis << ", expected one of -1, 1"),
              check_same_tensor(*this, getType(), getInput().getType())});
}

LogicalResult ActivationOp::verify() {
  const float alpha = getAlpha();
  return all(
      {check_choice(*this, "kind", getKind()), check_choice(*this, "approximate", getApproximate()),
       std::isfinite(alpha) && alpha >= 0.0f
           ? success()
           : LogicalResult(error(*this) << "alpha is " << shown(alpha)
                                        << ", expected a finite number of at least 0"),
       check_positive(*this, "beta", getBeta()), check_finite(*this, "threshold", getThreshold()),
       check_same_tensor(*this, getType(), getInput().getType())});
}

LogicalResult BatchNormOp::verify() {
  return all({check_positive(*this, "eps", getEps()),
              check_same_tensor(*this, getType(), getInput().getType())});
}

LogicalResult LayerNormOp::verify() {
  return all({check_positive(*this, "eps", getEps()),
              check_same_tensor(*this, getType(), getInput().getType())});
}

LogicalResult RmsNormOp::verify() {
  return all({check_positive(*this, "eps", getEps()),
              check_same_tensor(*this, getType(), getInput().getType())});
}

} // namespace lattice::ir
