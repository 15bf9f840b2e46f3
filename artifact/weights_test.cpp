// Facts about binding weights (C7): what is missing, of another type, rank or shape, or not finite.
#include "artifact/weights.h"

#include "artifact/test_graphs.h"

namespace lattice::test {
namespace {

#define EXPECT_REFUSAL(actual, part) EXPECT_PRED2(contains, actual, std::string_view(part))

// A graph that declares one weight and uses none.
std::string declaring(std::string_view type, std::string_view layout,
                      std::string_view packing = "dense") {
  return R"(module attributes {lattice.ir_version = 2, lattice.schema_digest = "1380f1e819fc0eb1af587202ecec3c14ec2c981d249333c5061f0263f82072ad", lattice.weight_file = "weights.safetensors", lattice.output_names = ["y"], lattice.output_roles = ["tensor"], lattice.input_names = ["x"], lattice.input_roles = ["tensor"]} {
func.func @forward(%x: tensor<1xf32>) -> tensor<1xf32> {
  %w = lattice.weight @w {storage_key = "w", layout = #lattice.weight_layout<)" +
         std::string(layout) + ">, packing = #lattice.packing<" + std::string(packing) +
         ">} : !lattice.weight<" + std::string(type) + R"(>
  return %x : tensor<1xf32>
}
}
)";
}

std::string int8(int group = 32, const char* scale = "f32") {
  return "int8, group_size = " + std::to_string(group) + ", scale_dtype = " + scale +
         ", mode = affine";
}
std::string int4(int group = 32) {
  return "int4, group_size = " + std::to_string(group) + ", scale_dtype = f32, mode = affine";
}

// Codes, scales and biases with these shapes.
WeightsBuilder packed(const Shape& codes, const Shape& scales, const Shape& biases,
                      DType scale_dtype = DType::f32) {
  return WeightsBuilder()
      .add("w.weight", DType::u32, codes)
      .add("w.scales", scale_dtype, scales)
      .add("w.biases", scale_dtype, biases);
}

TEST(Weights, MissingTensorNamesKeyAndPlace) {
  EXPECT_EQ(
      refusal(declaring("bias, f32", "bias_c"), WeightsBuilder().file()),
      "weights.safetensors: w: no such tensor in weights.safetensors, expected the weight of f32\n"
      "  graph.mlir:3:8: note: declared by lattice.weight @w");
  const std::string graph = declaring("linear, f32", "linear_o_i", int8());
  EXPECT_REFUSAL(refusal(graph, WeightsBuilder().file()), "w.weight: no such tensor");
  EXPECT_REFUSAL(refusal(graph, WeightsBuilder().file()), "w.scales: no such tensor");
  EXPECT_REFUSAL(refusal(graph, WeightsBuilder().file()), "w.biases: no such tensor");
  EXPECT_REFUSAL(refusal(graph, WeightsBuilder().add("w", DType::f32, {2, 2}).file()),
                 "(w is there: a dense weight?)");
  EXPECT_REFUSAL(refusal(declaring("linear, f32", "linear_o_i"),
                         packed({1, 2, 8}, {1, 2, 1}, {1, 2, 1}).file()),
                 "(w.scales is there: a packed weight?)");
}

TEST(Weights, StoredTypeIsTheDeclaredOne) {
  const auto stored = [](DType dtype, const char* declared) {
    return refusal(declaring(std::string("bias, ") + declared, "bias_c"),
                   WeightsBuilder().add("w", dtype, {2}).file());
  };
  EXPECT_EQ(stored(DType::f32, "f32"), "accepted");
  EXPECT_EQ(stored(DType::f16, "f16"), "accepted");
  EXPECT_REFUSAL(stored(DType::f16, "f32"), "w: stored as f16, expected f32");
  EXPECT_REFUSAL(stored(DType::f32, "f16"), "w: stored as f32, expected f16");
  EXPECT_REFUSAL(stored(DType::i32, "f32"), "w: stored as i32, expected f32");
  EXPECT_REFUSAL(stored(DType::f64, "f32"), "w: stored as f64, expected f32");
  EXPECT_REFUSAL(stored(DType::bf16, "f16"),
                 "w: stored as bf16 (not supported for weights), expected f16");
  EXPECT_REFUSAL(stored(DType::bf16, "bf16"), "bf16");
}

TEST(Weights, RankIsThatOfTheFamily) {
  const auto dense = [](const char* family, const char* layout, Shape shape) {
    return refusal(declaring(std::string(family) + ", f32", layout),
                   WeightsBuilder().add("w", DType::f32, std::move(shape)).file());
  };
  EXPECT_EQ(dense("conv3d", "conv3d_o_xyz_i", {2, 1, 1, 1, 3}), "accepted");
  EXPECT_EQ(dense("linear", "linear_o_i", {2, 3}), "accepted");
  EXPECT_EQ(dense("embedding", "embedding_n_c", {2, 3}), "accepted");
  EXPECT_EQ(dense("channel", "channel_c", {2}), "accepted");
  EXPECT_EQ(dense("bias", "bias_c", {2}), "accepted");
  EXPECT_REFUSAL(dense("conv3d", "conv3d_o_xyz_i", {2, 3}),
                 "w: expected shape (Cout, Kx, Ky, Kz, Cin) of family conv3d, stored is (2, 3)");
  EXPECT_REFUSAL(dense("linear", "linear_o_i", {2, 1, 3}),
                 "expected shape (O, I) of family linear, stored is (2, 1, 3)");
  EXPECT_REFUSAL(dense("embedding", "embedding_n_c", {2}),
                 "expected shape (N, C) of family embedding, stored is (2,)");
  EXPECT_REFUSAL(dense("channel", "channel_c", {2, 1}),
                 "expected shape (C) of family channel, stored is (2, 1)");
  EXPECT_REFUSAL(dense("bias", "bias_c", {}), "expected shape (C) of family bias, stored is ()");
}

TEST(Weights, PackedShapesAgree) {
  const auto linear = [](const std::string& packing, const WeightsBuilder& weights) {
    return refusal(declaring("linear, f32", "linear_o_i", packing), weights.file());
  };
  EXPECT_EQ(linear(int8(32), packed({1, 3, 8}, {1, 3, 1}, {1, 3, 1})), "accepted");
  EXPECT_EQ(linear(int8(128), packed({1, 3, 64}, {1, 3, 2}, {1, 3, 2})), "accepted");
  EXPECT_EQ(linear(int4(64), packed({1, 3, 16}, {1, 3, 2}, {1, 3, 2})), "accepted");
  EXPECT_REFUSAL(
      linear(int8(), packed({1, 3, 8}, {1, 3, 2}, {1, 3, 1})),
      "w.scales: expected shape (1, 3, 1) for codes of shape (1, 3, 8), stored is (1, 3, 2)");
  EXPECT_REFUSAL(linear(int8(), packed({1, 3, 8}, {1, 3, 1}, {1, 2, 1})),
                 "w.biases: expected shape (1, 3, 1)");
  EXPECT_REFUSAL(linear(int8(), packed({1, 3, 8}, {3, 1}, {1, 3, 1})), "w.scales: expected shape");
  EXPECT_REFUSAL(linear(int8(), packed({3, 8}, {1, 3, 1}, {1, 3, 1})),
                 "w.weight: the codes of a packed linear weight have the shape (1, O, words), "
                 "stored is (3, 8)");
  EXPECT_REFUSAL(linear(int8(), packed({2, 8, 3}, {2, 1, 3}, {2, 1, 3})),
                 "the codes of a packed linear weight");
  EXPECT_REFUSAL(linear(int8(), packed({1, 3, 9}, {1, 3, 1}, {1, 3, 1})),
                 "groups of 32 codes of 8 bits take 8 words each");
  EXPECT_REFUSAL(linear(int8(), packed({1, 3, 0}, {1, 3, 0}, {1, 3, 0})),
                 "groups of 32 codes of 8 bits take 8 words each");

  const auto conv = [](const std::string& packing, const WeightsBuilder& weights) {
    return refusal(declaring("conv3d, f32", "conv3d_o_xyz_i", packing), weights.file());
  };
  EXPECT_EQ(conv(int8(), packed({27, 8, 4}, {27, 1, 4}, {27, 1, 4})), "accepted");
  EXPECT_EQ(conv(int8(), packed({1, 4, 8}, {1, 4, 1}, {1, 4, 1})), "accepted");
  EXPECT_EQ(conv(int4(128), packed({2, 32, 7}, {2, 2, 7}, {2, 2, 7})), "accepted");
  EXPECT_REFUSAL(conv(int8(), packed({27, 8, 4}, {27, 2, 4}, {27, 2, 4})),
                 "w.scales: expected shape (27, 1, 4)");
  EXPECT_REFUSAL(conv(int8(), packed({27, 8, 4}, {27, 1, 3}, {27, 1, 3})),
                 "w.scales: expected shape (27, 1, 4)");
  EXPECT_REFUSAL(conv(int8(), packed({0, 8, 4}, {0, 1, 4}, {0, 1, 4})),
                 "the codes of a packed conv3d weight");
}

TEST(Weights, PackedTypesAreExact) {
  const std::string graph = declaring("linear, f32", "linear_o_i", int8(32, "f16"));
  EXPECT_EQ(refusal(graph, packed({1, 3, 8}, {1, 3, 1}, {1, 3, 1}, DType::f16).file()), "accepted");
  EXPECT_REFUSAL(refusal(graph, packed({1, 3, 8}, {1, 3, 1}, {1, 3, 1}).file()),
                 "w.scales: stored as f32, expected f16");
  const auto codes = WeightsBuilder()
                         .add("w.weight", DType::i32, {1, 3, 8})
                         .add("w.scales", DType::f16, {1, 3, 1})
                         .add("w.biases", DType::f16, {1, 3, 1});
  EXPECT_REFUSAL(refusal(graph, codes.file()), "w.weight: stored as i32, expected u32");
}

TEST(Weights, ScalesAndBiasesAreFinite) {
  const std::string graph = declaring("linear, f32", "linear_o_i", int8(32, "f16"));
  const std::string nan("\0\0\0\0\0\x7e", 6), infinity("\0\0\0\xfc\0\0", 6), zeros(6, '\0');
  const auto with = [&](const std::string& scales, const std::string& biases) {
    return refusal(graph, WeightsBuilder()
                              .add("w.weight", DType::u32, {1, 3, 8})
                              .add("w.scales", DType::f16, {1, 3, 1}, scales)
                              .add("w.biases", DType::f16, {1, 3, 1}, biases)
                              .file());
  };
  EXPECT_EQ(with(zeros, zeros), "accepted");
  EXPECT_REFUSAL(with(nan, zeros),
                 "w.scales: element 2 at index (0, 2, 0) is nan, expected a finite number");
  EXPECT_REFUSAL(with(zeros, infinity), "w.biases: element 1 at index (0, 1, 0) is -inf");
}

// A dense weight may hold anything: NaN flows through by the rules of arithmetic.
TEST(Weights, DenseValuesAreNotJudged) {
  const std::string nan("\0\0\xc0\x7f", 4);
  EXPECT_EQ(refusal(declaring("bias, f32", "bias_c"),
                    WeightsBuilder().add("w", DType::f32, {1}, nan).file()),
            "accepted");
}

TEST(Weights, InfosFollowTheGraph) {
  auto weights = good_weights().add("stray", DType::bf16, {2}).file();
  const auto artifact = load_artifact_text(good_graph, weights);
  ASSERT_TRUE(artifact) << artifact.error().text();
  ASSERT_EQ(artifact->weights.infos.size(), 2u);
  const WeightInfo& conv = artifact->weights.infos[0];
  EXPECT_EQ(conv.symbol, "conv");
  EXPECT_EQ(conv.storage_key, "conv");
  EXPECT_EQ(conv.family, WeightFamily::conv3d);
  EXPECT_TRUE(conv.packing.dense());
  EXPECT_EQ(conv.out_channels(), 3);
  EXPECT_EQ(conv.in_channels(), 2);
  EXPECT_EQ(conv.where.line, 17);
  EXPECT_EQ(artifact->weights.infos[1].family, WeightFamily::linear);
  EXPECT_EQ(artifact->weights.unused, std::vector<std::string>{"stray"});
}

TEST(Weights, PackedInfoHasItsViews) {
  const auto artifact = load_artifact_text(declaring("conv3d, f32", "conv3d_o_xyz_i", int4(64)),
                                           packed({2, 16, 7}, {2, 2, 7}, {2, 2, 7}).file());
  ASSERT_TRUE(artifact) << artifact.error().text();
  const WeightInfo& info = artifact->weights.infos[0];
  EXPECT_EQ(info.packing.bits, 4);
  EXPECT_EQ(info.packing.group_size, 64);
  EXPECT_FALSE(info.pointwise());
  EXPECT_EQ(info.out_channels(), 7);
  EXPECT_EQ(info.in_channels(), 128);
  EXPECT_EQ(info.scales.shape, (Shape{2, 2, 7}));
  EXPECT_TRUE(artifact->weights.unused.empty());
}

} // namespace
} // namespace lattice::test
