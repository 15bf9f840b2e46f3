// The checks that the verifiers of several families share, and the rules every operation obeys.
// The rules of one family are in verify_<family>.cpp.
#include "dialect/verify.h"

#include <limits>

#include "mlir/IR/TypeUtilities.h"

namespace lattice::ir {
namespace {

constexpr int64_t largest_triple_value = std::numeric_limits<int32_t>::max();

bool is_plain(mlir::RankedTensorType type) { return !type.getEncoding(); }

bool is_float(mlir::Type type) { return type.isF32() || type.isF16(); }

std::string shown_triple(llvm::ArrayRef<int64_t> values) {
  std::string text = "(";
  for (size_t i = 0; i < values.size(); ++i) text += (i ? ", " : "") + std::to_string(values[i]);
  return text + ")";
}

LogicalResult check_type(mlir::Operation* op, mlir::Type type) {
  if (const auto sparse = llvm::dyn_cast<SparseTensorType>(type)) {
    return all({sparse.getRank() == 3
                    ? success()
                    : LogicalResult(error(op) << "rank " << sparse.getRank() << " in "
                                              << shown(type) << ", expected 3"),
                check_word(op, "coord", sparse.getCoord(), CoordAttr::allowed()),
                check_word(op, "feature", sparse.getFeature(), FeatureLayoutAttr::allowed()),
                check_word(op, "dtype", sparse.getDtype(), {"f32", "f16"})});
  }
  if (const auto weight = llvm::dyn_cast<WeightType>(type)) {
    return all({check_word(op, "family", weight.getFamily(),
                           {"conv3d", "linear", "embedding", "channel", "bias"}),
                check_word(op, "dtype", weight.getDtype(), {"f32", "f16"})});
  }
  return success();
}

} // namespace

bool is_coords(mlir::RankedTensorType type) {
  return is_plain(type) && type.getElementType().isSignlessInteger(32) && type.getRank() == 2 &&
         type.getDimSize(1) == 4;
}

bool is_active(mlir::RankedTensorType type) {
  return is_plain(type) && type.getElementType().isSignlessInteger(32) && type.getRank() == 1 &&
         type.getDimSize(0) == 1;
}

bool is_points(mlir::RankedTensorType type) { return is_features(type) && type.getDimSize(1) == 3; }

bool is_indices(mlir::RankedTensorType type) {
  return is_plain(type) && type.getElementType().isSignlessInteger(32) && type.getRank() == 1;
}

bool is_features(mlir::RankedTensorType type) {
  return is_float_tensor(type) && type.getRank() == 2;
}

bool is_float_tensor(mlir::RankedTensorType type) {
  return is_plain(type) && is_float(type.getElementType());
}

LogicalResult all(std::initializer_list<LogicalResult> results) {
  return success(
      llvm::all_of(results, [](LogicalResult result) { return mlir::succeeded(result); }));
}

// The types of results; those of operands too where no operation of the dialect has checked them.
LogicalResult verify_common_rules(mlir::Operation* op) {
  bool good = true;
  for (const mlir::NamedAttribute& attr : op->getDiscardableAttrs()) {
    if (attr.getName().getValue().contains('.')) continue; // another tool's note
    auto diagnostic = error(op);
    append_unknown(diagnostic, attr.getName(), op->getName());
    good = false;
  }
  for (const mlir::Value operand : op->getOperands()) {
    if (llvm::isa<mlir::BlockArgument>(operand))
      good &= mlir::succeeded(check_type(op, operand.getType()));
  }
  for (const mlir::Type type : op->getResultTypes()) good &= mlir::succeeded(check_type(op, type));
  return success(good);
}

LogicalResult check_triple(mlir::Operation* op, llvm::StringRef name,
                           llvm::ArrayRef<int64_t> values, int64_t least) {
  if (values.size() != 3)
    return error(op) << name << " needs 3 values (x, y, z), found " << values.size();
  for (const int64_t value : values) {
    if (value < least || value > largest_triple_value)
      return error(op) << name << " is " << shown_triple(values) << ", expected values from "
                       << least << " to " << largest_triple_value;
  }
  return success();
}

LogicalResult check_triples(mlir::Operation* op) {
  bool good = true;
  const std::pair<llvm::StringLiteral, int64_t> names[] = {
      {"kernel_size", 1}, {"stride", 1}, {"padding", 0}, {"dilation", 1}};
  for (const auto& [name, least] : names) {
    const auto values = llvm::dyn_cast_or_null<mlir::DenseI64ArrayAttr>(
        op->getInherentAttr(name).value_or(nullptr));
    if (values) good &= mlir::succeeded(check_triple(op, name, values, least));
  }
  return success(good);
}

LogicalResult check_positive(mlir::Operation* op, llvm::StringRef name, double value) {
  const auto used = static_cast<float>(value);
  if (std::isfinite(used) && used > 0.0f) return success();
  return error(op) << name << " is " << shown(value) << ", expected a finite number above 0";
}

LogicalResult check_finite(mlir::Operation* op, llvm::StringRef name, double value) {
  if (std::isfinite(static_cast<float>(value))) return success();
  return error(op) << name << " is " << shown(value) << ", expected a finite number";
}

LogicalResult check_word(mlir::Operation* op, llvm::StringRef name, llvm::StringRef found,
                         llvm::ArrayRef<llvm::StringLiteral> allowed) {
  if (llvm::is_contained(allowed, found)) return success();
  auto diagnostic = error(op) << name << " is \"" << found << "\", expected "
                              << (allowed.size() > 1 ? "one of " : "");
  llvm::interleaveComma(allowed, diagnostic);
  return diagnostic;
}

mlir::Type float_of(mlir::Type type) {
  if (const auto sparse = llvm::dyn_cast<SparseTensorType>(type)) return sparse.element_type();
  if (const auto weight = llvm::dyn_cast<WeightType>(type)) return weight.element_type();
  if (const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type))
    return tensor.getElementType();
  return {};
}

LogicalResult check_same_float(mlir::Operation* op, llvm::StringRef name, mlir::Type type,
                               llvm::StringRef like_name, mlir::Type like) {
  const mlir::Type found = float_of(type), expected = float_of(like);
  // A type without a float type has been refused where it was made.
  if (!found || !expected || found == expected) return success();
  return error(op) << name << " is " << shown(found) << ", expected " << shown(expected)
                   << ", the type of the " << like_name;
}

LogicalResult check_dim(mlir::Operation* op, llvm::StringRef what, llvm::StringRef name,
                        mlir::RankedTensorType type, unsigned axis, llvm::StringRef like_name,
                        mlir::RankedTensorType like, unsigned like_axis) {
  const int64_t found = type.getDimSize(axis), expected = like.getDimSize(like_axis);
  if (mlir::ShapedType::isDynamic(found) || mlir::ShapedType::isDynamic(expected) ||
      found == expected)
    return success();
  return error(op) << name << " has " << found << " " << what << ", expected " << expected
                   << " as in the " << like_name;
}

LogicalResult check_same_tensor(mlir::Operation* op, mlir::RankedTensorType result,
                                mlir::RankedTensorType input) {
  if (mlir::failed(check_same_float(op, "result", result, "input", input))) return failure();
  if (mlir::succeeded(mlir::verifyCompatibleShape(result, input))) return success();
  return error(op) << "result is " << shown(result) << ", expected the shape of the input, "
                   << shown(input);
}

} // namespace lattice::ir
