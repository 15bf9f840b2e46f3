// The layers of networks, and the estimate of how large their activations are.
#include "author/layers.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "author/random.h"

namespace lattice::author {
namespace {

WeightOptions dense(const NetworkOptions& options) { return {.dtype = options.dtype}; }

WeightOptions packed(const NetworkOptions& options) {
  return {.dtype = options.dtype,
          .bits = options.bits,
          .group_size = options.group_size,
          .scale_dtype = options.scale_dtype};
}

// The second normalization of a residual block adds little, so that depth does not make values
// grow.
constexpr double residual_gain = 0.35;

} // namespace

double expected_neighbours(const Triple& kernel_size, Scene scene) {
  const int64_t volume = kernel_size[0] * kernel_size[1] * kernel_size[2];
  const bool sweep = scene == Scene::sweep;
  if (volume == 27) return sweep ? 7 : 13; // a sweep: 4 at full resolution, 9 at coarse levels
  if (volume == 125) return sweep ? 16 : 40;
  if (volume == 8) return sweep ? 2 : 3; // children of a voxel
  return std::max(1.0, static_cast<double>(volume) / 2);
}

Result<int64_t> Layers::channels_of(Flow x) const {
  LATTICE_TRY(const ValueInfo info, builder_.info(x.value));
  return info.channels();
}

Result<Flow> Layers::input(int64_t channels, double power) {
  LATTICE_TRY(const Value x, builder_.sparse_input("x", channels, options_.dtype));
  return Flow{x, power};
}

// -------------------------------------------------------------------------------------------
// weights

Result<Value> Layers::conv_weight(const std::string& key, int64_t outputs, Triple kernel_size,
                                  int64_t inputs, double edges, bool packable) {
  const int64_t count = outputs * kernel_size[0] * kernel_size[1] * kernel_size[2] * inputs;
  const double deviation = 1 / std::sqrt(static_cast<double>(inputs) * edges);
  Random random(options_.seed, key);
  std::vector<float> data(static_cast<size_t>(count));
  for (float& value : data) value = static_cast<float>(random.normal() * deviation);
  return builder_.weight(key, "conv3d",
                         {outputs, kernel_size[0], kernel_size[1], kernel_size[2], inputs}, data,
                         packable ? packed(options_) : dense(options_));
}

Result<Value> Layers::channel_weight(const std::string& key, std::string_view family,
                                     int64_t channels, double low, double high) {
  Random random(options_.seed, key);
  std::vector<float> data(static_cast<size_t>(channels));
  for (float& value : data) value = static_cast<float>(random.uniform(low, high));
  return builder_.weight(key, family, {channels}, data, dense(options_));
}

Result<Value> Layers::bias(const std::string& key, int64_t channels) {
  return channel_weight(key, "bias", channels, -0.1, 0.1);
}

// ---------------------------------------------------------------------------------------------
// layers

Result<Flow> Layers::subm(const std::string& name, Flow x, int64_t channels, int64_t size) {
  const Triple kernel_size{size, size, size};
  LATTICE_TRY(const int64_t inputs, channels_of(x));
  LATTICE_TRY(const Value weight, conv_weight(name + ".weight", channels, kernel_size, inputs,
                                              expected_neighbours(kernel_size, scene_)));
  LATTICE_TRY(const Value y, builder_.subm_conv3d(x.value, weight));
  return Flow{y, x.power};
}

Result<Flow> Layers::down(const std::string& name, Flow x, int64_t channels, Triple kernel_size,
                          Triple stride) {
  LATTICE_TRY(const int64_t inputs, channels_of(x));
  LATTICE_TRY(const Value weight, conv_weight(name + ".weight", channels, kernel_size, inputs,
                                              expected_neighbours(kernel_size, scene_)));
  LATTICE_TRY(const Value y, builder_.conv3d(x.value, weight, {}, stride));
  return Flow{y, x.power};
}

Result<Flow> Layers::up(const std::string& name, Flow x, Flow onto, int64_t channels) {
  LATTICE_TRY(const int64_t inputs, channels_of(x));
  LATTICE_TRY(const Value weight, conv_weight(name + ".weight", channels, {2, 2, 2}, inputs, 1));
  LATTICE_TRY(const Value y,
              builder_.target_conv_transpose3d(x.value, onto.value, weight, {}, {2, 2, 2}));
  return Flow{y, x.power};
}

Result<Flow> Layers::pointwise(const std::string& name, Flow x, int64_t channels) {
  LATTICE_TRY(const int64_t inputs, channels_of(x));
  LATTICE_TRY(const Value weight, conv_weight(name + ".weight", channels, {1, 1, 1}, inputs, 1));
  LATTICE_TRY(const Value y, builder_.conv3d(x.value, weight));
  return Flow{y, x.power};
}

Result<Flow> Layers::pointwise_bias(const std::string& name, Flow x, int64_t channels) {
  LATTICE_TRY(const int64_t inputs, channels_of(x));
  LATTICE_TRY(const Value weight, conv_weight(name + ".weight", channels, {1, 1, 1}, inputs, 1));
  LATTICE_TRY(const Value offset, bias(name + ".bias", channels));
  LATTICE_TRY(const Value y, builder_.conv3d(x.value, weight, offset));
  return Flow{y, x.power};
}

Result<Flow> Layers::linear(const std::string& name, Flow x, int64_t channels) {
  LATTICE_TRY(const int64_t inputs, channels_of(x));
  const std::string key = name + ".weight";
  Random random(options_.seed, key);
  std::vector<float> data(static_cast<size_t>(channels * inputs));
  const double deviation = 1 / std::sqrt(static_cast<double>(inputs));
  for (float& value : data) value = static_cast<float>(random.normal() * deviation);
  LATTICE_TRY(const Value weight,
              builder_.weight(key, "linear", {channels, inputs}, data, packed(options_)));
  LATTICE_TRY(const Value offset, bias(name + ".bias", channels));
  LATTICE_TRY(const Value y, builder_.linear(x.value, weight, offset));
  return Flow{y, x.power};
}

Result<Flow> Layers::batch_norm(const std::string& name, Flow x, double gain) {
  LATTICE_TRY(const int64_t channels, channels_of(x));
  const double deviation = std::sqrt(x.power);
  LATTICE_TRY(const Value scale,
              channel_weight(name + ".weight", "channel", channels, 0.8 * gain, 1.2 * gain));
  LATTICE_TRY(const Value offset, bias(name + ".bias", channels));
  LATTICE_TRY(const Value mean, channel_weight(name + ".running_mean", "channel", channels,
                                               -0.1 * deviation, 0.1 * deviation));
  LATTICE_TRY(const Value var, channel_weight(name + ".running_var", "channel", channels,
                                              0.8 * x.power, 1.25 * x.power));
  LATTICE_TRY(const Value y, builder_.batch_norm(x.value, scale, offset, mean, var, eps_));
  return Flow{y, gain * gain};
}

Result<Flow> Layers::relu(Flow x) {
  LATTICE_TRY(const Value y, builder_.activation(x.value, "relu"));
  return Flow{y, x.power / 2};
}

Result<Flow> Layers::add(Flow x, Flow y) {
  LATTICE_TRY(const Value sum, builder_.sparse_binary(x.value, y.value, "add", "inner"));
  return Flow{sum, x.power + y.power};
}

Result<Flow> Layers::cat(Flow x, Flow y) {
  LATTICE_TRY(const auto left, channels_of(x));
  LATTICE_TRY(const auto right, channels_of(y));
  LATTICE_TRY(const Value joined, builder_.sparse_cat(x.value, y.value, "inner"));
  const double parts = static_cast<double>(left) * x.power + static_cast<double>(right) * y.power;
  return Flow{joined, parts / static_cast<double>(left + right)};
}

Result<Flow> Layers::block(const std::string& name, Flow x, int64_t channels) {
  LATTICE_TRY(const int64_t inputs, channels_of(x));
  LATTICE_TRY(Flow y, subm(name + ".conv1", x, channels, 3));
  LATTICE_TRY(y, batch_norm(name + ".bn1", y));
  LATTICE_TRY(y, relu(y));
  LATTICE_TRY(y, subm(name + ".conv2", y, channels, 3));
  LATTICE_TRY(y, batch_norm(name + ".bn2", y, residual_gain));
  Flow shortcut = x;
  if (inputs != channels) {
    LATTICE_TRY(shortcut, pointwise(name + ".shortcut.conv", x, channels));
    LATTICE_TRY(shortcut, batch_norm(name + ".shortcut.bn", shortcut));
  }
  LATTICE_TRY(Flow sum, add(y, shortcut));
  LATTICE_TRY(const Flow result, relu(sum));
  // An identity shortcut was positive already and passes the ReLU almost whole.
  return Flow{result.value, inputs == channels ? x.power + y.power / 2 : result.power};
}

} // namespace lattice::author
