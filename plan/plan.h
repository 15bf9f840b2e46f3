// The frozen program: what a graph says, as plain data. Knows nothing of MLIR, devices or threads.
// Made once by plan/lower; read by exec, by `inspect` and by `explain`. Spec sections 3 to 5.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/weight_family.h"
#include "lattice/signature.hpp"
#include "lattice/status.hpp"
#include "lattice/tensor.hpp"

namespace lattice {

using SupportId = int32_t;   // a set of coordinates, known when its topology step has run
using RelationId = int32_t;  // edges between two supports, grouped by kernel row
using PointMapId = int32_t;  // which voxels a point reads in devoxelize
using BatchesId = int32_t;   // the rows of each batch, for global_pool
using ValueId = int32_t;     // a feature tensor
using WeightId = int32_t;
inline constexpr int32_t no_id = -1;

// ---------------------------------------------------------------------------------- enum-like values

enum class Join : uint8_t { inner, left, right, outer };
enum class BinaryOp : uint8_t { add, sub, mul, maximum, minimum };
enum class PoolMode : uint8_t { sum, max, avg };
enum class VoxelReduction : uint8_t { sum, mean };
enum class PointInterpolation : uint8_t { nearest, linear };
enum class ActivationKind : uint8_t { relu, sigmoid, gelu, silu, leaky_relu, tanh, softplus };
enum class GeluApprox : uint8_t { none, precise, tanh, fast };
enum class ElementwiseKind : uint8_t { exp, round };

// ------------------------------------------------------------------------------------------ topology

// An i32 tensor of the graph: an argument, or what decompose gives of a support.
struct IntSource {
  enum class Kind : uint8_t { nothing, argument, coords, count };
  Kind kind = Kind::nothing;
  int32_t id = no_id;  // argument index, or SupportId
  bool operator==(const IntSource&) const = default;
};

// How a support comes about. Equal definitions share one id.
enum class SupportRule : uint8_t {
  made,        // sparse.make: the caller's physical rows, checked
  floor,       // distinct floor(row / stride) of `from`
  transposed,  // distinct row * stride + index * dilation - padding of `from`
  joined,      // rows of `from` and `other`, join inner or outer
  voxels,      // voxelize: distinct floor((point - origin) / voxel_size)
};

struct Support {
  SupportRule rule = SupportRule::made;
  IntSource coords;             // made: (N, 4) physical rows
  IntSource active;             // made, voxels: (1), rows that count
  SupportId from = no_id;        // floor, transposed, joined (lhs)
  SupportId other = no_id;       // joined (rhs)
  Join join = Join::inner;      // joined: inner or outer
  Triple kernel_size{1, 1, 1};  // transposed
  Triple kernel_stride{1, 1, 1};  // floor, transposed
  Triple padding{0, 0, 0};      // transposed
  Triple dilation{1, 1, 1};     // transposed
  ValueId points = no_id;        // voxels: (N, 3)
  IntSource batch_indices;      // voxels: (N)
  std::array<float, 3> voxel_size{1, 1, 1};  // voxels; rounded to f32
  std::array<float, 3> origin{0, 0, 0};      // voxels; rounded to f32
  Triple stride{1, 1, 1};       // physical distance of neighbouring rows: physical = logical * stride
  bool row_order_used = false;  // an output or a dense consumer sees its rows: the spec's order matters
  int32_t phase = 0;
  Location where;
};

// fine = coarse * stride + base + index * dilation, per axis, index 0 .. size-1 (spec 4). Kernel row
// (ix*Ky + iy)*Kz + iz. A forward operation reads fine rows into coarse ones, a transposed one coarse
// rows into fine ones; a submanifold relation has fine == coarse; an alignment has size 1.
struct Relation {
  SupportId fine = no_id;
  SupportId coarse = no_id;
  Triple size{1, 1, 1};
  Triple stride{1, 1, 1};
  Triple dilation{1, 1, 1};
  Triple base{0, 0, 0};  // forward: -padding, less (k-1)/2*dilation on odd axes; transposed: -padding
  int32_t phase = 0;
  Location where;

