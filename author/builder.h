// Builds the graph of an artifact, one call an operation, with its weights. Writes MLIR text; needs
// no MLIR. What an operation is comes from the dialect's .td; whether the graph is valid, artifact/
// says.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "artifact/safetensors.h"
#include "author/op_schema.h"
#include "base/status.h"
#include "lattice/tensor.hpp"

namespace lattice::author {

// A value of one graph: a sparse value, a tensor or a weight. The default one stands for "none".
struct Value {
  int32_t id = -1;
  uint32_t builder = 0; // which builder it belongs to
  explicit operator bool() const { return id >= 0; }
};

// What the builder knows of a value while it builds. Sizes are -1 where only a run knows them.
struct ValueInfo {
  ValueKind kind = ValueKind::tensor;
  DType dtype = DType::f32; // of a sparse value: its features
  Shape shape{};            // tensors and weights; sparse values: (-1, channels)
  Triple stride{1, 1, 1};   // sparse values
  std::string family{};     // weights
  bool packed = false;      // weights
  std::string name{};       // in the text, without the %

  int64_t channels() const { return shape.empty() ? -1 : shape.back(); }
};

// How a weight is stored.
struct WeightOptions {
  DType dtype = DType::f32;       // f32 or f16
  int bits = 0;                   // 0: dense; 8 or 4: packed codes (conv3d and linear)
  int64_t group_size = 64;        // packed: 32, 64 or 128 input channels share a scale
  DType scale_dtype = DType::f16; // packed: f32 or f16
};

struct Decomposed {
  Value coords;   // (n, 4) i32
  Value features; // (n, C)
  Value active;   // (1) i32
};

// The two parts of an artifact. The tensors' memory belongs to the builder.
struct Graph {
  std::string text;                 // of graph.mlir
  std::vector<NamedTensor> weights; // of weights.safetensors
};

// Every method returns the value it made, or says what does not fit: an unknown handle, a value of
// the wrong kind, channels, strides or a word that the dialect does not know. The graph is then as
// before. What only the verifier knows is reported by write(). Words ("relu", "outer") are those of
// the dialect. Kernel sizes are those of the weight (Cout, Kx, Ky, Kz, Cin). Weights may be used
// more than once. Not thread-safe; movable.
class GraphBuilder {
 public:
  GraphBuilder();

  // -- inputs and outputs, in the order of the calls
  // A sparse input: the arguments <name>_coords, <name>_features and <name>_active.
  Result<Value> sparse_input(std::string_view name, int64_t channels, DType dtype = DType::f32,
                             Triple stride = {1, 1, 1});
  // f32, f16 or i32; -1 in the shape: any size.
  Result<Value> tensor_input(std::string_view name, Shape shape, DType dtype = DType::f32);
  // A sparse value or a tensor.
  Status output(std::string_view name, Value value);

  // -- weights: family conv3d (Cout, Kx, Ky, Kz, Cin), linear (O, I), embedding (N, C), channel or
  // bias (C). The numbers are copied, row-major.
  Result<Value> weight(std::string_view storage_key, std::string_view family, const Shape& shape,
                       std::span<const float> data, const WeightOptions& options = {});

  // -- sparse values
  Result<Value> sparse_make(Value coords, Value features, Value active, Triple stride = {1, 1, 1});
  Result<Decomposed> sparse_decompose(Value input);
  Result<Value> sparse_with_features(Value input, Value features);
  Result<Value> sparse_reindex(Value input, Value target, float fill = 0);
  Result<Value> sparse_binary(Value lhs, Value rhs, std::string_view op, std::string_view join,
                              float lhs_fill = 0, float rhs_fill = 0);
  Result<Value> sparse_cat(Value lhs, Value rhs, std::string_view join);

