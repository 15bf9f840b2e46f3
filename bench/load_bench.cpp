// Many sessions of one program at once, each on a thread of its own: how long their runs take, how
// evenly the processor is shared, and whether they wait for each other. Says nothing of how fast a
// run is alone.
//   load_bench [--sessions 64] [--runs 20] [--threads 1,0] [--voxels 10000] [--net DIR] [--hot]
//   [--json]
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifact/safetensors.h"
#include "author/networks.h"
#include "lattice/lattice.hpp"
#include "points/scene.h"

namespace lattice::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  int32_t sessions = 64;
  int32_t runs = 20;                  // that every session must do; the others go on meanwhile
  std::vector<int32_t> threads{1, 0}; // of a run; 0: all
  int64_t voxels = 10000;
  std::string net; // an artifact with a sparse input of 4 channels; empty: the network "tiny"
  bool hot = false;
  bool json = false;
};

template <class T>
T must(Result<T> result) {
  if (!result) throw result.error();
  return *std::move(result);
}

Program load(const std::string& directory) {
  if (!directory.empty()) return Program::load(directory);
  const author::GraphBuilder builder = must(author::make_network("tiny"));
  const author::Graph graph = must(builder.graph());
  return Program::load_memory(graph.text, must(safetensors_bytes(graph.weights)));
}

// The voxels of a street that are nearest to its sensor.
struct Cloud {
  std::vector<int32_t> coords;
  std::vector<float> features;

  explicit Cloud(int64_t voxels) {
    auto rows = must(scene_rows("kitti", 1, 1));
    const auto distance = [](const std::array<int32_t, 4>& row) {
      return std::hypot(static_cast<double>(row[1]), static_cast<double>(row[2]));
    };
    std::sort(rows.begin(), rows.end(),
              [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
    rows.resize(std::min(rows.size(), static_cast<size_t>(voxels)));
    for (const auto& row : rows) {
      coords.insert(coords.end(), row.begin(), row.end());
      for (const int32_t c : row) features.push_back(static_cast<float>(c) * 0.05f);
    }
  }
  Inputs inputs(const Program& program) const {
    const auto rows = static_cast<int64_t>(coords.size() / 4);
    return {{program.signature().groups.at(0).name,
             SparseView{{DType::i32, {rows, 4}, coords.data()},
                        {DType::f32, {rows, 4}, features.data()}}}};
  }
};

bool same_bits(const Outputs& a, const Outputs& b) {
  const auto features = [](const Outputs& outputs) -> const Tensor& {
    return outputs[0].is_sparse() ? outputs[0].sparse().features : outputs[0].tensor();
  };
  const TensorView x = features(a).view(), y = features(b).view();
  if (x.shape != y.shape) return false;
  size_t bytes = x.dtype == DType::f16 ? 2 : 4;
  for (const int64_t extent : x.shape) bytes *= static_cast<size_t>(extent);
  return std::memcmp(x.data, y.data, bytes) == 0;
}

// What `sessions` did together.
struct Load {
  std::string work;
  int32_t sessions = 0;
  double seconds = 0;
  std::vector<std::vector<double>> milliseconds; // of the runs of each session
  int64_t waits = 0;                             // times that a thread gave its core up to wait
  bool right = true;                             // every result as the first
};

int64_t voluntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
}

// A run of one session: does it, and gives a check of its result that is not timed.
using Check = std::function<bool()>;
using Run = std::function<Check()>;

// Every session goes on until each has done `runs`, so that the load is the same from the first run
// to the last.
Load measure(const std::string& work, int32_t sessions, int32_t runs,
             const std::function<Run()>& make_session) {
  Load load;
  load.work = work;
  load.sessions = sessions;
  load.milliseconds.resize(static_cast<size_t>(sessions));
  std::atomic<int32_t> unfinished = sessions;
  std::atomic<bool> right = true;
  std::barrier<> start(sessions + 1), end(sessions + 1);
  std::vector<std::thread> workers;
  for (std::vector<double>& milliseconds : load.milliseconds) {
    workers.emplace_back([&] {
      const Run run = make_session();
      (void)run(); // the first run finds its scratch memory
      start.arrive_and_wait();
      while (unfinished > 0) {
        const auto begin = Clock::now();
        const Check check = run();
        const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
        milliseconds.push_back(took.count());
        if (!check()) right = false;
        if (milliseconds.size() == static_cast<size_t>(runs)) --unfinished;
      }
      end.arrive_and_wait();
    });
  }
  start.arrive_and_wait();
  const auto begin = Clock::now();
  const int64_t waits = voluntary_switches();
  end.arrive_and_wait();
  load.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  load.waits = voluntary_switches() - waits - sessions; // each waits once for the end
  for (std::thread& worker : workers) worker.join();
  load.right = right;
  return load;
}

std::function<Run()> sessions_of(const Program& program, const Inputs& inputs, bool hot,
                                 const RunOptions& options) {
  const Topology topology = program.prepare(inputs, options);
  const auto expected = std::make_shared<const Outputs>(Session(program).run(inputs, options));
  return [=]() -> Run {
    return [=, session = std::make_shared<Session>(program)]() -> Check {
      auto outputs = std::make_shared<Result<Outputs>>(
          hot ? session->try_run(topology, inputs, options) : session->try_run(inputs, options));
      return [=] { return *outputs && same_bits(**outputs, *expected); };
    };
  };
}

double sum_of(int64_t steps) {
  double sum = 1;
  for (int64_t i = 0; i < steps; ++i) sum = sum * 0.999 + 1;
  return sum;
}

// Arithmetic that takes `milliseconds` on an idle core, and touches no memory.
std::function<Run()> arithmetic_of(double milliseconds) {
  constexpr int64_t trial = 1000000;
  double best = 1e30;
  for (int i = 0; i < 5; ++i) {
    const auto begin = Clock::now();
    const bool grown = sum_of(trial) > 1;
    const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
    if (grown) best = std::min(best, took.count());
  }
  const auto steps = static_cast<int64_t>(milliseconds / best * static_cast<double>(trial));
  return [steps]() -> Run {
    return [steps]() -> Check {
      const double sum = sum_of(steps);
      return [sum] { return sum > 0; };
    };
  };
}

double at(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(std::lround(share * static_cast<double>(values.size() - 1)))];
}

