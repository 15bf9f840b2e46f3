// Speed of the sparse products alone, layer by layer, against an FMA loop measured around each of them.
//   matmul_bench [--threads N] [--repeat N] [--filter TEXT] [--f16] [--all-kernels] [--tile ROWS] [--reach VOXELS]
//               [--processor-time]
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "base/f16.h"
#include "base/huge_pages.h"
#include "kernels/cpu/matmul/fma_peak.h"
#include "bench/scene.h"
#include "kernels/cpu/matmul/matmul.h"

namespace lattice::bench {
namespace {

struct Options {
  int threads = 1;
  int repeat = 9;
  std::string filter;
  bool half = false;
  bool all_kernels = false;
  int64_t tile = 0;
  bool processor_time = false;
  int32_t reach = 1 << 20;  // voxels with |x| below it
};

// Wall time, or this process's processor time: the latter says something on a busy machine, with one
// thread.
double seconds(bool processor_time) {
  timespec now{};
  clock_gettime(processor_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Random values in [-1, 1) in huge pages.
struct Floats {
  explicit Floats(int64_t count, bool half = false) {
    const size_t bytes = (static_cast<size_t>(count) * 4 + huge_page) / huge_page * huge_page;
    memory.reset(static_cast<std::byte*>(std::aligned_alloc(huge_page, bytes)));
    prefer_huge_pages(memory.get(), bytes);  // as sessions do
    std::mt19937 random(7);
    for (int64_t i = 0; i < count; ++i) {
      const float value = static_cast<float>(random() >> 8) * 0x1p-23f - 1.0f;
      if (half) reinterpret_cast<uint16_t*>(memory.get())[i] = f16_from_f32(value);
      else reinterpret_cast<float*>(memory.get())[i] = value;
    }
  }
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, Free> memory;
};

double peak_of(tbb::task_arena& arena, int threads, cpu::SimdLevel level) {
  std::vector<double> each(static_cast<size_t>(threads), 0.0);
  arena.execute([&] {
    tbb::parallel_for(
        0, threads, [&](int i) { each[static_cast<size_t>(i)] = cpu::fma_gflops(level, 0.02); },
        tbb::static_partitioner());
  });
  double total = 0;
  for (const double one : each) total += one;
  return total;
}

struct Layer {
  std::string name;
  int64_t cin = 0, cout = 0;
  const cpu::Edges* edges = nullptr;  // null: rows
  int64_t rows = 0;                   // of x and y, for rows
  Direction direction = Direction::forward;
  bool one_edge = false;
};

class Bench {
 public:
  explicit Bench(const Options& options)
      : options_(options), arena_(options.threads), simd_(cpu::simd_table(cpu::best_simd_level())) {}

  void run(const Layer& layer) {
    if (layer.name.find(options_.filter) == std::string::npos) return;
    if (!options_.all_kernels) return run(layer, nullptr);
    for (const cpu::PairKernel& kernel : simd_.kernels)
      run(layer, &kernel);
  }

 private:
  void run(const Layer& layer, const cpu::PairKernel* only) {
    const int64_t kernel_rows = layer.edges != nullptr ? static_cast<int64_t>(layer.edges->lists.size()) : 1;
    Floats values(kernel_rows * layer.cin * layer.cout);
    Weight weight;
    weight.data = {DType::f32, {layer.cout, kernel_rows, 1, 1, layer.cin}, values.memory.get()};
    const auto weights = cpu::pack_weights(weight, layer.cin, {&simd_, only, false, 0.0f});
    if (!weights) {
      std::fprintf(stderr, "%s\n", weights.error().what());
      std::exit(1);
    }
    const bool forward = layer.direction == Direction::forward;
    const int64_t in_rows = layer.edges == nullptr ? layer.rows
                            : forward              ? layer.edges->fine_rows
                                                   : layer.edges->coarse_rows;
    const int64_t out_rows = layer.edges == nullptr ? layer.rows
                             : forward              ? layer.edges->coarse_rows
                                                    : layer.edges->fine_rows;
    const DType dtype = options_.half ? DType::f16 : DType::f32;
    Floats x(in_rows * layer.cin, options_.half), y(out_rows * layer.cout), channels(3 * 1024);
    auto* constants = reinterpret_cast<float*>(channels.memory.get());
    cpu::EpilogueEntry entries[2];
    entries[0].kind = EpilogueOp::Kind::batch_norm;
    entries[0].scale = constants;
    entries[0].shift = constants + 1024;
    const cpu::EpilogueArgs epilogue{nullptr, entries};

    cpu::Tiles tiles;
    int64_t tile_rows = 0;
    int64_t bytes = cpu::rows_scratch_bytes(*weights, dtype);
    if (layer.edges != nullptr) {
      tiles = cpu::make_tiles(*layer.edges, layer.direction, cpu::tile_granule);
      tile_rows = options_.tile > 0 ? options_.tile
                                    : cpu::choose_tile_rows(*weights, out_rows, options_.threads);
      bytes = cpu::scratch_bytes(*weights, tile_rows, dtype);
    }
    Floats memory(bytes / 4 * options_.threads);
    const cpu::Scratch scratch{memory.memory.get(), bytes};
    const cpu::ConstMatrix from{x.memory.get(), in_rows, layer.cin, layer.cin, dtype};
    const cpu::Matrix to{y.memory.get(), out_rows, layer.cout, layer.cout, dtype};
    const auto once = [&] {
      arena_.execute([&] {
        if (layer.edges != nullptr) {
          cpu::relation_matmul({&*weights, layer.edges, &tiles, layer.direction, layer.one_edge, tile_rows,
                                from, to, epilogue},
                               scratch);
        } else {
          cpu::rows_matmul({&*weights, from, to, epilogue}, scratch);
        }
      });
    };
    once();
    double best = 1e30;
    double peak = 0;
    for (int i = 0; i < options_.repeat; ++i) {
      if (i % 4 == 0) peak = std::max(peak, peak_of(arena_, options_.threads, simd_.level));
      const double start = seconds(options_.processor_time);
      once();
      best = std::min(best, seconds(options_.processor_time) - start);
    }
    const int64_t pairs = layer.edges != nullptr ? layer.edges->pairs() : layer.rows;
    const double flops = 2.0 * static_cast<double>(pairs * layer.cin * layer.cout);
    const double rate = flops / best * 1e-9;
    std::printf("%-16s %4ld -> %-4ld %8ld pairs  tile %5ld  %8.3f ms %7.1f GFLOP/s  %.3f of %.1f  %s\n",
                layer.name.c_str(), layer.cin, layer.cout, pairs, tile_rows, best * 1e3, rate, rate / peak,
                peak, weights->kernel_name().c_str());
    std::fflush(stdout);
  }

  Options options_;
  tbb::task_arena arena_;
  const cpu::SimdTable& simd_;
};

int main_of(const Options& options) {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                            static_cast<size_t>(options.threads));
  std::vector<std::vector<Voxel>> levels{street()};
  std::erase_if(levels[0], [&](const Voxel& v) { return std::abs(v[0]) >= options.reach; });
  for (int i = 0; i < 4; ++i) levels.push_back(halved(levels.back()));
  std::vector<cpu::Edges> same, down;
  for (size_t i = 0; i < levels.size(); ++i) {
    same.push_back(edges_between(levels[i], levels[i], 3, 1, -1));
    if (i + 1 < levels.size()) down.push_back(edges_between(levels[i], levels[i + 1], 2, 2, 0));
    std::printf("level %zu: %zu voxels, %ld pairs (%.2f a voxel)\n", i, levels[i].size(), same[i].pairs(),
                static_cast<double>(same[i].pairs()) / static_cast<double>(levels[i].size()));
  }
  Bench bench(options);
  const auto rows_at = [&](size_t level) { return static_cast<int64_t>(levels[level].size()); };
  for (const int64_t c : {16, 32, 64, 96, 128, 256})
    bench.run({"subm3 level0", c, c, &same[0], 0, Direction::forward, false});
  bench.run({"subm3 level1", 64, 64, &same[1], 0, Direction::forward, false});
  bench.run({"subm3 level2", 128, 128, &same[2], 0, Direction::forward, false});
  bench.run({"subm3 level3", 256, 256, &same[3], 0, Direction::forward, false});
  bench.run({"subm3 level4", 256, 256, &same[4], 0, Direction::forward, false});
  bench.run({"subm3 level3", 384, 256, &same[3], 0, Direction::forward, false});
  bench.run({"stem level0", 4, 32, &same[0], 0, Direction::forward, false});
  bench.run({"stem level0", 5, 16, &same[0], 0, Direction::forward, false});
  for (const int64_t c : {32, 64, 128, 256})
    bench.run({"down level0", c, c, &down[0], 0, Direction::forward, false});
  bench.run({"down level1", 64, 64, &down[1], 0, Direction::forward, false});
  bench.run({"down level2", 128, 128, &down[2], 0, Direction::forward, false});
  bench.run({"down level3", 256, 256, &down[3], 0, Direction::forward, false});
  bench.run({"up level0", 96, 96, &down[0], 0, Direction::transposed, true});
  bench.run({"up level1", 128, 96, &down[1], 0, Direction::transposed, true});
  bench.run({"up level2", 256, 128, &down[2], 0, Direction::transposed, true});
  bench.run({"up level3", 256, 256, &down[3], 0, Direction::transposed, true});
  bench.run({"up level0", 64, 64, &down[0], 0, Direction::transposed, true});
  bench.run({"rows level0", 128, 96, nullptr, rows_at(0), Direction::forward, false});
  bench.run({"rows level0", 64, 64, nullptr, rows_at(0), Direction::forward, false});
  bench.run({"rows level2", 256, 256, nullptr, rows_at(2), Direction::forward, false});
  bench.run({"rows level1", 1024, 512, nullptr, rows_at(2), Direction::forward, false});
  bench.run({"head level0", 96, 19, nullptr, rows_at(0), Direction::forward, false});
  bench.run({"head level0", 96, 20, nullptr, rows_at(0), Direction::forward, false});
  return 0;
}

}  // namespace
}  // namespace lattice::bench

int main(int count, char** arguments) {
  lattice::bench::Options options;
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    const char* value = i + 1 < count ? arguments[i + 1] : "";
    if (name == "--threads") options.threads = std::max(1, std::atoi(value)), ++i;
    else if (name == "--repeat") options.repeat = std::max(1, std::atoi(value)), ++i;
    else if (name == "--filter") options.filter = value, ++i;
    else if (name == "--tile") options.tile = std::atoll(value), ++i;
    else if (name == "--reach") options.reach = std::atoi(value), ++i;
    else if (name == "--f16") options.half = true;
    else if (name == "--processor-time") options.processor_time = true;
    else if (name == "--all-kernels") options.all_kernels = true;
    else {
      std::fprintf(stderr, "matmul_bench: no option %s\n", arguments[i]);
      return 2;
    }
  }
  return lattice::bench::main_of(options);
}