  int64_t kernel_rows() const { return size[0] * size[1] * size[2]; }
};

enum class Direction : uint8_t { forward, transposed };

// A relation as one step uses it. `id` == no_id means: the same rows, in place.
struct RelationUse {
  RelationId id = no_id;
  Direction direction = Direction::forward;
};

// devoxelize: for every point the voxel rows it reads (1 or 8 slots, none where absent) and its weights.
struct PointMap {
  ValueId points = no_id;
  SupportId voxels = no_id;
  IntSource batch_indices;  // (N)
  IntSource active;         // (1)
  std::array<float, 3> voxel_size{1, 1, 1};
  std::array<float, 3> origin{0, 0, 0};
  PointInterpolation interpolation = PointInterpolation::nearest;
  int32_t phase = 0;
  Location where;
};

// global_pool: the rows of each batch in ascending (x, y, z). batch_size -1: 1 + the largest index.
struct Batches {
  SupportId support = no_id;
  int64_t batch_size = -1;
  bool empty_is_error = false;  // max has no value over no rows
  int32_t phase = 0;
  Location where;
};

struct TopologyStep {
  enum class Kind : uint8_t { support, relation, point_map, batches };
  Kind kind = Kind::support;
  int32_t id = no_id;
};

// -------------------------------------------------------------------------------------------- values

// One dimension: fixed, or known when the inputs are bound or the topology has run.
struct Extent {
  enum class Kind : uint8_t { fixed, argument, support, batches };
  Kind kind = Kind::fixed;
  int64_t value = 0;  // the size (fixed), argument index, SupportId or BatchesId
  int32_t axis = 0;   // argument: which axis

