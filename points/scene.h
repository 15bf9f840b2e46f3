// Made-up scenes with the statistics of real ones, for benchmarks where no real cloud may be shipped.
// Deterministic: one seed gives one scene on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/status.h"

namespace lattice {

using Voxel = std::array<int32_t, 3>;

// A street as a spinning 64-beam laser sees it, in voxels in ascending (x, y, z): 2,000 azimuths at 0.05 m give
// about 90,000 voxels with some four neighbours each.
std::vector<Voxel> street(int azimuths = 2000, double voxel = 0.05, uint64_t seed = 1);

// A furnished room from all sides at once: surfaces with some thirteen neighbours a voxel.
std::vector<Voxel> room(double voxel, uint64_t seed);

// "kitti" (5 cm), "kitti-10cm", "room" (2 cm); `copies` of it side by side along x. Physical rows (0, x, y, z).
Result<std::vector<std::array<int32_t, 4>>> scene_rows(const std::string& name, int64_t copies, uint64_t seed);

}  // namespace lattice
