// Topology steps of the reference device: each looks up what its definition names and calls its
// kernel.
#include "exec/reference_topology.h"

#include <fmt/format.h>

namespace lattice::reference {

namespace {

template <class T>
const T& at(const std::vector<T>& list, int32_t id) {
  return list[static_cast<size_t>(id)];
}
template <class T>
T& at(std::vector<T>& list, int32_t id) {
  return list[static_cast<size_t>(id)];
}

// The one element of an active count.
Result<int64_t> count_of(const IntSource& source, const BoundInputs& inputs, const Tables& tables) {
  LATTICE_TRY(const Integers active, integers_of(source, inputs, tables));
  return active.matrix(0, 0);
}

// One batch index a point. Sizes are checked here because a size check of the plan comes after the
// topology.
Status check_batch_indices(const Integers& indices, int64_t points, const Location& where) {
  if (indices.matrix.rows == points) return {};
  return fail(Code::input,
              fmt::format("batch_indices: found {} rows, expected {} (one a point)",
                          indices.matrix.rows, points),
              where);
}

Status check_points(ConstMatrix points, const Location& where) {
  if (points.cols() == 3) return {};
  return fail(Code::input, fmt::format("points: found {} columns, expected 3", points.cols()),
              where);
}

// Builds one phase, counting bytes and looking for a stop before each step.
class Builder {
 public:
  Builder(const Plan& plan, const BoundInputs& inputs, const ValueReader& value, Budget& budget,
          Tables& tables)
      : plan_(plan), inputs_(inputs), value_(value), budget_(budget), tables_(tables),
        used_(directions_used(plan)) {}

  Status build(const TopologyStep& step) {
    switch (step.kind) {
    case TopologyStep::Kind::support: return build_support(step.id);
    case TopologyStep::Kind::relation: return build_relation(step.id);
    case TopologyStep::Kind::point_map: return build_point_map(step.id);
    case TopologyStep::Kind::batches: return build_batches(step.id);
    }
    return {};
  }

 private:
  Status build_support(SupportId id) {
    const Support& definition = at(plan_.supports, id);
    LATTICE_TRY(SupportTable table, make_support(definition));
    return keep(std::move(table), "coordinates", definition.where, at(tables_.supports, id));
  }

  Result<SupportTable> make_support(const Support& definition) {
    switch (definition.rule) {
    case SupportRule::made: {
      LATTICE_TRY(const Integers coords, integers_of(definition.coords, inputs_, tables_));
      LATTICE_TRY(const int64_t active, count_of(definition.active, inputs_, tables_));
      return made_support(definition, coords.matrix, active, inputs_.trusted);
    }
    case SupportRule::floor:
      return floor_support(definition, *at(tables_.supports, definition.from));
    case SupportRule::transposed:
      return transposed_support(definition, *at(tables_.supports, definition.from), budget_);
    case SupportRule::joined:
      return joined_support(definition, *at(tables_.supports, definition.from),
                            *at(tables_.supports, definition.other));
    case SupportRule::voxels: {
      const ConstMatrix points = matrix_of(value_(definition.points));
      LATTICE_CHECK(check_points(points, definition.where));
      LATTICE_TRY(const Integers batch_indices,
                  integers_of(definition.batch_indices, inputs_, tables_));
      LATTICE_CHECK(check_batch_indices(batch_indices, points.rows(), definition.where));
      LATTICE_TRY(const int64_t active, count_of(definition.active, inputs_, tables_));
      return voxel_support(definition, points, batch_indices.matrix, active);
    }
    }
    return fail(Code::internal, "unknown support rule", definition.where);
  }

  Status build_relation(RelationId id) {
    const Relation& definition = at(plan_.relations, id);
    const SupportTable& fine = *at(tables_.supports, definition.fine);
    const SupportTable& coarse = *at(tables_.supports, definition.coarse);
    for (const Direction direction : {Direction::forward, Direction::transposed}) {
      const size_t d = static_cast<size_t>(direction);
      if (!at(used_, id)[d]) continue;
      const int64_t rows = direction == Direction::forward ? coarse.count() : fine.count();
      const std::optional<int64_t> entries =
          checked_product(Shape{rows, definition.size[0], definition.size[1], definition.size[2]});
      const std::optional<int64_t> bytes =
          entries ? checked_mul(*entries, sizeof(int32_t)) : std::nullopt;
      LATTICE_CHECK(budget_.allows(bytes, "a relation", definition.where));
      LATTICE_CHECK(keep(relation_table(definition, direction, fine, coarse), "a relation",
                         definition.where, at(tables_.relations, id)[d]));
    }
    return {};
  }

  Status build_point_map(PointMapId id) {
    const PointMap& definition = at(plan_.point_maps, id);
    const ConstMatrix points = matrix_of(value_(definition.points));
    LATTICE_CHECK(check_points(points, definition.where));
    LATTICE_TRY(const Integers batch_indices,
                integers_of(definition.batch_indices, inputs_, tables_));
    LATTICE_CHECK(check_batch_indices(batch_indices, points.rows(), definition.where));
    LATTICE_TRY(const int64_t active, count_of(definition.active, inputs_, tables_));
    LATTICE_CHECK(
        budget_.allows(checked_mul(points.rows(), 64), "a map of points", definition.where));
    LATTICE_TRY(PointTable table, point_table(definition, points, batch_indices.matrix, active,
                                              *at(tables_.supports, definition.voxels)));
    return keep(std::move(table), "a map of points", definition.where, at(tables_.point_maps, id));
  }

