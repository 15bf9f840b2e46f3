// Rules of voxelize and devoxelize, as far as one operation can tell.
// What depends on the points themselves waits for the run.
#include "dialect/verify.h"

namespace lattice::ir {
namespace {

// The grid of both operations. The f64 values are rounded to f32 before use, so they must be fit
// after that.
template <class Op>
LogicalResult check_grid(Op op) {
  const llvm::ArrayRef<double> sizes = op.getVoxelSize(), origin = op.getOrigin();
  LogicalResult good = success();
  if (sizes.size() != 3)
    good = error(op) << "voxel_size needs 3 values (x, y, z), found " << sizes.size();
  else
    good = all({check_positive(op, "voxel_size x", sizes[0]),
                check_positive(op, "voxel_size y", sizes[1]),
                check_positive(op, "voxel_size z", sizes[2])});
  if (origin.size() != 3)
    return error(op) << "origin needs 3 values (x, y, z), found " << origin.size();
  return all({good, check_finite(op, "origin x", origin[0]),
              check_finite(op, "origin y", origin[1]), check_finite(op, "origin z", origin[2])});
}

} // namespace

LogicalResult VoxelizeOp::verify() {
  const mlir::RankedTensorType points = getPoints().getType();
  return all({check_grid(*this), check_choice(*this, "reduction", getReduction()),
              check_triple(*this, "stride", getStride(), 1),
              check_dim(*this, "rows", "features", getFeatures().getType(), 0, "points", points, 0),
              check_dim(*this, "rows", "batch_indices", getBatchIndices().getType(), 0, "points",
                        points, 0)});
}

LogicalResult DevoxelizeOp::verify() {
  const mlir::RankedTensorType points = getPoints().getType();
  return all({check_grid(*this), check_choice(*this, "interpolation", getInterpolation()),
              check_dim(*this, "rows", "batch_indices", getBatchIndices().getType(), 0, "points",
                        points, 0),
              check_dim(*this, "rows", "result", getType(), 0, "points", points, 0)});
}

} // namespace lattice::ir
