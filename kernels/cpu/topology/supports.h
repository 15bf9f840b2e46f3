// One support after another by its rule, with the checks that belong to it, and the spec's row
// order where somebody asks for it.
#pragma once

#include <map>

#include "kernels/cpu/topology/budget.h"
#include "kernels/cpu/topology/topology.h"

namespace lattice::cpu {

class SupportBuilder {
 public:
  SupportBuilder(const Plan& plan, const BoundInputs& inputs, const PointsOf& points_of,
                 Budget& budget, Topology& topology)
      : plan_(plan), inputs_(inputs), points_of_(points_of), budget_(budget), topology_(topology),
        scratch_(budget) {}

  Status build(SupportId id);
  Result<std::shared_ptr<const PointMapData>> point_map(const PointMap& map);
  Result<std::shared_ptr<const BatchRows>> batches(const Batches& batches);

  // The coarse row of each fine row, if `coarse` was floored from `fine` in this phase; else null.
  const Array<Row>* parents(SupportId fine, SupportId coarse) const;

 private:
  struct Given { // (N, 4) coordinates of a made support
    const void* coords = nullptr;
    int64_t rows = 0;
    Array<int32_t> owned;
  };

  Status make(SupportId id);
  Status floor(SupportId id);
  Status transpose(SupportId id);
  Status join(SupportId id);
  Status voxelize(SupportId id);

  Result<Given> given_coords(const IntSource& source, const Location& where);
  Result<int64_t> active_of(const IntSource& source, int64_t rows, const Location& where) const;
  Result<TensorView> points(ValueId id, const IntSource& batch_indices, int64_t& active,
                            const IntSource& active_source, const void*& batches,
                            const Location& where) const;
  Result<Array<int32_t>> logical_rows(const Support& support, const void* coords, int64_t rows,
                                      Taken& scratch);
  Status check_generated(const Support& support, const std::array<struct Spread, 3>& axes);
  void keep(SupportId id, RowTree tree, int64_t capacity);

  Result<std::shared_ptr<const Order>> order_of(SupportId id);
  Result<Order> generated_order(SupportId id);
  Result<Array<Row>> aligned(SupportId from, SupportId to);

  const SupportData& data(SupportId id) const {
    return *topology_.supports[static_cast<size_t>(id)];
  }
  const Support& rule(SupportId id) const { return plan_.supports[static_cast<size_t>(id)]; }

  const Plan& plan_;
  const BoundInputs& inputs_;
  const PointsOf& points_of_;
  Budget& budget_;
  Topology& topology_;
  Taken scratch_;
  std::map<SupportId, Array<Row>> parents_; // of floored supports, while the phase is built
};

} // namespace lattice::cpu
