// ground_demo ARTIFACT TILE.las OUT_DIR: finds the ground in an aerial survey and shows what it
// found. Everything is done here once, in order: read, voxelize, run, back to points, score,
// terrain, pictures.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "lattice/lattice.hpp"
#include "points/features.h"
#include "points/read.h"
#include "points/render.h"
#include "points/voxelize.h"
#include "points/write.h"

namespace {

using lattice::Colour;

// As in train.py: feet, and the one channel that the network takes.
constexpr std::array<double, 3> voxel_size{1.5, 1.5, 0.5};
constexpr double cell = 4; // of the terrain raster, feet

template <class T>
T value_of(lattice::Result<T> result) {
  if (!result) throw std::move(result).error();
  return *std::move(result);
}

void check(const lattice::Status& status) {
  if (!status) throw status.error();
}

std::span<const float> floats_of(const lattice::Tensor& tensor) {
  int64_t count = 1;
  for (const int64_t size : tensor.shape) count *= size;
  return {tensor.as<float>(), static_cast<size_t>(count)};
}

// 1 for every point whose voxel is ground, else 0.
std::vector<int32_t> ground_of(const lattice::PointCloud& cloud, const lattice::Vec3& origin,
                               lattice::Session& session) {
  const lattice::Tensor positions = value_of(lattice::make_positions(cloud, origin));
  const lattice::Tensor heights = value_of(lattice::make_features(cloud, "z", {origin}));
  const lattice::Voxels voxels =
      value_of(lattice::voxelize(floats_of(positions), {.size = voxel_size}));
  const lattice::Tensor means =
      value_of(lattice::reduce_by_voxel(voxels, floats_of(heights), 1, lattice::Reduction::mean));
  const lattice::TensorView coords{lattice::DType::i32, {voxels.size(), 4}, voxels.coords.data()};
  const lattice::Outputs outputs = session.run({lattice::SparseView{coords, means.view()}});

  // The result stands on the voxels of the input, which keep their row order.
  const float* scores = outputs.at(0).sparse().features.as<float>();
  std::vector<int32_t> ground;
  for (const int64_t row : voxels.voxel_of_point)
    ground.push_back(scores[row * 2 + 1] > scores[row * 2] ? 1 : 0);
  return ground;
}

// Counts over the points from `west` to `east`: [what the file says][what the network says].
struct Scores {
  double counts[2][2] = {};

  Scores(const lattice::PointCloud& cloud, const std::vector<int32_t>& ground, double west,
         double east) {
    const lattice::Column* classes = cloud.find("class");
    if (classes == nullptr) throw lattice::Error(lattice::Code::input, "the tile has no classes");
    for (size_t i = 0; i < ground.size(); ++i) {
      if (const double x = cloud.xyz[i * 3]; x < west || x > east) continue;
      ++counts[classes->values[i] == 2 ? 1 : 0][ground[i]];
    }
  }
  double points() const { return counts[0][0] + counts[0][1] + counts[1][0] + counts[1][1]; }
  double accuracy() const { return (counts[0][0] + counts[1][1]) / points(); }
  double iou() const { return counts[1][1] / (points() - counts[0][0]); }
  double f1() const { return 2 * counts[1][1] / (points() - counts[0][0] + counts[1][1]); }
  void print(const char* name) const {
    fmt::print("{:<12}{:>9.0f}{:>10.4f}{:>8.4f}{:>8.4f}{:>10.0f}{:>9.0f}{:>9.0f}{:>9.0f}\n", name,
               points(), accuracy(), iou(), f1(), counts[1][1], counts[0][1], counts[1][0],
               counts[0][0]);
  }
};

// The mean height of ground points in each cell, rows from the south; holes filled from around.
struct Terrain {
  int64_t width = 0, height = 0;
  double low = 0, high = 0;
  std::vector<double> z;

  Terrain(const lattice::PointCloud& cloud, const std::vector<int32_t>& ground) {
    const auto [least, most] = lattice::extent_of(cloud);
    width = static_cast<int64_t>((most[0] - least[0]) / cell) + 1;
    height = static_cast<int64_t>((most[1] - least[1]) / cell) + 1;
    std::vector<double> sum(static_cast<size_t>(width * height)), count(sum.size());
    for (size_t i = 0; i < ground.size(); ++i) {
      if (ground[i] == 0) continue;
      const auto column = static_cast<int64_t>((cloud.xyz[i * 3] - least[0]) / cell);
      const auto row = static_cast<int64_t>((cloud.xyz[i * 3 + 1] - least[1]) / cell);
      sum[static_cast<size_t>(row * width + column)] += cloud.xyz[i * 3 + 2];
      ++count[static_cast<size_t>(row * width + column)];
    }
    z.assign(sum.size(), std::numeric_limits<double>::quiet_NaN());
    for (size_t i = 0; i < z.size(); ++i)
      if (count[i] > 0) z[i] = sum[i] / count[i];
    while (fill_rim()) {
    }
    low = *std::min_element(z.begin(), z.end());
    high = *std::max_element(z.begin(), z.end());
  }

  double at(int64_t column, int64_t row) const {
    column = std::clamp<int64_t>(column, 0, width - 1);
    return z[static_cast<size_t>(std::clamp<int64_t>(row, 0, height - 1) * width + column)];
  }

