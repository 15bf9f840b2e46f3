// Everything a plan says about coordinates, built for one set of inputs: supports, relations, point
// maps and batches (spec 3 to 5). Reads no features but computed points; runs no arithmetic on
// them.
//
// Inside the cpu device the rows of every support stand in ascending (batch, x, y, z), logical
// coordinates. Order says where each of them stands in the order the spec promises.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "exec/device.h"
#include "kernels/cpu/relation.h"
#include "kernels/cpu/topology/array.h"
#include "kernels/cpu/topology/row_tree.h"

namespace lattice::cpu {

struct SupportData {
  RowTree tree;
  Triple stride{1, 1, 1}; // physical = logical * stride
  int64_t capacity =
      0; // made: rows of the coordinates given (its features may have as many); else rows

  int64_t rows() const { return tree.rows(); }
};

// caller_of_inner[inner row] = row in the spec's order. To the inner order: inner[i] =
// caller[caller_of_inner[i]]; back: caller[caller_of_inner[i]] = inner[i].
struct Order {
  bool identity = true; // both orders agree and the array is empty
  Array<Row> caller_of_inner;

  Row caller(int64_t inner) const {
    return identity ? static_cast<Row>(inner) : caller_of_inner[inner];
  }
};

// The (rows, 4) physical coordinates of a support. Without an order they come in the inner one.
void write_coords(const SupportData& support, const Order* order, int32_t* out);

// voxelize: the active points of each voxel, in point order.
struct PointRows {
  Array<Row> begin; // of each voxel in `point`; one more entry than voxels
  Array<Row> point;
};

// devoxelize: point p reads voxels row[p * slots + s] (-1: none there) with weight[p * slots + s].
struct PointMapData {
  int64_t points = 0; // all of them; those past the active ones read nothing
  int32_t slots = 1;  // 1 nearest, 8 linear
  Array<int32_t> row;
  Array<float> weight; // empty for nearest
};

// global_pool: batch indices 0 .. count-1; those that have rows, with the inner rows they own.
struct BatchRows {
  struct Range {
    int64_t batch, begin, end;
  };
  int64_t count = 0;
  std::vector<Range> ranges; // ascending
};

// Indexed by the ids of the plan; what a later phase builds is null until then. A copy is cheap and
// shares all parts: copy a kept topology before adding later phases to it.
struct Topology {
  std::vector<std::shared_ptr<const SupportData>> supports;
  std::vector<std::shared_ptr<const Order>>
      orders; // made, voxels, and wherever row_order_used; else may be null
  std::vector<std::shared_ptr<const PointRows>> point_rows; // voxels only, by SupportId
  std::vector<std::shared_ptr<const Edges>> relations;
  std::vector<std::shared_ptr<const PointMapData>> point_maps;
  std::vector<std::shared_ptr<const BatchRows>> batches;
  int64_t bytes = 0; // that all of these hold
};

// Points that no argument holds, once computed: (N, 3) in the caller's order.
using PointsOf = std::function<TensorView(ValueId)>;

// Adds all entities of `phase` to `topology`. Runs in the caller's task arena; the result does not
// depend on its threads. `held_bytes`: what the run holds beside the topology, counted against
// control.max_memory. After an error `topology` may hold a part of the phase and is good for
// nothing but destruction.
Status build_phase(const Plan& plan, int32_t phase, const BoundInputs& inputs,
                   const RunControl& control, const PointsOf& points_of, int64_t held_bytes,
                   Topology& topology, const std::shared_ptr<BlockPool>& pool = nullptr);

} // namespace lattice::cpu
