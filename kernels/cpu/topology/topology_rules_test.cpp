// The rules of each kind of support one by one, faults, points, batches, phases and limits. Random
// plans are in topology_test.cpp.
#include "kernels/cpu/topology/topology_case.h"

namespace lattice::cpu {
namespace {

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

TEST(Limits, IdleMemoryGoesWhereALimitNeedsIt) {
  Cloud cloud(1);
  Case large;
  large.pool = std::make_shared<BlockPool>();
  large.submanifold(large.made(cloud.coords(6000, 0, {1, 1, 1}, 1)), {5, 5, 5});
  ASSERT_TRUE(large.build());
  const int64_t idle = large.pool->idle_bytes();
  EXPECT_GT(idle, 1 << 20);
  Case small;
  small.pool = large.pool;
  small.made({0, 0, 0, 0, 0, 1, 0, 0});
  small.control.max_memory = idle + (1 << 20);
  ASSERT_TRUE(small.build());
  EXPECT_EQ(small.pool->idle_bytes(), idle);
  small.control.max_memory = idle;
  ASSERT_TRUE(small.build());
  EXPECT_LT(small.pool->idle_bytes(), 1 << 20);
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
