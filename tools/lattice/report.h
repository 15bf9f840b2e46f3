// The page that `run --report` writes: one HTML file with all it needs inside. Shows what a run
// gave; computes nothing.
#pragma once

#include <optional>
#include <string>

#include "lattice/lattice.hpp"
#include "tools/lattice/cloud_run.h"

namespace lattice::cli {

struct ReportPage {
  std::string artifact;
  const Program* program = nullptr;
  const RunReport* report = nullptr; // with the times of the steps
  double load_ms = 0;
  const Outputs* outputs = nullptr;
  const CloudInputs* cloud = nullptr;     // null: the first sparse output is what there is to see
  const PointResult* at_points = nullptr; // of the cloud; null: points without a result
};

// Most points that the page holds; of larger clouds every n-th is taken and the page says so.
inline constexpr int64_t most_report_points = 300'000;

Status write_report(const std::string& path, const ReportPage& page);

} // namespace lattice::cli
