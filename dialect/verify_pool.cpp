// Rules of pools and upsampling, as far as one operation can tell.
// Strides are followed through the graph by the lowering.
#include "dialect/verify.h"

namespace lattice::ir {

LogicalResult Pool3dOp::verify() {
  return all({check_choice(*this, "mode", getMode()), check_triples(*this),
              check_same_float(*this, "result", getType(), "input", getInput().getType())});
}

LogicalResult PoolTranspose3dOp::verify() {
  return all({check_triples(*this),
              check_same_float(*this, "result", getType(), "input", getInput().getType())});
}

LogicalResult TrilinearUpsample3dOp::verify() {
  return all({check_triples(*this),
              check_same_float(*this, "result", getType(), "input", getInput().getType())});
}

LogicalResult GlobalPoolOp::verify() {
  const auto batches = static_cast<int64_t>(getBatchSize());
  const int64_t declared = getType().getDimSize(0);
  LogicalResult size = success();
  if (batches < -1) {
    size = error(*this) << "batch_size is " << batches << ", expected -1 or a number of batches";
  } else if (batches >= 0 && !mlir::ShapedType::isDynamic(declared) && declared != batches) {
    size = error(*this) << "result has " << declared << " rows, expected " << batches
                        << ", the batch_size";
  }
  return all({check_choice(*this, "mode", getMode()), size,
              check_same_float(*this, "result", getType(), "input", getInput().getType())});
}

} // namespace lattice::ir
