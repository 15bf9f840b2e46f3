// The builder: every operation of the dialect, what it refuses, what it writes. Values are computed
// in the tests of the kernels.
#include "author/builder.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "author/graph_text.h"
#include "author/test_folder.h"
#include "author/verify.h"
#include "base/f16.h"
#include "base/file.h"

namespace lattice::author {
namespace {

std::vector<float> ramp(int64_t count) {
  std::vector<float> data(static_cast<size_t>(count));
  for (size_t i = 0; i < data.size(); ++i) data[i] = 0.25f + 0.01f * static_cast<float>(i % 50);
  return data;
}

// Shorthands for the tests: a failed one throws, which fails the test with the error's text.
struct Net {
  GraphBuilder b;
  int count = 0;

  Value sparse(int64_t channels, Triple stride = {1, 1, 1}, DType dtype = DType::f32) {
    return b.sparse_input(fmt::format("x{}", count++), channels, dtype, stride).value();
  }
  Value tensor(Shape shape, DType dtype = DType::f32) {
    return b.tensor_input(fmt::format("t{}", count++), std::move(shape), dtype).value();
  }
  Value weight(std::string_view family, Shape shape, WeightOptions options = {}) {
    int64_t elements = 1;
    for (const int64_t dim : shape) elements *= dim;
    return b.weight(fmt::format("w{}.{}", count++, family), family, shape, ramp(elements), options)
        .value();
  }
  Value conv(int64_t out, int64_t in, int64_t size = 3) {
    return weight("conv3d", {out, size, size, size, in});
  }
  Value bias(int64_t channels) { return weight("bias", {channels}); }
  Value channel(int64_t channels) { return weight("channel", {channels}); }
  Value points() { return tensor({-1, 3}); }
  Value indices() { return tensor({-1}, DType::i32); }
  Value active() { return tensor({1}, DType::i32); }
};

constexpr Triple twice{2, 2, 2};
constexpr std::array<double, 3> voxel{0.05, 0.1, 0.2}, origin{0, -1, 1e-3};

using Make = std::function<Result<Value>(Net&)>;

// One graph for each operation of the dialect.
const std::map<std::string_view, Make>& every_operation() {
  static const std::map<std::string_view, Make> table = {
      {"weight",
       [](Net& n) {
         return n.b.linear(n.tensor({-1, 4}), n.weight("linear", {3, 4}));
       }},
      {"sparse.make",
       [](Net& n) {
         return n.b.sparse_make(n.tensor({-1, 4}, DType::i32), n.tensor({-1, 3}), n.active(),
                                twice);
       }},
      {"sparse.decompose",
       [](Net& n) -> Result<Value> {
         auto parts = n.b.sparse_decompose(n.sparse(3));
         if (!parts) return tl::make_unexpected(parts.error());
         return parts->features;
       }},
      {"sparse.with_features",
       [](Net& n) {
         return n.b.sparse_with_features(n.sparse(3), n.tensor({-1, 5}));
       }},
      {"sparse.reindex",
       [](Net& n) { return n.b.sparse_reindex(n.sparse(3), n.sparse(2), -1.25f); }},
      {"sparse.binary",
       [](Net& n) {
         return n.b.sparse_binary(n.sparse(3), n.sparse(3), "maximum", "outer", 0, NAN);
       }},
      {"sparse.cat", [](Net& n) { return n.b.sparse_cat(n.sparse(3), n.sparse(4), "left"); }},
      {"conv3d",
       [](Net& n) {
         return n.b.conv3d(n.sparse(3), n.conv(5, 3), n.bias(5), twice, {1, 0, 0}, {1, 1, 2});
       }},
      {"subm_conv3d", [](Net& n) { return n.b.subm_conv3d(n.sparse(3), n.conv(5, 3)); }},
      {"normalized_subm_conv3d",
       [](Net& n) { return n.b.normalized_subm_conv3d(n.sparse(3), n.conv(5, 3)); }},
      {"target_conv3d",
       [](Net& n) {
         return n.b.target_conv3d(n.sparse(3), n.sparse(1, twice), n.conv(5, 3), {}, twice);
       }},
      {"conv_transpose3d",
       [](Net& n) {
         return n.b.conv_transpose3d(n.sparse(3, {4, 2, 2}), n.conv(5, 3), {}, twice);
       }},
      {"target_conv_transpose3d",
       [](Net& n) {
         return n.b.target_conv_transpose3d(n.sparse(3, twice), n.sparse(1), n.conv(5, 3), {},
                                            twice);
       }},
      {"normalized_conv_transpose3d",
       [](Net& n) {
         return n.b.normalized_conv_transpose3d(n.sparse(3, twice), n.conv(5, 3), n.bias(5), twice);
       }},
      {"target_normalized_conv_transpose3d",
       [](Net& n) {
         return n.b.target_normalized_conv_transpose3d(n.sparse(3, twice), n.sparse(1),
                                                       n.conv(5, 3), {}, twice);
       }},
      {"generative_conv_transpose3d",
       [](Net& n) { return n.b.generative_conv_transpose3d(n.sparse(3, twice), n.conv(5, 3, 2)); }},
      {"normalized_generative_conv_transpose3d",
       [](Net& n) {
         return n.b.normalized_generative_conv_transpose3d(n.sparse(3, twice), n.conv(5, 3, 2));
       }},
      {"pool3d",
       [](Net& n) {
         return n.b.pool3d(n.sparse(3), "max", {2, 2, 1}, {2, 2, 1});
       }},
      {"pool_transpose3d",
       [](Net& n) { return n.b.pool_transpose3d(n.sparse(3, twice), n.sparse(1), twice, twice); }},
      {"trilinear_upsample3d",
       [](Net& n) { return n.b.trilinear_upsample3d(n.sparse(3, twice), {}, twice); }},
      {"global_pool", [](Net& n) { return n.b.global_pool(n.sparse(3), "avg", 2); }},
      {"voxelize",
       [](Net& n) {
         return n.b.voxelize(n.points(), n.tensor({-1, 4}), n.indices(), n.active(), voxel, origin,
                             "mean", twice);
       }},
      {"devoxelize",
       [](Net& n) {
         return n.b.devoxelize(n.points(), n.sparse(3), n.indices(), n.active(), voxel, origin,
                               "linear");
       }},
      {"linear",
       [](Net& n) {
         return n.b.linear(n.sparse(4), n.weight("linear", {7, 4}), n.bias(7));
       }},
      {"embedding_lookup",
       [](Net& n) {
         return n.b.embedding_lookup(n.indices(), n.weight("embedding", {9, 4}));
       }},
      {"elementwise",
       [](Net& n) {
         return n.b.elementwise(n.tensor({2, -1, 3}), "round");
       }},
      {"softmax", [](Net& n) { return n.b.softmax(n.sparse(4)); }},
      {"activation",
       [](Net& n) {
         return n.b.activation(n.tensor({-1, 4}, DType::f16), "gelu", "fast");
       }},
      {"batch_norm",
       [](Net& n) {
         return n.b.batch_norm(n.sparse(4), n.channel(4), n.bias(4), n.channel(4), n.channel(4));
       }},
      {"layer_norm",
       [](Net& n) { return n.b.layer_norm(n.sparse(4), n.channel(4), n.bias(4), 1e-3f); }},
      {"rms_norm",
       [](Net& n) {
         return n.b.rms_norm(n.tensor({5, 4}), n.channel(4));
       }},
  };
  return table;
}

TEST(Operations, TheTableOfTheTestsIsThatOfTheDialect) {
  std::vector<std::string_view> missing;
  for (const OpSchema& schema : op_schemas()) {
    if (!every_operation().contains(schema.name)) missing.push_back(schema.name);
  }
  EXPECT_TRUE(missing.empty()) << fmt::format("no test for {}", fmt::join(missing, ", "));
  EXPECT_EQ(every_operation().size(), op_schemas().size());
}

class EveryOperation : public ::testing::TestWithParam<std::string_view> {};

TEST_P(EveryOperation, IsWrittenAndVerified) {
  Net net;
  const auto value = every_operation().at(GetParam())(net);
  ASSERT_TRUE(value) << value.error().text();
  const auto output = net.b.output("y", *value);
  ASSERT_TRUE(output) << output.error().text();
  const auto& operations = net.b.operations();
  EXPECT_NE(std::ranges::find(operations, GetParam()), operations.end());

  TestFolder folder;
  const auto written = net.b.write(folder.path() / "model");
  ASSERT_TRUE(written) << written.error().text() << "\n" << net.b.graph()->text;
}

INSTANTIATE_TEST_SUITE_P(Dialect, EveryOperation, ::testing::ValuesIn([] {
                           std::vector<std::string_view> names;
                           for (const auto& [name, make] : every_operation()) names.push_back(name);
                           return names;
                         }()),
                         [](const auto& parameter) { return identifier_of(parameter.param); });

// ------------------------------------------------------------------------------------- what it
// refuses

void expect_error(const Result<Value>& result, std::string_view text) {
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().text().find(text), std::string::npos) << result.error().text();
}

TEST(Refusals, ChannelsThatDoNotFitNameBothSides) {
  Net n;
  const Value x = n.sparse(16), w = n.conv(8, 32), wide = n.sparse(32), bias = n.bias(7);
  expect_error(n.b.subm_conv3d(x, w),
               "subm_conv3d: Cin of the weight %w1_conv3d is 32, but the input %x0 has 16");
  expect_error(n.b.conv3d(wide, w, bias),
               "the length of the bias %w3_bias is 7, but Cout of the weight %w1_conv3d has 8");
  expect_error(n.b.sparse_binary(x, wide, "add", "inner"), "channels of rhs is 32, but lhs has 16");
  expect_error(n.b.rms_norm(x, n.channel(5)), "rms_norm: the length of scale (%w4_channel) is 5");
}

TEST(Refusals, StridesThatDoNotFit) {
  Net n;
  const Value one = n.sparse(3), two = n.sparse(3, twice), three = n.sparse(3, {3, 3, 3});
  const Value w = n.conv(3, 3);
  expect_error(n.b.conv_transpose3d(three, w, {}, twice),
               "(3, 3, 3) cannot be divided by (2, 2, 2)");
  expect_error(n.b.target_conv3d(one, one, w, {}, twice),
               "the target %x0 has stride (1, 1, 1), but the result would have (2, 2, 2)");
  expect_error(n.b.sparse_cat(one, two, "left"),
               "lhs %x0 has stride (1, 1, 1), but rhs %x1 has (2, 2, 2)");
  expect_error(n.b.conv3d(one, w, {}, {0, 1, 1}), "expected at least 1");
}

TEST(Refusals, KindsAndWordsAreThoseOfTheDialect) {
  Net n;
  const Value x = n.sparse(3), bias = n.bias(3), tensor = n.tensor({-1, 3});
  expect_error(n.b.subm_conv3d(x, bias),
               "subm_conv3d: weight must be a conv3d weight, but is %w1_bias, a bias weight");
  expect_error(n.b.pool3d(tensor, "max", twice, twice),
               "pool3d: input must be a sparse value, but is %t2, a tensor<?x3xf32>");
  expect_error(n.b.activation(x, "swish"),
               "activation: kind is \"swish\", expected one of relu, sigmoid");
  expect_error(n.b.weight("w", "conv2d", {3}, ramp(3)), "unknown family conv2d");
}

TEST(Refusals, HandlesOfOtherBuilders) {
  Net n, other;
  expect_error(n.b.activation(other.sparse(3), "relu"), "the value belongs to another builder");
  expect_error(n.b.activation({}, "relu"), "no value given");
}

TEST(Refusals, NamesAndKeysAreUnique) {
  Net n;
  ASSERT_TRUE(n.b.sparse_input("x", 3));
  expect_error(n.b.tensor_input("x_active", {1}), "input x_active: the name is taken");
  expect_error(n.b.tensor_input("x", {1}), "the name is taken");
  ASSERT_TRUE(n.b.weight("w", "bias", {3}, ramp(3)));
  expect_error(n.b.weight("w", "bias", {3}, ramp(3)), "weight \"w\": the key is taken");
  // The tensors of a packed weight have names of their own.
  ASSERT_TRUE(n.b.weight("p.scales", "bias", {3}, ramp(3)));
  expect_error(n.b.weight("p", "linear", {3, 4}, ramp(12), {.bits = 8}),
               "the key \"p.scales\" is taken");
  const Value y = n.sparse(3);
  ASSERT_TRUE(n.b.output("y", y));
  EXPECT_FALSE(n.b.output("y.features", n.tensor({1})));
  EXPECT_FALSE(n.b.output("y", n.tensor({1})));
}

TEST(Refusals, WeightsMustHaveTheirNumbers) {
  Net n;
  expect_error(n.b.weight("w", "linear", {3, 4}, ramp(11)),
               "11 numbers, but the shape (3, 4) holds 12");
  expect_error(n.b.weight("w", "linear", {12}, ramp(12)), "expected 2 dimensions");
  const std::vector<float> large{70000.0f};
  expect_error(n.b.weight("w", "bias", {1}, large, {.dtype = DType::f16}),
               "element 0 is 70000, too large for f16");
  expect_error(n.b.weight("w", "linear", {3, 4}, ramp(12), {.bits = 5}), "5 bits, expected 4 or 8");
}

TEST(Refusals, LeaveTheGraphAsItWas) {
  Net n;
  const Value x = n.sparse(4), scale = n.channel(5);
  ASSERT_TRUE(n.b.output("y", x));
  const std::string before = n.b.graph()->text;
  EXPECT_FALSE(n.b.rms_norm(x, scale));
  EXPECT_FALSE(n.b.activation(x, "swish"));
  EXPECT_EQ(n.b.graph()->text, before);
}

// ---------------------------------------------------------------------------------------- what it
// writes

TEST(Writing, KnowsStrideAndChannels) {
  Net n;
  const Value x = n.sparse(4);
  const Value down = n.b.conv3d(x, n.conv(8, 4, 2), {}, {2, 4, 1}).value();
  const ValueInfo info = n.b.info(down).value();
  EXPECT_EQ(info.channels(), 8);
  EXPECT_EQ(info.stride, (Triple{2, 4, 1}));
  EXPECT_EQ(n.b.info(n.b.sparse_cat(x, x, "inner").value())->channels(), 8);
}

TEST(Writing, OperationsOnSparseFeaturesAreOpenedAndClosed) {
  Net n;
  ASSERT_TRUE(n.b.activation(n.sparse(4), "relu"));
  const std::vector<std::string_view> expected{"sparse.make", "sparse.decompose", "activation",
                                               "sparse.with_features"};
  EXPECT_EQ(n.b.operations(), expected);
}

TEST(Writing, PackedAndHalfWeightsAreLoadable) {
  for (const int bits : {4, 8}) {
    for (const DType dtype : {DType::f32, DType::f16}) {
      Net n;
      const WeightOptions options{
          .dtype = dtype, .bits = bits, .group_size = 32, .scale_dtype = dtype};
      Value x = n.sparse(33, {1, 1, 1}, dtype);
      x = n.b.subm_conv3d(x, n.weight("conv3d", {7, 3, 3, 1, 33}, options),
                          n.weight("bias", {7}, {.dtype = dtype}))
              .value();
      x = n.b.conv3d(x, n.weight("conv3d", {40, 1, 1, 1, 7}, options)).value();
      x = n.b.linear(x, n.weight("linear", {3, 40}, options)).value();
      ASSERT_TRUE(n.b.output("y", x));
      TestFolder folder;
      const auto written = n.b.write(folder.path());
      EXPECT_TRUE(written) << written.error().text();
    }
  }
}

TEST(Writing, AnInvalidGraphLeavesTheDirectoryAlone) {
  TestFolder folder;
  const auto directory = folder.path() / "model";
  Net bad; // even kernel of a submanifold convolution: the verifier's business
  ASSERT_TRUE(bad.b.output("y", bad.b.subm_conv3d(bad.sparse(3), bad.conv(3, 3, 2)).value()));
  EXPECT_FALSE(bad.b.write(directory));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));

  Net good;
  ASSERT_TRUE(good.b.output("y", good.b.activation(good.sparse(3), "relu").value()));
  ASSERT_TRUE(good.b.write(directory));
  ASSERT_TRUE(write_file_atomically(directory / "notes.txt", "mine"));
  const auto before = read_file(directory / "graph.mlir", 1 << 20).value();
  EXPECT_FALSE(bad.b.write(directory));
  EXPECT_EQ(read_file(directory / "graph.mlir", 1 << 20).value(), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory), {}), 3);

  Net next;
  ASSERT_TRUE(next.b.output("z", next.b.activation(next.sparse(3), "tanh").value()));
  ASSERT_TRUE(next.b.write(directory));
  EXPECT_TRUE(verify_artifact(directory));
  EXPECT_NE(read_file(directory / "graph.mlir", 1 << 20).value(), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory), {}), 3);
}

