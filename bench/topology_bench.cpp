// Speed of the CPU topology on a street scene: sorting, relations, floored supports, the whole set
// that MinkUNet42 asks for. Prints a table; the smallest of many repetitions. Measures nothing of
// the features.
//   topology_bench [largest number of voxels, default 1000000] [file of int32 (batch, x, y, z)
//   rows]
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "bench/scene.h"
#include "kernels/cpu/topology/edges.h"
#include "kernels/cpu/topology/generate.h"
#include "kernels/cpu/topology/sort_rows.h"
#include "kernels/cpu/topology/topology.h"

namespace {

using namespace lattice;
using namespace lattice::cpu;

template <class Work>
double best_ms(int64_t voxels, Work&& work) {
  const int64_t repeats = std::clamp<int64_t>(20000000 / (voxels + 1), 5, 300);
  double best = 1e30;
  for (int64_t i = 0; i < repeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count());
  }
  return best;
}

// `count` rows in no order: scans side by side along x, or a part of one scan.
std::vector<int32_t> scene(int64_t count) {
  const std::vector<bench::Voxel> scan = bench::street();
  std::vector<int32_t> coords;
  for (int32_t tile = 0; static_cast<int64_t>(coords.size() / 4) < count; ++tile) {
    for (const bench::Voxel& v : scan) {
      if (static_cast<int64_t>(coords.size() / 4) == count) break;
      coords.insert(coords.end(), {0, v[0] + tile * 3300, v[1], v[2]});
    }
  }
  uint64_t state = 1;
  for (int64_t i = count - 1; i > 0; --i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const int64_t j = static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(i + 1));
    std::swap_ranges(coords.begin() + i * 4, coords.begin() + i * 4 + 4, coords.begin() + j * 4);
  }
  return coords;
}

// Five levels, a 3x3x3 submanifold relation on each and a 2x2x2 one between neighbours.
Plan minkunet_plan() {
  Plan plan;
  const auto relation = [&](SupportId fine, SupportId coarse, int64_t size, int64_t stride,
                            int64_t base) {
    Relation r;
    r.fine = fine;
    r.coarse = coarse;
    r.size = {size, size, size};
    r.stride = {stride, stride, stride};
    r.base = {base, base, base};
    plan.topology.push_back(
        {TopologyStep::Kind::relation, static_cast<int32_t>(plan.relations.size())});
    plan.relations.push_back(r);
  };
  for (SupportId level = 0; level < 5; ++level) {
    Support s;
    const int64_t stride = int64_t{1} << level;
    s.stride = {stride, stride, stride};
    if (level == 0) {
      s.coords = {IntSource::Kind::argument, 0};
      s.active = {IntSource::Kind::argument, 1};
    } else {
      s.rule = SupportRule::floor;
      s.from = level - 1;
      s.kernel_stride = {2, 2, 2};
    }
    plan.supports.push_back(s);
    plan.topology.push_back({TopologyStep::Kind::support, level});
    if (level > 0) relation(level - 1, level, 2, 2, 0);
    relation(level, level, 3, 1, -1);
  }
  return plan;
}

void measure(const std::vector<int32_t>& coords) {
  const int64_t voxels = static_cast<int64_t>(coords.size() / 4);
  const int32_t active = static_cast<int32_t>(voxels);
  const Plan plan = minkunet_plan();
  BoundInputs inputs;
  inputs.arguments = {{DType::i32, {voxels, 4}, coords.data()}, {DType::i32, {1}, &active}};
  inputs.present = {true, true};
  const Location nowhere;
  for (const int threads : {1, 2}) {
    tbb::task_arena arena(threads);
    arena.execute([&] {
      const auto pool = std::make_shared<BlockPool>();
      Budget budget(0, 0, pool.get());
      const auto sorted = sort_rows(coords.data(), voxels, budget, nowhere);
      const RowTree& tree = sorted->tree;
      const double sort =
          best_ms(voxels, [&] { (void)sort_rows(coords.data(), voxels, budget, nowhere); });
      const auto submanifold = [&](int64_t size) {
        const int64_t base = -(size - 1) / 2;
        const Geometry geometry{{size, size, size}, {1, 1, 1}, {1, 1, 1}, {base, base, base}};
        return best_ms(voxels,
                       [&] { (void)find_edges(tree, tree, true, geometry, budget, nowhere); });
      };
      const double k3 = submanifold(3), k5 = submanifold(5);
      std::array<Spread, 3> halves;
      for (Spread& axis : halves) axis.divisor = 2;
      Array<Row> parent(voxels);
      const double floor =
          best_ms(voxels, [&] { (void)generate_rows({&tree}, halves, &parent, budget, nowhere); });
      const auto coarse = generate_rows({&tree}, halves, &parent, budget, nowhere);
      const double cells = best_ms(voxels, [&] {
        (void)cell_edges(tree, coarse->rows(), parent.data(), {2, 2, 2}, budget, nowhere);
      });
      const Geometry strided{{3, 3, 3}, {2, 2, 2}, {1, 1, 1}, {-1, -1, -1}};
      const double k3s2 = best_ms(
          voxels, [&] { (void)find_edges(tree, *coarse, false, strided, budget, nowhere); });
      const auto none = [](ValueId) { return TensorView{}; };
      const double all = best_ms(voxels, [&] {
        cpu::Topology topology;
        (void)build_phase(plan, 0, inputs, {}, none, 0, topology, pool);
      });
      const auto rate = [&](double ms) { return static_cast<double>(voxels) / ms * 1e-3; };
      fmt::print("| {:>9} | {} | {:6.1f} | {:6.1f} | {:6.1f} | {:6.1f} | {:6.1f} | {:6.1f} | "
                 "{:8.2f} | {:6.1f} |\n",
                 voxels, threads, rate(sort), rate(k3), rate(k5), rate(floor), rate(cells),
                 rate(k3s2), all, all * 1e6 / static_cast<double>(voxels));
    });
  }
}

} // namespace

int main(int count, char** arguments) {
  const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 2);
  const int64_t largest = count > 1 ? std::atoll(arguments[1]) : 1000000;
  fmt::print("Million voxels a second, and the whole MinkUNet42 set:\n");
  fmt::print("|    voxels | threads | sort | k3 | k5 | floor 2 | k2 s2 | k3 s2 | set, ms | ns a "
             "voxel |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|---|\n");
  if (count > 2) {
    std::ifstream file(arguments[2], std::ios::binary | std::ios::ate);
    std::vector<int32_t> coords(static_cast<size_t>(file.tellg()) / 4);
    file.seekg(0);
    file.read(reinterpret_cast<char*>(coords.data()),
              static_cast<std::streamsize>(coords.size() * 4));
    measure(coords);
    return 0;
  }
  for (const int64_t voxels : {10000, 100000, 1000000, 10000000}) {
    if (voxels <= largest) measure(scene(voxels));
  }
  return 0;
}
