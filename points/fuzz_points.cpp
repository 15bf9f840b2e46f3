// libFuzzer entry for all readers and what runs on their clouds.
// The first byte chooses the format, the rest is the file.
#include <cstdlib>

#include "points/features.h"
#include "points/read.h"
#include "points/voxelize.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lattice;
  static const char* const names[] = {"a.bin", "a.pcd.bin", "a.npy", "a.npz",
                                      "a.ply", "a.pcd",     "a.las"};
  if (size == 0) return 0;
  auto cloud = read_points(std::as_bytes(std::span(data + 1, size - 1)),
                           names[data[0] % std::size(names)], {});
  if (!cloud) return 0;
  drop_not_finite(*cloud);
  const auto positions = make_positions(*cloud, extent_of(*cloud).low);
  if (!positions) std::abort(); // a cloud that was read can always be moved and rounded
  const std::span<const float> points(positions->as<float>(),
                                      static_cast<size_t>(cloud->size()) * 3);
  const auto usable = usable_rows(points, {});
  const auto voxels = voxelize(points, {});
  // What voxelize accepts and what usable_rows keeps must be the same.
  if (!usable || voxels.has_value() != (static_cast<int64_t>(usable->rows.size()) == cloud->size()))
    std::abort();
  return 0;
}
