// Bounds on the memory of a run, against sums done by hand.
#include "plan/memory_bound.h"

#include <gtest/gtest.h>

namespace lattice {
namespace {

// coords (?, 4), features (?, 2): a 3-kernel over the rows to 5 channels, then a stride-2 2-kernel to 7.
Plan two_convolutions() {
  Plan plan;
  plan.signature.arguments = {{"x_coords", Role::sparse_coords, DType::i32, {-1, 4}, 0},
                              {"x_features", Role::sparse_features, DType::f32, {-1, 2}, 0},
                              {"x_active", Role::sparse_active, DType::i32, {1}, 0}};
  Support made;
  made.coords = {IntSource::Kind::argument, 0};
  Support coarse;
  coarse.rule = SupportRule::floor;
  coarse.from = 0;
  coarse.kernel_stride = {2, 2, 2};
  plan.supports = {made, coarse};
  Relation same;
  same.fine = same.coarse = 0;
  same.size = {3, 3, 3};
  Relation down;
  down.fine = 0;
  down.coarse = 1;
  down.size = down.stride = {2, 2, 2};
  plan.relations = {same, down};
  plan.topology = {{TopologyStep::Kind::support, 0},
                   {TopologyStep::Kind::support, 1},
                   {TopologyStep::Kind::relation, 0},
                   {TopologyStep::Kind::relation, 1}};
  const auto value = [&](Extent rows, int64_t channels, int32_t argument) {
    Value made_here;
    made_here.shape = {rows, Extent::fixed(channels)};
    made_here.argument = argument;
    plan.values.push_back(made_here);
  };
  value(Extent::of_argument(1, 0), 2, 1);
  value(Extent::of_support(0), 5, no_id);
  value(Extent::of_support(1), 7, no_id);
  RelationMatmul first, second;
  first.x = 0;
  first.y = 1;
  second.x = 1;
  second.y = 2;
  plan.steps.resize(2);
  plan.steps[0].op = first;
  plan.steps[1].op = second;
  plan.steps[1].where.line = 9;
  PlanOutput output;
  output.kind = PlanOutput::Kind::sparse;
  output.value = 2;
  output.support = 1;
  plan.outputs = {output};
  return plan;
}

TEST(MemoryBound, AddsInputsTopologyAndLiveFeatures) {
  const auto bound = bound_memory(two_convolutions(), 100);
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->inputs, 100 * 4 * 4 + 100 * 2 * 4 + 4);
  // 27 edges a row; one for each fine row where kernel and stride agree.
  EXPECT_EQ(bound->edges, 100 * 27 + 100);
  EXPECT_EQ(bound->topology, 2 * 100 * 16 + (100 * 27 + 100) * 8);
  EXPECT_EQ(bound->features, 100 * 5 * 4 + 100 * 7 * 4);
  EXPECT_EQ(bound->worst.line, 9);
}

TEST(MemoryBound, OverlappingTransposedRowsAreCountedApart) {
  Plan plan = two_convolutions();
  plan.supports[1].rule = SupportRule::transposed;
  plan.supports[1].kernel_size = {3, 1, 1};
  const auto bound = bound_memory(plan, 10);
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->features, 10 * 5 * 4 + 30 * 7 * 4);
}

TEST(MemoryBound, StaticRowsAreTheGraphs) {
  Plan plan = two_convolutions();
  plan.signature.arguments[0].shape = {8, 4};
  plan.signature.arguments[1].shape = {8, 2};
  plan.values[0].shape[0] = Extent::fixed(8);
  const auto bound = bound_memory(plan, 100);
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->inputs, 8 * 4 * 4 + 8 * 2 * 4 + 4);
  EXPECT_EQ(bound->features, 8 * 5 * 4 + 8 * 7 * 4);
}

TEST(MemoryBound, SizesThatDoNotFitAreAnError) {
  const auto bound = bound_memory(two_convolutions(), INT64_MAX / 2);
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().code(), Code::memory);
  EXPECT_EQ(bound_memory(two_convolutions(), -1).error().code(), Code::usage);
}

}  // namespace
}  // namespace lattice
