// Upper bounds from the plan alone; see memory_bound.h.
#include "plan/memory_bound.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/tensor.h"
#include "plan/describe.h"

namespace lattice {

namespace {

size_t at(int32_t id) { return static_cast<size_t>(id); }

// Non-negative integers that stick to a value no memory has, instead of overflowing.
struct Count {
  static constexpr int64_t too_many = (int64_t{1} << 62) - 1;  // twice that still fits
  int64_t value = 0;

  static Count of(int64_t value) { return {std::clamp<int64_t>(value, 0, too_many)}; }
  friend Count operator+(Count a, Count b) { return of(a.value + b.value); }
  friend Count operator*(Count a, Count b) {
    int64_t product = 0;
    return __builtin_mul_overflow(a.value, b.value, &product) ? Count{too_many} : of(product);
  }
  friend Count min(Count a, Count b) { return a.value < b.value ? a : b; }
};

Count volume_of(const Triple& size) { return Count::of(size[0]) * Count::of(size[1]) * Count::of(size[2]); }

class Bounds {
 public:
  Bounds(const Plan& plan, int64_t rows) : plan_(plan), rows_(rows), supports_(plan.supports.size()) {
    for (const TopologyStep& step : plan.topology) {
      if (step.kind == TopologyStep::Kind::support) supports_[at(step.id)] = rows_of(plan.supports[at(step.id)]);
    }
  }

  MemoryBound total() {
    MemoryBound bound;
    Count weights, inputs, topology, edges;
    for (const Weight& weight : plan_.weights) weights = weights + Count::of(bytes_of(weight));
    for (const ArgumentInfo& argument : plan_.signature.arguments) inputs = inputs + bytes_of_argument(argument);
    for (const Count& support : supports_) topology = topology + support * Count{16};
    for (const Relation& relation : plan_.relations) edges = edges + edges_of(relation);
    for (const PointMap& map : plan_.point_maps) {
      topology = topology + Count::of(rows_) * Count{map.interpolation == PointInterpolation::linear ? 64 : 4};
    }
    bound.weights = weights.value;
    bound.inputs = inputs.value;
    bound.topology = (topology + edges * Count{8}).value;
    bound.edges = edges.value;
    find_worst_step(bound);
    return bound;
  }

 private:
  Count rows_of(const Support& support) const {
    switch (support.rule) {
      case SupportRule::made:
        return support.coords.kind == IntSource::Kind::argument
                   ? rows_of_argument(plan_.signature.arguments[at(support.coords.id)])
                   : supports_[at(support.coords.id)];
      case SupportRule::voxels: return size_of_extent(plan_.values[at(support.points)].shape[0]);
      case SupportRule::floor: return supports_[at(support.from)];
      case SupportRule::transposed: return supports_[at(support.from)] * volume_of(support.kernel_size);
      case SupportRule::joined: {
        const Count a = supports_[at(support.from)], b = supports_[at(support.other)];
        return support.join == Join::inner ? min(a, b) : a + b;
      }
    }
    return {};
  }

  // A coarse row has one edge a kernel row at most. On an axis, fine = coarse * s + base + index * d has a
  // solution for every (s / gcd(s, d))-th index only: that many edges has a fine row at most.
  Count edges_of(const Relation& relation) const {
    Count of_fine{1};
    for (size_t axis = 0; axis < 3; ++axis) {
      const int64_t every = relation.stride[axis] / std::gcd(relation.stride[axis], relation.dilation[axis]);
      of_fine = of_fine * Count::of((relation.size[axis] + every - 1) / every);
    }
    return min(supports_[at(relation.coarse)] * volume_of(relation.size), supports_[at(relation.fine)] * of_fine);
  }

  Count bytes_of_argument(const ArgumentInfo& argument) const {
    Count bytes = Count::of(size_of(argument.dtype));
    for (const int64_t dim : argument.shape) bytes = bytes * Count::of(dim < 0 ? rows_ : dim);
    return bytes;
  }

  Count bytes_of_value(const Value& value) const {
    Count bytes = Count::of(size_of(value.dtype));
    for (const Extent& extent : value.shape) bytes = bytes * size_of_extent(extent);
    return bytes;
  }

  Count rows_of_argument(const ArgumentInfo& argument) const {
    return Count::of(argument.shape[0] < 0 ? rows_ : argument.shape[0]);
  }

  Count size_of_extent(const Extent& extent) const {
    switch (extent.kind) {
      case Extent::Kind::fixed: return Count::of(extent.value);
      case Extent::Kind::argument: return Count::of(rows_);
      case Extent::Kind::support: return supports_[static_cast<size_t>(extent.value)];
      case Extent::Kind::batches: {
        const int64_t batches = plan_.batches[static_cast<size_t>(extent.value)].batch_size;
        return Count::of(batches < 0 ? 1 : batches);
      }
    }
    return {};
  }

  // A value lives from the step that makes it to the last that reads it, an output to the end.
  void find_worst_step(MemoryBound& bound) const {
    const size_t steps = plan_.steps.size();
    std::vector<size_t> last(plan_.values.size(), 0);
    for (size_t i = 0; i < steps; ++i) {
      last[at(output_of(plan_.steps[i]))] = i;
      visit_inputs(plan_.steps[i], [&](ValueId value) { last[at(value)] = i; });
    }
    for (const PlanOutput& output : plan_.outputs) {
      if (output.value >= 0) last[at(output.value)] = steps;
    }
    for (size_t i = 0; i < steps; ++i) {
      Count alive;
      for (size_t made = 0; made <= i; ++made) {
        const ValueId value = output_of(plan_.steps[made]);
        if (last[at(value)] >= i) alive = alive + bytes_of_value(plan_.values[at(value)]);
      }
      if (alive.value > bound.features) {
        bound.features = alive.value;
        bound.worst = plan_.steps[i].where;
      }
    }
  }

  const Plan& plan_;
  int64_t rows_;
  std::vector<Count> supports_;
};

}  // namespace

Result<MemoryBound> bound_memory(const Plan& plan, int64_t rows) {
  if (rows < 0) return fail(Code::usage, fmt::format("{} rows, expected 0 or more", rows));
  const MemoryBound bound = Bounds(plan, rows).total();
  const Count total = Count::of(bound.weights) + Count::of(bound.inputs) + Count::of(bound.topology) + Count::of(bound.features);
  if (total.value >= Count::too_many) return fail(Code::memory, fmt::format("with {} rows the sizes leave 62 bits", rows));
  return bound;
}

}  // namespace lattice