TEST(Writing, AWeightMayServeTwice) {
  Net n;
  const Value w = n.conv(3, 3);
  const Value y = n.b.subm_conv3d(n.b.subm_conv3d(n.sparse(3), w).value(), w).value();
  ASSERT_TRUE(n.b.output("y", y));
  EXPECT_EQ(n.b.graph()->weights.size(), 1u);
  TestFolder folder;
  EXPECT_TRUE(n.b.write(folder.path()));
}

TEST(Writing, NamesOfAnyKindBecomeIdentifiers) {
  Net n;
  const Value x = n.b.sparse_input("scan \"left\" \n ü", 3).value();
  ASSERT_TRUE(n.b.weight("3.w", "bias", {3}, ramp(3)));
  ASSERT_TRUE(n.b.weight("3_w", "bias", {3}, ramp(3)));
  ASSERT_TRUE(n.b.output("y", x));
  TestFolder folder;
  const auto written = n.b.write(folder.path());
  EXPECT_TRUE(written) << written.error().text();
}

// MLIR reads a number as real only with a point, and in steps: decimal, binary64, binary32.
TEST(Literals, ReadBackAsTheyWere) {
  EXPECT_EQ(real_text(1e-5f), "1.0e-05");
  EXPECT_EQ(real_text(0.01f), "0.01");
  EXPECT_EQ(real_text(-0.0f), "-0.0");
  EXPECT_EQ(real_text(20.0), "20.0");
  EXPECT_EQ(real_text(std::numeric_limits<float>::infinity()), "0x7F800000");
  for (uint32_t bits = 1; bits < 0x7f800000u; bits += 104729) {
    const float value = std::bit_cast<float>(bits);
    EXPECT_EQ(static_cast<float>(std::stod(real_text(value))), value);
  }
}

} // namespace
} // namespace lattice::author
