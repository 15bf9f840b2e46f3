// Small plans with their inputs, for topology tests; and what was built, in the oracle's terms.
// No tests of its own.
#pragma once

#include "kernels/cpu/topology/topology.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "base/f16.h"
#include "kernels/cpu/topology/edges.h"
#include "kernels/cpu/topology/oracle.h"

namespace lattice::cpu {

using oracle::Coord;
using oracle::Rows;

inline constexpr int64_t int32_high = INT32_MAX;

inline Relation between(SupportId fine, SupportId coarse, const Geometry& geometry) {
  Relation relation;
  relation.fine = fine;
  relation.coarse = coarse;
  relation.size = geometry.size;
  relation.stride = geometry.stride;
  relation.dilation = geometry.dilation;
  relation.base = geometry.base;
  return relation;
}

// A plan under construction with the inputs it reads. Arguments own their data.
struct Case {
  Plan plan;
  BoundInputs inputs;
  RunControl control;
  std::vector<std::shared_ptr<std::vector<int32_t>>> ints;
  std::vector<std::shared_ptr<std::vector<float>>> floats;
  std::shared_ptr<BlockPool> pool;

  int32_t argument(Shape shape, std::vector<int32_t> data) {
    ints.push_back(std::make_shared<std::vector<int32_t>>(std::move(data)));
    inputs.arguments.push_back({DType::i32, std::move(shape), ints.back()->data()});
    inputs.present.push_back(true);
    return static_cast<int32_t>(inputs.arguments.size()) - 1;
  }
  SupportId support(const Support& support) {
    plan.supports.push_back(support);
    const auto id = static_cast<SupportId>(plan.supports.size()) - 1;
    plan.topology.push_back({TopologyStep::Kind::support, id});
    return id;
  }
  // `coords`: physical rows of four.
  SupportId made(std::vector<int32_t> coords, Triple stride = {1, 1, 1}, int32_t active = -1) {
    const int64_t rows = static_cast<int64_t>(coords.size() / 4);
    Support s;
    s.coords = {IntSource::Kind::argument, argument({rows, 4}, std::move(coords))};
    s.active = {IntSource::Kind::argument,
                argument({1}, {active < 0 ? static_cast<int32_t>(rows) : active})};
    s.stride = stride;
    s.row_order_used = true;
    return support(s);
  }
  SupportId floored(SupportId from, Triple stride, bool ordered = true) {
    Support s;
    s.rule = SupportRule::floor;
    s.from = from;
    s.kernel_stride = stride;
    for (size_t i = 0; i < 3; ++i)
      s.stride[i] = plan.supports[static_cast<size_t>(from)].stride[i] * stride[i];
    s.row_order_used = ordered;
    return support(s);
  }
  SupportId transposed(SupportId from, Triple size, Triple stride, Triple padding,
                       Triple dilation) {
    Support s;
    s.rule = SupportRule::transposed;
    s.from = from;
    s.kernel_size = size;
    s.kernel_stride = stride;
    s.padding = padding;
    s.dilation = dilation;
    s.row_order_used = true;
    return support(s);
  }
  SupportId joined(SupportId lhs, SupportId rhs, Join join) {
    Support s;
    s.rule = SupportRule::joined;
    s.from = lhs;
    s.other = rhs;
    s.join = join;
    s.stride = plan.supports[static_cast<size_t>(lhs)].stride;
    s.row_order_used = true;
    return support(s);
  }
  RelationId relation(const Relation& relation) {
    plan.relations.push_back(relation);
    const auto id = static_cast<RelationId>(plan.relations.size()) - 1;
    plan.topology.push_back({TopologyStep::Kind::relation, id});
    return id;
  }
  RelationId submanifold(SupportId support, Triple size, Triple dilation = {1, 1, 1}) {
    Relation r;
    r.fine = r.coarse = support;
    r.size = size;
    r.dilation = dilation;
    for (size_t i = 0; i < 3; ++i) r.base[i] = -(size[i] - 1) / 2 * dilation[i];
    return relation(r);
  }
  // Points as f32; every support and map of one case may share them.
  ValueId points(std::vector<float> data) {
    floats.push_back(std::make_shared<std::vector<float>>(std::move(data)));
    const int64_t rows = static_cast<int64_t>(floats.back()->size() / 3);
    inputs.arguments.push_back({DType::f32, {rows, 3}, floats.back()->data()});
    inputs.present.push_back(true);
    Value value;
    value.argument = static_cast<int32_t>(inputs.arguments.size()) - 1;
    plan.values.push_back(value);
    return static_cast<ValueId>(plan.values.size()) - 1;
  }

