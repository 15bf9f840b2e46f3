// Tables of the plan under construction; see builder.h.
#include "plan/lower/builder.h"

#include <algorithm>

#include "artifact/place.h"

namespace lattice {

namespace {

size_t at(int32_t id) { return static_cast<size_t>(id); }

// Two supports have one definition if all but place, phase and use agree.
bool same_definition(const Support& a, const Support& b) {
  return a.rule == b.rule && a.coords == b.coords && a.active == b.active && a.from == b.from && a.other == b.other &&
         a.join == b.join && a.kernel_size == b.kernel_size && a.kernel_stride == b.kernel_stride &&
         a.padding == b.padding && a.dilation == b.dilation && a.points == b.points &&
         a.batch_indices == b.batch_indices && a.voxel_size == b.voxel_size && a.origin == b.origin &&
         a.stride == b.stride;
}

}  // namespace

Location Builder::location_of(mlir::Operation* op) { return place_of(op); }

// ------------------------------------------------------------------------------------------- reading

SparseValue Builder::sparse(mlir::Value value) const { return sparse_.lookup(value); }
ValueId Builder::dense(mlir::Value value) const { return dense_.lookup(value); }
IntSource Builder::ints(mlir::Value value) const { return ints_.lookup(value); }
WeightId Builder::weight(mlir::Value value) const { return value ? weights_.lookup(value) : no_id; }

Status Builder::set(mlir::Value result, ValueId id) {
  const auto type = mlir::cast<mlir::RankedTensorType>(result.getType());
  mlir::Operation* op = result.getDefiningOp();
  for (unsigned axis = 0; axis < type.getRank(); ++axis) {
    if (type.isDynamicDim(axis)) continue;
    LATTICE_CHECK(require_equal(op, value(id).shape[axis], Extent::fixed(type.getDimSize(axis)),
                                fmt::format("dimension {} of the result against its declared type", axis)));
  }
  dense_[result] = id;
  return {};
}

// ------------------------------------------------------------------------------------------ topology

SupportId Builder::add_support(Support definition) {
  for (size_t i = 0; i < plan_.supports.size(); ++i) {
    if (same_definition(plan_.supports[i], definition)) return static_cast<SupportId>(i);
  }
  definition.phase = std::max(phase_of(definition.coords), phase_of(definition.active));
  definition.phase = std::max(definition.phase, phase_of(definition.batch_indices));
  for (const SupportId from : {definition.from, definition.other}) {
    if (from != no_id) definition.phase = std::max(definition.phase, support(from).phase);
  }
  if (definition.points != no_id) definition.phase = std::max(definition.phase, phase_of_points(definition.points));
  const auto id = static_cast<SupportId>(plan_.supports.size());
  plan_.supports.push_back(std::move(definition));
  plan_.topology.push_back({TopologyStep::Kind::support, id});
  return id;
}

Extent Builder::capacity_of(SupportId id) const {
  const Support& made = plan_.supports[at(id)];
  if (made.rule != SupportRule::made) return Extent::of_support(id);
  return rows_of_ints(made.coords);
}

RelationUse Builder::relation(SupportId fine, SupportId coarse, const ir::Geometry& geometry, Triple base,
                              Direction direction, const Location& where) {
  const auto key = std::make_tuple(fine, coarse, geometry.kernel_size, geometry.stride, geometry.dilation, base);
  const auto [found, is_new] = relations_.try_emplace(key, static_cast<RelationId>(plan_.relations.size()));
  if (is_new) {
    const int32_t phase = std::max(support(fine).phase, support(coarse).phase);
    plan_.relations.push_back(
        {fine, coarse, geometry.kernel_size, geometry.stride, geometry.dilation, base, phase, where});
    plan_.topology.push_back({TopologyStep::Kind::relation, found->second});
  }
  return {found->second, direction};
}

RelationUse Builder::alignment(SupportId from, SupportId to, const Location& where) {
  if (from == to) return {};
  return relation(from, to, ir::Geometry{}, Triple{0, 0, 0}, Direction::forward, where);
}

PointMapId Builder::add_point_map(PointMap map) {
  map.phase = std::max(support(map.voxels).phase, phase_of_points(map.points));
  map.phase = std::max({map.phase, phase_of(map.batch_indices), phase_of(map.active)});
  const auto id = static_cast<PointMapId>(plan_.point_maps.size());
  plan_.point_maps.push_back(std::move(map));
  plan_.topology.push_back({TopologyStep::Kind::point_map, id});
  return id;
}

BatchesId Builder::add_batches(Batches batches) {
  batches.phase = support(batches.support).phase;
  const auto id = static_cast<BatchesId>(plan_.batches.size());
  plan_.batches.push_back(std::move(batches));
  plan_.topology.push_back({TopologyStep::Kind::batches, id});
  return id;
}

Extent Builder::rows_of_ints(const IntSource& source) const {
  switch (source.kind) {
    case IntSource::Kind::argument: return canonical(Extent::of_argument(source.id, 0));
    case IntSource::Kind::coords: return Extent::of_support(source.id);
    case IntSource::Kind::count:
    case IntSource::Kind::nothing: break;
  }
  return Extent::fixed(1);
}

// -------------------------------------------------------------------------------------------- values

ValueId Builder::add_value(DType dtype, std::vector<Extent> shape, SupportId rows_of, const Location& where) {
  Value made;
  made.dtype = dtype;
  made.shape = std::move(shape);
  made.rows_of = rows_of;
  made.where = where;
  plan_.values.push_back(std::move(made));
  return static_cast<ValueId>(plan_.values.size() - 1);
}

ValueId Builder::add_rows_of(SupportId support_id, DType dtype, Extent channels, const Location& where) {
  return add_value(dtype, {Extent::of_support(support_id), channels}, support_id, where);
}

ValueId Builder::in_caller_order(ValueId id, const Location& where) {
  const Value source = value(id);
  if (source.rows_of == no_id) return id;
  const auto [found, is_new] = reordered_.try_emplace({id, no_id}, no_id);
  if (!is_new) return found->second;
  use_row_order(source.rows_of);
  const ValueId y = add_value(source.dtype, source.shape, no_id, where);
  found->second = y;
  add_step("to_caller_rows", where, ToCallerRows{id, y}, {}, support(source.rows_of).phase);
  return y;
}

ValueId Builder::in_support_order(ValueId id, SupportId support_id, const Location& where) {
  const auto [found, is_new] = reordered_.try_emplace({id, support_id}, no_id);
  if (!is_new) return found->second;
  use_row_order(support_id);
  const Value source = value(id);
  const ValueId y = add_rows_of(support_id, source.dtype, source.shape[1], where);
  found->second = y;
  add_step("to_support_rows", where, ToSupportRows{id, y}, {}, support(support_id).phase);
  return y;
}

// --------------------------------------------------------------------------------------------- sizes

// An argument's dimension that an operation has fixed is that number.
Extent Builder::canonical(const Extent& extent) const {
  if (extent.kind != Extent::Kind::argument) return extent;
  const int64_t size = plan_.signature.arguments[static_cast<size_t>(extent.value)].shape[at(extent.axis)];
  return size >= 0 ? Extent::fixed(size) : extent;
}

Status Builder::require_equal(mlir::Operation* op, Extent found, Extent expected, const std::string& what,
                              std::optional<Extent> or_expected) {
  found = canonical(found);
  expected = canonical(expected);
  const Extent other = or_expected ? canonical(*or_expected) : expected;
  if (found == expected || found == other) return {};
  const auto is_fixed = [](const Extent& extent) { return extent.kind == Extent::Kind::fixed; };
  if (is_fixed(found) && is_fixed(expected) && is_fixed(other)) {
    return refuse(op, "{}: found {}, expected {}", what, found.value, expected.value);
  }
  // A dimension past the rows that the caller may choose freely is fixed by the first operation that cares.
  if (!or_expected) {
    for (const auto& [open, closed] : {std::pair{found, expected}, std::pair{expected, found}}) {
      if (open.kind == Extent::Kind::argument && open.axis > 0 && is_fixed(closed)) {
        plan_.signature.arguments[static_cast<size_t>(open.value)].shape[at(open.axis)] = closed.value;
        return {};
      }
    }
  }
  SizeCheck check{found, expected, other, ir::short_name(op).str() + ": " + what, location_of(op), 0};
  check.phase = std::max({phase_of(found), phase_of(expected), phase_of(other)});
  plan_.checks.push_back(std::move(check));
  return {};
}

// -------------------------------------------------------------------------------------------- phases

int32_t Builder::phase_of(const Extent& extent) const {
  switch (extent.kind) {
    case Extent::Kind::support: return plan_.supports[static_cast<size_t>(extent.value)].phase;
    case Extent::Kind::batches: return plan_.batches[static_cast<size_t>(extent.value)].phase;
    case Extent::Kind::fixed:
    case Extent::Kind::argument: break;
  }
  return -1;
}

int32_t Builder::phase_of(const IntSource& source) const {
  const bool of_support = source.kind == IntSource::Kind::coords || source.kind == IntSource::Kind::count;
  return of_support ? plan_.supports[at(source.id)].phase : 0;
}

int32_t Builder::phase_of(RelationUse use) const { return use.id == no_id ? 0 : plan_.relations[at(use.id)].phase; }

// Points that the graph computes open a further topology phase.
int32_t Builder::phase_of_points(ValueId points) const {
  const Value& source = value(points);
  return source.argument != no_id ? 0 : source.phase + 1;
}

void Builder::add_step(const std::string& name, const Location& where, Op op, std::string parameter,
                       int32_t topology_phase) {
  Step step;
  step.op = std::move(op);
  step.name = name;
  step.parameter = std::move(parameter);
  step.phase = topology_phase;
  step.where = where;
  visit_inputs(step, [&](ValueId input) { step.phase = std::max(step.phase, value(input).phase); });
  plan_.values[at(output_of(step))].phase = step.phase;
  plan_.steps.push_back(std::move(step));
}

void Builder::add_step(mlir::Operation* op, Op step, std::string parameter, int32_t topology_phase) {
  add_step(ir::short_name(op).str(), location_of(op), std::move(step), std::move(parameter), topology_phase);
}

}  // namespace lattice
