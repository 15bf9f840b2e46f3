// `lattice bench`: cold maps, hot maps and first result of a program on one input, against the
// machine's limit measured in the same run.
#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "kernels/cpu/matmul/fma_peak.h"
#include "tools/lattice/command.h"
#include "tools/lattice/measure.h"
#include "tools/lattice/progress.h"

namespace lattice::cli {
namespace {

struct Options {
  MeasureOptions measure;
  int32_t repeat = 20;
  bool json = false;
};

using Clock = std::chrono::steady_clock;
const Clock::time_point process_start = Clock::now(); // when the program's code was there

double since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Layer {
  StepTime step;
  std::vector<double> milliseconds;
};

struct Figures {
  RunReport report;
  double peak_gflops = 0; // of an FMA loop in registers, with the same threads
  double first_ms = 0, load_ms = 0;
  std::vector<double> cold, hot, topology;
  std::vector<Layer> layers;
};

// The limit is the best of three tries over the run: the machine may be slower at times, never
// faster.
class Limit {
 public:
  Limit(const Program& program, int32_t threads) : threads_(threads) {
    level_ = program.device() == "cpu" ? cpu::best_simd_level() : cpu::SimdLevel::scalar;
  }
  void measure() { best_ = std::max(best_, cpu::fma_gflops(level_, 0.1, threads_)); }
  double best() const { return best_; }

