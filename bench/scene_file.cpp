// Writes a made-up scene to a file, for benchmarks in other languages. Times nothing.
//   scene_file kitti|kitti-10cm|room FILE.npy      int32 rows batch, x, y, z
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "points/scene.h"
#include "points/write.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: scene_file kitti|kitti-10cm|room FILE.npy\n");
    return 64;
  }
  const auto rows = lattice::scene_rows(argv[1], 1, 1);
  if (!rows) {
    fmt::print(stderr, "scene_file: {}\n", rows.error().what());
    return 1;
  }
  const auto written = lattice::write_npy(
      argv[2], {lattice::DType::i32, {static_cast<int64_t>(rows->size()), 4}, rows->data()});
  if (!written) {
    fmt::print(stderr, "scene_file: {}\n", written.error().what());
    return 1;
  }
  return 0;
}