  // -- convolutions; bias may be Value{}
  Result<Value> conv3d(Value input, Value weight, Value bias = {}, Triple stride = {1, 1, 1},
                       Triple padding = {0, 0, 0}, Triple dilation = {1, 1, 1});
  Result<Value> subm_conv3d(Value input, Value weight, Value bias = {},
                            Triple dilation = {1, 1, 1});
  Result<Value> normalized_subm_conv3d(Value input, Value weight, Value bias = {},
                                       Triple dilation = {1, 1, 1}, float eps = 1e-8f);
  Result<Value> target_conv3d(Value input, Value target, Value weight, Value bias = {},
                              Triple stride = {1, 1, 1}, Triple padding = {0, 0, 0},
                              Triple dilation = {1, 1, 1});
  Result<Value> conv_transpose3d(Value input, Value weight, Value bias = {},
                                 Triple stride = {1, 1, 1}, Triple padding = {0, 0, 0},
                                 Triple dilation = {1, 1, 1});
  Result<Value> target_conv_transpose3d(Value input, Value target, Value weight, Value bias = {},
                                        Triple stride = {1, 1, 1}, Triple padding = {0, 0, 0},
                                        Triple dilation = {1, 1, 1});
  Result<Value> normalized_conv_transpose3d(Value input, Value weight, Value bias = {},
                                            Triple stride = {1, 1, 1}, Triple padding = {0, 0, 0},
                                            Triple dilation = {1, 1, 1}, float eps = 1e-8f);
  Result<Value> target_normalized_conv_transpose3d(Value input, Value target, Value weight,
                                                   Value bias = {}, Triple stride = {1, 1, 1},
                                                   Triple padding = {0, 0, 0},
                                                   Triple dilation = {1, 1, 1}, float eps = 1e-8f);
  Result<Value> generative_conv_transpose3d(Value input, Value weight, Value bias = {},
                                            Triple stride = {2, 2, 2});
  Result<Value> normalized_generative_conv_transpose3d(Value input, Value weight, Value bias = {},
                                                       Triple stride = {2, 2, 2},
                                                       float eps = 1e-8f);

  // -- pools and upsampling; target may be Value{}
  Result<Value> pool3d(Value input, std::string_view mode, Triple kernel_size, Triple stride,
                       Triple padding = {0, 0, 0}, Triple dilation = {1, 1, 1});
  Result<Value> pool_transpose3d(Value input, Value target, Triple kernel_size, Triple stride,
                                 Triple padding = {0, 0, 0}, Triple dilation = {1, 1, 1});
  Result<Value> trilinear_upsample3d(Value input, Value target, Triple stride);
  // (B, C), where B is batch_size, or known at run if that is -1.
  Result<Value> global_pool(Value input, std::string_view mode, int64_t batch_size = -1);

  // -- points; the result has the dtype of features and voxels unless another is given
  Result<Value> voxelize(Value points, Value features, Value batch_indices, Value active_rows,
                         std::array<double, 3> voxel_size, std::array<double, 3> origin,
                         std::string_view reduction, Triple stride = {1, 1, 1},
                         std::optional<DType> dtype = {});
  Result<Value> devoxelize(Value points, Value voxels, Value batch_indices, Value point_active_rows,
                           std::array<double, 3> voxel_size, std::array<double, 3> origin,
                           std::string_view interpolation, std::optional<DType> dtype = {});

  // -- features: (N, C) tensors. Given a sparse value, these work on its features and give a sparse
  // value.
  Result<Value> linear(Value input, Value weight, Value bias = {});
  Result<Value> elementwise(Value input, std::string_view kind);
  Result<Value> softmax(Value input, int64_t axis = -1);
  Result<Value> activation(Value input, std::string_view kind,
                           std::string_view approximate = "none", float alpha = 0.01f,
                           float beta = 1.0f, float threshold = 20.0f);
  Result<Value> batch_norm(Value input, Value scale, Value bias, Value mean, Value var,
                           float eps = 1e-5f);
  Result<Value> layer_norm(Value input, Value scale, Value bias, float eps = 1e-5f);
  Result<Value> rms_norm(Value input, Value scale, float eps = 1e-6f);
  // (N) i32 to (N, C), in the weight's dtype unless another is given.
  Result<Value> embedding_lookup(Value indices, Value weight, std::optional<DType> dtype = {});

