// The networks of `lattice make`: known architectures with seeded random weights whose batch norm
// statistics keep activations in a sane range. Not trained; for tests, benchmarks and trying things
// out.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "author/builder.h"

namespace lattice::author {

struct NetworkOptions {
  uint64_t seed = 1;
  DType dtype = DType::f32; // of features and dense weights: f32 or f16
  int bits = 0;            // 8 or 4: packed convolutions and linear layers, where the format allows
  int64_t group_size = 64; // 32, 64 or 128
  DType scale_dtype = DType::f16; // f16 or f32
};

struct NetworkInfo {
  std::string_view name;        // "minkunet42"
  std::string_view description; // one line
  int64_t input_channels;       // of the sparse input "x"
  std::string_view features;    // what the channels are, as the command line writes them: "x,y,z,i"
  std::array<double, 3> voxel_size; // it is meant for, in metres
  std::string_view
      output; // its first output: one row per input voxel for the segmentation networks
};

std::span<const NetworkInfo> networks();

// An unknown name is an error that lists the known ones.
Result<GraphBuilder> make_network(std::string_view name, const NetworkOptions& options = {});

Result<GraphBuilder> make_minkunet42(const NetworkOptions& options);
Result<GraphBuilder> make_minkunet18(const NetworkOptions& options);
Result<GraphBuilder> make_spunet34(const NetworkOptions& options);
Result<GraphBuilder> make_centerpoint(const NetworkOptions& options);
Result<GraphBuilder> make_tiny(const NetworkOptions& options);
Result<GraphBuilder> make_codec(const NetworkOptions& options);

} // namespace lattice::author
