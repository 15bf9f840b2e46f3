// Facts about the arena: blocks alive together never overlap, and little is wasted.
#include "exec/memory_plan.h"

#include <random>

#include <gtest/gtest.h>

namespace lattice {
namespace {

bool clash(const Block& a, int64_t a_offset, const Block& b, int64_t b_offset) {
  if (a.first > b.last || b.first > a.last) return false;
  return a_offset < b_offset + b.bytes && b_offset < a_offset + a.bytes;
}

TEST(MemoryPlan, BlocksAliveTogetherDoNotOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Block> blocks(random() % 40);
    for (Block& block : blocks) {
      block.bytes = static_cast<int64_t>(random() % 5000);
      block.first = static_cast<int32_t>(random() % 30);
      block.last = block.first + static_cast<int32_t>(random() % 6);
    }
    const auto plan = plan_memory(blocks);
    ASSERT_TRUE(plan);
    for (size_t i = 0; i < blocks.size(); ++i) {
      EXPECT_EQ(plan->offsets[i] % 64, 0);
      EXPECT_LE(plan->offsets[i] + blocks[i].bytes, plan->bytes);
      for (size_t j = 0; j < i; ++j) EXPECT_FALSE(clash(blocks[i], plan->offsets[i], blocks[j], plan->offsets[j]));
    }
    EXPECT_GE(plan->bytes, plan->live_bytes);
  }
}

// A chain needs room for two neighbours at a time, not for all.
TEST(MemoryPlan, ChainReusesItsMemory) {
  std::vector<Block> blocks;
  for (int32_t step = 0; step < 50; ++step) blocks.push_back({6400, step, step + 1});
  const auto plan = plan_memory(blocks);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->live_bytes, 2 * 6400);
  EXPECT_EQ(plan->bytes, 2 * 6400);
}

TEST(MemoryPlan, SumsThatOverflowAreRefused) {
  const int64_t half = int64_t{1} << 62;
  EXPECT_FALSE(plan_memory({{half, 0, 1}, {half, 0, 1}, {half, 0, 1}}));
}

}  // namespace
}  // namespace lattice
