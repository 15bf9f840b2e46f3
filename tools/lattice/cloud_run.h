// Point clouds in, results for each point out: what `run --points` does around a run.
// The voxel rule, the channels and the file formats are those of points/.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lattice/lattice.hpp"
#include "points/cloud.h"
#include "points/read.h"

namespace lattice::cli {

struct CloudOptions {
  std::string path;
  ReadOptions read;
  std::string voxel_size;    // "0.05" or "x,y,z"; empty: not given
  std::string origin;        // "min", "x,y,z" or empty: 0,0,0
  std::string features;      // "x,y,z,i"; empty: by the number of channels
  double colour_full = 0;    // what a full r, g, b is in the file; 0: by its type
  double intensity_full = 0; // the same for i
  bool drop_not_finite = false;
};

// A cloud made ready to be bound to a graph. `inputs` looks into the tensors beside it.
struct CloudInputs {
  PointCloud cloud;               // finite points only
  std::vector<int64_t> file_rows; // of each point, its row in the file
  int64_t file_points = 0;        // points of the file, dropped ones included
  std::array<double, 3> origin{0, 0, 0};

  bool voxelized = false;              // points went in as voxels, not as points
  Tensor coords;                       // voxelized: (N, 4) physical rows, else (N) batch indices
  Tensor features;                     // (N, C)
  Tensor positions;                    // (points, 3) as the graph takes them
  Tensor active;                       // (1)
  std::vector<int32_t> voxel_of_point; // voxelized: row in coords
  Inputs inputs;

  int64_t points() const { return cloud.size(); }
  int64_t dropped() const { return file_points - points(); }
};

// For a graph with one sparse input: a voxel's features are the mean of its points' channels. For a
// graph that takes points, features, batch_indices and active_rows: the points themselves. Others
// are refused.
Result<CloudInputs> make_cloud_inputs(const CloudOptions& options, const Signature& signature);

// What an output says of every point.
struct PointResult {
  std::string output;
  int64_t channels = 0;
  std::vector<float> values; // points x channels; NaN where the output has no row for a point
  std::vector<int32_t>
      labels; // channel of the largest value, if there are several; -1 without a row
  int64_t without_row = 0;
};

// Sparse outputs are read at the voxel floor(voxel / stride) * stride of the point; dense ones must
// have a row for every point (or, in the order they went in, for every voxel). With an empty `name`
// the first output that can be read so.
Result<PointResult> result_at_points(const CloudInputs& inputs, const Outputs& outputs,
                                     const std::string& name);

// The same of the rows of a sparse output, one point a row.
PointResult result_of_rows(const Output& output);

// r, g, b of each point: by label, or by value where there is one channel; grey without a row.
std::vector<uint8_t> colours_for(const PointResult& result);

// By the ending: .ply has the points with label, colour and values; .npy the values, (file points,
// channels) of f32 in the file's order, NaN for dropped points, or with `labels` the labels, (file
// points) of i32 and -1; .png a picture.
Status write_point_result(const std::string& path, const CloudInputs& inputs,
                          const PointResult& result, bool labels);

} // namespace lattice::cli