  Result<Topology> build(int threads = 1, int32_t phase = 0) const {
    Topology topology;
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 3);
    tbb::task_arena arena(threads);
    const PointsOf none = [](ValueId) { return TensorView{}; };
    Status status;
    arena.execute(
        [&] { status = build_phase(plan, phase, inputs, control, none, 0, topology, pool); });
    if (!status) return tl::make_unexpected(status.error());
    return topology;
  }
  std::string fault() const {
    const auto topology = build();
    return topology ? "" : topology.error().text();
  }
};

// Rows of a support in the spec's order, physical.
inline Rows rows_of(const Topology& topology, SupportId id) {
  const SupportData& support = *topology.supports[static_cast<size_t>(id)];
  std::vector<int32_t> coords(static_cast<size_t>(support.rows() * 4));
  write_coords(support, topology.orders[static_cast<size_t>(id)].get(), coords.data());
  Rows rows;
  for (size_t i = 0; i < coords.size(); i += 4) {
    rows.push_back({coords[i], coords[i + 1], coords[i + 2], coords[i + 3]});
  }
  return rows;
}

inline Rows logical(const Rows& physical, Triple stride) {
  Rows rows = physical;
  for (Coord& row : rows) {
    for (size_t i = 0; i < 3; ++i) row[i + 1] /= stride[i];
  }
  return rows;
}

inline Rows physical(const Rows& logical, Triple stride) {
  Rows rows = logical;
  for (Coord& row : rows) {
    for (size_t i = 0; i < 3; ++i) row[i + 1] *= stride[i];
  }
  return rows;
}

inline std::vector<oracle::Edge> edges_of(const Topology& topology, RelationId id) {
  const Edges& edges = *topology.relations[static_cast<size_t>(id)];
  std::vector<oracle::Edge> result;
  for (size_t r = 0; r < edges.lists.size(); ++r) {
    const EdgeList& list = edges.lists[r];
    for (int64_t i = 0; i < list.count; ++i) {
      result.push_back({static_cast<int64_t>(r), list.identity ? i : int64_t{list.fine[i]},
                        list.identity ? i : int64_t{list.coarse[i]}});
    }
  }
  return result;
}

// Random distinct rows around a few centres, so that neighbours exist.
struct Cloud {
  std::mt19937_64 random;
  explicit Cloud(uint64_t seed) : random(seed) {}
  int64_t number(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  }
  // kind 0: one small box; 1: boxes all over int32; 2: boxes at the corners of int32; 3: a plane x
  // = const
  std::vector<int32_t> coords(int64_t rows, int kind, Triple stride, int64_t batches) {
    std::set<Coord> seen;
    std::vector<int32_t> result;
    const int64_t side =
        std::max<int64_t>(2, static_cast<int64_t>(std::cbrt(static_cast<double>(rows) * 3)));
    for (int64_t tries = 0; static_cast<int64_t>(seen.size()) < rows && tries < rows * 4; ++tries) {
      Coord row{number(0, batches - 1)};
      for (size_t i = 0; i < 3; ++i) {
        const int64_t low = -(int64_t{1} << 31) / stride[i], high = int32_high / stride[i];
        const int64_t step = number(0, side);
        const int64_t boxes[4] = {
            step - side / 2, low / 4 + (random() % 2 == 0 ? high / 3 : 0) + step,
            random() % 2 == 0 ? low + step : high - step, i == 0 ? 7 : number(0, side * 3)};
        row[i + 1] = boxes[kind] * stride[i];
      }
      if (!seen.insert(row).second) continue;
      for (const int64_t value : row) result.push_back(static_cast<int32_t>(value));
    }
    return result;
  }
};

inline Rows rows_from(const std::vector<int32_t>& coords) {
  Rows rows;
  for (size_t i = 0; i < coords.size(); i += 4) {
    rows.push_back({coords[i], coords[i + 1], coords[i + 2], coords[i + 3]});
  }
  return rows;
}

inline void expect_same(const Topology& a, const Topology& b) {
  ASSERT_EQ(a.supports.size(), b.supports.size());
  for (size_t i = 0; i < a.supports.size(); ++i) {
    EXPECT_EQ(rows_of(a, static_cast<SupportId>(i)), rows_of(b, static_cast<SupportId>(i)));
  }
  for (size_t i = 0; i < a.relations.size(); ++i) {
    EXPECT_EQ(edges_of(a, static_cast<RelationId>(i)), edges_of(b, static_cast<RelationId>(i)));
  }
  EXPECT_EQ(a.bytes, b.bytes);
}

} // namespace lattice::cpu
