// Inputs and timing that `bench` and `profile` share. Prints nothing.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "artifact/safetensors.h"
#include "lattice/lattice.hpp"
#include "tools/lattice/cloud_run.h"
#include "tools/lattice/console.h"

namespace lattice::cli {

// Where the inputs of a measurement come from: one of the three.
struct MeasureOptions {
  std::string directory;
  std::string inputs; // safetensors
  CloudOptions cloud;
  std::string scene;  // "kitti", "room"
  int64_t copies = 1; // of the scene, side by side
  LoadOptions load;
  RunOptions run;
};

void add_measure_options(CLI::App& app, MeasureOptions& options);

// A loaded program with inputs ready to be bound.
struct Measured {
  Program program;
  double load_ms = 0;
  SafetensorsFile file;
  CloudInputs cloud;
  std::vector<Tensor> made; // of a scene
  Inputs inputs;
};
Result<Measured> load_measured(const MeasureOptions& options);

struct Times {
  double p50 = 0, p95 = 0, min = 0;
};
Times times_of(std::vector<double> milliseconds);
Json json_of(const Times& times);

} // namespace lattice::cli
