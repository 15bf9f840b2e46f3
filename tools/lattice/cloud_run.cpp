// From a cloud to the arguments of a graph, and from its results back to the points.
#include "tools/lattice/cloud_run.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "base/f16.h"
#include "base/tensor.h"
#include "points/colours.h"
#include "points/features.h"
#include "points/render.h"
#include "points/voxelize.h"
#include "points/write.h"
#include "tools/lattice/console.h"
#include "tools/lattice/values.h"

namespace lattice::cli {
namespace {

std::span<const float> floats_of(const Tensor& tensor) {
  return {tensor.as<float>(), static_cast<size_t>(elements_of(tensor.shape))};
}

// The tensor in the float type that an argument wants.
Result<Tensor> in_dtype(Tensor tensor, DType dtype) {
  if (dtype != DType::f16) return tensor;
  LATTICE_TRY(Tensor halves, make_tensor(DType::f16, tensor.shape));
  auto* out = reinterpret_cast<uint16_t*>(halves.storage.get());
  for (const float value : floats_of(tensor)) *out++ = f16_from_f32(value);
  return halves;
}

Result<Tensor> tensor_of(const std::vector<int32_t>& values, Shape shape) {
  return copy_of({DType::i32, std::move(shape), values.data()});
}

// What --features is when it is not given.
Result<std::string> default_features(int64_t channels) {
  switch (channels) {
  case 1: return "one";
  case 3: return "x,y,z";
  case 4: return "x,y,z,i";
  case 6: return "x,y,z,r,g,b";
  default:
    return fail(
        Code::usage,
        channels < 0
            ? std::string("the graph takes any number of channels: name them with --features")
            : fmt::format("the graph takes {} channels: name them with --features", channels));
  }
}

Result<Vec3> origin_of(const CloudOptions& options, const PointCloud& cloud) {
  Vec3 origin{0, 0, 0};
  if (options.origin == "min") {
    origin = extent_of(cloud).low;
  } else if (!options.origin.empty()) {
    LATTICE_TRY(origin, parse_triple(options.origin, "--origin"));
  }
  // p - origin is an f32 subtraction (spec 5) where positions are f32. Files with f64 positions
  // keep the digits that only the difference has room for.
  if (cloud.position_type != DType::f64) {
    for (double& value : origin) value = static_cast<float>(value);
  }
  return origin;
}

// The (N, C) channels for an argument of this shape.
Result<Tensor> channels_for(const ArgumentInfo& argument, const CloudOptions& options,
                            const CloudInputs& inputs) {
  const int64_t wanted = argument.shape.size() == 2 ? argument.shape[1] : -1;
  std::string names = options.features;
  if (names.empty()) {
    LATTICE_TRY(names, default_features(wanted));
  }
  LATTICE_TRY(Tensor features,
              make_features(inputs.cloud, names,
                            {inputs.origin, options.colour_full, options.intensity_full}));
  if (wanted >= 0 && features.shape[1] != wanted) {
    return fail(Code::usage, fmt::format("--features {} are {} channels, but {} takes {}", names,
                                         features.shape[1], argument.name, wanted));
  }
  return features;
}

Status take_voxels(const CloudOptions& options, const Signature& signature, CloudInputs& inputs) {
  const SparseGroup& group = signature.groups.front();
  if (options.voxel_size.empty())
    return fail(Code::usage,
                fmt::format("sparse input {} takes voxels: --voxel-size is missing", group.name));
  VoxelRule rule;
  LATTICE_TRY(rule.size, parse_triple(options.voxel_size, "--voxel-size"));
  for (size_t axis = 0; axis < 3; ++axis)
    rule.stride[axis] = std::max<int64_t>(group.stride[axis], 1);

  const ArgumentInfo& argument = signature.arguments[static_cast<size_t>(group.first) + 1];
  LATTICE_TRY(const Tensor channels, channels_for(argument, options, inputs));
  LATTICE_TRY(Voxels voxels, voxelize(floats_of(inputs.positions), rule));
  LATTICE_TRY(Tensor means,
              reduce_by_voxel(voxels, floats_of(channels), channels.shape[1], Reduction::mean));
  LATTICE_TRY(inputs.features, in_dtype(std::move(means), argument.dtype));
  LATTICE_TRY(inputs.coords, tensor_of(voxels.coords, {voxels.size(), 4}));
  inputs.voxelized = true;
  inputs.voxel_of_point = std::move(voxels.voxel_of_point);
  inputs.inputs.emplace_back(
      group.name, SparseView{inputs.coords.view(), inputs.features.view(), -1, rule.stride});
  return {};
}

Status take_points(const CloudOptions& options, const Signature& signature, CloudInputs& inputs) {
  if (!options.voxel_size.empty())
    return fail(Code::usage,
                "--voxel-size: the graph takes points and has a voxel size of its own");
  const auto argument = [&](const char* name) -> const ArgumentInfo& {
    return signature.arguments[static_cast<size_t>(signature.argument_named(name))];
  };
  const int64_t count = inputs.points();
  LATTICE_TRY(Tensor channels, channels_for(argument("features"), options, inputs));
  LATTICE_TRY(inputs.features, in_dtype(std::move(channels), argument("features").dtype));
  LATTICE_TRY(inputs.positions, in_dtype(inputs.positions, argument("points").dtype));
  LATTICE_TRY(inputs.coords, make_tensor(DType::i32, {count})); // zeros: one batch
  LATTICE_TRY(inputs.active, tensor_of({static_cast<int32_t>(count)}, {1}));
  inputs.inputs = {{"points", inputs.positions.view()},
                   {"features", inputs.features.view()},
                   {"batch_indices", inputs.coords.view()},
                   {"active_rows", inputs.active.view()}};
  return {};
}

bool takes_points(const Signature& signature) {
  if (!signature.groups.empty() || signature.arguments.size() != 4) return false;
  for (const char* name : {"points", "features", "batch_indices", "active_rows"}) {
    if (signature.argument_named(name) < 0) return false;
  }
  return true;
}

// For each voxel that went in the output's row of the voxel that holds it, or -1.
std::vector<int64_t> rows_of_voxels(const CloudInputs& inputs, const SparseTensor& output) {
  using Coordinate = std::array<int32_t, 4>;
  const auto coordinate = [](const Tensor& coords, int64_t row) {
    const int32_t* c = coords.as<int32_t>() + row * 4;
    return Coordinate{c[0], c[1], c[2], c[3]};
  };
  std::vector<std::pair<Coordinate, int64_t>> known(static_cast<size_t>(output.coords.shape[0]));
  for (size_t row = 0; row < known.size(); ++row)
    known[row] = {coordinate(output.coords, static_cast<int64_t>(row)), static_cast<int64_t>(row)};
  std::sort(known.begin(), known.end());

  std::vector<int64_t> rows(static_cast<size_t>(inputs.coords.shape[0]), -1);
  for (size_t row = 0; row < rows.size(); ++row) {
    Coordinate c = coordinate(inputs.coords, static_cast<int64_t>(row));
    bool in_range = true;
    for (size_t axis = 0; axis < 3; ++axis) {
      const int64_t stride = output.stride[axis], at = c[axis + 1];
      const int64_t below = at - ((at % stride) + stride) % stride;
      in_range = in_range && below >= std::numeric_limits<int32_t>::min();
      c[axis + 1] = static_cast<int32_t>(below);
    }
    const auto found = std::lower_bound(known.begin(), known.end(), std::pair{c, int64_t{0}});
    if (in_range && found != known.end() && found->first == c) rows[row] = found->second;
  }
  return rows;
}

// The row of `output` for each point, -1 where it has none; nothing if the output says nothing of
// points.
std::optional<std::vector<int64_t>> rows_of_points(const CloudInputs& inputs,
                                                   const Output& output) {
  const auto through_voxels = [&](const std::vector<int64_t>& rows) {
    std::vector<int64_t> of_points;
    of_points.reserve(inputs.voxel_of_point.size());
    for (const int32_t voxel : inputs.voxel_of_point)
      of_points.push_back(rows[static_cast<size_t>(voxel)]);
    return of_points;
  };
  const auto counted = [](int64_t count) {
    std::vector<int64_t> rows(static_cast<size_t>(count));
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
  };
  if (output.is_sparse()) {
    if (!inputs.voxelized) return std::nullopt;
    return through_voxels(rows_of_voxels(inputs, output.sparse()));
  }
  const Shape& shape = output.tensor().shape;
  if (shape.size() != 2) return std::nullopt;
  if (!inputs.voxelized)
    return shape[0] == inputs.points() ? std::optional(counted(shape[0])) : std::nullopt;
  // Dense operations keep the rows of their operand: these are the voxels in the order they went
  // in.
  return shape[0] == inputs.coords.shape[0] ? std::optional(through_voxels(counted(shape[0])))
                                            : std::nullopt;
}

// The channel of the largest value, the first of equal ones; -1 if all are NaN.
int32_t largest_channel(std::span<const float> values) {
  int32_t best = -1;
  for (size_t channel = 0; channel < values.size(); ++channel) {
    if (std::isnan(values[channel])) continue;
    if (best < 0 || values[channel] > values[static_cast<size_t>(best)])
      best = static_cast<int32_t>(channel);
  }
  return best;
}

Status write_result_ply(const std::string& path, const CloudInputs& inputs,
                        const PointResult& result) {
  const std::vector<uint8_t> colours = colours_for(result);
  PlyPoints points;
  points.xyz = inputs.cloud.xyz;
  points.rgb = colours;
  points.labels = result.labels;
  points.double_positions = inputs.cloud.position_type == DType::f64;
  const std::span<const float> values = result.values;
  for (int64_t channel = 0; channel < result.channels && inputs.points() > 0; ++channel) {
    points.columns.push_back({fmt::format("value_{}", channel),
                              values.subspan(static_cast<size_t>(channel)), result.channels});
  }
  return write_ply(path, points);
}

Status write_result_npy(const std::string& path, const CloudInputs& inputs,
                        const PointResult& result, bool labels) {
  if (labels && result.labels.empty() && inputs.points() > 0) {
    return fail(Code::usage, fmt::format("--labels: output {} has one channel", result.output));
  }
  const int64_t channels = labels ? 1 : result.channels;
  LATTICE_TRY(Tensor rows, make_tensor(labels ? DType::i32 : DType::f32,
                                       labels ? Shape{inputs.file_points}
                                              : Shape{inputs.file_points, channels}));
  auto* as_labels = reinterpret_cast<int32_t*>(rows.storage.get());
  auto* as_values = reinterpret_cast<float*>(rows.storage.get());
  const int64_t count = inputs.file_points * channels;
  if (labels) {
    std::fill_n(as_labels, count, -1);
  } else {
    std::fill_n(as_values, count, std::numeric_limits<float>::quiet_NaN());
  }
  for (size_t point = 0; point < inputs.file_rows.size(); ++point) {
    const int64_t row = inputs.file_rows[point];
    if (labels) {
      as_labels[row] = result.labels[point];
    } else {
      std::copy_n(result.values.data() + static_cast<int64_t>(point) * channels, channels,
                  as_values + row * channels);
    }
  }
  return write_npy(path, rows.view());
}

Status write_result_png(const std::string& path, const CloudInputs& inputs,
                        const PointResult& result) {
  LATTICE_TRY(const Picture picture, render_points(inputs.cloud.xyz, colours_for(result), {}));
  return write_png(path, picture);
}

} // namespace

std::vector<uint8_t> colours_for(const PointResult& result) {
  if (!result.labels.empty() || result.channels != 1) return colours_by_label(result.labels);
  std::vector<double> values(result.values.begin(), result.values.end());
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return colours_by_value(values, low, high);
}

PointResult result_of_rows(const Output& output) {
  const TensorView values = output.sparse().features.view();
  PointResult result;
  result.output = output.name;
  result.channels = values.shape[1];
  const auto rows = static_cast<size_t>(values.shape[0]);
  const auto channels = static_cast<size_t>(result.channels);
  result.values.reserve(rows * channels);
  for (int64_t i = 0; i < values.shape[0] * result.channels; ++i)
    result.values.push_back(static_cast<float>(value_at(values, i)));
  for (size_t row = 0; row < rows && channels > 1; ++row)
    result.labels.push_back(largest_channel({result.values.data() + row * channels, channels}));
  return result;
}

Result<CloudInputs> make_cloud_inputs(const CloudOptions& options, const Signature& signature) {
  const bool points = takes_points(signature);
  if (!points && (signature.groups.size() != 1 || signature.arguments.size() != 3)) {
    return fail(Code::usage,
                fmt::format("--points needs a graph with one sparse input and nothing else, or one "
                            "that takes points, "
                            "features, batch_indices and active_rows; this graph is\n{}",
                            text_of(signature)));
  }
  CloudInputs inputs;
  LATTICE_TRY(inputs.cloud, read_points(options.path, options.read));
  inputs.file_points = inputs.cloud.size();
  if (options.drop_not_finite) {
    inputs.file_rows = drop_not_finite(inputs.cloud);
  } else {
    LATTICE_CHECK(require_finite(inputs.cloud, options.path));
    inputs.file_rows.resize(static_cast<size_t>(inputs.file_points));
    std::iota(inputs.file_rows.begin(), inputs.file_rows.end(), 0);
  }
  if (inputs.points() > std::numeric_limits<int32_t>::max())
    return fail(Code::unsupported, fmt::format("{}: more than 2147483647 points", options.path));
  LATTICE_TRY(inputs.origin, origin_of(options, inputs.cloud));
  LATTICE_TRY(inputs.positions, make_positions(inputs.cloud, inputs.origin));
  LATTICE_CHECK(points ? take_points(options, signature, inputs)
                       : take_voxels(options, signature, inputs));
  return inputs;
}

Result<PointResult> result_at_points(const CloudInputs& inputs, const Outputs& outputs,
                                     const std::string& name) {
  std::string names;
  for (const Output& output : outputs) {
    names += (names.empty() ? "" : ", ") + output.name;
    if (!name.empty() && output.name != name) continue;
    const auto rows = rows_of_points(inputs, output);
    if (!rows && name.empty()) continue;
    if (!rows)
      return fail(Code::usage, fmt::format("output {} has no row for each point or voxel", name));

    const TensorView values =
        output.is_sparse() ? output.sparse().features.view() : output.tensor().view();
    PointResult result;
    result.output = output.name;
    result.channels = values.shape[1];
    const auto channels = static_cast<size_t>(result.channels);
    result.values.assign(rows->size() * channels, std::numeric_limits<float>::quiet_NaN());
    if (channels > 1) result.labels.assign(rows->size(), -1);
    for (size_t point = 0; point < rows->size(); ++point) {
      const int64_t row = (*rows)[point];
      if (row < 0) {
        ++result.without_row;
        continue;
      }
      const std::span<float> of_point(result.values.data() + point * channels, channels);
      for (size_t channel = 0; channel < channels; ++channel) {
        of_point[channel] = static_cast<float>(
            value_at(values, row * result.channels + static_cast<int64_t>(channel)));
      }
      if (channels > 1) result.labels[point] = largest_channel(of_point);
    }
    return result;
  }
  if (!name.empty())
    return fail(Code::usage, fmt::format("--result {}: the outputs are {}", name, names));
  return fail(
      Code::usage,
      fmt::format("no output has a row for each point or voxel; the outputs are {}", names));
}

Status write_point_result(const std::string& path, const CloudInputs& inputs,
                          const PointResult& result, bool labels) {
  const std::string ending = std::filesystem::path(path).extension().string();
  const auto is = [&](std::string_view wanted) {
    return std::equal(
        ending.begin(), ending.end(), wanted.begin(), wanted.end(),
        [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
  };
  if (is(".ply")) return write_result_ply(path, inputs, result);
  if (is(".npy")) return write_result_npy(path, inputs, result, labels);
  return write_result_png(path, inputs, result);
}

} // namespace lattice::cli