struct Figures {
  int64_t runs = 0, fewest = 0, most = 0;  // in all; of a session
  double per_second = 0, p50 = 0, p99 = 0; // of all runs
  double fastest_p50 = 0, slowest_p50 = 0; // of a session
  double waits_a_run = 0;
};

Figures figures_of(const Load& load) {
  Figures figures;
  std::vector<double> all, p50;
  figures.fewest = static_cast<int64_t>(load.milliseconds[0].size());
  for (const std::vector<double>& session : load.milliseconds) {
    all.insert(all.end(), session.begin(), session.end());
    p50.push_back(at(session, 0.5));
    figures.fewest = std::min(figures.fewest, static_cast<int64_t>(session.size()));
    figures.most = std::max(figures.most, static_cast<int64_t>(session.size()));
  }
  figures.runs = static_cast<int64_t>(all.size());
  figures.per_second = static_cast<double>(all.size()) / load.seconds;
  figures.p50 = at(all, 0.5);
  figures.p99 = at(all, 0.99);
  figures.fastest_p50 = *std::min_element(p50.begin(), p50.end());
  figures.slowest_p50 = *std::max_element(p50.begin(), p50.end());
  figures.waits_a_run =
      static_cast<double>(std::max<int64_t>(load.waits, 0)) / static_cast<double>(all.size());
  return figures;
}

nlohmann::ordered_json json_of(const Load& load, const Figures& figures) {
  return {{"work", load.work},
          {"sessions", load.sessions},
          {"runs", figures.runs},
          {"runs_per_second", figures.per_second},
          {"p50_ms", figures.p50},
          {"p99_ms", figures.p99},
          {"session_p50_ms", {{"fastest", figures.fastest_p50}, {"slowest", figures.slowest_p50}}},
          {"session_runs", {{"fewest", figures.fewest}, {"most", figures.most}}},
          {"waits_per_run", figures.waits_a_run},
          {"right", load.right}};
}

std::string text_of(const Load& load, const Figures& figures, double alone) {
  return fmt::format("{:<20} {:>8} {:>8.1f} {:>6.2f}x {:>8.1f} {:>8.1f} {:>7.1f} to {:>6.1f} {:>5} "
                     "to {:>4} {:>9.2f}\n",
                     load.work, load.sessions, figures.per_second, figures.per_second / alone,
                     figures.p50, figures.p99, figures.fastest_p50, figures.slowest_p50,
                     figures.fewest, figures.most, figures.waits_a_run);
}

int run(const Options& options) {
  const Program program = load(options.net);
  const Cloud cloud(options.voxels);
  const Inputs inputs = cloud.inputs(program);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  bool right = true;
  if (!options.json) {
    fmt::print(
        "{} voxels, maps {}, {} cores\n{:<20} {:>8} {:>8} {:>7} {:>8} {:>8} {:>17} {:>13} {:>9}\n",
        cloud.coords.size() / 4, options.hot ? "kept" : "new in each run",
        std::thread::hardware_concurrency(), "a run", "sessions", "runs/s", "alone", "p50 ms",
        "p99 ms", "p50 of a session", "its runs", "waits/run");
  }
  double alone = 0, alone_ms = 0;
  const auto show = [&](const Load& load) {
    const Figures figures = figures_of(load);
    if (load.sessions == 1) {
      alone = figures.per_second;
      alone_ms = at(load.milliseconds[0], 0);
    }
    right = right && load.right;
    json.push_back(json_of(load, figures));
    if (!options.json) fmt::print("{}", text_of(load, figures, alone));
    std::fflush(stdout);
  };
  for (const int32_t threads : options.threads) {
    const std::string work = threads == 0   ? "all threads"
                             : threads == 1 ? "1 thread"
                                            : fmt::format("{} threads", threads);
    const auto make = sessions_of(program, inputs, options.hot, {.threads = threads});
    show(measure(work, 1, options.runs * 5, make));
    show(measure(work, options.sessions, options.runs, make));
    if (threads != 1) continue;
    const auto arithmetic = arithmetic_of(alone_ms);
    show(measure("arithmetic", 1, options.runs * 5, arithmetic));
    show(measure("arithmetic", options.sessions, options.runs, arithmetic));
  }
  if (options.json) fmt::print("{}\n", json.dump());
  if (!right) fmt::print(stderr, "load_bench: a run failed or gave other bits than the first\n");
  return right ? 0 : 1;
}

} // namespace
} // namespace lattice::bench

int main(int argc, char** argv) {
  using lattice::bench::Options;
  Options options;
  CLI::App app("Many sessions of one program at once");
  app.add_option("--sessions", options.sessions)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--runs", options.runs, "Of every session at least")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--threads", options.threads, "Of a run, or several; 0: all")
      ->delimiter(',')
      ->check(CLI::NonNegativeNumber);
  app.add_option("--voxels", options.voxels)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--net", options.net, "An artifact whose only input is sparse with 4 channels");
  app.add_flag("--hot", options.hot, "Keep the maps");
  app.add_flag("--json", options.json);
  CLI11_PARSE(app, argc, argv);
  try {
    return lattice::bench::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "load_bench: {}\n", error.what());
    return 1;
  }
}
