// Drawing of random_graph.h: a few operations, each on values drawn before, sizes small.
#include "tests/random_graph.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "artifact/safetensors.h"
#include "author/builder.h"
#include "base/f16.h"

namespace lattice::cases {

int64_t Draw::below(int64_t bound) {
  if (bound <= 1) return 0;
  if (!from_bytes_) return static_cast<int64_t>(generator_() % static_cast<uint64_t>(bound));
  uint64_t number = 0;
  for (int i = 0; i < (bound > 256 ? 2 : 1); ++i) number = number << 8 | (used_ < bytes_.size() ? bytes_[used_++] : 0);
  return static_cast<int64_t>(number % static_cast<uint64_t>(bound));
}

float Draw::value() {
  const int64_t number = between(-1000, 1000);
  if (number % 17 == 0) return 0.0f;
  return static_cast<float>(number) / 512.0f;
}

Inputs RandomCase::inputs() const {
  const auto rows = static_cast<int64_t>(coords.size() / 4);
  const void* data = dtype == DType::f16 ? static_cast<const void*>(half.data()) : static_cast<const void*>(features.data());
  return {{"x_coords", TensorView{DType::i32, {rows, 4}, coords.data()}},
          {"x_features", TensorView{dtype, {rows, channels}, data}},
          {"x_active", TensorView{DType::i32, {1}, &active}}};
}

namespace {

using author::GraphBuilder;
using author::Value;

class Maker {
 public:
  explicit Maker(Draw& draw) : draw_(draw) {}

  RandomCase make() {
    RandomCase made;
    made.dtype = draw_.chance(30) ? DType::f16 : DType::f32;
    made.channels = draw_.between(1, 9);
    input_stride_ = {draw_.between(1, 2), draw_.between(1, 2), 1};
    const auto x = builder_.sparse_input("x", made.channels, made.dtype, input_stride_);
    values_.push_back(*x);
    const int64_t steps = draw_.between(1, 7);
    for (int64_t i = 0; i < steps; ++i) step(i);
    for (size_t i = 0; i < values_.size(); ++i) {
      if (i + 1 == values_.size() || draw_.chance(25)) (void)builder_.output(fmt::format("y{}", i), values_[i]);
    }
    if (draw_.chance(30)) {
      const auto pooled = builder_.global_pool(pick(), draw_.chance(50) ? "sum" : "avg", -1);
      if (pooled) (void)builder_.output("pooled", *pooled);
    }
    const auto graph = builder_.graph();
    made.graph = graph->text;
    made.weights = *safetensors_bytes(graph->weights);
    for (const auto op : builder_.operations()) made.what += std::string(op) + " ";
    fill(made);
    return made;
  }

 private:
  Value pick() { return values_[static_cast<size_t>(draw_.below(static_cast<int64_t>(values_.size())))]; }

  Triple triple(int64_t low, int64_t high) {
    return {draw_.between(low, high), draw_.between(low, high), draw_.between(low, high)};
  }
  Triple odd() { return {1 + 2 * draw_.below(2), 1 + 2 * draw_.below(2), 1 + 2 * draw_.below(2)}; }

  std::vector<float> numbers(int64_t count) {
    std::vector<float> list(static_cast<size_t>(count));
    for (float& number : list) number = draw_.value();
    return list;
  }

  Value conv_weight(int64_t cin, int64_t cout, const Triple& kernel, bool may_pack) {
    author::WeightOptions options;
    options.dtype = draw_.chance(30) ? DType::f16 : DType::f32;
    if (may_pack && draw_.chance(25)) {
      options.bits = draw_.chance(50) ? 8 : 4;
      options.group_size = draw_.chance(70) ? 32 : 64;
      options.scale_dtype = draw_.chance(50) ? DType::f16 : DType::f32;
    }
    const Shape shape{cout, kernel[0], kernel[1], kernel[2], cin};
    return *builder_.weight(key("w"), "conv3d", shape, numbers(cout * kernel[0] * kernel[1] * kernel[2] * cin), options);
  }
  Value vector_weight(const char* family, int64_t channels, bool positive) {
    std::vector<float> list = numbers(channels);
    if (positive) {
      for (float& number : list) number = number * number + 0.1f;
    }
    return *builder_.weight(key("v"), family, {channels}, list);
  }
  Value maybe_bias(int64_t channels) { return draw_.chance(50) ? vector_weight("bias", channels, false) : Value{}; }
  std::string key(const char* prefix) { return fmt::format("{}{}", prefix, keys_++); }