  Status build_batches(BatchesId id) {
    const Batches& definition = at(plan_.batches, id);
    const SupportTable& support = *at(tables_.supports, definition.support);
    LATTICE_TRY(const int64_t count, batch_count(definition, support));
    LATTICE_CHECK(budget_.allows(checked_mul(count, sizeof(int64_t)), "batches", definition.where));
    LATTICE_TRY(BatchTable table, batch_table(definition, support));
    return keep(std::move(table), "batches", definition.where, at(tables_.batches, id));
  }

  template <class Table>
  Status keep(Table table, const char* what, const Location& where,
              std::shared_ptr<const Table>& slot) {
    const int64_t bytes = table.bytes();
    LATTICE_CHECK(budget_.allows(bytes, what, where));
    slot = std::make_shared<const Table>(std::move(table));
    budget_.take(bytes);
    tables_.bytes += bytes;
    return {};
  }

  const Plan& plan_;
  const BoundInputs& inputs_;
  const ValueReader& value_;
  Budget& budget_;
  Tables& tables_;
  std::vector<std::array<bool, 2>> used_;
};

int32_t phase_of(const Plan& plan, const TopologyStep& step) {
  switch (step.kind) {
  case TopologyStep::Kind::support: return at(plan.supports, step.id).phase;
  case TopologyStep::Kind::relation: return at(plan.relations, step.id).phase;
  case TopologyStep::Kind::point_map: return at(plan.point_maps, step.id).phase;
  case TopologyStep::Kind::batches: return at(plan.batches, step.id).phase;
  }
  return 0;
}

} // namespace

Counts Tables::counts() const {
  return {[this](SupportId id) { return at(supports, id)->count(); },
          [this](BatchesId id) { return at(batches, id)->count(); }};
}

Result<Integers> integers_of(const IntSource& source, const BoundInputs& inputs,
                             const Tables& tables) {
  if (source.kind == IntSource::Kind::argument) {
    const TensorView& view = at(inputs.arguments, source.id);
    const int64_t rows = view.shape.empty() ? 1 : view.shape[0];
    const int64_t cols = columns_of(view.shape);
    if (view.data == nullptr && rows * cols > 0) {
      return fail(Code::internal, "an argument that the run needs is absent");
    }
    return Integers{view.shape, {view.data, rows, cols}, nullptr};
  }
  if (source.kind == IntSource::Kind::nothing)
    return fail(Code::internal, "an i32 operand without a source");
  const SupportTable& support = *at(tables.supports, source.id);
  std::vector<int32_t> values;
  Shape shape;
  if (source.kind == IntSource::Kind::count) {
    values.push_back(static_cast<int32_t>(support.count()));
    shape = {1};
  } else {
    values.reserve(support.rows.size() * 4);
    for (int64_t row = 0; row < support.count(); ++row) {
      const Coord physical = support.physical(row);
      values.insert(values.end(), physical.begin(), physical.end());
    }
    shape = {support.count(), 4};
  }
  const int64_t columns = columns_of(shape);
  auto made = std::make_shared<const std::vector<int32_t>>(std::move(values));
  return Integers{shape, {made->data(), shape[0], columns}, made};
}

std::vector<std::array<bool, 2>> directions_used(const Plan& plan) {
  std::vector<std::array<bool, 2>> used(plan.relations.size(), {false, false});
  const auto note = [&](RelationUse use) {
    if (use.id != no_id) at(used, use.id)[static_cast<size_t>(use.direction)] = true;
  };
  for (const Step& step : plan.steps) {
    std::visit(
        [&](const auto& op) {
          if constexpr (requires { op.relation; }) note(op.relation);
          if constexpr (requires { op.lhs_relation; }) {
            note(op.lhs_relation);
            note(op.rhs_relation);
          }
        },
        step.op);
  }
  return used;
}

Tables empty_tables(const Plan& plan) {
  Tables tables;
  tables.supports.resize(plan.supports.size());
  tables.relations.resize(plan.relations.size());
  tables.point_maps.resize(plan.point_maps.size());
  tables.batches.resize(plan.batches.size());
  return tables;
}

Status build_phase(const Plan& plan, int32_t phase, const BoundInputs& inputs,
                   const ValueReader& value, const RunControl& control, Budget& budget,
                   Tables& tables) {
  Builder builder(plan, inputs, value, budget, tables);
  for (const TopologyStep& step : plan.topology) {
    if (phase_of(plan, step) != phase) continue;
    if (control.stopped()) return fail(Code::interrupted, "the run was stopped");
    LATTICE_CHECK(builder.build(step));
  }
  return {};
}

} // namespace lattice::reference
