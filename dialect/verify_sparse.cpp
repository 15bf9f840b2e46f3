// Rules of weights and of the sparse.* operations, as far as one operation can tell.
// Strides and channels of sparse values are followed through the graph by the lowering.
#include "dialect/verify.h"
#include "llvm/ADT/DenseMap.h"

namespace lattice::ir {
namespace {

// The layout that belongs to each family (spec 2).
llvm::StringRef layout_of(llvm::StringRef family) {
  for (const llvm::StringLiteral layout : WeightLayoutAttr::allowed()) {
    if (layout.starts_with(family) && layout.substr(family.size()).starts_with("_")) return layout;
  }
  return {};
}

LogicalResult check_layout(WeightOp op) {
  if (mlir::failed(check_choice(op, "layout", op.getLayout()))) return failure();
  const llvm::StringRef family = op.getType().getFamily();
  const llvm::StringRef expected = layout_of(family);
  if (op.getLayout().getValue() == expected) return success();
  return error(op) << "layout is " << op.getLayout().getValue() << ", expected " << expected
                   << " for a " << family << " weight";
}

LogicalResult check_packing(WeightOp op) {
  const PackingAttr packing = op.getPacking();
  if (mlir::failed(check_word(op, "packing", packing.getKind(), {"dense", "int4", "int8"})))
    return failure();
  if (packing.is_dense()) {
    if (packing.getGrouped())
      return error(op) << "dense packing takes no group_size, scale_dtype or mode";
    return success();
  }
  if (!packing.getGrouped())
    return error(op) << packing.getKind()
                     << " packing needs group_size, scale_dtype and mode, found none";
  const int64_t size = packing.getGroupSize();
  const llvm::StringRef family = op.getType().getFamily();
  return all(
      {size == 32 || size == 64 || size == 128
           ? success()
           : LogicalResult(error(op)
                           << "group_size is " << size << ", expected one of 32, 64, 128"),
       check_word(op, "scale_dtype", packing.getScaleDtype(), {"f16", "f32"}),
       check_word(op, "mode", packing.getMode(), {"affine"}),
       family == "conv3d" || family == "linear"
           ? success()
           : LogicalResult(error(op)
                           << "a " << family << " weight is packed as " << packing.getKind()
                           << ", expected dense: only conv3d and linear weights can be packed")});
}

// The first weight of a block looks at all of them, once. Others may not have been verified yet.
LogicalResult check_names(WeightOp op) {
  for (mlir::Operation* before = op->getPrevNode(); before; before = before->getPrevNode()) {
    if (llvm::isa<WeightOp>(before)) return success();
  }
  llvm::DenseMap<mlir::StringAttr, WeightOp> first;
  bool good = true;
  for (WeightOp weight : op->getBlock()->getOps<WeightOp>()) {
    if (!weight.getSymNameAttr()) continue;
    const auto [place, fresh] = first.try_emplace(weight.getSymNameAttr(), weight);
    if (fresh) continue;
    good = false;
    auto diagnostic = error(weight) << "name @" << weight.getSymName() << " is given twice";
    diagnostic.attachNote(place->second.getLoc()) << "first given here";
  }
  return success(good);
}

} // namespace

LogicalResult WeightOp::verify() {
  return all(
      {getStorageKey().empty() ? LogicalResult(error(*this) << "storage_key is empty") : success(),
       check_layout(*this), check_packing(*this), check_names(*this)});
}

LogicalResult SparseMakeOp::verify() {
  const SparseTensorType type = getType();
  const llvm::StringRef order = getCoordOrder().getValue();
  LogicalResult good_order = check_choice(*this, "coord_order", getCoordOrder());
  if (mlir::succeeded(good_order) && order != type.getCoord())
    good_order = error(*this) << "coord_order is " << order << ", expected " << type.getCoord()
                              << " as in the result's type";
  return all({check_triple(*this, "stride", getStride(), 1), good_order,
              check_same_float(*this, "result", type, "features", getFeatures().getType()),
              check_dim(*this, "rows", "features", getFeatures().getType(), 0, "coords",
                        getCoords().getType(), 0)});
}

LogicalResult SparseDecomposeOp::verify() {
  return all(
      {check_same_float(*this, "features", getFeatures().getType(), "input", getInput().getType()),
       check_dim(*this, "rows", "features", getFeatures().getType(), 0, "coords",
                 getCoords().getType(), 0)});
}

LogicalResult SparseWithFeaturesOp::verify() {
  return all(
      {check_same_float(*this, "features", getFeatures().getType(), "input", getInput().getType()),
       check_same_float(*this, "result", getType(), "input", getInput().getType())});
}

LogicalResult SparseReindexOp::verify() {
  return check_same_float(*this, "result", getType(), "input", getInput().getType());
}

LogicalResult SparseBinaryOp::verify() {
  return all({check_choice(*this, "op", getOp()), check_choice(*this, "join", getJoin()),
              check_same_float(*this, "rhs", getRhs().getType(), "lhs", getLhs().getType()),
              check_same_float(*this, "result", getType(), "lhs", getLhs().getType())});
}

LogicalResult SparseCatOp::verify() {
  return all({check_choice(*this, "join", getJoin()),
              check_same_float(*this, "rhs", getRhs().getType(), "lhs", getLhs().getType()),
              check_same_float(*this, "result", getType(), "lhs", getLhs().getType())});
}

} // namespace lattice::ir
