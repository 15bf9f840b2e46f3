// A small good artifact for the tests of this folder, and ways to spoil it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "artifact/load.h"

namespace lattice::test {

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "the text does not hold: " << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// One submanifold convolution of kernel 1, a linear layer on its features, two outputs.
inline const std::string good_graph = R"(module attributes {
  lattice.ir_version = 2,
  lattice.schema_digest = "1380f1e819fc0eb1af587202ecec3c14ec2c981d249333c5061f0263f82072ad",
  lattice.input_names = ["x_coords", "x_features", "x_active", "extra"],
  lattice.input_roles = ["sparse_coords", "sparse_features", "sparse_active", "tensor"],
  lattice.output_names = ["out", "logits"],
  lattice.output_roles = ["sparse_tensor", "tensor"],
  lattice.weight_file = "weights.safetensors"
} {
  func.func @forward(
    %c: tensor<?x4xi32>,
    %f: tensor<?x2xf32>,
    %n: tensor<1xi32>,
    %e: tensor<?x2xf32>
  ) -> (!lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>, tensor<?x3xf32>) {
    %x = lattice.sparse.make %c, %f, %n {stride = array<i64: 1, 1, 1>, coord_order = #lattice.coord<batch_x_y_z>} : (tensor<?x4xi32>, tensor<?x2xf32>, tensor<1xi32>) -> !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
    %w = lattice.weight @conv {storage_key = "conv", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<dense>} : !lattice.weight<conv3d, f32>
    %y = lattice.subm_conv3d %x, %w {kernel_size = array<i64: 1, 1, 1>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"} : (!lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>, !lattice.weight<conv3d, f32>) -> !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>
    %l = lattice.weight @fc {storage_key = "fc", layout = #lattice.weight_layout<linear_o_i>, packing = #lattice.packing<dense>} : !lattice.weight<linear, f32>
    %z = lattice.linear %e, %l : (tensor<?x2xf32>, !lattice.weight<linear, f32>) -> tensor<?x3xf32>
    return %y, %z : !lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>, tensor<?x3xf32>
  }
}
)";

// Tensors by key, of zeros where no values are given.
class WeightsBuilder {
 public:
  WeightsBuilder& add(std::string key, DType dtype, Shape shape) {
    int64_t bytes = size_of(dtype);
    for (const int64_t dim : shape) bytes *= dim;
    return add(std::move(key), dtype, std::move(shape),
               std::string(static_cast<size_t>(bytes), '\0'));
  }
  WeightsBuilder& add(const std::string& key, DType dtype, Shape shape, const std::string& bytes) {
    std::string dims;
    for (const int64_t dim : shape) dims += (dims.empty() ? "" : ",") + std::to_string(dim);
    const char* names[] = {"BOOL", "U8",  "I8",  "U16", "I16", "F16", "BF16",
                           "U32",  "I32", "F32", "U64", "I64", "F64"};
    header_ += (header_.empty() ? "" : ",") +
               ("\"" + key + "\":{\"dtype\":\"" + names[static_cast<int>(dtype)]) +
               "\",\"shape\":[" + dims + "],\"data_offsets\":[" + std::to_string(data_.size()) +
               "," + std::to_string(data_.size() + bytes.size()) + "]}";
    data_ += bytes;
    return *this;
  }
  std::string bytes() const {
    const std::string header = "{" + header_ + "}";
    std::string all;
    for (int i = 0; i < 8; ++i) all.push_back(static_cast<char>((header.size() >> (8 * i)) & 0xff));
    return all + header + data_;
  }
  SafetensorsFile file() const {
    const std::string all = bytes();
    return SafetensorsFile::parse(std::as_bytes(std::span(all)), "weights.safetensors").value();
  }

 private:
  std::string header_, data_;
};

inline WeightsBuilder good_weights() {
  return WeightsBuilder().add("conv", DType::f32, {3, 1, 1, 1, 2}).add("fc", DType::f32, {3, 2});
}

inline std::string refusal(const std::string& graph,
                           const SafetensorsFile& weights = good_weights().file(),
                           const ArtifactOptions& options = {}) {
  const auto artifact = load_artifact_text(graph, weights, options);
  return artifact ? "accepted" : artifact.error().text();
}

} // namespace lattice::test
