// The table behind every_op.h.
#include "tests/reliability/every_op.h"

#include <set>

#include <fmt/format.h>

namespace lattice::reliability {

namespace {

constexpr int64_t channels = 2;

struct Maker {
  GraphBuilder& b;
  Value x;
  DType dtype;
  int keys = 0;

  Value conv(const Triple& kernel) {
    std::vector<float> numbers;
    for (int64_t i = 0; i < channels * kernel[0] * kernel[1] * kernel[2] * channels; ++i) {
      numbers.push_back(static_cast<float>(i % 7) / 4 - 0.5f);
    }
    return conv_weight(b, fmt::format("w{}", keys++).c_str(),
                       {channels, kernel[0], kernel[1], kernel[2], channels}, numbers);
  }
  Value vector(const char* family) {
    return vector_weight(b, fmt::format("v{}", keys++).c_str(), family, {0.5f, 1.5f});
  }
  Value bias() { return vector("bias"); }
  Value coarse() { return must(b.pool3d(x, "sum", {2, 2, 2}, {2, 2, 2})); }
  Value batches() { return must(b.tensor_input("point_batch", {-1}, DType::i32)); }
  Value points() { return must(b.tensor_input("points", {-1, 3}, dtype)); }
  Value point_active() { return must(b.tensor_input("point_active", {1}, DType::i32)); }
};

struct Entry {
  const char* name;
  Value (*make)(Maker& m);
  bool points = false;
};

const Entry entries[] = {
    {"decompose", [](Maker& m) { return must(m.b.sparse_decompose(m.x)).features; }},
    {"decompose_coords", [](Maker& m) { return must(m.b.sparse_decompose(m.coarse())).coords; }},
    {"reindex", [](Maker& m) { return must(m.b.sparse_reindex(m.x, m.x, 3)); }},
    {"binary_inner",
     [](Maker& m) { return must(m.b.sparse_binary(m.x, m.x, "add", "inner", 1, 2)); }},
    {"binary_outer",
     [](Maker& m) {
       return must(m.b.sparse_binary(m.coarse(), m.coarse(), "maximum", "outer", 1, 2));
     }},
    {"cat_left", [](Maker& m) { return must(m.b.sparse_cat(m.x, m.x, "left")); }},
    {"cat_right", [](Maker& m) { return must(m.b.sparse_cat(m.x, m.x, "right")); }},
    {"conv_s2",
     [](Maker& m) {
       return must(m.b.conv3d(m.x, m.conv({3, 3, 3}), m.bias(), {2, 2, 2}));
     }},
    {"conv_even",
     [](Maker& m) {
       return must(m.b.conv3d(m.x, m.conv({2, 2, 2})));
     }},
    {"conv_one",
     [](Maker& m) {
       return must(m.b.conv3d(m.x, m.conv({1, 1, 1})));
     }},
    {"subm",
     [](Maker& m) {
       return must(m.b.subm_conv3d(m.x, m.conv({3, 3, 3}), m.bias()));
     }},
    {"normalized_subm",
     [](Maker& m) {
       return must(m.b.normalized_subm_conv3d(m.x, m.conv({3, 3, 3}), m.bias()));
     }},
    {"target",
     [](Maker& m) {
       return must(m.b.target_conv3d(m.x, m.coarse(), m.conv({2, 2, 2}), m.bias(), {2, 2, 2}));
     }},
    {"transpose",
     [](Maker& m) {
       return must(m.b.conv_transpose3d(m.coarse(), m.conv({3, 3, 3}), m.bias(), {2, 2, 2}));
     }},
    {"target_transpose",
     [](Maker& m) {
       return must(
           m.b.target_conv_transpose3d(m.coarse(), m.x, m.conv({2, 2, 2}), m.bias(), {2, 2, 2}));
     }},
    {"normalized_transpose",
     [](Maker& m) {
       return must(
           m.b.normalized_conv_transpose3d(m.coarse(), m.conv({2, 2, 2}), m.bias(), {2, 2, 2}));
     }},
    {"target_normalized_transpose",
     [](Maker& m) {
       return must(m.b.target_normalized_conv_transpose3d(m.coarse(), m.x, m.conv({2, 2, 2}),
                                                          m.bias(), {2, 2, 2}));
     }},
    {"generative",
     [](Maker& m) {
       return must(
           m.b.generative_conv_transpose3d(m.coarse(), m.conv({2, 2, 2}), m.bias(), {2, 2, 2}));
     }},
    {"normalized_generative",
     [](Maker& m) {
       return must(m.b.normalized_generative_conv_transpose3d(m.coarse(), m.conv({2, 2, 2}),
                                                              m.bias(), {2, 2, 2}));
     }},
    {"pool_sum", [](Maker& m) { return m.coarse(); }},
    {"pool_avg",
     [](Maker& m) {
       return must(m.b.pool3d(m.x, "avg", {3, 3, 3}, {2, 2, 2}));
     }},
    {"pool_max",
     [](Maker& m) {
       return must(m.b.pool3d(m.x, "max", {3, 3, 3}, {1, 1, 1}));
     }},
    {"pool_transpose",
     [](Maker& m) {
       return must(m.b.pool_transpose3d(m.coarse(), {}, {2, 2, 2}, {2, 2, 2}));
     }},
    {"pool_transpose_target",
     [](Maker& m) {
       return must(m.b.pool_transpose3d(m.coarse(), m.x, {2, 2, 2}, {2, 2, 2}));
     }},
    {"trilinear",
     [](Maker& m) {
       return must(m.b.trilinear_upsample3d(m.coarse(), {}, {2, 2, 2}));
     }},
    {"trilinear_target",
     [](Maker& m) {
       return must(m.b.trilinear_upsample3d(m.coarse(), m.x, {2, 2, 2}));
     }},
    {"global_sum", [](Maker& m) { return must(m.b.global_pool(m.x, "sum", 2)); }},
    {"global_avg", [](Maker& m) { return must(m.b.global_pool(m.x, "avg", 2)); }},
    {"global_max_inferred", [](Maker& m) { return must(m.b.global_pool(m.x, "max", -1)); }},
    {"linear",
     [](Maker& m) {
       return must(m.b.linear(
           m.x, must(m.b.weight("l", "linear", {2, 2}, std::vector<float>{1, 2, 3, 4})), m.bias()));
     }},
    {"exp", [](Maker& m) { return must(m.b.elementwise(m.x, "exp")); }},
    {"round", [](Maker& m) { return must(m.b.elementwise(m.x, "round")); }},
    {"softmax", [](Maker& m) { return must(m.b.softmax(m.x)); }},
    {"gelu", [](Maker& m) { return must(m.b.activation(m.x, "gelu", "tanh")); }},
    {"batch_norm",
     [](Maker& m) {
       return must(m.b.batch_norm(m.x, m.vector("channel"), m.bias(), m.vector("channel"),
                                  m.vector("channel")));
     }},
    {"layer_norm",
     [](Maker& m) { return must(m.b.layer_norm(m.x, m.vector("channel"), m.bias())); }},
    {"rms_norm", [](Maker& m) { return must(m.b.rms_norm(m.x, m.vector("channel"))); }},
    {"embedding",
     [](Maker& m) {
       const Value table =
           must(m.b.weight("e", "embedding", {3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6}));
       return must(m.b.embedding_lookup(m.batches(), table));
     },
     true},
    {"voxelize_sum",
     [](Maker& m) {
       const Value points = m.points(),
                   features = must(m.b.tensor_input("point_features", {-1, 2}, m.dtype));
       const Value batches = m.batches(), active = m.point_active();
       return must(
           m.b.voxelize(points, features, batches, active, {0.5, 0.5, 0.5}, {0, 0, 0}, "sum"));
     },
     true},
    {"voxelize_mean",
     [](Maker& m) {
       const Value points = m.points(),
                   features = must(m.b.tensor_input("point_features", {-1, 2}, m.dtype));
       const Value batches = m.batches(), active = m.point_active();
       return must(m.b.voxelize(points, features, batches, active, {0.5, 0.5, 0.5}, {0, 0, 0},
                                "mean", {2, 2, 2}));
     },
     true},
    {"devoxelize_linear",
     [](Maker& m) {
       const Value points = m.points(), batches = m.batches(), active = m.point_active();
       return must(
           m.b.devoxelize(points, m.x, batches, active, {0.5, 0.5, 0.5}, {0, 0, 0}, "linear"));
     },
     true},
    {"devoxelize_nearest",
     [](Maker& m) {
       const Value points = m.points(), batches = m.batches(), active = m.point_active();
       return must(
           m.b.devoxelize(points, m.x, batches, active, {0.5, 0.5, 0.5}, {0, 0, 0}, "nearest"));
     },
     true},
};

void build(GraphBuilder& builder, const Entry& entry, DType dtype) {
  const Value x = must(builder.sparse_input("x", channels, dtype));
  Maker maker{builder, x, dtype};
  must(builder.output("y", entry.make(maker)));
}

} // namespace

std::vector<OpGraph> graphs_of_every_op(DType dtype) {
  std::vector<OpGraph> list;
  for (const Entry& entry : entries) {
    GraphBuilder builder;
    build(builder, entry, dtype);
    list.push_back({entry.name, finish(builder), entry.points});
  }
  return list;
}

void OpInputs::Values::round() {
  for (const float value : single) half.push_back(f16_from_f32(value));
}

const void* OpInputs::Values::data(DType dtype) const {
  return dtype == DType::f16 ? static_cast<const void*>(half.data()) : single.data();
}

OpInputs::OpInputs(int64_t rows, int32_t extent, DType dtype, uint32_t seed)
    : dtype_(dtype), rows_(rows), active_(static_cast<int32_t>(rows)) {
  const Rows drawn = random_rows(rows, channels, extent, seed);
  coords_ = drawn.coords();
  x_.single = drawn.features();
  // Voxels of points are half a unit wide.
  const float width = 0.5f * static_cast<float>(extent);
  for (int64_t i = 0; i < rows; ++i) {
    for (int axis = 0; axis < 3; ++axis)
      points_.single.push_back(static_cast<float>((i * 7 + axis * 31) % 97) / 97.0f * width -
                               width / 2);
    for (int64_t c = 0; c < channels; ++c)
      point_features_.single.push_back(static_cast<float>((i + 3 * c) % 13) - 6.0f);
    batches_.push_back(static_cast<int32_t>(i % 2));
  }
  for (Values* values : {&x_, &points_, &point_features_}) values->round();
}

Inputs OpInputs::of(const Program& program) const {
  Inputs inputs{{"x", SparseView{{DType::i32, {rows_, 4}, coords_.data()},
                                 {dtype_, {rows_, channels}, x_.data(dtype_)}}}};
  for (const ArgumentInfo& argument : program.signature().arguments) {
    const auto add = [&](DType dtype, const Shape& shape, const void* data) {
      inputs.emplace_back(argument.name, TensorView{dtype, shape, data});
    };
    if (argument.name == "points") add(dtype_, {rows_, 3}, points_.data(dtype_));
    if (argument.name == "point_features")
      add(dtype_, {rows_, channels}, point_features_.data(dtype_));
    if (argument.name == "point_batch") add(DType::i32, {rows_}, batches_.data());
    if (argument.name == "point_active") add(DType::i32, {1}, &active_);
  }
  return inputs;
}

std::vector<std::byte> OpInputs::bytes() const {
  std::vector<std::byte> all;
  const auto add = [&](const auto& list) {
    const auto part = std::as_bytes(std::span(list));
    all.insert(all.end(), part.begin(), part.end());
  };
  add(coords_);
  for (const Values* values : {&x_, &points_, &point_features_}) {
    add(values->single);
    add(values->half);
  }
  add(batches_);
  add(std::span(&active_, 1));
  return all;
}

std::vector<std::string> operations_without_graph() {
  std::set<std::string_view> used;
  for (const Entry& entry : entries) {
    GraphBuilder builder;
    build(builder, entry, DType::f32);
    used.insert(builder.operations().begin(), builder.operations().end());
  }
  std::vector<std::string> missing;
  for (const author::OpSchema& schema : author::op_schemas()) {
    if (!used.contains(schema.name)) missing.emplace_back(schema.name);
  }
  return missing;
}

} // namespace lattice::reliability
