// From a cloud to the f32 matrices a network reads.
// Nothing is learned or guessed here: the caller names the channels and the origin.
#pragma once

#include <array>
#include <string_view>

#include "points/cloud.h"

namespace lattice {

using Vec3 = std::array<double, 3>;

// Positions and x, y, z channels are f32(p - origin): the subtraction is done in f64, before
// anything is rounded, so that survey coordinates of 1e6 keep their millimetres.
struct FeatureOptions {
  Vec3 origin{0, 0, 0};
  // What a full r, g, b or i is in the file; 0 means by the column's type: 255 for u8, 65535 for
  // u16, 1 for floating point (as they are). A LAS file with 8-bit colours in its 16-bit fields
  // needs 255.
  double colour_full = 0;
  double intensity_full = 0;
};

// "min" (the smallest finite x, y and z of the cloud) or three numbers "x,y,z".
Result<Vec3> parse_origin(std::string_view text, const PointCloud& cloud);

// (N, 3) f32.
Result<Tensor> make_positions(const PointCloud& cloud, const Vec3& origin);

// (N, C) f32, a channel for each name in `channels`, separated by commas: x, y, z, i, r, g, b, one
// (the constant 1) or any other column, taken as it is. Code::usage for a channel the cloud lacks.
Result<Tensor> make_features(const PointCloud& cloud, std::string_view channels,
                             const FeatureOptions& options = {});

} // namespace lattice
