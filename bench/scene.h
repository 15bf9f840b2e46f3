// A street as a spinning laser sees it, in voxels, and the relations of its levels: input for benchmarks.
// Plain and slow on purpose; the library builds its own relations.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <unordered_map>
#include <vector>

#include "kernels/cpu/relation.h"

namespace lattice::bench {

using Voxel = std::array<int32_t, 3>;

struct Box {
  std::array<double, 3> low, high;
};

// Where the ray from `origin` along `direction` enters the box, or `limit`.
inline double hit(const Box& box, const std::array<double, 3>& origin,
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

// 64 beams over a waving ground with houses, cars and poles; voxels in ascending (x, y, z).
inline std::vector<Voxel> street(int azimuths = 2000, double voxel = 0.05, uint64_t seed = 1) {
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
  std::sort(voxels.begin(), voxels.end());
  voxels.erase(std::unique(voxels.begin(), voxels.end()), voxels.end());
  return voxels;
}

inline std::vector<Voxel> halved(const std::vector<Voxel>& fine) {
  std::vector<Voxel> coarse = fine;
  for (Voxel& v : coarse)
    for (int32_t& c : v) c >>= 1;
  std::sort(coarse.begin(), coarse.end());
  coarse.erase(std::unique(coarse.begin(), coarse.end()), coarse.end());
  return coarse;
}

inline uint64_t key_of(const Voxel& v) {
  const auto field = [](int32_t c) { return static_cast<uint64_t>(c + (1 << 20)); };
  return field(v[0]) << 42 | field(v[1]) << 21 | field(v[2]);
}

// fine = coarse * stride + base + index, index 0 .. size - 1.
inline cpu::Edges edges_between(const std::vector<Voxel>& fine, const std::vector<Voxel>& coarse,
                                int32_t size, int32_t stride, int32_t base) {
  std::unordered_map<uint64_t, cpu::Row> rows;
  rows.reserve(fine.size() * 2);
  for (size_t i = 0; i < fine.size(); ++i) rows.emplace(key_of(fine[i]), static_cast<cpu::Row>(i));
  cpu::Edges edges;
  edges.fine_rows = static_cast<int64_t>(fine.size());
  edges.coarse_rows = static_cast<int64_t>(coarse.size());
  for (int32_t ix = 0; ix < size; ++ix)
    for (int32_t iy = 0; iy < size; ++iy)
      for (int32_t iz = 0; iz < size; ++iz) {
        cpu::EdgeList list;
        if (stride == 1 && ix == -base && iy == -base && iz == -base) {
          list.identity = true;
          list.count = edges.fine_rows;
          edges.lists.push_back(list);
          continue;
        }
        std::vector<std::pair<cpu::Row, cpu::Row>> pairs;
        for (size_t i = 0; i < coarse.size(); ++i) {
          const Voxel& c = coarse[i];
          const auto found = rows.find(key_of({c[0] * stride + base + ix, c[1] * stride + base + iy,
                                               c[2] * stride + base + iz}));
          if (found != rows.end()) pairs.emplace_back(found->second, static_cast<cpu::Row>(i));
        }
        std::sort(pairs.begin(), pairs.end());
        std::shared_ptr<cpu::Row[]> memory(new cpu::Row[pairs.size() * 2 + 1]);
        for (size_t i = 0; i < pairs.size(); ++i) {
          memory[i] = pairs[i].first;
          memory[pairs.size() + i] = pairs[i].second;
        }
        list.fine = memory.get();
        list.coarse = memory.get() + pairs.size();
        list.count = static_cast<int64_t>(pairs.size());
        edges.lists.push_back(list);
        edges.storage.push_back(std::move(memory));
      }
  return edges;
}

}  // namespace lattice::bench
