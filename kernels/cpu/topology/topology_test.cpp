// Topologies of random plans against the oracle, at one to three threads; faults; limits.
#include "kernels/cpu/topology/topology.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "base/f16.h"
#include "kernels/cpu/topology/edges.h"
#include "kernels/cpu/topology/oracle.h"

namespace lattice::cpu {
namespace {

using oracle::Coord;
using oracle::Rows;

constexpr int64_t int32_high = INT32_MAX;

Relation between(SupportId fine, SupportId coarse, const Geometry& geometry) {
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
Rows rows_of(const Topology& topology, SupportId id) {
  const SupportData& support = *topology.supports[static_cast<size_t>(id)];
  std::vector<int32_t> coords(static_cast<size_t>(support.rows() * 4));
  write_coords(support, topology.orders[static_cast<size_t>(id)].get(), coords.data());
  Rows rows;
  for (size_t i = 0; i < coords.size(); i += 4) {
    rows.push_back({coords[i], coords[i + 1], coords[i + 2], coords[i + 3]});
  }
  return rows;
}

Rows logical(const Rows& physical, Triple stride) {
  Rows rows = physical;
  for (Coord& row : rows) {
    for (size_t i = 0; i < 3; ++i) row[i + 1] /= stride[i];
  }
  return rows;
}

Rows physical(const Rows& logical, Triple stride) {
  Rows rows = logical;
  for (Coord& row : rows) {
    for (size_t i = 0; i < 3; ++i) row[i + 1] *= stride[i];
  }
  return rows;
}

std::vector<oracle::Edge> edges_of(const Topology& topology, RelationId id) {
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

Rows rows_from(const std::vector<int32_t>& coords) {
  Rows rows;
  for (size_t i = 0; i < coords.size(); i += 4) {
    rows.push_back({coords[i], coords[i + 1], coords[i + 2], coords[i + 3]});
  }
  return rows;
}

void expect_same(const Topology& a, const Topology& b) {
  ASSERT_EQ(a.supports.size(), b.supports.size());
  for (size_t i = 0; i < a.supports.size(); ++i) {
    EXPECT_EQ(rows_of(a, static_cast<SupportId>(i)), rows_of(b, static_cast<SupportId>(i)));
  }
  for (size_t i = 0; i < a.relations.size(); ++i) {
    EXPECT_EQ(edges_of(a, static_cast<RelationId>(i)), edges_of(b, static_cast<RelationId>(i)));
  }
  EXPECT_EQ(a.bytes, b.bytes);
}

// ---------------------------------------------------------------------------------- random, by the
// oracle

struct Scene {
  int64_t rows;
  int kind;
  Triple stride;
  int64_t batches;
};

class RandomTopology : public testing::TestWithParam<int> {
 protected:
  Scene scene() const {
    const int i = GetParam();
    static constexpr int64_t sizes[] = {0, 1, 2, 40, 700, 3000};
    static const Triple strides[] = {{1, 1, 1}, {2, 2, 2}, {1, 3, 4}};
    return {sizes[i % 6], i / 6 % 4, strides[i / 24 % 3], i % 2 == 0 ? 1 : 3};
  }
};

TEST_P(RandomTopology, MadeKeepsTheCallersOrderAndSortsInside) {
  const Scene s = scene();
  Cloud cloud(static_cast<uint64_t>(GetParam()));
  Case c;
  const auto coords = cloud.coords(s.rows, s.kind, s.stride, s.batches);
  const SupportId id = c.made(coords, s.stride);
  const auto topology = c.build(2);
  ASSERT_TRUE(topology) << topology.error().text();
  EXPECT_EQ(rows_of(*topology, id), rows_from(coords));
  std::vector<int32_t> inner(coords.size());
  write_coords(*topology->supports[0], nullptr, inner.data());
  const Rows sorted = rows_from(inner);
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
}

TEST_P(RandomTopology, GeneratedSupportsFollowTheOracle) {
  Scene s = scene();
  if (s.kind == 2) s.kind = 0; // rows at the corners leave int32: tested apart
  Cloud cloud(static_cast<uint64_t>(GetParam()) + 1000);
  Case c;
  const auto coords = cloud.coords(s.rows, s.kind, s.stride, s.batches);
  auto more = cloud.coords(s.rows / 2, s.kind, s.stride, s.batches);
  for (size_t i = 0; i + 3 < coords.size() && i < 400; i += 8) { // rows that both have
    Rows have = rows_from(more);
    const Coord row{coords[i], coords[i + 1], coords[i + 2], coords[i + 3]};
    if (std::find(have.begin(), have.end(), row) == have.end()) {
      more.insert(more.end(), coords.begin() + static_cast<int64_t>(i),
                  coords.begin() + static_cast<int64_t>(i) + 4);
    }
  }
  const SupportId base = c.made(coords, s.stride);
  const SupportId other = c.made(more, s.stride);
  const Rows lhs = logical(rows_from(coords), s.stride), rhs = logical(rows_from(more), s.stride);

  std::vector<std::pair<SupportId, Rows>> expected;
  for (const Triple stride :
       {Triple{2, 2, 2}, Triple{3, 1, 2}, Triple{1, 1, 2}, Triple{7, 5, 70}}) {
    expected.emplace_back(c.floored(base, stride), oracle::floored(lhs, stride));
  }
  expected.emplace_back(c.floored(2, {2, 2, 2}), oracle::floored(expected[0].second, {2, 2, 2}));
  expected.emplace_back(c.joined(base, other, Join::inner), oracle::joined(lhs, rhs, Join::inner));
  expected.emplace_back(c.joined(base, other, Join::outer), oracle::joined(lhs, rhs, Join::outer));
  const Triple shapes[][4] = {{{2, 2, 2}, {2, 2, 2}, {0, 0, 0}, {1, 1, 1}},
                              {{3, 3, 3}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}},
                              {{3, 1, 2}, {1, 2, 1}, {0, 3, 1}, {2, 1, 50}},
                              {{1, 1, 5}, {1, 1, 3}, {0, 0, 0}, {1, 1, 1}}};
  if (s.stride == Triple{1, 1, 1} && s.rows <= 700) {
    for (const auto& shape : shapes) {
      const SupportId id = c.transposed(2, shape[0], shape[1], shape[2], shape[3]);
      c.plan.supports.back().stride = {1, 1, 1};
      expected.emplace_back(
          id, oracle::transposed(expected[0].second, c.plan.supports[static_cast<size_t>(id)]));
    }
  }
  const auto topology = c.build(3);
  ASSERT_TRUE(topology) << topology.error().text();
  for (const auto& [id, rows] : expected) {
    EXPECT_EQ(rows_of(*topology, id),
              physical(rows, c.plan.supports[static_cast<size_t>(id)].stride))
        << id;
  }
  for (const int threads : {1, 2}) {
    const auto again = c.build(threads);
    ASSERT_TRUE(again);
    expect_same(*topology, *again);
  }
}

TEST_P(RandomTopology, RelationsFollowTheOracle) {
  const Scene s = scene();
  Cloud cloud(static_cast<uint64_t>(GetParam()) + 2000);
  Case c;
  const auto coords = cloud.coords(s.rows, s.kind, {1, 1, 1}, s.batches);
  std::map<SupportId, Rows> rows;
  const SupportId base = c.made(coords);
  rows[base] = rows_from(coords);
  const SupportId target = c.made(cloud.coords(s.rows / 2, s.kind, {1, 1, 1}, s.batches));
  rows[target] = rows_from(*c.ints[2]);
  std::vector<SupportId> down;
  for (const Triple stride : {Triple{2, 2, 2}, Triple{3, 2, 1}}) {
    if (s.kind == 2) continue;
    down.push_back(c.floored(base, stride, false));
    rows[down.back()] = oracle::floored(rows[base], stride);
  }
  for (const Triple size :
       {Triple{3, 3, 3}, Triple{1, 1, 1}, Triple{5, 5, 5}, Triple{1, 1, 7}, Triple{7, 1, 3}}) {
    c.submanifold(base, size);
    if (size[0] < 5) c.submanifold(base, size, {2, 1, 3});
  }
  c.submanifold(base, {3, 3, 3}, {1073741824, 2147483647, 1});
  // Forward with even kernel on the own rows, and alignments.
  c.relation(between(base, base, {.size = {2, 2, 2}}));
  c.relation(between(base, base, {.size = {3, 3, 3}, .base = {-2, 0, -1}}));
  c.relation(between(base, target, {}));
  c.relation(between(target, base, {.size = {3, 3, 3}, .base = {-1, -1, -1}}));
  c.relation(between(base, target,
                     {.size = {2, 3, 2},
                      .stride = {2, 2, 2147483647},
                      .dilation = {2147483647, 1, 1},
                      .base = {0, -1, 0}}));
  if (s.kind != 2) {
    c.relation(between(base, down[0], {.size = {2, 2, 2}, .stride = {2, 2, 2}}));
    c.relation(
        between(base, down[0], {.size = {3, 3, 3}, .stride = {2, 2, 2}, .base = {-1, -1, -1}}));
    c.relation(between(
        base, down[0],
        {.size = {3, 3, 2}, .stride = {2, 2, 2}, .dilation = {1, 2, 3}, .base = {-2, -2, -1}}));
    c.relation(between(base, down[1], {.size = {3, 2, 1}, .stride = {3, 2, 1}}));
    c.relation(between(target, down[1], {.size = {3, 2, 1}, .stride = {3, 2, 1}}));
    c.relation(between(base, down[0], {.size = {1, 1, 1}, .stride = {2, 2, 2}}));
  }
  const auto topology = c.build(1);
  ASSERT_TRUE(topology) << topology.error().text();
  for (size_t i = 0; i < c.plan.relations.size(); ++i) {
    const Relation& relation = c.plan.relations[i];
    EXPECT_EQ(edges_of(*topology, static_cast<RelationId>(i)),
              oracle::edges(rows[relation.fine], rows[relation.coarse], relation))
        << "relation " << i;
  }
  for (const int threads : {2, 3}) {
    const auto again = c.build(threads);
    ASSERT_TRUE(again);
    expect_same(*topology, *again);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, RandomTopology, testing::Range(0, 72));

// More rows than fit one chunk, with chunk borders inside columns and lines, and memory that was
// used before.
TEST(Topology, LargeSupportsAreTheSameAtAnyThreadCount) {
  Cloud cloud(5);
  Case c;
  c.pool = std::make_shared<BlockPool>();
  Rows rows;
  for (int64_t x = 0; x < 3; ++x) {
    for (int64_t y = 0; y < 14; ++y) {
      for (int64_t z = 0; z < 120; ++z) rows.push_back({0, x, y, z * 2 + (x + y) % 2});
    }
  }
  for (int64_t i = 0; i < 4500; ++i) rows.push_back({1, i / 90, i % 90 * 3 / 2, (i * 7919) % 50});
  std::shuffle(rows.begin(), rows.end(), cloud.random);
  std::vector<int32_t> coords;
  std::vector<int32_t> shifted;
  for (const Coord& row : rows) {
    for (size_t i = 0; i < 4; ++i) {
      coords.push_back(static_cast<int32_t>(row[i]));
      shifted.push_back(static_cast<int32_t>(row[i] + (i == 2 ? 3 : 0)));
    }
  }
  std::map<SupportId, Rows> expected;
  const SupportId base = c.made(coords), other = c.made(shifted);
  expected[base] = rows;
  expected[other] = rows_from(shifted);
  const SupportId down = c.floored(base, {2, 2, 2});
  expected[down] = oracle::floored(rows, {2, 2, 2});
  const SupportId both = c.joined(base, other, Join::outer);
  expected[both] = oracle::joined(rows, expected[other], Join::outer);
  const SupportId common = c.joined(base, other, Join::inner);
  expected[common] = oracle::joined(rows, expected[other], Join::inner);
  const SupportId up = c.transposed(down, {2, 3, 1}, {2, 2, 2}, {0, 1, 0}, {1, 1, 1});
  expected[up] = oracle::transposed(expected[down], c.plan.supports.back());
  c.submanifold(base, {3, 3, 3});
  c.submanifold(base, {7, 7, 3}); // many lists: the other way to gather matches
  c.submanifold(both, {1, 3, 3}, {1, 2, 2});
  c.relation(between(base, down, {.size = {2, 2, 2}, .stride = {2, 2, 2}}));
  c.relation(between(base, down, {.size = {3, 3, 3}, .stride = {2, 2, 2}, .base = {-1, -1, -1}}));
  c.relation(between(up, down, {.size = {2, 3, 1}, .stride = {2, 2, 2}, .base = {0, -1, 0}}));
  c.relation(between(other, both, {}));
  std::vector<std::vector<oracle::Edge>> edges;
  for (const Relation& relation : c.plan.relations) {
    edges.push_back(oracle::edges(expected[relation.fine], expected[relation.coarse], relation));
  }
  for (const int threads : {1, 2, 3}) {
    const auto topology = c.build(threads);
    ASSERT_TRUE(topology) << topology.error().text();
    for (const auto& [id, wanted] : expected) {
      const Triple stride = c.plan.supports[static_cast<size_t>(id)].stride;
      EXPECT_EQ(logical(rows_of(*topology, id), stride), wanted) << id;
    }
    for (size_t i = 0; i < edges.size(); ++i) {
      EXPECT_EQ(edges_of(*topology, static_cast<RelationId>(i)), edges[i]) << "relation " << i;
    }
  }
}

// ------------------------------------------------------------------------------------------------
// made

TEST(Made, RowsPastTheActiveOnesAreIgnored) {
  Case c;
  const SupportId id = c.made({0, 4, 0, 0, 0, 2, 0, 0, -9, 1, 1, 1, 0, 2, 0, 0}, {2, 2, 2}, 2);
  const auto topology = c.build();
  ASSERT_TRUE(topology) << topology.error().text();
  EXPECT_EQ(rows_of(*topology, id), (Rows{{0, 4, 0, 0}, {0, 2, 0, 0}}));
  EXPECT_EQ(topology->supports[0]->capacity, 4);
}

TEST(Made, RowsInOrderNeedNoPermutation) {
  Case c;
  c.made({0, 0, 0, 0, 0, 0, 0, 1, 1, -5, 0, 0});
  const auto topology = c.build();
  ASSERT_TRUE(topology);
  EXPECT_TRUE(topology->orders[0]->identity);
}

TEST(Made, FaultsNameTheFirstRowInTheCallersOrder) {
  const auto fault = [](std::vector<int32_t> coords, Triple stride = {1, 1, 1},
                        int32_t active = -1) {
    Case c;
    c.made(std::move(coords), stride, active);
    return c.fault();
  };
  EXPECT_NE(fault({0, 0, 0, 0}, {1, 1, 1}, 2).find("found 2, expected 0 to 1"), std::string::npos);
  EXPECT_NE(fault({0, 9, 0, 0, -1, 0, 0, 0, -2, 0, 0, 0}).find("row 1 has -1"), std::string::npos);
  EXPECT_NE(
      fault({0, 4, 2, 0, 0, 2, 3, 1, 0, 1, 0, 0}, {2, 2, 2}).find("row 1 is (0, 2, 3, 1), whose y"),
      std::string::npos);
  EXPECT_NE(fault({0, 4, 2, 0, 0, 2, 3, 1, -1, 1, 0, 0}, {2, 1, 4})
                .find("row 1 is (0, 2, 3, 1), whose z"),
            std::string::npos);
  // Rows 2 and 4 repeat row 0, row 3 repeats row 1: row 2 is the first that repeats another.
  const std::string text = fault({0, 5, 5, 5, 0, 1, 1, 1, 0, 5, 5, 5, 0, 1, 1, 1, 0, 5, 5, 5});
  EXPECT_NE(text.find("rows 0 and 2 are both (0, 5, 5, 5)"), std::string::npos) << text;
  // Physical coordinates in the message.
  EXPECT_NE(fault({0, 4, 4, 4, 0, 4, 4, 4}, {4, 4, 4}).find("rows 0 and 1 are both (0, 4, 4, 4)"),
            std::string::npos);
}

TEST(Made, TrustedInputsMayBreakTheirPromiseWithoutHarm) {
  Case c;
  c.inputs.trusted = true;
  std::vector<int32_t> coords;
  for (int i = 0; i < 3000; ++i) coords.insert(coords.end(), {0, 1, 1, i % 3 == 0 ? 5 : 7});
  const SupportId base = c.made(coords, {2, 2, 2});
  const SupportId down = c.floored(base, {2, 2, 2});
  c.submanifold(base, {3, 3, 3});
  c.relation(between(base, down, {.size = {2, 2, 2}, .stride = {2, 2, 2}}));
  c.relation(between(base, down, {.size = {3, 3, 3}, .stride = {2, 2, 2}, .base = {-1, -1, -1}}));
  const auto topology = c.build(2);
  ASSERT_TRUE(topology) << topology.error().text();
  EXPECT_EQ(topology->supports[0]->rows(), 3000);
  for (const auto& relation : topology->relations) {
    EXPECT_LE(relation->pairs(), 3000 * 27);
    for (const EdgeList& list : relation->lists) {
      for (int64_t i = 0; i < list.count && !list.identity; ++i) {
        ASSERT_LT(list.fine[i], relation->fine_rows);
        ASSERT_LT(list.coarse[i], relation->coarse_rows);
      }
    }
  }
}

TEST(Made, UnalignedCoordinates) {
  Case c;
  const SupportId id = c.made({0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0});
  std::vector<char> bytes(49);
  std::memcpy(bytes.data() + 1, c.inputs.arguments[0].data, 48);
  c.inputs.arguments[0].data = bytes.data() + 1;
  const auto topology = c.build();
  ASSERT_TRUE(topology);
  EXPECT_EQ(rows_of(*topology, id), (Rows{{0, 3, 0, 0}, {0, 1, 0, 0}, {0, 2, 0, 0}}));
}

// sparse.make of what decompose gave: rows in the order that decompose promises.
TEST(Made, FromTheCoordinatesOfAnotherSupport) {
  Case c;
  const SupportId base = c.made({0, 9, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 5, 0, 0});
  const SupportId down = c.floored(base, {2, 2, 2}, false);
  Support again;
  again.coords = {IntSource::Kind::coords, down};
  again.active = {IntSource::Kind::count, down};
  again.stride = {2, 1, 1};
  again.row_order_used = true;
  const SupportId id = c.support(again);
  const auto topology = c.build();
  ASSERT_TRUE(topology) << topology.error().text();
  EXPECT_EQ(rows_of(*topology, id), (Rows{{0, 8, 0, 0}, {0, 0, 0, 0}, {0, 4, 0, 0}}));
}

// -------------------------------------------------------------------------------------------
// generated

TEST(Generated, RowsThatLeaveInt32NameTheRowTheyComeFrom) {
  const auto fault = [](std::vector<int32_t> coords, Triple size, Triple stride, Triple padding,
                        Triple dilation, Triple out_stride = {1, 1, 1}) {
    Case c;
    const SupportId id = c.transposed(c.made(std::move(coords)), size, stride, padding, dilation);
    c.plan.supports[static_cast<size_t>(id)].stride = out_stride;
    return c.fault();
  };
  const int32_t high = INT32_MAX, low = INT32_MIN;
  const Triple one{1, 1, 1}, zero{0, 0, 0};
  EXPECT_EQ(fault({0, high, low, 0}, one, one, zero, one), "");
  std::string text = fault({0, 0, 0, 0, 0, 1, high, 0, 0, high, 0, 0}, {2, 2, 2}, one, zero, one);
  EXPECT_NE(text.find("input row 1 (0, 1, 2147483647, 0)"), std::string::npos) << text;
  EXPECT_NE(text.find("whose y leaves"), std::string::npos) << text;
  // x and z leave: kernel row (0, 0, 1) is the first that does, by z.
  text = fault({0, high, 0, high}, {2, 2, 2}, one, zero, one);
  EXPECT_NE(text.find("whose z leaves"), std::string::npos) << text;
  // x leaves in kernel row 0 already.
  text = fault({0, low, 0, high}, {2, 2, 2}, one, {1, 0, 0}, one);
  EXPECT_NE(text.find("whose x leaves"), std::string::npos) << text;
  text = fault({0, 0, 0, 0, 0, 5, 6, 1 << 30, 0, 1 << 30, 0, 0}, one, {2, 2, 2}, zero, one);
  EXPECT_NE(text.find("input row 1 (0, 5, 6, 1073741824)"), std::string::npos) << text;
  // Logical fits, physical does not.
  text = fault({0, 1 << 30, 0, 0}, one, one, zero, one, {2, 1, 1});
  EXPECT_NE(text.find("whose x leaves"), std::string::npos) << text;
}

// floor((-2^31) / 3) * 3 is below int32.
TEST(Generated, FloorCanLeaveInt32) {
  Case c;
  c.floored(c.made({0, 0, 0, 0, 0, 1, INT32_MIN, 0}), {3, 3, 3});
  EXPECT_NE(c.fault().find("input row 1 (0, 1, -2147483648, 0) a row is generated whose y leaves"),
            std::string::npos);
  Case even;
  even.floored(even.made({0, 0, 0, 0, 0, 1, INT32_MIN, INT32_MAX}), {2, 2, 2});
  EXPECT_EQ(even.fault(), "");
}

// ----------------------------------------------------------------------------------------------
// points

float voxel_of(float p, float origin, float size) { return std::floor((p - origin) / size); }

TEST(Points, VoxelsInFirstOccurrenceWithTheirPoints) {
  std::mt19937_64 random(3);
  std::vector<float> data;
  std::vector<int32_t> batch;
  for (int i = 0; i < 20000; ++i) {
    for (int axis = 0; axis < 3; ++axis)
      data.push_back(static_cast<float>(random() % 4000) / 100.0f - 20.0f);
    batch.push_back(static_cast<int32_t>(random() % 2));
  }
  Case c;
  Support s;
  s.rule = SupportRule::voxels;
  s.points = c.points(data);
  s.batch_indices = {IntSource::Kind::argument, c.argument({20000}, batch)};
  s.active = {IntSource::Kind::argument, c.argument({1}, {19000})};
  s.voxel_size = {1.1f, 0.9f, 2.0f};
  s.origin = {0.3f, 0, -1};
  s.stride = {4, 4, 4};
  const SupportId id = c.support(s);
  const auto topology = c.build(2);
  ASSERT_TRUE(topology) << topology.error().text();

  Rows of_point;
  std::map<Coord, std::vector<Row>> points;
  for (size_t i = 0; i < 19000; ++i) {
    Coord row{batch[i]};
    for (size_t axis = 0; axis < 3; ++axis) {
      row[axis + 1] =
          static_cast<int64_t>(voxel_of(data[i * 3 + axis], s.origin[axis], s.voxel_size[axis]));
    }
    of_point.push_back(row);
    points[row].push_back(static_cast<Row>(i));
  }
  EXPECT_EQ(logical(rows_of(*topology, id), {4, 4, 4}), oracle::distinct(of_point));
  const PointRows& found = *topology->point_rows[0];
  ASSERT_EQ(found.begin.size(), static_cast<int64_t>(points.size()) + 1);
  int64_t voxel = 0;
  for (const auto& [row, expected] : points) {
    const std::vector<Row> got(found.point.data() + found.begin[voxel],
                               found.point.data() + found.begin[voxel + 1]);
    EXPECT_EQ(got, expected);
    ++voxel;
  }
  expect_same(*topology, *c.build(1));
}

TEST(Points, FaultsNameRowAndAxis) {
  const auto fault = [](std::vector<float> points, std::vector<int32_t> batch, int64_t stride = 1) {
    Case c;
    Support s;
    s.rule = SupportRule::voxels;
    s.points = c.points(std::move(points));
    const int64_t rows = static_cast<int64_t>(batch.size());
    s.batch_indices = {IntSource::Kind::argument, c.argument({rows}, std::move(batch))};
    s.active = {IntSource::Kind::argument, c.argument({1}, {static_cast<int32_t>(rows)})};
    s.stride = {1, stride, 1};
    c.support(s);
    return c.fault();
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(fault({2147483520.0f, -2147483648.0f, 0}, {0}), "");
  EXPECT_NE(fault({0, 0, 0, 0, nan, 0, nan, 0, 0}, {0, 0, 0}).find("row 1 has y"),
            std::string::npos);
  EXPECT_NE(fault({0, 0, 0, 0, 0, 2147483648.0f}, {0, 0}).find("row 1 has z"), std::string::npos);
  EXPECT_NE(fault({0, -2147483904.0f, 0}, {0}).find("row 0 has y"), std::string::npos);
  EXPECT_NE(fault({0, 2e9f, 0}, {0}, 2).find("row 0 has y"), std::string::npos);
  EXPECT_NE(fault({0, 0, 0, 0, 0, 0}, {0, -3}).find("row 1 has -3"), std::string::npos);
}

TEST(Points, MapsFindNearestAndCorners) {
  Cloud cloud(11);
  Case c;
  const auto coords = cloud.coords(700, 0, {1, 1, 1}, 2);
  const SupportId voxels = c.made(coords);
  std::map<Coord, int64_t> inner;
  for (const Coord& row : rows_from(coords)) inner[row] = 0;
  int64_t next = 0;
  for (auto& [row, number] : inner) number = next++;
  std::vector<float> data;
  std::vector<int32_t> batch;
  for (int i = 0; i < 6000; ++i) {
    for (int axis = 0; axis < 3; ++axis)
      data.push_back(static_cast<float>(cloud.number(-900, 900)) / 100.0f);
    batch.push_back(static_cast<int32_t>(cloud.number(-1, 2)));
  }
  for (const float far : {3e9f, -3e9f, 2147483648.0f, -2147483648.0f}) {
    data.insert(data.end(), {far, 0, 0});
    batch.push_back(0);
  }
  const int64_t points = static_cast<int64_t>(batch.size());
  PointMap map;
  map.points = c.points(data);
  map.voxels = voxels;
  map.batch_indices = {IntSource::Kind::argument, c.argument({points}, batch)};
  map.active = {IntSource::Kind::argument, c.argument({1}, {static_cast<int32_t>(points - 2)})};
  map.voxel_size = {0.7f, 1.0f, 1.3f};
  map.origin = {0.1f, 0, 0.4f};
  for (const auto kind : {PointInterpolation::nearest, PointInterpolation::linear}) {
    map.interpolation = kind;
    c.plan.point_maps.push_back(map);
    c.plan.topology.push_back(
        {TopologyStep::Kind::point_map, static_cast<int32_t>(c.plan.point_maps.size()) - 1});
  }
  const auto topology = c.build(2);
  ASSERT_TRUE(topology) << topology.error().text();
  const PointMapData& nearest = *topology->point_maps[0];
  const PointMapData& linear = *topology->point_maps[1];
  const auto row_at = [&](int32_t b, double x, double y, double z) -> int64_t {
    const auto found =
        inner.find({b, static_cast<int64_t>(x), static_cast<int64_t>(y), static_cast<int64_t>(z)});
    return found == inner.end() ? -1 : found->second;
  };
  int64_t hits = 0;
  for (int64_t p = 0; p < points; ++p) {
    float at[3], low[3];
    for (size_t i = 0; i < 3; ++i) {
      at[i] = (data[static_cast<size_t>(p) * 3 + i] - map.origin[i]) / map.voxel_size[i];
      low[i] = std::floor(at[i]);
    }
    const int32_t b = batch[static_cast<size_t>(p)];
    const bool active = p < points - 2;
    const int64_t expected =
        row_at(b, std::floor(at[0] + 0.5f), std::floor(at[1] + 0.5f), std::floor(at[2] + 0.5f));
    ASSERT_EQ(nearest.row[p], active ? expected : -1) << p;
    for (int corner = 0; corner < 8; ++corner) {
      const int64_t d[3] = {corner >> 2, corner >> 1 & 1, corner & 1};
      const int64_t row = row_at(b, static_cast<double>(low[0]) + static_cast<double>(d[0]),
                                 static_cast<double>(low[1]) + static_cast<double>(d[1]),
                                 static_cast<double>(low[2]) + static_cast<double>(d[2]));
      ASSERT_EQ(linear.row[p * 8 + corner], active ? row : -1) << p;
      if (!active || row < 0) continue;
      float w[3];
      for (size_t i = 0; i < 3; ++i) w[i] = d[i] == 1 ? at[i] - low[i] : 1.0f - (at[i] - low[i]);
      ASSERT_EQ(linear.weight[p * 8 + corner], (w[0] * w[1]) * w[2]);
      ++hits;
    }
  }
  EXPECT_GT(hits, 1000);
  (*c.floats[0])[301] = std::numeric_limits<float>::infinity();
  EXPECT_NE(c.fault().find("row 100 has y"), std::string::npos);
}

TEST(Points, HalfPrecisionIsWidened) {
  Case c;
  const std::vector<uint16_t> halves{f16_from_f32(1.5f), f16_from_f32(-0.25f),
                                     f16_from_f32(100.0f)};
  Support s;
  s.rule = SupportRule::voxels;
  s.points = c.points({0, 0, 0});
  c.inputs.arguments.back() = {DType::f16, {1, 3}, halves.data()};
  s.batch_indices = {IntSource::Kind::argument, c.argument({1}, {0})};
  s.active = {IntSource::Kind::argument, c.argument({1}, {1})};
  s.voxel_size = {0.5f, 0.5f, 0.5f};
  const SupportId id = c.support(s);
  EXPECT_EQ(rows_of(*c.build(), id), (Rows{{0, 3, -1, 200}}));
}

// ---------------------------------------------------------------------------------------------
// batches

TEST(BatchRows, RangesOfSortedRows) {
  Case c;
  const SupportId id = c.made({3, 0, 0, 0, 0, 7, 0, 0, 3, -1, 0, 0, 0, 6, 0, 0, 0, 6, 0, 1});
  const auto batches = [&](int64_t size, bool empty_is_error) {
    Batches b;
    b.support = id;
    b.batch_size = size;
    b.empty_is_error = empty_is_error;
    c.plan.batches = {b};
    c.plan.topology.resize(1);
    c.plan.topology.push_back({TopologyStep::Kind::batches, 0});
  };
  batches(-1, false);
  auto topology = c.build();
  ASSERT_TRUE(topology);
  EXPECT_EQ(topology->batches[0]->count, 4);
  ASSERT_EQ(topology->batches[0]->ranges.size(), 2u);
  EXPECT_EQ(topology->batches[0]->ranges[0].end, 3);
  EXPECT_EQ(topology->batches[0]->ranges[1].batch, 3);
  EXPECT_EQ(topology->batches[0]->ranges[1].end, 5);
  batches(6, false);
  EXPECT_EQ(c.build()->batches[0]->count, 6);
  batches(2, false);
  EXPECT_NE(c.fault().find("row 0 has 3, expected less than batch_size 2"), std::string::npos)
      << c.fault();
  batches(4, true);
  EXPECT_NE(c.fault().find("batch 1 has no rows"), std::string::npos);
}

// --------------------------------------------------------------------------------------- phases,
// limits

TEST(Phases, LaterPhasesAddToACopy) {
  Case c;
  const SupportId base = c.made({0, 2, 0, 0, 0, 1, 0, 0});
  Support s;
  s.rule = SupportRule::voxels;
  Value computed;
  c.plan.values.push_back(computed);
  s.points = 0;
  s.batch_indices = {IntSource::Kind::argument, c.argument({2}, {0, 0})};
  s.active = {IntSource::Kind::count, base};
  s.phase = 1;
  const SupportId voxels = c.support(s);
  Relation align;
  align.fine = base;
  align.coarse = voxels;
  align.phase = 1;
  const RelationId relation = c.relation(align);
  const auto first = c.build();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->supports[1], nullptr);
  Topology all = *first;
  const std::vector<float> points{2.5f, 0, 0, 7, 7, 7};
  const auto status = build_phase(
      c.plan, 1, c.inputs, c.control,
      [&](ValueId) {
        return TensorView{DType::f32, {2, 3}, points.data()};
      },
      0, all);
  ASSERT_TRUE(status) << status.error().text();
  EXPECT_EQ(rows_of(all, voxels), (Rows{{0, 2, 0, 0}, {0, 7, 7, 7}}));
  EXPECT_EQ(edges_of(all, relation), (std::vector<oracle::Edge>{{0, 1, 0}}));
  EXPECT_GT(all.bytes, first->bytes);
}

TEST(Limits, MemoryIsRefusedBeforeItIsTaken) {
  Cloud cloud(1);
  Case c;
  const SupportId base = c.made(cloud.coords(6000, 0, {1, 1, 1}, 1));
  c.submanifold(base, {5, 5, 5});
  const auto free = c.build();
  ASSERT_TRUE(free);
  c.control.max_memory = free->bytes * 3;
  EXPECT_TRUE(c.build());
  for (int64_t limit = 1; limit < free->bytes; limit = limit * 3 / 2 + 1) {
    c.control.max_memory = limit;
    const auto topology = c.build(2);
    ASSERT_FALSE(topology);
    EXPECT_EQ(topology.error().code(), Code::memory);
  }
}

TEST(Limits, StopEndsTheBuild) {
  Case c;
  c.made({0, 2, 0, 0});
  const std::atomic<bool> stop{true};
  c.control.stop = &stop;
  const auto topology = c.build();
  ASSERT_FALSE(topology);
  EXPECT_EQ(topology.error().code(), Code::interrupted);
}

TEST(Limits, KernelsOfAbsurdSizeAreRefused) {
  Case c;
  const SupportId base = c.made({0, 2, 0, 0});
  Relation r;
  r.fine = r.coarse = base;
  r.size = {int32_high, int32_high, int32_high};
  c.relation(r);
  const auto topology = c.build();
  ASSERT_FALSE(topology);
  EXPECT_EQ(topology.error().code(), Code::unsupported);
}

} // namespace
} // namespace lattice::cpu