  static Extent fixed(int64_t size) { return {Kind::fixed, size, 0}; }
  static Extent of_argument(int32_t index, int32_t axis) { return {Kind::argument, index, axis}; }
  static Extent of_support(SupportId id) { return {Kind::support, id, 0}; }
  static Extent of_batches(BatchesId id) { return {Kind::batches, id, 0}; }
  bool operator==(const Extent&) const = default;
};

// A float tensor. Rows either stand in the caller's order or belong to a support, whose inner order a
// device may choose; to_support_rows and to_caller_rows cross between the two.
struct Value {
  DType dtype = DType::f32;   // f32 or f16
  std::vector<Extent> shape;
  int32_t argument = no_id;    // the argument it is, or no_id when a step makes it
  SupportId rows_of = no_id;   // rows in that support's order; no_id: the caller's order
  int32_t phase = 0;          // the phase after whose features it is known (arguments: 0)
  Location where;
};

// A size that only a run can check: `found` must equal `expected`.
struct SizeCheck {
  Extent found;
  Extent expected;
  Extent or_expected;  // a second size that is also right (with_features: n or N); equal to expected if there is none
  std::string what;    // "with_features: rows of the features"
  Location where;
  int32_t phase = 0;   // made after the topology of this phase; -1: before any, from the inputs alone
};

// ------------------------------------------------------------------------------------------- weights

// A tensor of the weights file as the graph declares it. Views point into Plan::weights_memory.
struct Weight {
  std::string storage_key;
  WeightFamily family = WeightFamily::conv3d;
  DType dtype = DType::f32;  // dense element type
  int32_t bits = 0;          // packed: 8 or 4; 0 means dense
  int64_t group_size = 0;    // packed: input channels that share a scale
  TensorView data;           // dense: (O,Kx,Ky,Kz,I), (O,I), (N,C), (C); packed: u32 codes
  TensorView scales;         // packed: f16 or f32
  TensorView biases;         // packed
  Location where;
};

// ---------------------------------------------------------------------------------------------- steps

// What happens to a finished element before it is stored, in this order of the list. On f16 values
// every entry rounds its result, as the separate operation would.
struct EpilogueOp {
  enum class Kind : uint8_t { batch_norm, residual, activation };
  Kind kind = Kind::activation;
  // batch_norm: y = fma(x, s, t), s = scale / sqrt(var + eps), t = fma(-mean, s, bias)
  WeightId scale = no_id, bias = no_id, mean = no_id, var = no_id;
  float eps = 0;
  ValueId residual = no_id;  // residual: y = x + residual (same rows)
  bool residual_first = false;  // the graph has the residual as lhs (only NaN payloads could tell)
  ActivationKind activation = ActivationKind::relu;
  GeluApprox approximate = GeluApprox::none;
  float alpha = 0, beta = 1, threshold = 20;
  Location where;
};
using Epilogue = std::vector<EpilogueOp>;

// y = epilogue(sum over kernel rows of x[neighbour] * W[row] + bias); spec 5, "Our order".
struct RelationMatmul {
  ValueId x = no_id, y = no_id;
  RelationUse relation;
  WeightId weight = no_id, bias = no_id;
  bool normalized = false;  // num / sqrt(den + eps), then + bias
  float eps = 0;
  Epilogue epilogue;
};

// y = epilogue(x * W^T + bias): linear, and pointwise convolutions.
struct RowsMatmul {
  ValueId x = no_id, y = no_id;
  WeightId weight = no_id, bias = no_id;
  Epilogue epilogue;
};

// pool3d and pool_transpose3d.
struct Pool {
  ValueId x = no_id, y = no_id;
  RelationUse relation;
  PoolMode mode = PoolMode::sum;
};

// trilinear_upsample3d over its transposed relation with size 2S-1.
struct TrilinearUpsample {
  ValueId x = no_id, y = no_id;
  RelationUse relation;
  Triple scale{1, 1, 1};
};

struct GlobalPool {
  ValueId x = no_id, y = no_id;
  BatchesId batches = no_id;
  PoolMode mode = PoolMode::sum;
};

// voxelize: features of points into the rows of their voxels, in point order.
struct Voxelize {
  ValueId x = no_id, y = no_id;
  SupportId voxels = no_id;
  VoxelReduction reduction = VoxelReduction::mean;
};

struct Devoxelize {
  ValueId x = no_id, y = no_id;
  PointMapId map = no_id;
};

// Rows of y's support; rows that x lacks get fill.
struct Reindex {
  ValueId x = no_id, y = no_id;
  RelationUse relation;
  float fill = 0;
};

struct Binary {
  ValueId lhs = no_id, rhs = no_id, y = no_id;
  RelationUse lhs_relation, rhs_relation;
  BinaryOp op = BinaryOp::add;
  float lhs_fill = 0, rhs_fill = 0;
};

// lhs channels first; absent rows are 0.
struct Cat {
  ValueId lhs = no_id, rhs = no_id, y = no_id;
  RelationUse lhs_relation, rhs_relation;
};

struct EmbeddingLookup {
  IntSource indices;
  WeightId weight = no_id;
  ValueId y = no_id;
};

struct Elementwise {
  ValueId x = no_id, y = no_id;
  ElementwiseKind kind = ElementwiseKind::exp;
};

struct Softmax {
  ValueId x = no_id, y = no_id;
};

// activation and batch_norm: one EpilogueOp on its own.
struct RowwiseOp {
  ValueId x = no_id, y = no_id;
  EpilogueOp op;
};

struct LayerNorm {
  ValueId x = no_id, y = no_id;
  WeightId scale = no_id, bias = no_id;
  float eps = 0;
};

struct RmsNorm {
  ValueId x = no_id, y = no_id;
  WeightId scale = no_id;
  float eps = 0;
};

// The first n rows of x, from the caller's order into the support's inner order.
struct ToSupportRows {
  ValueId x = no_id, y = no_id;
};

// x from the support's inner order into the order the spec promises.
struct ToCallerRows {
  ValueId x = no_id, y = no_id;
};

using Op = std::variant<RelationMatmul, RowsMatmul, Pool, TrilinearUpsample, GlobalPool, Voxelize, Devoxelize,
                        Reindex, Binary, Cat, EmbeddingLookup, Elementwise, Softmax, RowwiseOp, LayerNorm,
                        RmsNorm, ToSupportRows, ToCallerRows>;

struct Step {
  Op op;
  std::string name;      // the dialect's name: "subm_conv3d"; fused ones joined: "subm_conv3d+batch_norm"
  std::string parameter; // key of the first weight, or empty: what a person calls the layer
  int32_t phase = 0;
  Location where;
};

// -------------------------------------------------------------------------------------------- outputs

// A result of the graph. Float tensors are in the caller's order already.
struct PlanOutput {
  enum class Kind : uint8_t { tensor, integers, sparse };
  Kind kind = Kind::tensor;
  ValueId value = no_id;      // tensor; sparse: the features, in the caller's order
  IntSource integers;        // i32 tensor outputs
  SupportId support = no_id;  // sparse
};

struct Plan {
  Signature signature;  // dynamic channels replaced where an operation fixes them
  std::vector<Support> supports;
  std::vector<Relation> relations;
  std::vector<PointMap> point_maps;
  std::vector<Batches> batches;
  std::vector<Value> values;
  std::vector<Weight> weights;
  std::vector<TopologyStep> topology;  // in an order that respects dependencies; phase in each entity
  std::vector<Step> steps;             // features, likewise
  std::vector<SizeCheck> checks;
  std::vector<PlanOutput> outputs;
  std::vector<std::string> unused_weights;  // keys of the file that the graph does not name
  int32_t phases = 1;
  std::shared_ptr<const void> weights_memory;  // keeps the views of `weights` alive
};

// -------------------------------------------------------------------------------------------- reading

// Calls visit(ValueId) for every value a step reads (in order), respectively the one it writes.
template <class Visit>
void visit_inputs(const Step& step, Visit&& visit);
ValueId output_of(const Step& step);

}  // namespace lattice

#include "plan/visit.inl"
