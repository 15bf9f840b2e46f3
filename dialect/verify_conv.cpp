// Rules of the ten convolutions, as far as one operation can tell.
// Channels and strides are followed through the graph by the lowering.
#include "dialect/verify.h"

namespace lattice::ir {
namespace {

// What all ten share.
template <class Op>
LogicalResult verify_conv(Op op) {
  return all({check_triples(op),
              check_word(op, "accumulation", op.getAccumulation(), {"canonical_f32"}),
              check_same_float(op, "result", op.getType(), "input", op.getInput().getType())});
}

template <class Op>
LogicalResult check_odd(Op op) {
  const llvm::ArrayRef<int64_t> size = op.getKernelSize();
  for (const int64_t value : size) {
    if (value % 2 == 0)
      return error(op) << "kernel_size has the even value " << value
                       << ", expected odd sizes: the kernel is centred";
  }
  return success();
}

template <class Op>
LogicalResult verify_normalized(Op op) {
  LogicalResult dense = success();
  if (auto weight = op.getWeight().template getDefiningOp<WeightOp>()) {
    const PackingAttr packing = weight.getPackingAttr();
    if (packing && !packing.is_dense())
      dense = error(op) << "weight @" << (weight.getSymNameAttr() ? weight.getSymName() : "")
                        << " is packed as " << packing.getKind()
                        << ", expected dense: normalized operations take no packed weights";
  }
  return all({dense, check_positive(op, "eps", op.getEps()), verify_conv(op)});
}

} // namespace

LogicalResult Conv3dOp::verify() { return verify_conv(*this); }
LogicalResult SubmConv3dOp::verify() { return all({check_odd(*this), verify_conv(*this)}); }
LogicalResult NormalizedSubmConv3dOp::verify() {
  return all({check_odd(*this), verify_normalized(*this)});
}
LogicalResult TargetConv3dOp::verify() { return verify_conv(*this); }
LogicalResult ConvTranspose3dOp::verify() { return verify_conv(*this); }
LogicalResult TargetConvTranspose3dOp::verify() { return verify_conv(*this); }
LogicalResult NormalizedConvTranspose3dOp::verify() { return verify_normalized(*this); }
LogicalResult TargetNormalizedConvTranspose3dOp::verify() { return verify_normalized(*this); }
LogicalResult GenerativeConvTranspose3dOp::verify() { return verify_conv(*this); }
LogicalResult NormalizedGenerativeConvTranspose3dOp::verify() { return verify_normalized(*this); }

} // namespace lattice::ir