  // -- reading and writing
  // Kind, channels, stride, ... of a value.
  Result<ValueInfo> info(Value value) const;
  // Operations in the order of the text, as named in the dialect ("sparse.make").
  const std::vector<std::string_view>& operations() const { return operations_; }
  // Elements of all weights, before packing.
  int64_t parameters() const { return parameters_; }

  // The text and the tensors, unverified.
  Result<Graph> graph() const;
  // Writes graph.mlir and weights.safetensors into `directory`, made if missing, after the loader
  // has verified them. All or nothing: after an error the directory is as it was. Other files in it
  // stay.
  Status write(const std::filesystem::path& directory) const;

 private:
  // An argument or a result of @forward.
  struct Port {
    std::string name, role, ssa, type;
  };
  struct Stored {
    std::string key;
    Tensor tensor;
  };
  using AttributeValue = std::variant<Triple, std::array<double, 3>, float, int64_t, std::string>;
  struct Attribute {
    std::string_view name;
    AttributeValue value;
  };

  struct ConvCall;

  const ValueInfo& at(Value value) const { return values_[static_cast<size_t>(value.id)]; }
  // "%x, a sparse value of f32 with 4 channels"
  std::string describe(Value value) const;
  Status check_handle(std::string_view what, Value value) const;
  // One operand for each that the .td lists (Value{} for an absent optional one), of the right
  // kinds?
  Result<const OpSchema*> check_operands(std::string_view op,
                                         std::span<const Value> operands) const;
  Status check_equal(std::string_view what, int64_t found, int64_t expected,
                     std::string_view source) const;
  Status check_same_grid(std::string_view op, Value lhs, Value rhs) const;
  Status check_target(std::string_view op, Value target, const Triple& stride) const;
  Status check_new_name(std::string_view what, std::string_view name) const;

  // `wanted` as an identifier that no value has yet.
  std::string free_name(std::string_view wanted);
  Value add(ValueInfo info, std::string_view name);
  Value add_argument(std::string name, std::string_view role, ValueInfo info);

  // Adds the operation. Attributes are given by name, each that the .td lists and no other.
  Result<std::vector<Value>> emit(const OpSchema& schema, std::span<const Value> operands,
                                  std::span<const Attribute> attributes,
                                  std::span<const ValueInfo> results, std::string_view name = {});
  Result<Value> emit_one(const OpSchema& schema, std::span<const Value> operands,
                         std::span<const Attribute> attributes, ValueInfo result,
                         std::string_view name = {});
  Result<Value> make_sparse(Value coords, Value features, Value active, Triple stride,
                            std::string_view name);
  Result<Value> convolution(const ConvCall& call);
  // An operation on features: the first operand may be sparse. `result_of` gives the result of
  // tensors.
  template <class ResultOf>
  Result<Value> rowwise(std::string_view op, std::vector<Value> operands,
                        std::initializer_list<Attribute> attributes, ResultOf result_of);
  Result<ValueInfo> like_input(const OpSchema& schema, std::span<const Value> operands) const;

  uint32_t serial_ = 0;
  std::vector<ValueInfo> values_;
  std::vector<Port> arguments_, results_;
  std::vector<std::string> lines_;
  std::vector<std::string_view> operations_;
  std::vector<Stored> stored_;
  std::unordered_set<std::string> weight_keys_, stored_keys_; // as given, and as in the file
  std::unordered_map<std::string, int64_t>
      names_; // taken names of values, and how often each was asked for
  std::unordered_set<std::string> input_names_, output_names_;
  int64_t parameters_ = 0;
};

} // namespace lattice::author
