// How inputs find their arguments (spec 6). Signature: a sparse input x, a tensor t, a sparse input y.
#include "exec/binding.h"

#include <gtest/gtest.h>

namespace lattice {
namespace {

Signature signature() {
  Signature made;
  const auto group = [&](const std::string& name) {
    const auto index = static_cast<int32_t>(made.groups.size());
    made.groups.push_back({name, static_cast<int32_t>(made.arguments.size()), {1, 1, 1}});
    made.arguments.push_back({name + "_coords", Role::sparse_coords, DType::i32, {-1, 4}, index});
    made.arguments.push_back({name + "_features", Role::sparse_features, DType::f32, {-1, 2}, index});
    made.arguments.push_back({name + "_active", Role::sparse_active, DType::i32, {1}, index});
  };
  group("x");
  made.arguments.push_back({"t", Role::tensor, DType::f32, {-1, 3}, -1});
  group("y");
  return made;
}

const int32_t coords[8] = {0, 1, 2, 3, 0, 4, 5, 6};
const float values[16] = {};
const int32_t one = 1;

TensorView coords_view() { return {DType::i32, {2, 4}, coords}; }
TensorView features_view() { return {DType::f32, {2, 2}, values}; }
TensorView active_view() { return {DType::i32, {1}, &one}; }
TensorView plain_view() { return {DType::f32, {5, 3}, values}; }
SparseView sparse_view() { return {coords_view(), features_view(), -1, {1, 1, 1}}; }

Result<Binding> bound(const Inputs& inputs) {
  const Signature known = signature();
  return bind_inputs(known, inputs, std::vector<Need>(known.arguments.size(), Need::required));
}

std::string refusal(const Inputs& inputs) {
  const auto result = bound(inputs);
  if (result) return "accepted";
  EXPECT_EQ(result.error().code(), Code::input);
  EXPECT_NE(result.error().text().find("expected inputs:"), std::string::npos) << "the signature is part of the message";
  return result.error().diagnostics()[0].message;
}

TEST(Binding, EveryArgumentByPosition) {
  const auto result = bound({coords_view(), features_view(), active_view(), plain_view(), coords_view(),
                             features_view(), active_view()});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->inputs.arguments[3].shape, (Shape{5, 3}));
}

TEST(Binding, SparseTensorsByPositionAmongTheGroups) {
  const auto result = bound({sparse_view(), plain_view(), sparse_view()});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->inputs.arguments[4].data, coords);
  EXPECT_EQ(*static_cast<const int32_t*>(result->inputs.arguments[2].data), 2) << "active -1 means all rows";
}

TEST(Binding, NamesAndPositionsMix) {
  const auto result = bound({{"y", sparse_view()}, {"t", plain_view()}, {"x_coords", coords_view()},
                             {"x_features", features_view()}, {"x_active", active_view()}});
  EXPECT_TRUE(result) << result.error().text();
}

TEST(Binding, MissingIsNamedWithItsGroup) {
  EXPECT_EQ(refusal({sparse_view(), {"y", sparse_view()}}), "input \"t\" is missing");
  EXPECT_EQ(refusal({{"t", plain_view()}, {"x", sparse_view()}}),
            "input \"y_coords\" is missing (of sparse input \"y\")");
}

TEST(Binding, UnexpectedIsNamed) {
  EXPECT_EQ(refusal({sparse_view(), plain_view(), sparse_view(), {"z", plain_view()}}), "unexpected input \"z\"");
}

TEST(Binding, TooManyPositional) {
  EXPECT_EQ(refusal({sparse_view(), plain_view(), sparse_view(), plain_view()}).substr(0, 28), "too many positional inputs: ");
  EXPECT_EQ(refusal({sparse_view(), plain_view(), sparse_view(), sparse_view()}).substr(0, 28), "too many positional inputs: ");
}

TEST(Binding, SparseTensorMixedWithItsComponents) {
  EXPECT_EQ(refusal({{"x", sparse_view()}, {"x_features", features_view()}, {"t", plain_view()}, {"y", sparse_view()}}),
            "sparse input \"x\" is given both as a sparse tensor and by its components");
}

TEST(Binding, KindsDoNotMix) {
  EXPECT_EQ(refusal({{"t", sparse_view()}, {"x", sparse_view()}, {"y", sparse_view()}}),
            "input \"t\" is a plain tensor, found a sparse tensor");
  EXPECT_EQ(refusal({{"x", plain_view()}, {"t", plain_view()}, {"y", sparse_view()}}),
            "input \"x\" is a sparse input, found a plain tensor");
}

TEST(Binding, GivenTwice) {
  EXPECT_EQ(refusal({sparse_view(), {"x", sparse_view()}, {"t", plain_view()}, {"y", sparse_view()}}),
            "sparse input \"x\" is given twice");
}

TEST(Binding, TypeRankAndShapeAreChecked) {
  const auto with_coords = [](TensorView view) {
    return refusal({{"x_coords", view}, {"x_features", features_view()}, {"x_active", active_view()},
                    {"t", plain_view()}, {"y", sparse_view()}});
  };
  EXPECT_EQ(with_coords({DType::i64, {2, 4}, coords}), "input \"x_coords\" has type i64, expected i32");
  EXPECT_EQ(with_coords({DType::i32, {8}, coords}), "input \"x_coords\" has shape (8,), expected 2 dimensions");
  EXPECT_EQ(with_coords({DType::i32, {2, 3}, coords}),
            "input \"x_coords\" has shape (2, 3), expected 4 along dimension 1 as (batch, x, y, z)");
  EXPECT_EQ(with_coords({DType::i32, {2, 4}, nullptr}), "input \"x_coords\" has shape (2, 4) but no data");
}

TEST(Binding, StrideOfASparseTensorMustBeTheGraphs) {
  SparseView other = sparse_view();
  other.stride = {2, 1, 1};
  EXPECT_EQ(refusal({{"x", other}, {"t", plain_view()}, {"y", sparse_view()}}),
            "sparse input \"x\" has stride (2, 1, 1), the graph makes it with stride (1, 1, 1)");
}

TEST(Binding, ActiveBeyondTheRowsIsRefused) {
  SparseView other = sparse_view();
  other.active = 3;
  EXPECT_EQ(refusal({{"x", other}, {"t", plain_view()}, {"y", sparse_view()}}),
            "sparse input \"x\": active is 3, expected 0 to 2 (its rows)");
}

}  // namespace
}  // namespace lattice
