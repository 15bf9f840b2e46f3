// The scenes of scene.h.
#include "points/scene.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <fmt/format.h>

#include "base/checked.h"

namespace lattice {

namespace {

struct Box {
  std::array<double, 3> low, high;
};

// Where the ray from `origin` along `direction` enters the box, or `limit`.
double hit(const Box& box, const std::array<double, 3>& origin,
                  const std::array<double, 3>& direction, double limit) {
  double enter = 0, leave = limit;
  for (size_t axis = 0; axis < 3; ++axis) {
    double a = (box.low[axis] - origin[axis]) / direction[axis];
    double b = (box.high[axis] - origin[axis]) / direction[axis];
    if (a > b) std::swap(a, b);
    enter = std::max(enter, a);
    leave = std::min(leave, b);
    if (enter > leave) return limit;
  }
  return enter;
}

void sort_and_unite(std::vector<Voxel>& voxels) {
  std::sort(voxels.begin(), voxels.end());
  voxels.erase(std::unique(voxels.begin(), voxels.end()), voxels.end());
}

// All voxels that the faces of a box touch.
void add_faces(const Box& box, double voxel, std::vector<Voxel>& voxels) {
  const auto cell = [&](double value) { return static_cast<int32_t>(std::floor(value / voxel)); };
  Voxel low{}, high{};
  for (size_t axis = 0; axis < 3; ++axis) {
    low[axis] = cell(box.low[axis]);
    high[axis] = cell(box.high[axis]);
  }
  for (int32_t x = low[0]; x <= high[0]; ++x) {
    for (int32_t y = low[1]; y <= high[1]; ++y) {
      const bool edge = x == low[0] || x == high[0] || y == low[1] || y == high[1];
      for (int32_t z = low[2]; z <= high[2]; z += (edge || high[2] == low[2]) ? 1 : high[2] - low[2]) {
        voxels.push_back({x, y, z});
      }
    }
  }
}

}  // namespace

// 64 beams over a waving ground with houses, cars and poles; voxels in ascending (x, y, z).
std::vector<Voxel> street(int azimuths, double voxel, uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  std::vector<Box> boxes;
  for (const int side : {-1, 1})
    for (double x = -90; x < 90; x += uniform(8, 22)) {
      const double near = uniform(9, 28), depth = uniform(5, 14), width = uniform(6, 18);
      boxes.push_back({{x, side > 0 ? near : -near - depth, 0},
                       {x + width, side > 0 ? near + depth : -near, uniform(4, 13)}});
    }
  const auto scatter = [&](int count, double reach, double length, double width, double low, double high) {
    for (int i = 0; i < count; ++i) {
      const double x = uniform(-80, 80);
      const double y = uniform(3, reach) * (random() % 2 == 0 ? 1 : -1);
      const double top = uniform(low, high);
      boxes.push_back({{x - length, y - width, 0}, {x + length, y + width, top}});
    }
  };
  scatter(26, 9, 2.2, 0.9, 1.4, 1.8);
  scatter(110, 30, 0.2, 0.2, 2, 8);
  scatter(220, 36, 0.5, 0.4, 0.3, 1.6);

  std::vector<Voxel> voxels;
  const std::array<double, 3> origin{0, 0, 1.73};
  const double degree = std::acos(-1.0) / 180;
  for (int beam = 0; beam < 64; ++beam) {
    const double elevation = (2 - 26.8 * beam / 63) * degree;
    for (int step = 0; step < azimuths; ++step) {
      const double angle = 360 * degree * (step + uniform(0, 0.6)) / azimuths;
      const std::array<double, 3> direction{std::cos(elevation) * std::cos(angle),
                                            std::cos(elevation) * std::sin(angle), std::sin(elevation)};
      double best = 80;
      if (direction[2] < 0) best = std::min(best, -origin[2] / direction[2]);
      const bool ground = best < 80;
      double range = best;
      for (const Box& box : boxes) range = std::min(range, hit(box, origin, direction, range));
      if (range >= 80 || uniform(0, 1) < 0.05) continue;
      const double noisy = range + uniform(-0.03, 0.03);
      double z = origin[2] + direction[2] * noisy;
      const double x = direction[0] * noisy, y = direction[1] * noisy;
      if (ground && range == best) z += 0.05 * std::sin(0.2 * x) + 0.05 * std::cos(0.17 * y);
      voxels.push_back({static_cast<int32_t>(std::floor(x / voxel)),
                        static_cast<int32_t>(std::floor(y / voxel)),
                        static_cast<int32_t>(std::floor(z / voxel))});
    }
  }
  sort_and_unite(voxels);
  return voxels;
}

std::vector<Voxel> room(double voxel, uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  std::vector<Voxel> voxels;
  add_faces({{0, 0, 0}, {6, 4.5, 2.6}}, voxel, voxels);
  for (int i = 0; i < 14; ++i) {
    const double x = uniform(0.3, 5), y = uniform(0.3, 3.7), width = uniform(0.3, 1.0), depth = uniform(0.3, 0.8);
    add_faces({{x, y, 0.05}, {x + width, y + depth, uniform(0.4, 1.8)}}, voxel, voxels);
  }
  sort_and_unite(voxels);
  return voxels;
}

Result<std::vector<std::array<int32_t, 4>>> scene_rows(const std::string& name, int64_t copies, uint64_t seed) {
  std::vector<Voxel> voxels;
  if (name == "kitti") {
    voxels = street(2000, 0.05, seed);
  } else if (name == "kitti-10cm") {
    voxels = street(2000, 0.1, seed);
  } else if (name == "room") {
    voxels = room(0.02, seed);
  } else {
    return fail(Code::usage, fmt::format("scene \"{}\" is not known: kitti, kitti-10cm or room", name));
  }
  const int64_t step = static_cast<int64_t>(voxels.back()[0]) - voxels.front()[0] + 2;
  const auto reach = checked_mul(step, copies);
  const auto rows = checked_mul(static_cast<int64_t>(voxels.size()), copies);
  if (copies < 1 || !reach || *reach > std::numeric_limits<int32_t>::max() / 2 || !rows || *rows > int64_t{1} << 30) {
    return fail(Code::usage, fmt::format("{} copies of the scene: expected 1 or more, and rows that fit 30 bits", copies));
  }
  std::vector<std::array<int32_t, 4>> all;
  all.reserve(static_cast<size_t>(*rows));
  for (int64_t copy = 0; copy < copies; ++copy) {
    for (const Voxel& voxel : voxels) {
      all.push_back({0, static_cast<int32_t>(voxel[0] + copy * step), voxel[1], voxel[2]});
    }
  }
  return all;
}

}  // namespace lattice
