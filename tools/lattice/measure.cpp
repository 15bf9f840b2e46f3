// Inputs for measurements; see measure.h.
#include "tools/lattice/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "base/f16.h"
#include "base/tensor.h"
#include "points/scene.h"
#include "tools/lattice/command.h"

namespace lattice::cli {

namespace {

// Features of a scene: small numbers that depend on the place alone.
Result<Tensor> scene_features(DType dtype, int64_t rows, int64_t channels) {
  LATTICE_TRY(Tensor features, make_tensor(dtype, {rows, channels}));
  for (int64_t i = 0; i < rows * channels; ++i) {
    const auto mixed = static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15u;
    const float value = static_cast<float>(mixed >> 40) * 0x1p-23f - 1.0f;
    if (dtype == DType::f16) {
      reinterpret_cast<uint16_t*>(features.storage.get())[i] = f16_from_f32(value);
    } else {
      reinterpret_cast<float*>(features.storage.get())[i] = value;
    }
  }
  return features;
}

// A scene for a program with one sparse input.
Status add_scene(const MeasureOptions& options, Measured& measured) {
  const Signature& signature = measured.program.signature();
  if (signature.groups.size() != 1 || signature.arguments.size() != 3) {
    return fail(Code::usage, "--scene needs a program whose only input is one sparse tensor");
  }
  const SparseGroup& group = signature.groups[0];
  const ArgumentInfo& features = signature.arguments[static_cast<size_t>(group.first) + 1];
  if (features.shape[1] < 0)
    return fail(Code::usage, "--scene needs a program with a declared number of input channels");
  LATTICE_TRY(auto rows, scene_rows(options.scene, options.copies, 1));
  const auto count = static_cast<int64_t>(rows.size());
  LATTICE_TRY(Tensor coords, make_tensor(DType::i32, {count, 4}));
  for (size_t i = 0; i < rows.size(); ++i) {
    auto* row = reinterpret_cast<int32_t*>(coords.storage.get()) + i * 4;
    for (size_t axis = 0; axis < 4; ++axis) {
      const int64_t stride = axis == 0 ? 1 : std::max<int64_t>(group.stride[axis - 1], 1);
      row[axis] = static_cast<int32_t>(rows[i][axis] * stride);
    }
  }
  LATTICE_TRY(Tensor values, scene_features(features.dtype, count, features.shape[1]));
  measured.inputs.emplace_back(group.name,
                               SparseView{coords.view(), values.view(), -1, group.stride});
  measured.made = {std::move(coords), std::move(values)};
  return {};
}

} // namespace

void add_measure_options(CLI::App& app, MeasureOptions& options) {
  add_directory(app, options.directory);
  const auto add = [&](const char* group, const char* name, auto& value, const char* type,
                       const char* help) {
    return app.add_option(name, value, help)->type_name(type)->group(group);
  };
  constexpr const char* inputs = "Inputs, one of the first three";
  add(inputs, "--inputs", options.inputs, "FILE", "A .safetensors file: arguments by their names");
  CLI::Option* points = add(inputs, "--points", options.cloud.path, "CLOUD",
                            "A point cloud, voxelized as by `lattice run`");
  CLI::Option* scene = add(inputs, "--scene", options.scene, "NAME",
                           "Made up: kitti (5 cm), kitti-10cm, room (2 cm)");
  add(inputs, "--voxel-size", options.cloud.voxel_size, "V|X,Y,Z", "With --points: edge of a voxel")
      ->needs(points);
  add(inputs, "--origin", options.cloud.origin, "min|X,Y,Z", "With --points: corner of voxel 0")
      ->needs(points);
  add(inputs, "--features", options.cloud.features, "LIST", "With --points: channels in order")
      ->needs(points);
  add(inputs, "--copies", options.copies, "N", "With --scene: how many side by side [1]")
      ->check(CLI::Range(1, 1000000))
      ->needs(scene);
  constexpr const char* execution = "Execution";
  add_threads(app, options.run.threads)->group(execution);
  add(execution, "--device", options.load.device, "NAME",
      "cpu, or reference: slow, to check [cpu]");
  add(execution, "--simd", options.load.simd, "LEVEL",
      "At most scalar, avx2, avx512; same results");
}

Result<Measured> load_measured(const MeasureOptions& options) {
  const int given = !options.inputs.empty() + !options.cloud.path.empty() + !options.scene.empty();
  if (given != 1)
    return fail(Code::usage, "give one of --inputs FILE, --points CLOUD and --scene NAME");
  const auto start = std::chrono::steady_clock::now();
  LATTICE_TRY(Program program, Program::try_load(options.directory, options.load));
  Measured measured{std::move(program), 0, {}, {}, {}, {}};
  measured.load_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (!options.inputs.empty()) {
    LATTICE_TRY(measured.file, SafetensorsFile::open(options.inputs));
    for (const SafetensorsEntry& entry : measured.file.entries())
      measured.inputs.emplace_back(entry.name, entry.view);
  } else if (!options.cloud.path.empty()) {
    LATTICE_TRY(measured.cloud, make_cloud_inputs(options.cloud, measured.program.signature()));
    measured.inputs = measured.cloud.inputs;
  } else {
    LATTICE_CHECK(add_scene(options, measured));
  }
  return measured;
}

Times times_of(std::vector<double> milliseconds) {
  if (milliseconds.empty()) return {};
  std::sort(milliseconds.begin(), milliseconds.end());
  const auto at = [&](double share) {
    const auto last = static_cast<double>(milliseconds.size() - 1);
    return milliseconds[static_cast<size_t>(std::lround(share * last))];
  };
  return {at(0.5), at(0.95), milliseconds.front()};
}

Json json_of(const Times& times) {
  return {{"p50", times.p50}, {"p95", times.p95}, {"min", times.min}};
}

} // namespace lattice::cli
