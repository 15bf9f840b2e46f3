// What every lowering function works with: the plan so far, and what each value of the graph has become.
// Shares supports and relations by their definition. Knows no single operation; those are in <family>.cpp.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "artifact/load.h"
#include "base/status.h"
#include "dialect/dialect.h"
#include "plan/plan.h"

namespace lattice {

// A sparse value of the graph: rows in a support, and features in that support's order.
struct SparseValue {
  SupportId support = no_id;
  ValueId features = no_id;
};

// What has become of values of the graph. Not one of LLVM's maps: they do not survive an allocation that fails.
template <class T>
class ByValue {
 public:
  T& operator[](mlir::Value value) { return map_[value.getAsOpaquePointer()]; }
  bool contains(mlir::Value value) const { return map_.contains(value.getAsOpaquePointer()); }
  T lookup(mlir::Value value) const {
    const auto found = map_.find(value.getAsOpaquePointer());
    return found == map_.end() ? T() : found->second;
  }

 private:
  std::unordered_map<const void*, T> map_;
};

class Builder {
 public:
  explicit Builder(const Artifact& artifact);

  // Lowers the whole graph; all faults found are in the error.
  Result<Plan> run(mlir::func::FuncOp forward);

  // ---- what graph values have become
  SparseValue sparse(mlir::Value value) const;
  ValueId dense(mlir::Value value) const;       // a float tensor
  IntSource ints(mlir::Value value) const;      // an i32 tensor
  WeightId weight(mlir::Value value) const;     // no_id for an absent optional operand
  void set(mlir::Value result, SparseValue value) { sparse_[result] = value; }
  void set(mlir::Value result, IntSource source) { ints_[result] = source; }
  // A float tensor; its declared dimensions are compared with what it is.
  Status set(mlir::Value result, ValueId value);

  // ---- supports
  Support& support(SupportId id) { return plan_.supports[static_cast<size_t>(id)]; }
  Triple stride_of(SparseValue value) { return support(value.support).stride; }
  // An existing support with this definition, or a new one. Location and phase are not part of it.
  SupportId add_support(Support definition);
  // Rows a support had when it was made (N), or its active rows where the two are one.
  Extent capacity_of(SupportId id) const;
  void use_row_order(SupportId id) { support(id).row_order_used = true; }

  // ---- relations
  // fine = coarse * stride + base + index * dilation.
  RelationUse relation(SupportId fine, SupportId coarse, const ir::Geometry& geometry, Triple base,
                       Direction direction, const Location& where);
  // Rows of `to`, read from `from`; in place when they are one support.
  RelationUse alignment(SupportId from, SupportId to, const Location& where);
  Extent rows_of_ints(const IntSource& source) const;
  PointMapId add_point_map(PointMap map);
  BatchesId add_batches(Batches batches);

  // ---- values
  const Value& value(ValueId id) const { return plan_.values[static_cast<size_t>(id)]; }
  ValueId add_value(DType dtype, std::vector<Extent> shape, SupportId rows_of, const Location& where);
  ValueId add_rows_of(SupportId support, DType dtype, Extent channels, const Location& where);
  Extent channels_of(ValueId id) const { return canonical(value(id).shape[1]); }
  // The value with its rows in the caller's order, respectively in that of a support.
  ValueId in_caller_order(ValueId id, const Location& where);
  ValueId in_support_order(ValueId id, SupportId support, const Location& where);

  // ---- sizes
  // The two must be equal: decided here where both are known, else when inputs are bound, else in the run.
  Status require_equal(mlir::Operation* op, Extent found, Extent expected, const std::string& what,
                       std::optional<Extent> or_expected = std::nullopt);

  // ---- steps
  // Adds the step; its phase follows from what it reads and the topology it uses.
  void add_step(mlir::Operation* op, Op step, std::string parameter = {}, int32_t topology_phase = 0);
  int32_t phase_of(RelationUse use) const;
  int32_t phase_of(const IntSource& source) const;
  int32_t phase_of_support(SupportId id) const { return plan_.supports[static_cast<size_t>(id)].phase; }

