// The plan's enums list the words of the dialect in the dialect's order: lowering maps them by position.
#include <gtest/gtest.h>

#include "dialect/dialect.h"
#include "plan/names.h"

namespace lattice {
namespace {

template <class Attribute, class Enum>
void same_words() {
  const auto words = Attribute::allowed();
  for (size_t i = 0; i < words.size(); ++i) EXPECT_EQ(words[i].str(), name_of(static_cast<Enum>(i)));
  EXPECT_STREQ(name_of(static_cast<Enum>(words.size())), "unknown") << "the plan has a word more";
}

TEST(Choices, AreTheWordsOfTheDialect) {
  same_words<ir::JoinAttr, Join>();
  same_words<ir::BinaryKindAttr, BinaryOp>();
  same_words<ir::PoolModeAttr, PoolMode>();
  same_words<ir::VoxelReductionAttr, VoxelReduction>();
  same_words<ir::PointInterpolationAttr, PointInterpolation>();
  same_words<ir::ActivationKindAttr, ActivationKind>();
  same_words<ir::GeluApproxAttr, GeluApprox>();
}

}  // namespace
}  // namespace lattice
