// From an artifact to a plan. The one place where the executor meets the compiler side; no MLIR in sight.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "lattice/lattice.hpp"
#include "plan/plan.h"

namespace lattice {

// Loads, verifies and lowers; all that does not depend on the values of inputs is decided here.
Result<std::shared_ptr<const Plan>> load_plan(const std::filesystem::path& directory, const LoadOptions& options);
Result<std::shared_ptr<const Plan>> load_plan_memory(const std::string& graph, std::span<const std::byte> weights,
                                                     const LoadOptions& options);

}  // namespace lattice