  // Gives each empty cell beside a full one the mean around it; false once there is none.
  bool fill_rim() {
    std::vector<std::pair<size_t, double>> found;
    for (int64_t row = 0; row < height; ++row) {
      for (int64_t column = 0; column < width; ++column) {
        if (!std::isnan(at(column, row))) continue;
        double sum = 0, count = 0;
        for (int64_t y = row - 1; y <= row + 1; ++y) {
          for (int64_t x = column - 1; x <= column + 1; ++x) {
            if (const double value = at(x, y); !std::isnan(value)) sum += value, ++count;
          }
        }
        if (count > 0) found.emplace_back(static_cast<size_t>(row * width + column), sum / count);
      }
    }
    for (const auto& [where, value] : found) z[where] = value;
    return !found.empty();
  }

  // f32 (height, width), rows from the north.
  void write(const std::string& path) const {
    std::vector<float> rows;
    for (int64_t row = height - 1; row >= 0; --row)
      for (int64_t column = 0; column < width; ++column)
        rows.push_back(static_cast<float>(at(column, row)));
    check(lattice::write_npy(path, {lattice::DType::f32, {height, width}, rows.data()}));
  }

  // Coloured by height, lit from the north-west.
  lattice::Picture picture(int32_t scale) const {
    lattice::Picture picture(static_cast<int32_t>(width) * scale,
                             static_cast<int32_t>(height) * scale, {0, 0, 0});
    for (int32_t y = 0; y < picture.height; ++y) {
      for (int32_t x = 0; x < picture.width; ++x) {
        const int64_t column = x / scale, row = height - 1 - y / scale;
        const double east = (at(column + 1, row) - at(column - 1, row)) / (2 * cell);
        const double north = (at(column, row + 1) - at(column, row - 1)) / (2 * cell);
        const double length = std::sqrt(1 + 16 * (east * east + north * north));
        const double light = std::clamp((1.2 + 4 * (east - north)) / (1.6 * length), 0.0, 1.0);
        const double share = high > low ? (at(column, row) - low) / (high - low) : 0;
        const std::array<double, 3> colour{90 + 150 * share, 120 + 90 * share, 80 + 60 * share};
        for (size_t c = 0; c < 3; ++c)
          picture.pixel(x, y)[c] = static_cast<uint8_t>(colour[c] * (0.25 + 0.75 * light));
      }
    }
    return picture;
  }
};

} // namespace

int main(int argc, char** argv) try {
  if (argc != 4) return std::fprintf(stderr, "usage: ground_demo ARTIFACT TILE.las OUT_DIR\n"), 64;
  const std::filesystem::path out = argv[3];
  std::filesystem::create_directories(out);
  const auto start = std::chrono::steady_clock::now();

  const lattice::PointCloud cloud = value_of(lattice::read_points(argv[2]));
  check(lattice::require_finite(cloud, argv[2]));
  if (cloud.size() == 0) throw lattice::Error(lattice::Code::input, "the tile has no points");
  const auto [least, most] = lattice::extent_of(cloud);
  lattice::Session session(lattice::Program::load(argv[1]));
  const std::vector<int32_t> ground = ground_of(cloud, least, session);

  std::vector<uint8_t> colours;
  for (const int32_t is_ground : ground)
    for (const uint8_t c : is_ground != 0 ? Colour{214, 165, 92} : Colour{72, 138, 96})
      colours.push_back(c);
  lattice::PlyPoints points;
  points.xyz = cloud.xyz;
  points.rgb = colours;
  points.labels = ground;
  points.label_name = "ground";
  points.double_positions = true;
  check(lattice::write_ply((out / "ground.ply").string(), points));

  const Terrain terrain(cloud, ground);
  terrain.write((out / "terrain.npy").string());
  constexpr int32_t scale = 4;
  lattice::Picture below = terrain.picture(scale);
  lattice::draw_text(below, 12, 12, "TERRAIN", {255, 255, 255}, 3);
  lattice::View view;
  view.width = below.width;
  view.height = below.height;
  lattice::Picture above = value_of(lattice::render_points(cloud.xyz, colours, view));
  lattice::draw_text(above, 12, above.height - 34, "GROUND", {214, 165, 92}, 3);
  lattice::draw_text(above, 140, above.height - 34, "OTHER", {72, 138, 96}, 3);
  check(lattice::write_png((out / "ground.png").string(),
                           lattice::stacked(std::vector{above, below})));

  const lattice::RunReport& report = session.report();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  fmt::print("{} points in {} voxels; network {:.2f} s ({} threads), all {:.2f} s\n", cloud.size(),
             report.voxels, report.total_ms / 1000, report.threads, spent.count());
  fmt::print("ground {} points; terrain {:.1f} to {:.1f} ft, {} x {} cells of {} ft\n\n",
             std::count(ground.begin(), ground.end(), 1), terrain.low, terrain.high, terrain.width,
             terrain.height, cell);
  // The network has not seen the eastern third.
  const double border = least[0] + (most[0] - least[0]) * 2 / 3;
  fmt::print("{:<12}{:>9}{:>10}{:>8}{:>8}{:>10}{:>9}{:>9}{:>9}\n", "part", "points", "accuracy",
             "IoU", "F1", "true g.", "false g.", "missed", "true o.");
  Scores(cloud, ground, std::nextafter(border, most[0]), most[0]).print("held out");
  Scores(cloud, ground, least[0], most[0]).print("whole tile");
  fmt::print("\nwritten: {0}/ground.png, {0}/ground.ply, {0}/terrain.npy\n", out.string());
  return 0;
} catch (const std::exception& error) {
  return std::fprintf(stderr, "ground_demo: %s\n", error.what()), 1;
}
