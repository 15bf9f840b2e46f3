// Layers as networks are made of: convolution with batch norm and ReLU, residual blocks, with
// seeded random weights. Follows how large activations are expected to be, and sets batch norm
// statistics from that.
#pragma once

#include <string>

#include "author/builder.h"
#include "author/networks.h"

namespace lattice::author {

// A value with the mean square of its elements, as far as one can tell beforehand.
struct Flow {
  Value value;
  double power = 1;
};

// Where a network is meant to run: sweeps of a LiDAR leave gaps, scanned rooms are closed surfaces.
enum class Scene { sweep, surface };

// How many kernel rows of a cubic or another kernel find a voxel, by experience.
double expected_neighbours(const Triple& kernel_size, Scene scene);

class Layers {
 public:
  Layers(const NetworkOptions& options, float eps, Scene scene)
      : options_(options), eps_(eps), scene_(scene) {}

  GraphBuilder& builder() { return builder_; }
  GraphBuilder take() { return std::move(builder_); }

  // The sparse input "x". `power` is the mean square expected of its features.
  Result<Flow> input(int64_t channels, double power);

  // Weights of deviation 1 / sqrt(Cin * expected edges): the result has the power of the input.
  Result<Value> conv_weight(const std::string& key, int64_t outputs, Triple kernel_size,
                            int64_t inputs, double edges, bool packable = true);
  Result<Value> bias(const std::string& key, int64_t channels);

  Result<Flow> subm(const std::string& name, Flow x, int64_t channels, int64_t size);
  Result<Flow> down(const std::string& name, Flow x, int64_t channels, Triple kernel_size,
                    Triple stride);
  // Kernel 2, stride 2, onto the rows of `onto`.
  Result<Flow> up(const std::string& name, Flow x, Flow onto, int64_t channels);
  Result<Flow> pointwise(const std::string& name, Flow x, int64_t channels);
  Result<Flow> pointwise_bias(const std::string& name, Flow x, int64_t channels);
  Result<Flow> linear(const std::string& name, Flow x, int64_t channels);

  // `gain`: the deviation of the result.
  Result<Flow> batch_norm(const std::string& name, Flow x, double gain = 1);
  Result<Flow> relu(Flow x);
  Result<Flow> add(Flow x, Flow y);
  Result<Flow> cat(Flow x, Flow y);

  // subm 3, BN, ReLU, subm 3, BN; the input, or its 1x1x1 and BN where channels differ; add; ReLU.
  Result<Flow> block(const std::string& name, Flow x, int64_t channels);

 private:
  Result<Value> channel_weight(const std::string& key, std::string_view family, int64_t channels,
                               double low, double high);
  Result<int64_t> channels_of(Flow x) const;

  NetworkOptions options_;
  float eps_;
  Scene scene_;
  GraphBuilder builder_;
};

} // namespace lattice::author
