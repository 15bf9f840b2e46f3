// The networks of `lattice make`: they verify, have the layers their names promise, and are the
// same bytes for the same seed. That their activations stay finite on real clouds is tested where
// networks run.
#include "author/networks.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "author/random.h"
#include "author/test_folder.h"
#include "base/tensor.h"

namespace lattice::author {
namespace {

int64_t count(const GraphBuilder& graph, std::initializer_list<std::string_view> names) {
  return std::ranges::count_if(graph.operations(), [&](std::string_view op) {
    return std::ranges::find(names, op) != names.end();
  });
}

// FNV-1a over the text and every tensor with its name.
uint64_t hash_of(const GraphBuilder& builder) {
  const Graph graph = builder.graph().value();
  uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](std::string_view bytes) {
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  };
  add(graph.text);
  for (const NamedTensor& weight : graph.weights) {
    add(weight.name);
    const auto bytes =
        static_cast<size_t>(elements_of(weight.tensor.shape) * size_of(weight.tensor.dtype));
    add({static_cast<const char*>(weight.tensor.data), bytes});
  }
  return hash;
}

class EveryNetwork : public ::testing::TestWithParam<std::string_view> {};

TEST_P(EveryNetwork, VerifiesAndHasItsInputAndUniqueNames) {
  NetworkOptions options;
  if (GetParam() != "tiny" && GetParam() != "codec") options.bits = 4; // large ones: less to write
  const auto network = make_network(GetParam(), options);
  ASSERT_TRUE(network) << network.error().text();
  TestFolder folder;
  const auto written = network->write(folder.path());
  EXPECT_TRUE(written) << written.error().text();

  const auto info = std::ranges::find(networks(), GetParam(), &NetworkInfo::name);
  const Graph graph = network->graph().value();
  const std::string argument = fmt::format("%x_features: tensor<?x{}xf32>", info->input_channels);
  EXPECT_NE(graph.text.find(argument), std::string::npos);
  EXPECT_NE(graph.text.find(fmt::format("\"{}\"", info->output)), std::string::npos);
  EXPECT_EQ(std::ranges::count(info->features, ',') + 1, info->input_channels);
  std::set<std::string> names;
  for (const NamedTensor& weight : graph.weights) {
    EXPECT_TRUE(names.insert(weight.name).second) << weight.name;
  }
}

INSTANTIATE_TEST_SUITE_P(List, EveryNetwork, ::testing::ValuesIn([] {
                           std::vector<std::string_view> names;
                           for (const NetworkInfo& network : networks())
                             names.push_back(network.name);
                           return names;
                         }()),
                         [](const auto& parameter) { return std::string(parameter.param); });

TEST(MinkUNet42, HasFortyNineConvolutionsAndOneLinear) {
  const auto network = make_minkunet42({.bits = 8}).value();
  EXPECT_EQ(count(network, {"conv3d", "subm_conv3d", "target_conv_transpose3d"}), 49);
  EXPECT_EQ(count(network, {"subm_conv3d"}), 2 + 8 * 2 * 2);
  EXPECT_EQ(count(network, {"target_conv_transpose3d"}), 4);
  EXPECT_EQ(count(network, {"linear"}), 1);
  EXPECT_EQ(count(network, {"batch_norm"}), 49); // every convolution
}

TEST(SpUNet34, HasTwoThreeFourSixBlocks) {
  const auto network = make_spunet34({.bits = 8}).value();
  EXPECT_EQ(count(network, {"subm_conv3d"}), 1 + 2 * (2 + 3 + 4 + 6 + 8));
}

TEST(CenterPoint, HasEightBlocksAndDetectionEps) {
  const auto network = make_centerpoint({.bits = 8}).value();
  EXPECT_EQ(count(network, {"subm_conv3d"}), 1 + 8 * 2);
  EXPECT_EQ(count(network, {"conv3d"}), 4);
  const std::string text = network.graph()->text;
  EXPECT_NE(text.find("eps = 0.001 : f32"), std::string::npos);
  EXPECT_EQ(text.find("eps = 1.0e-05 : f32"), std::string::npos);
}

TEST(Networks, HalfPrecisionAndPackedForms) {
  TestFolder folder;
  for (const std::string_view name : {"tiny", "codec"}) {
    for (const NetworkOptions& options :
         {NetworkOptions{.dtype = DType::f16},
          NetworkOptions{.bits = 8, .group_size = 32, .scale_dtype = DType::f32},
          NetworkOptions{.dtype = DType::f16, .bits = 4, .group_size = 128}}) {
      const auto network = make_network(name, options);
      ASSERT_TRUE(network) << network.error().text();
      const auto written = network->write(folder.path());
      EXPECT_TRUE(written) << written.error().text();
    }
  }
}

// Pinned: the same bytes on every platform and in every later version, or benchmarks stop being
// comparable.
TEST(Networks, OneSeedOneNetwork) {
  EXPECT_EQ(hash_of(make_tiny({}).value()), hash_of(make_tiny({}).value()));
  EXPECT_NE(hash_of(make_tiny({}).value()), hash_of(make_tiny({.seed = 2}).value()));
  EXPECT_EQ(hash_of(make_tiny({}).value()), 14776416535849176953u);
}

TEST(Networks, AnUnknownNameListsTheKnownOnes) {
  const auto network = make_network("resnet");
  ASSERT_FALSE(network);
  EXPECT_NE(network.error().text().find("no network \"resnet\", known are minkunet42,"),
            std::string::npos);
}

TEST(RandomNumbers, HaveTheirMeanAndDeviation) {
  Random random(1, "test");
  double sum = 0, squares = 0;
  constexpr int draws = 100000;
  for (int i = 0; i < draws; ++i) {
    const double value = random.normal();
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / draws, 0, 0.02);
  EXPECT_NEAR(squares / draws, 1, 0.02);
}

} // namespace
} // namespace lattice::author