  Plan& plan() { return plan_; }
  const Weight& weight_of(WeightId id) const { return plan_.weights[static_cast<size_t>(id)]; }

  static Location location_of(mlir::Operation* op);

  // "conv3d: <message>" at the operation, as an error to return.
  template <class... Args>
  tl::unexpected<Error> refuse(mlir::Operation* op, fmt::format_string<Args...> format, Args&&... args) const {
    return fail(Code::artifact,
                ir::short_name(op).str() + ": " + fmt::format(format, std::forward<Args>(args)...), location_of(op));
  }

 private:
  Status arguments(mlir::func::FuncOp forward);
  int64_t widest_since(size_t first) const;
  void weights(mlir::func::FuncOp forward);
  Status outputs(mlir::Operation* terminator);
  void propagate_row_order();
  void finish_signature();
  Extent canonical(const Extent& extent) const;
  int32_t phase_of(const Extent& extent) const;
  int32_t phase_of_points(ValueId points) const;
  void add_step(const std::string& name, const Location& where, Op op, std::string parameter, int32_t topology_phase);
  bool known(mlir::Value value) const;

  const Artifact& artifact_;
  Plan plan_;
  ByValue<SparseValue> sparse_;
  ByValue<ValueId> dense_;
  ByValue<IntSource> ints_;
  ByValue<WeightId> weights_;
  std::map<std::tuple<SupportId, SupportId, Triple, Triple, Triple, Triple>, RelationId> relations_;
  std::map<std::pair<ValueId, SupportId>, ValueId> reordered_;  // (value, support or no_id) -> its copy
  std::vector<Diagnostic> faults_;
};

inline DType dtype_of(mlir::Type type) { return type.isF16() ? DType::f16 : DType::f32; }

// The plan's enum value for a word of the dialect: both list the words in the same order (choices_test.cpp).
template <class Enum, class Attribute>
Enum choice(Attribute attribute) {
  const auto words = Attribute::allowed();
  size_t index = 0;
  while (index + 1 < words.size() && words[index] != attribute.getValue()) ++index;
  return static_cast<Enum>(index);
}

// One overload for each operation of the dialect, spread over <family>.cpp. An operation without one does
// not compile: lower.cpp calls them all from the list of the .td.
#define LATTICE_LOWER(OpClass) Status lower(ir::OpClass op, Builder& plan)
LATTICE_LOWER(WeightOp);
LATTICE_LOWER(SparseMakeOp);
LATTICE_LOWER(SparseDecomposeOp);
LATTICE_LOWER(SparseWithFeaturesOp);
LATTICE_LOWER(SparseReindexOp);
LATTICE_LOWER(SparseBinaryOp);
LATTICE_LOWER(SparseCatOp);
LATTICE_LOWER(Conv3dOp);
LATTICE_LOWER(SubmConv3dOp);
LATTICE_LOWER(NormalizedSubmConv3dOp);
LATTICE_LOWER(TargetConv3dOp);
LATTICE_LOWER(ConvTranspose3dOp);
LATTICE_LOWER(TargetConvTranspose3dOp);
LATTICE_LOWER(NormalizedConvTranspose3dOp);
LATTICE_LOWER(TargetNormalizedConvTranspose3dOp);
LATTICE_LOWER(GenerativeConvTranspose3dOp);
LATTICE_LOWER(NormalizedGenerativeConvTranspose3dOp);
LATTICE_LOWER(Pool3dOp);
LATTICE_LOWER(PoolTranspose3dOp);
LATTICE_LOWER(TrilinearUpsample3dOp);
LATTICE_LOWER(GlobalPoolOp);
LATTICE_LOWER(VoxelizeOp);
LATTICE_LOWER(DevoxelizeOp);
LATTICE_LOWER(LinearOp);
LATTICE_LOWER(EmbeddingLookupOp);
LATTICE_LOWER(ElementwiseOp);
LATTICE_LOWER(SoftmaxOp);
LATTICE_LOWER(ActivationOp);
LATTICE_LOWER(BatchNormOp);
LATTICE_LOWER(LayerNormOp);
LATTICE_LOWER(RmsNormOp);
#undef LATTICE_LOWER

}  // namespace lattice
