// The levels of a scene and the relations between them: input for benchmarks of kernels.
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
#include "points/scene.h"

namespace lattice::bench {

using lattice::street;
using lattice::Voxel;

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
