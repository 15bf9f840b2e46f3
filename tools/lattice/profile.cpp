// `lattice profile`: a run as a trace for Perfetto or chrome://tracing, one span for each step and
// for each thread at work in it.
#include <fmt/format.h>

#include "base/file.h"
#include "tools/lattice/command.h"
#include "tools/lattice/measure.h"

namespace lattice::cli {
namespace {

struct Options {
  MeasureOptions measure;
  std::string output = "trace.json";
  bool json = false;
};

Json event(const std::string& name, const char* category, double start_us, double duration_us,
           int32_t thread, Json args) {
  return {{"name", name},       {"cat", category}, {"ph", "X"},     {"ts", start_us},
          {"dur", duration_us}, {"pid", 1},        {"tid", thread}, {"args", std::move(args)}};
}

Json trace_of(const RunReport& report) {
  Json events = Json::array();
  events.push_back(event("topology", "topology", 0, report.topology_ms * 1e3, 0,
                         Json{{"voxels", report.voxels}}));
  for (const StepTime& step : report.steps) {
    const Json args{{"where", text_of(step.where)}, {"parameter", step.parameter},
                    {"kernel", step.kernel},        {"rows", step.rows},
                    {"pairs", step.pairs},          {"gflop", step.gflop},
                    {"bytes", step.bytes}};
    const double start = (report.topology_ms + step.start_ms) * 1e3;
    events.push_back(event(step.name, "step", start, step.milliseconds * 1e3, 0, args));
    for (const ThreadTime& thread : step.threads) {
      events.push_back(event(step.name, "thread", start + thread.start_ms * 1e3,
                             thread.milliseconds * 1e3, thread.thread + 1,
                             Json{{"where", text_of(step.where)}}));
    }
  }
  return {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
}

Result<int> run(const Options& options) {
  LATTICE_TRY(const Measured measured, load_measured(options.measure));
  Session session(measured.program);
  session.profile(true);
  for (int warm = 0; warm < 2; ++warm) { // the first run pays for memory that later ones reuse
    const auto outputs = session.try_run(measured.inputs, options.measure.run);
    if (!outputs) return tl::make_unexpected(outputs.error());
  }
  const RunReport& report = session.report();
  LATTICE_CHECK(write_file_atomically(options.output, trace_of(report).dump()));
  if (options.json) {
    LATTICE_CHECK(print_json({{"ok", true},
                              {"written", options.output},
                              {"steps", report.steps.size()},
                              {"total_ms", report.total_ms}}));
  } else {
    LATTICE_CHECK(
        print(fmt::format("{} steps, {:.2f} ms; open it in ui.perfetto.dev\nwritten to {}\n",
                          report.steps.size(), report.total_ms, options.output)));
  }
  return exit_ok;
}

constexpr const char* examples = R"(Examples:
  lattice profile net --scene kitti     writes trace.json
  lattice profile net --points scan.bin --voxel-size 0.05 --output scan.json

Open the file in ui.perfetto.dev or chrome://tracing. Spans of steps carry the
line of graph.mlir they come from.)";

} // namespace

Command add_profile(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("profile", "Write a trace of one run");
  add_measure_options(*app, options->measure);
  app->add_option("--output,-o", options->output, "The trace")
      ->capture_default_str()
      ->type_name("FILE");
  auto json = std::shared_ptr<bool>(options, &options->json);
  add_json(*app, *json);
  app->footer(examples);
  return {app, json, [options] { return run(*options); }};
}

} // namespace lattice::cli
