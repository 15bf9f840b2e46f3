// Graphs of a few operations, made, loaded and run in one call, with results by coordinate. For
// tests that state a small input and its answer; holds no answers itself.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "artifact/safetensors.h"
#include "author/builder.h"
#include "base/f16.h"
#include "base/tensor.h"
#include "lattice/lattice.hpp"

namespace lattice::reliability {

using author::GraphBuilder;
using author::Value;
using author::WeightOptions;

template <class T>
T must(Result<T> result) {
  if (!result) throw result.error();
  return *std::move(result);
}
inline void must(const Status& status) {
  if (!status) throw status.error();
}

struct Graph {
  std::string text;
  std::vector<std::byte> weights;

  Result<Program> try_load(const LoadOptions& options = {}) const {
    return Program::try_load_memory(text, weights, options);
  }
  Program load(const char* device = "cpu") const { return must(try_load({.device = device})); }
};

inline Graph finish(const GraphBuilder& builder) {
  const author::Graph graph = must(builder.graph());
  return {graph.text, must(safetensors_bytes(graph.weights))};
}

inline std::vector<float> constant(int64_t count, float value) {
  return std::vector<float>(static_cast<size_t>(count), value);
}

// A conv3d weight (Cout, Kx, Ky, Kz, Cin); `numbers` of size 1 fill it.
inline Value conv_weight(GraphBuilder& builder, const char* key, const Shape& shape,
                         std::vector<float> numbers, const WeightOptions& options = {}) {
  if (numbers.size() == 1) numbers = constant(elements_of(shape), numbers[0]);
  return must(builder.weight(key, "conv3d", shape, numbers, options));
}
inline Value vector_weight(GraphBuilder& builder, const char* key, const char* family,
                           const std::vector<float>& numbers) {
  return must(builder.weight(key, family, {static_cast<int64_t>(numbers.size())}, numbers));
}

// One sparse input "x" and one output "y", which `body` makes of it.
inline Graph graph_of(int64_t channels, const Triple& stride, DType dtype,
                      const std::function<Value(GraphBuilder&, Value)>& body) {
  GraphBuilder builder;
  const Value x = must(builder.sparse_input("x", channels, dtype, stride));
  must(builder.output("y", body(builder, x)));
  return finish(builder);
}
inline Graph graph_of(int64_t channels, const std::function<Value(GraphBuilder&, Value)>& body) {
  return graph_of(channels, {1, 1, 1}, DType::f32, body);
}

using Row = std::array<int32_t, 4>;

// Rows with features, as a caller holds them.
class Rows {
 public:
  Rows(const std::vector<Row>& coords, std::vector<float> features, Triple stride = {1, 1, 1},
       DType dtype = DType::f32)
      : coords_(coords), features_(std::move(features)), stride_(stride), dtype_(dtype) {
    for (const float value : features_) half_.push_back(f16_from_f32(value));
  }

  int64_t count() const { return static_cast<int64_t>(coords_.size()); }
  const std::vector<Row>& coords() const { return coords_; }
  const std::vector<float>& features() const { return features_; }
  SparseView view(int64_t channels) const {
    const void* data =
        dtype_ == DType::f16 ? static_cast<const void*>(half_.data()) : features_.data();
    return {{DType::i32, {count(), 4}, coords_.data()},
            {dtype_, {count(), channels}, data},
            active,
            stride_};
  }
  SparseView view() const {
    return view(coords_.empty() ? 1 : static_cast<int64_t>(features_.size()) / count());
  }
  Inputs inputs() const { return {{"x", view()}}; }

  int64_t active = -1;

 private:
  std::vector<Row> coords_;
  std::vector<float> features_;
  std::vector<uint16_t> half_;
  Triple stride_;
  DType dtype_;
};

inline std::vector<float> numbers_of(const Tensor& tensor) {
  std::vector<float> list;
  for (int64_t i = 0; i < elements_of(tensor.shape); ++i) {
    list.push_back(tensor.dtype == DType::f16 ? f32_from_f16(load_at<uint16_t>(tensor.data(), i))
                   : tensor.dtype == DType::i32
                       ? static_cast<float>(load_at<int32_t>(tensor.data(), i))
                       : load_at<float>(tensor.data(), i));
  }
  return list;
}

inline std::vector<Row> coords_of(const Output& output) {
  std::vector<Row> list;
  const Tensor& coords = output.sparse().coords;
  for (int64_t i = 0; i < coords.shape[0]; ++i) {
    Row row;
    for (int64_t c = 0; c < 4; ++c)
      row[static_cast<size_t>(c)] = load_at<int32_t>(coords.data(), i * 4 + c);
    list.push_back(row);
  }
  return list;
}

using ByRow = std::map<Row, std::vector<float>>;

inline ByRow by_row(const Output& output) {
  ByRow rows;
  const std::vector<float> numbers = numbers_of(output.sparse().features);
  const auto width = static_cast<size_t>(output.sparse().features.shape[1]);
  const std::vector<Row> coords = coords_of(output);
  for (size_t i = 0; i < coords.size(); ++i) {
    rows[coords[i]] = {numbers.begin() + static_cast<std::ptrdiff_t>(i * width),
                       numbers.begin() + static_cast<std::ptrdiff_t>((i + 1) * width)};
  }
  if (rows.size() != coords.size()) throw std::runtime_error("an output repeats a coordinate");
  return rows;
}

inline Result<Outputs> try_run(const Graph& graph, const Inputs& inputs, const char* device,
                               const RunOptions& options = {}) {
  auto program = graph.try_load({.device = device});
  if (!program) return tl::make_unexpected(program.error());
  Session session(*program);
  return session.try_run(inputs, options);
}
inline Outputs run(const Graph& graph, const Inputs& inputs, const char* device,
                   const RunOptions& options = {}) {
  return must(try_run(graph, inputs, device, options));
}

// Resident memory of this process in bytes.
int64_t resident_bytes();

// Distinct rows drawn from a seed, in a box of `extent` cells around 0.
Rows random_rows(int64_t count, int64_t channels, int32_t extent, uint32_t seed);

} // namespace lattice::reliability
