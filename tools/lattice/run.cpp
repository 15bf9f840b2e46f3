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
  LATTICE_TRY(const Outputs outputs, session.try_run(inputs, run_options));

  std::optional<PointResult> at_points;
  LATTICE_CHECK(write_results(options, cloud ? &*cloud : nullptr, outputs, at_points));
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
      --voxel-size 0.075 --output scores.npy
  lattice run net --points tile.las --voxel-size 4 --origin min --output tile.png

Points: .bin, .npy, .npz, .ply, .pcd and .las. A graph with one sparse input gets
the mean of the channels over the points of each voxel, floor((p - origin) /
size) in f32; a graph that takes points gets the points. Channels, if --features
is not given: one; x,y,z; x,y,z,i; x,y,z,r,g,b for 1, 3, 4, 6 channels.)";

void add_input_options(CLI::App& app, Options& options) {
  const auto group = [&](const char* name) { return app.add_option_group(name); };
  CLI::Option_group* tensors = group("Inputs from tensors");
  tensors->add_option("--inputs", options.inputs, "Arguments by ABI name")
      ->type_name("FILE.safetensors");
  CLI::Option_group* cloud = group("Inputs from points");
  CloudOptions& c = options.cloud;
  cloud->add_option("--points", c.path, "A point cloud")->type_name("CLOUD");
  cloud->add_option("--voxel-size", c.voxel_size, "Edge of a voxel in the file's unit")
      ->type_name("V|X,Y,Z");
  cloud
      ->add_option("--origin", c.origin,
                   "Corner of voxel 0; min: the least corner of the points. Default 0,0,0")
      ->type_name("min|X,Y,Z");
  cloud->add_option("--features", c.features, "Channels in order: x y z i r g b one, or any column")
      ->type_name("LIST");
  cloud
      ->add_option("--columns", c.read.columns,
                   "Columns of a file that does not say: KITTI 4, nuScenes 5")
      ->check(CLI::PositiveNumber);
  cloud->add_option("--names", c.read.names, "Names of those columns: x,y,z,i,ring")
      ->delimiter(',');
  cloud->add_option("--array", c.read.array, "Array of an .npz; default the first");
  cloud
      ->add_option("--color-max", c.colour_full,
                   "Value of a full r, g, b, scaled to 1; default by type, 255 for bytes")
      ->check(CLI::PositiveNumber);
  cloud->add_option("--intensity-max", c.intensity_full, "The same for i")
      ->check(CLI::PositiveNumber);
  cloud->add_flag("--drop-not-finite", c.drop_not_finite,
                  "Leave out points with NaN or infinite coordinates");
  cloud
      ->add_option("--result", options.result,
                   "Output to map back to points; default the first that can be")
      ->type_name("NAME");
  cloud->add_flag("--labels", options.labels, "Write labels, not values, to .npy");
}

} // namespace

Command add_run(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("run", "Run a network once on tensors or a point cloud");
  app->add_option("DIR", options->directory, "Directory with graph.mlir and weights.safetensors")
      ->required();
  add_input_options(*app, *options);
  CLI::Option_group* results = app->add_option_group("Results");
  results
      ->add_option(
          "--output,-o", options->outputs,
          "Write results; repeat for several: .safetensors, and with --points .ply .npy .png")
      ->type_name("FILE");
  CLI::Option* expect =
      results->add_option("--expect", options->expect, "Compare; exit 2 if they differ")
          ->type_name("FILE.safetensors");
  results->add_option("--rtol", options->tolerance.relative, "Relative tolerance")
      ->capture_default_str()
      ->needs(expect);
  results->add_option("--atol", options->tolerance.absolute, "Absolute tolerance")
      ->capture_default_str()
      ->needs(expect);
  // The object on stdout.
  auto json = std::shared_ptr<bool>(options, &options->json);
  results->add_flag("--json", *json, "Print one JSON object on stdout, nothing else");
  CLI::Option_group* how = app->add_option_group("Execution");
  how->add_option("--device", options->load.device,
                  "cpu, or reference: slow loops to check against")
      ->capture_default_str();
  how->add_option("--threads", options->run.threads, "0: all the process may use")
      ->check(CLI::NonNegativeNumber);
  how->add_option("--max-memory", options->max_memory,
                  "Most memory to hold at once: 1.5G, 200M, bytes")
      ->type_name("SIZE");
  how->add_flag("--trusted", options->run.trusted,
                "Skip the checks that coordinates divide by the stride and are unique");
  how->add_option("--simd", options->load.simd,
                  "Highest level to use: scalar, avx2, avx512. Same results");
  how->add_flag("--allow-unknown-digest", options->load.allow_unknown_digest,
                "Accept a schema digest of no known contract");
  app->footer(examples);
  return {app, json, [options] { return run(*options); }};
}

} // namespace lattice::cli
