// The parts of graphs.h that are no one-liners.
#include "tests/reliability/graphs.h"

#include <fstream>
#include <random>
#include <set>

#include <unistd.h>

namespace lattice::reliability {

int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

Rows random_rows(int64_t count, int64_t channels, int32_t extent, uint32_t seed) {
  std::mt19937 generator(seed);
  const auto below = [&](int32_t bound) {
    return static_cast<int32_t>(generator() % static_cast<uint32_t>(bound));
  };
  std::set<Row> seen;
  std::vector<Row> coords;
  while (static_cast<int64_t>(coords.size()) < count) {
    Row row{0, 0, 0, 0};
    for (size_t axis = 1; axis < 4; ++axis) row[axis] = below(extent) - extent / 2;
    if (seen.insert(row).second) coords.push_back(row);
  }
  std::vector<float> features(static_cast<size_t>(count * channels));
  for (float& feature : features) feature = static_cast<float>(below(2001) - 1000) / 512.0f;
  return Rows(coords, std::move(features));
}

} // namespace lattice::reliability
