// `lattice run`: binds inputs from a tensor file or a point cloud, runs once, writes and checks
// results.
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "artifact/safetensors.h"
#include "lattice/lattice.hpp"
#include "tools/lattice/cloud_run.h"
#include "tools/lattice/command.h"
#include "tools/lattice/compare.h"
#include "tools/lattice/console.h"
#include "tools/lattice/report.h"
#include "tools/lattice/results.h"

namespace lattice::cli {
namespace {

struct Options {
  std::string directory;
  std::string inputs;
  CloudOptions cloud;
  std::string result; // output to map back to points
  bool labels = false;
  std::string expect;
  Tolerance tolerance;
  std::vector<std::string> outputs;
  std::string report; // a page
  LoadOptions load;
  RunOptions run;
  std::string max_memory;
  bool json = false;
};

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::string ending_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

bool is_point_file(const std::string& path) {
  const std::string ending = ending_of(path);
  return ending == ".ply" || ending == ".npy" || ending == ".png";
}

// What can be seen to be wrong before anything is loaded.
Status check(const Options& options) {
  const auto usage = [](std::string message) { return fail(Code::usage, std::move(message)); };
  if (options.inputs.empty() == options.cloud.path.empty()) {
    return usage(
        "give the inputs by --inputs FILE.safetensors or by --points CLOUD, one of the two");
  }
  for (const double value : {options.tolerance.relative, options.tolerance.absolute}) {
    if (!std::isfinite(value) || value < 0)
      return usage("--rtol and --atol take numbers of 0 or more");
  }
  for (const std::string& path : options.outputs) {
    if (is_point_file(path)) {
      if (options.cloud.path.empty())
        return usage(fmt::format("--output {}: results for points need --points", path));
    } else if (ending_of(path) != ".safetensors") {
      return usage(
          fmt::format("--output {}: the ending must be .safetensors, .ply, .npy or .png", path));
    }
  }
  return {};
}

// Arguments by their names in the file. What the graph does not know is for the library to refuse.
Inputs inputs_of(const SafetensorsFile& file) {
  Inputs inputs;
  for (const SafetensorsEntry& entry : file.entries()) inputs.emplace_back(entry.name, entry.view);
  return inputs;
}

Json cloud_json(const CloudInputs& cloud) {
  return {{"file_points", cloud.file_points},
          {"points", cloud.points()},
          {"dropped", cloud.dropped()},
          {"origin", cloud.origin}};
}

Json mismatch_json(const Mismatch& mismatch) {
  Json object{{"key", mismatch.key}, {"message", mismatch.message}};
  if (!mismatch.worst) return object;
  const WorstElement& worst = *mismatch.worst;
  object["over"] = mismatch.over;
  object["total"] = mismatch.total;
  Json element{{"got", json_number(worst.got)}, {"expected", json_number(worst.expected)}};
  if (worst.coordinate) {
    element["coordinate"] = *worst.coordinate;
    element["channel"] = worst.index.front();
  } else {
    element["index"] = worst.index;
  }
  object["worst"] = std::move(element);
  return object;
}

Json comparison_json(const Comparison& comparison, const Options& options) {
  Json mismatches = Json::array();
  for (const Mismatch& each : comparison.mismatches) mismatches.push_back(mismatch_json(each));
  return {{"file", options.expect},
          {"rtol", options.tolerance.relative},
          {"atol", options.tolerance.absolute},
          {"match", comparison.mismatches.empty()},
          {"values", comparison.values},
          {"largest_difference", comparison.largest_difference},
          {"mismatches", std::move(mismatches)}};
}

Status write_results(const Options& options, const CloudInputs* cloud, const Outputs& outputs,
                     std::optional<PointResult>& at_points) {
  for (const std::string& path : options.outputs) {
    if (!is_point_file(path)) {
      LATTICE_CHECK(write_outputs(path, outputs));
      continue;
    }
    if (!at_points) {
      LATTICE_TRY(at_points, result_at_points(*cloud, outputs, options.result));
      if (at_points->without_row > 0) {
        warn(fmt::format("{} of {} points have no row in output {}",
                         grouped(at_points->without_row), grouped(cloud->points()),
                         at_points->output));
      }
    }
    LATTICE_CHECK(write_point_result(path, *cloud, *at_points, options.labels));
  }
  return {};
}

// A cloud whose outputs say nothing of its points is shown without a result, unless one was asked
// for.
Status write_page(const Options& options, const ReportPage& base,
                  std::optional<PointResult>& at_points) {
  ReportPage page = base;
  if (page.cloud != nullptr && !at_points) {
    Result<PointResult> result = result_at_points(*page.cloud, *page.outputs, options.result);
    if (result) {
      at_points = std::move(*result);
    } else if (!options.result.empty()) {
      return tl::make_unexpected(result.error());
    }
  }
  if (at_points) page.at_points = &*at_points;
  return write_report(options.report, page);
}

Result<int> run(const Options& options) {
  LATTICE_CHECK(check(options));
  RunOptions run_options = options.run;
  if (!options.max_memory.empty()) {
    LATTICE_TRY(run_options.max_memory, parse_bytes(options.max_memory));
    if (run_options.max_memory == 0)
      return fail(Code::usage, "--max-memory 0: a run needs some memory");
  }

  const Clock::time_point start = Clock::now();
  LATTICE_TRY(const Program program, Program::try_load(options.directory, options.load));
  const double load_ms = milliseconds_since(start);

  SafetensorsFile file;
  std::optional<CloudInputs> cloud;
  Inputs inputs;
  if (options.cloud.path.empty()) {
    LATTICE_TRY(file, SafetensorsFile::open(options.inputs));
    inputs = inputs_of(file);
  } else {
    LATTICE_TRY(cloud, make_cloud_inputs(options.cloud, program.signature()));
    inputs = cloud->inputs;
    if (cloud->dropped() > 0)
      note(fmt::format("{} points that are not finite were dropped", grouped(cloud->dropped())));
  }
  SafetensorsFile expected;
  if (!options.expect.empty()) {
    LATTICE_TRY(expected, SafetensorsFile::open(options.expect));
  }

  Session session(program);
  session.profile(!options.report.empty());
  LATTICE_TRY(const Outputs outputs, session.try_run(inputs, run_options));

  std::optional<PointResult> at_points;
  LATTICE_CHECK(write_results(options, cloud ? &*cloud : nullptr, outputs, at_points));
  if (!options.report.empty()) {
    const ReportPage page{options.directory,         &program, &session.report(), load_ms, &outputs,
                          cloud ? &*cloud : nullptr, nullptr};
    LATTICE_CHECK(write_page(options, page, at_points));
  }
  std::optional<Comparison> comparison;
  if (!options.expect.empty()) comparison = compare(outputs, expected, options.tolerance);
  const bool match = !comparison || comparison->mismatches.empty();
  if (!match) {
    for (const Mismatch& each : comparison->mismatches) note("mismatch: " + text_of(each));
  }

  if (options.json) {
    Json object{{"ok", match}, {"artifact", options.directory}, {"load_ms", load_ms}};
    object.update(json_of(session.report(), program.device()));
    if (cloud) object["cloud"] = cloud_json(*cloud);
    object["outputs"] = Json::array();
    for (const Output& output : outputs) object["outputs"].push_back(json_of(output));
    if (comparison) object["expect"] = comparison_json(*comparison, options);
    object["written"] = options.outputs;
    if (!options.report.empty()) object["report"] = options.report;
    LATTICE_CHECK(print_json(object));
  } else {
    std::string text = cloud ? fmt::format("points     {}\n", grouped(cloud->points())) : "";
    text += text_of(session.report(), program.device()) + "outputs\n";
    for (const Output& output : outputs) text += text_of(output);
    if (comparison && match) {
      text += fmt::format("expected   all {} values match, largest difference {:.3g}\n",
                          grouped(comparison->values), comparison->largest_difference);
    }
    for (const std::string& path : options.outputs) text += fmt::format("written    {}\n", path);
    if (!options.report.empty()) text += fmt::format("report     {}\n", options.report);
    LATTICE_CHECK(print(text));
  }
  return match ? exit_ok : exit_mismatch;
}

constexpr const char* examples = R"(Examples:
  lattice run net --inputs in.safetensors --output out.safetensors
      arguments by their names; results as NAME, or NAME.coords, NAME.features
      and NAME.active
  lattice run net --inputs in.safetensors --expect out.safetensors --rtol 1e-4
      exits 2 and names the worst element if a result differs
  lattice run net --points scan.bin --voxel-size 0.05 --output labels.ply
      KITTI scan to labelled, coloured points
  lattice run net --points sweep.pcd.bin --columns 5 --features x,y,z,i,ring \
      --voxel-size 0.075 --output scores.npy --output scores.ply
  lattice run net --points tile.las --voxel-size 4 --origin min -o tile.png
  lattice run net --points scan.bin --voxel-size 0.05 --report scan.html
      a page to open in a browser: the cloud in 3D, coloured by the result, the
      time of each layer, the signature

Points: .bin, .npy, .npz, .ply, .pcd and .las. A graph with one sparse input
gets the mean of the channels over the points of each voxel, floor((p - origin)
/ size) in f32; a graph that takes points gets the points. Channels, if not
given: one; x,y,z; x,y,z,i; x,y,z,r,g,b for 1, 3, 4, 6 of them. x, y and z are
relative to the origin, i and colours 0 to 1 of their full value.

Results: .safetensors holds the outputs. With --points each point gets the
result of its voxel: .ply has the points with label, colour and values, .npy a
row for every row of the file (NaN where it was dropped), .png a picture. A
label is the channel of the largest value.)";

void add_input_options(CLI::App& app, Options& options) {
  app.add_option("--inputs", options.inputs, "A .safetensors file: arguments by their names")
      ->type_name("FILE")
      ->group("Inputs from tensors");
  CloudOptions& cloud = options.cloud;
  const auto add = [&](const char* name, auto& value, const char* type, const char* help) {
    return app.add_option(name, value, help)->type_name(type)->group("Inputs from points");
  };
  add("--points", cloud.path, "CLOUD", "A point cloud");
  add("--voxel-size", cloud.voxel_size, "V|X,Y,Z", "Edge of a voxel, in the file's unit");
  add("--origin", cloud.origin, "min|X,Y,Z", "Corner of voxel 0; min: of the cloud. [0,0,0]");
  add("--features", cloud.features, "LIST", "Channels: x y z i r g b one or any column");
  add("--columns", cloud.read.columns, "N", "How many, of a file that does not say [.bin 4]")
      ->check(CLI::PositiveNumber);
  add("--names", cloud.read.names, "LIST", "Names of those columns: x,y,z,i,ring")->delimiter(',');
  add("--array", cloud.read.array, "NAME", "Array of an .npz [the first]");
  add("--color-max", cloud.colour_full, "V", "A full r, g, b, to be 1 [255 for bytes ...]")
      ->check(CLI::PositiveNumber);
  add("--intensity-max", cloud.intensity_full, "V", "A full i, to be 1 [65535 for u16 ...]")
      ->check(CLI::PositiveNumber);
  app.add_flag("--drop-not-finite", cloud.drop_not_finite, "Leave out points with NaN or infinity")
      ->group("Inputs from points");
}

void add_result_options(CLI::App& app, Options& options) {
  const auto add = [&](const char* name, auto& value, const char* type, const char* help) {
    return app.add_option(name, value, help)->type_name(type)->group("Results");
  };
  add("-o,--output", options.outputs, "FILE", "Write results; may be given again")
      ->allow_extra_args(false);
  add("--report", options.report, "HTML", "One page: 3D view, layers, signature");
  add("--result", options.result, "NAME", "Output for points [the first that fits]");
  app.add_flag("--labels", options.labels, "Labels in .npy, not values")->group("Results");
  CLI::Option* expect = add("--expect", options.expect, "FILE", "Compare; exit 2 if they differ");
  add("--rtol", options.tolerance.relative, "R", "Relative tolerance [1e-4]")->needs(expect);
  add("--atol", options.tolerance.absolute, "A", "Absolute tolerance [1e-5]")->needs(expect);
  add_json(app, options.json)->group("Results");
}

void add_execution_options(CLI::App& app, Options& options) {
  const auto add = [&](const char* name, auto& value, const char* type, const char* help) {
    return app.add_option(name, value, help)->type_name(type)->group("Execution");
  };
  add("--device", options.load.device, "NAME", "cpu, or reference: slow, to check [cpu]");
  add_threads(app, options.run.threads)->group("Execution");
  add("--max-memory", options.max_memory, "SIZE", "To hold at once: 1.5G, 200M, bytes");
  add("--simd", options.load.simd, "LEVEL", "At most scalar, avx2, avx512; same results");
  app.add_flag("--trusted", options.run.trusted, "Skip checks: coordinates divide, are unique")
      ->group("Execution");
  add_allow_unknown_digest(app, options.load.allow_unknown_digest)->group("Execution");
}

} // namespace

Command add_run(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("run", "Run a network once on tensors or a point cloud");
  add_directory(*app, options->directory);
  add_input_options(*app, *options);
  add_result_options(*app, *options);
  add_execution_options(*app, *options);
  app->footer(examples);
  return {app, {options, &options->json}, [options] { return run(*options); }};
}

} // namespace lattice::cli
