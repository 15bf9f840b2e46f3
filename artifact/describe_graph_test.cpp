// What describe_graph writes down, for a graph whose names matter.
#include "artifact/describe_graph.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "artifact/test_graphs.h"

namespace lattice {
namespace {

nlohmann::json described(const std::string& text) {
  const auto result = describe_graph(text);
  EXPECT_TRUE(result) << (result ? "" : result.error().text());
  return result ? nlohmann::json::parse(*result) : nlohmann::json();
}

TEST(DescribeGraph, NamesAreThoseOfTheText) {
  const auto graph = described(test::good_graph);
  EXPECT_EQ(graph["ops"][0]["operands"], nlohmann::json({"%c", "%f", "%n"}));
  EXPECT_EQ(graph["ops"][2]["operands"], nlohmann::json({"%x", "%w"}));
  EXPECT_EQ(graph["returns"], nlohmann::json({"%y", "%z"}));
  EXPECT_EQ(graph["args"][3]["name"], "%e");
  EXPECT_EQ(graph["args"][3]["abi_name"], "extra");
  EXPECT_EQ(graph["outputs"][1]["abi_name"], "logits");
}

TEST(DescribeGraph, AttributesAreNumbersWhereTheyAreNumbers) {
  const auto graph = described(test::good_graph);
  EXPECT_EQ(graph["ops"][2]["attrs"]["kernel_size"], nlohmann::json({1, 1, 1}));
  EXPECT_EQ(graph["ops"][2]["attrs"]["accumulation"], "canonical_f32");
  EXPECT_EQ(graph["ops"][1]["attrs"]["packing"], "#lattice.packing<dense>");
  EXPECT_EQ(graph["ir_version"], 2);
}

// The generic form groups results: %0:3 are used as %0#0, %0#1, %0#2.
TEST(DescribeGraph, GroupedResultsAreCounted) {
  const std::string sparse = "!lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = "
                             "row_channel, dtype = f32>";
  std::string text =
      test::replaced(test::good_graph, "    %l =",
                     "    %p:3 = lattice.sparse.decompose %y : " + sparse +
                         " -> (tensor<?x4xi32>, tensor<?x2xf32>, tensor<1xi32>)\n    %l =");
  text = test::replaced(text, "lattice.linear %e,", "lattice.linear %p#1,");
  const auto graph = described(text);
  EXPECT_EQ(graph["ops"][3]["results"], nlohmann::json({"%p#0", "%p#1", "%p#2"}));
  EXPECT_EQ(graph["ops"][5]["operands"], nlohmann::json({"%p#1", "%l"}));
}

TEST(DescribeGraph, AnInvalidGraphIsRefused) {
  const auto result = describe_graph(
      test::replaced(test::good_graph, "lattice.ir_version = 2", "lattice.ir_version = 3"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::artifact);
}

} // namespace
} // namespace lattice