 private:
  cpu::SimdLevel level_;
  int32_t threads_;
  double best_ = 0;
};

Result<Figures> measure(const Options& options) {
  Figures figures;
  LATTICE_TRY(const Measured measured, load_measured(options.measure));
  const RunOptions& run = options.measure.run;
  figures.load_ms = measured.load_ms;
  Session session(measured.program);
  LATTICE_TRY(Outputs outputs, session.try_run(measured.inputs, run));
  figures.first_ms = since(process_start);

  const int32_t threads = session.report().threads;
  Limit limit(measured.program, threads);
  Progress progress("bench", int64_t{options.repeat} * 2 + 3);
  limit.measure();
  for (int32_t i = 0; i < options.repeat; ++i) {
    const auto start = Clock::now();
    LATTICE_TRY(outputs, session.try_run(measured.inputs, run));
    figures.cold.push_back(since(start));
    figures.topology.push_back(session.report().topology_ms);
    progress.step();
  }
  limit.measure();
  LATTICE_TRY(const Topology topology, measured.program.try_prepare(measured.inputs, run));
  for (int32_t i = 0; i < options.repeat; ++i) {
    const auto start = Clock::now();
    LATTICE_TRY(outputs, session.try_run(topology, measured.inputs, run));
    figures.hot.push_back(since(start));
    progress.step();
  }
  limit.measure();
  session.profile(true);
  for (int32_t i = 0; i < 3; ++i) {
    LATTICE_TRY(outputs, session.try_run(topology, measured.inputs, run));
    const std::vector<StepTime>& steps = session.report().steps;
    figures.layers.resize(steps.size());
    for (size_t s = 0; s < steps.size(); ++s) {
      figures.layers[s].step = steps[s];
      figures.layers[s].milliseconds.push_back(steps[s].milliseconds);
    }
    progress.step();
  }
  figures.report = session.report();
  figures.peak_gflops = limit.best();
  return figures;
}

Json json_of(const Figures& figures) {
  const RunReport& report = figures.report;
  Json layers = Json::array();
  for (const Layer& layer : figures.layers) {
    const double ms = times_of(layer.milliseconds).p50;
    layers.push_back({{"name", layer.step.name},
                      {"parameter", layer.step.parameter},
                      {"location", text_of(layer.step.where)},
                      {"kernel", layer.step.kernel},
                      {"rows", layer.step.rows},
                      {"pairs", layer.step.pairs},
                      {"gflop", layer.step.gflop},
                      {"bytes", layer.step.bytes},
                      {"ms", ms},
                      {"gflops", ms > 0 ? layer.step.gflop / ms * 1e3 : 0}});
  }
  const Times cold = times_of(figures.cold), hot = times_of(figures.hot);
  const auto share = [&](double ms) {
    return ms > 0 ? report.gflop / ms * 1e3 / figures.peak_gflops : 0;
  };
  return {{"ok", true},
          {"voxels", report.voxels},
          {"pairs", report.pairs},
          {"gflop", report.gflop},
          {"threads", report.threads},
          {"simd", report.simd},
          {"fma_peak_gflops", figures.peak_gflops},
          {"cold_ms", json_of(cold)},
          {"hot_ms", json_of(hot)},
          {"cold_share", share(cold.p50)},
          {"hot_share", share(hot.p50)},
          {"topology_ms", {{"p50", times_of(figures.topology).p50}}},
          {"load_ms", figures.load_ms},
          {"first_ms", figures.first_ms},
          {"peak_bytes", report.peak_bytes},
          {"live_bytes", report.live_bytes},
          {"layers", std::move(layers)}};
}

std::string text_of(const Figures& figures) {
  const RunReport& report = figures.report;
  std::string text = fmt::format("{:<28} {:>9} {:>8} {:>8} {:>8} {:>6}\n", "layer", "pairs",
                                 "GFLOP", "ms", "GFLOP/s", "peak");
  for (const Layer& layer : figures.layers) {
    const double ms = times_of(layer.milliseconds).p50;
    std::string name = layer.step.parameter.empty() ? layer.step.name : layer.step.parameter;
    if (name.size() > 28) name = name.substr(0, 27) + "~";
    const double rate = ms > 0 ? layer.step.gflop / ms * 1e3 : 0;
    text +=
        fmt::format("{:<28} {:>9} {:>8.3f} {:>8.3f}", name, layer.step.pairs, layer.step.gflop, ms);
    text += layer.step.gflop > 0
                ? fmt::format(" {:>8.1f} {:>5.0f}%\n", rate, 100 * rate / figures.peak_gflops)
                : "\n";
  }
  const auto line = [&](const char* name, const std::vector<double>& values) {
    const Times times = times_of(values);
    const int digits = times.p95 < 1000 ? 2 : 0; // so that 80 columns hold the line
    return fmt::format(
        "{:<10} {:>9.{}f} ms p50, {:.{}f} p95, {:.{}f} min; {:.1f} GFLOP/s, {:.0f}% of peak\n",
        name, times.p50, digits, times.p95, digits, times.min, digits,
        report.gflop / times.p50 * 1e3, 100 * report.gflop / times.p50 * 1e3 / figures.peak_gflops);
  };
  text += fmt::format("\nvoxels     {}, {} pairs, {:.2f} GFLOP\nmachine    {} threads, {}, FMA "
                      "peak {:.1f} GFLOP/s\n",
                      grouped(report.voxels), grouped(report.pairs), report.gflop, report.threads,
                      report.simd, figures.peak_gflops);
  text += line("cold maps", figures.cold) + line("hot maps", figures.hot);
  text += fmt::format("topology   {:>9.2f} ms p50 of a cold run\nfirst      {:>9.2f} ms from start "
                      "to result, {:.2f} of it load\n",
                      times_of(figures.topology).p50, figures.first_ms, figures.load_ms);
  text += fmt::format("memory     {} at the peak, {} alive at once\n",
                      human_bytes(report.peak_bytes), human_bytes(report.live_bytes));
  return text;
}

Result<int> run(const Options& options) {
  LATTICE_TRY(const Figures figures, measure(options));
  if (options.json) {
    LATTICE_CHECK(print_json(json_of(figures)));
  } else {
    LATTICE_CHECK(print(text_of(figures)));
  }
  return exit_ok;
}

constexpr const char* examples = R"(Examples:
  lattice bench net --scene kitti       no file needed: made-up voxels
  lattice bench net --points scan.bin --voxel-size 0.05 --threads 1 --repeat 50
  lattice bench net --scene kitti --copies 10 --json > figures.json

cold: new coordinates each time; hot: the topology is kept; first: from the
start of the program to the first result. peak: share of an FMA loop in
registers with the same threads in the same run.)";

} // namespace

Command add_bench(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("bench", "Time a network and each of its layers");
  add_measure_options(*app, options->measure);
  app->add_option("--repeat", options->repeat, "Runs to take the median of")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  auto json = std::shared_ptr<bool>(options, &options->json);
  add_json(*app, *json);
  app->footer(examples);
  return {app, json, [options] { return run(*options); }};
}

} // namespace lattice::cli