  // One operation on a drawn value. A builder that says no (strides that do not divide) leaves things as they are.
  void step(int64_t) {
    const Value x = pick(), other = pick();
    const int64_t cin = builder_.info(x)->channels();
    const int64_t cout = draw_.chance(10) ? draw_.between(10, 40) : draw_.between(1, 9);
    Result<Value> y = tl::make_unexpected(Error(Code::usage, "nothing drawn"));
    const Triple kernel = triple(1, 3), stride = triple(1, 2), padding = triple(0, 1), dilation = triple(1, 2);
    switch (draw_.below(20)) {
      case 0: y = builder_.conv3d(x, conv_weight(cin, cout, kernel, true), maybe_bias(cout), stride, padding, dilation); break;
      case 1:
      case 2: {
        y = builder_.subm_conv3d(x, conv_weight(cin, cout, odd(), true), maybe_bias(cout), triple(1, 2));
        break;
      }
      case 3: y = builder_.normalized_subm_conv3d(x, conv_weight(cin, cout, odd(), false), maybe_bias(cout), triple(1, 2)); break;
      case 4: y = builder_.target_conv3d(x, other, conv_weight(cin, cout, kernel, true), maybe_bias(cout), stride, padding, dilation); break;
      case 5: y = builder_.conv_transpose3d(x, conv_weight(cin, cout, kernel, true), maybe_bias(cout), stride, padding, dilation); break;
      case 6: y = builder_.target_conv_transpose3d(x, other, conv_weight(cin, cout, kernel, true), maybe_bias(cout), stride, padding, dilation); break;
      case 7: y = builder_.normalized_conv_transpose3d(x, conv_weight(cin, cout, kernel, false), maybe_bias(cout), stride, padding, dilation); break;
      case 8: y = builder_.target_normalized_conv_transpose3d(x, other, conv_weight(cin, cout, kernel, false), {}, stride, padding, dilation); break;
      case 9: y = builder_.generative_conv_transpose3d(x, conv_weight(cin, cout, kernel, true), maybe_bias(cout), stride); break;
      case 10: y = builder_.normalized_generative_conv_transpose3d(x, conv_weight(cin, cout, kernel, false), {}, stride); break;
      case 11: {
        const char* modes[] = {"sum", "max", "avg"};
        y = builder_.pool3d(x, modes[draw_.below(3)], kernel, stride, padding, dilation);
        break;
      }
      case 12: y = builder_.pool_transpose3d(x, draw_.chance(50) ? other : Value{}, kernel, stride, padding, dilation); break;
      case 13: y = builder_.trilinear_upsample3d(x, draw_.chance(50) ? other : Value{}, stride); break;
      case 14: y = builder_.sparse_reindex(x, other, draw_.value()); break;
      case 15: {
        const char* ops[] = {"add", "sub", "mul", "maximum", "minimum"};
        const char* joins[] = {"inner", "left", "right", "outer"};
        y = builder_.sparse_binary(x, other, ops[draw_.below(5)], joins[draw_.below(4)], draw_.value(), draw_.value());
        break;
      }
      case 16: {
        const char* joins[] = {"inner", "left", "right", "outer"};
        y = builder_.sparse_cat(x, other, joins[draw_.below(4)]);
        break;
      }
      case 17: {
        const char* kinds[] = {"relu", "sigmoid", "gelu", "silu", "leaky_relu", "tanh", "softplus"};
        const char* forms[] = {"none", "precise", "tanh", "fast"};
        y = builder_.activation(x, kinds[draw_.below(7)], forms[draw_.below(4)], 0.1f, 1.5f, 3.0f);
        break;
      }
      case 18:
        y = builder_.batch_norm(x, vector_weight("channel", cin, false), vector_weight("bias", cin, false),
                                vector_weight("channel", cin, false), vector_weight("channel", cin, true), 1e-3f);
        break;
      default: {
        const int64_t which = draw_.below(4);
        if (which == 0) y = builder_.layer_norm(x, vector_weight("channel", cin, false), vector_weight("bias", cin, false), 1e-3f);
        if (which == 1) y = builder_.rms_norm(x, vector_weight("channel", cin, false), 1e-3f);
        if (which == 2) y = builder_.softmax(x);
        if (which == 3) {
          const Value weight = *builder_.weight(key("l"), "linear", {cout, cin}, numbers(cout * cin));
          y = builder_.linear(x, weight, maybe_bias(cout));
        }
      }
    }
    if (y) values_.push_back(*y);
  }

  // Distinct rows in a small box around zero, sometimes one far off; padding repeats rows and holds garbage.
  void fill(RandomCase& made) {
    const int64_t wanted = draw_.chance(10) ? draw_.below(3) : draw_.below(90);
    std::set<std::array<int32_t, 4>> seen;
    std::vector<std::array<int32_t, 4>> rows;
    for (int64_t i = 0; i < wanted; ++i) {
      std::array<int32_t, 4> row{static_cast<int32_t>(draw_.below(3)), 0, 0, 0};
      for (size_t axis = 0; axis < 3; ++axis) {
        const int64_t place = draw_.chance(2) ? draw_.between(-1000000, 1000000) : draw_.between(-4, 4);
        row[axis + 1] = static_cast<int32_t>(place * input_stride_[axis]);
      }
      if (seen.insert(row).second) rows.push_back(row);
    }
    made.active = static_cast<int32_t>(rows.size());
    const int64_t padding = draw_.chance(50) ? draw_.below(5) : 0;
    for (int64_t i = 0; i < padding; ++i) {
      rows.push_back(rows.empty() || draw_.chance(50) ? std::array<int32_t, 4>{-7, 1, std::numeric_limits<int32_t>::max(), 3}
                                                      : rows[static_cast<size_t>(draw_.below(static_cast<int64_t>(rows.size())))]);
    }
    for (const auto& row : rows) made.coords.insert(made.coords.end(), row.begin(), row.end());
    made.features = numbers(static_cast<int64_t>(rows.size()) * made.channels);
    for (size_t i = static_cast<size_t>(made.active) * static_cast<size_t>(made.channels); i < made.features.size(); ++i) {
      made.features[i] = std::numeric_limits<float>::quiet_NaN();
    }
    for (const float value : made.features) made.half.push_back(f16_from_f32(value));
  }

  Draw& draw_;
  GraphBuilder builder_;
  std::vector<Value> values_;
  Triple input_stride_{1, 1, 1};
  int keys_ = 0;
};

}  // namespace

RandomCase draw_case(Draw& draw) { return Maker(draw).make(); }

}  // namespace lattice::cases
