// Builds the entities of one phase of a plan. See topology.h.
#include "kernels/cpu/topology/topology.h"

#include <new>
#include <stdexcept>

#include "kernels/cpu/topology/edges.h"
#include "kernels/cpu/topology/parallel.h"
#include "kernels/cpu/topology/supports.h"

namespace lattice::cpu {

void write_coords(const SupportData& support, const Order* order, int32_t* out) {
  parallel_chunks(Chunks::of(support.rows(), 16384), [&](int64_t, int64_t first, int64_t last) {
    support.tree.for_rows(
        first, last, [&](int64_t row, int32_t batch, int32_t x, int32_t y, int32_t z) {
          int32_t* const to = out + (order == nullptr ? row : int64_t{order->caller(row)}) * 4;
          to[0] = batch;
          to[1] = static_cast<int32_t>(x * support.stride[0]);
          to[2] = static_cast<int32_t>(y * support.stride[1]);
          to[3] = static_cast<int32_t>(z * support.stride[2]);
        });
  });
}

namespace {

Result<Edges> build_relation(const Relation& relation, const Topology& topology,
                             const SupportBuilder& supports, Budget& budget) {
  const RowTree& fine = topology.supports[static_cast<size_t>(relation.fine)]->tree;
  const RowTree& coarse = topology.supports[static_cast<size_t>(relation.coarse)]->tree;
  const Geometry geometry{relation.size, relation.stride, relation.dilation, relation.base};
  if (geometry.cells()) {
    if (const Array<Row>* parent = supports.parents(relation.fine, relation.coarse)) {
      const auto& floored = relation.stride;
      return cell_edges(fine, coarse.rows(), parent->data(), floored, budget, relation.where);
    }
  }
  return find_edges(fine, coarse, relation.fine == relation.coarse, geometry, budget,
                    relation.where);
}

Status stopped() { return fail(Code::interrupted, "the run was stopped"); }

Status build(const Plan& plan, int32_t phase, const BoundInputs& inputs, const RunControl& control,
             const PointsOf& points_of, Budget& budget, Topology& topology) {
  topology.supports.resize(plan.supports.size());
  topology.orders.resize(plan.supports.size());
  topology.point_rows.resize(plan.supports.size());
  topology.relations.resize(plan.relations.size());
  topology.point_maps.resize(plan.point_maps.size());
  topology.batches.resize(plan.batches.size());

  // Supports, point maps and batches in the order of the plan, so that of several faults the first
  // is reported; each is parallel inside. Relations depend on supports alone and come last, side by
  // side.
  SupportBuilder supports(plan, inputs, points_of, budget, topology);
  std::vector<size_t> relations;
  for (const TopologyStep& step : plan.topology) {
    if (control.stopped()) return stopped();
    const size_t id = static_cast<size_t>(step.id);
    switch (step.kind) {
    case TopologyStep::Kind::support:
      if (plan.supports[id].phase == phase) LATTICE_CHECK(supports.build(step.id));
      break;
    case TopologyStep::Kind::point_map:
      if (plan.point_maps[id].phase == phase) {
        LATTICE_TRY(topology.point_maps[id], supports.point_map(plan.point_maps[id]));
      }
      break;
    case TopologyStep::Kind::batches:
      if (plan.batches[id].phase == phase) {
        LATTICE_TRY(topology.batches[id], supports.batches(plan.batches[id]));
      }
      break;
    case TopologyStep::Kind::relation:
      if (plan.relations[id].phase == phase) relations.push_back(id);
      break;
    }
  }
  std::vector<Status> statuses(relations.size());
  parallel_tasks(static_cast<int64_t>(relations.size()), [&](int64_t at) {
    const size_t id = relations[static_cast<size_t>(at)];
    Status& status = statuses[static_cast<size_t>(at)];
    if (control.stopped()) {
      status = stopped();
      return;
    }
    auto edges = build_relation(plan.relations[id], topology, supports, budget);
    if (edges) {
      topology.relations[id] = std::make_shared<const Edges>(*std::move(edges));
    } else {
      status = tl::make_unexpected(std::move(edges).error());
    }
  });
  for (size_t at = 0; at < relations.size(); ++at) {
    LATTICE_CHECK(std::move(statuses[at]));
    topology.bytes += topology.relations[relations[at]]->bytes;
  }
  return {};
}

} // namespace

Status build_phase(const Plan& plan, int32_t phase, const BoundInputs& inputs,
                   const RunControl& control, const PointsOf& points_of, int64_t held_bytes,
                   Topology& topology, const std::shared_ptr<BlockPool>& pool) {
  Budget budget(control.max_memory, held_bytes + topology.bytes, pool.get());
  // The allocations below throw; nothing thrown leaves this room.
  try {
    return build(plan, phase, inputs, control, points_of, budget, topology);
  } catch (const std::bad_alloc&) {
    return tl::make_unexpected(faults::out_of_memory(budget.used(), "supports and relations"));
  } catch (const std::length_error&) {
    return tl::make_unexpected(faults::out_of_memory(budget.used(), "supports and relations"));
  }
}

} // namespace lattice::cpu
