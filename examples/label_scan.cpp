// label_scan NETWORK SCAN.bin OUT.label [VOXEL_SIZE]: a KITTI scan (f32 x, y, z, intensity) in, a
// uint32 label for each point out. The network takes these four values as the channels of one
// sparse input and gives class scores for each voxel; points share the label of their voxel.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>

#include "lattice/lattice.hpp"

int main(int argc, char** argv) try {
  if (argc < 4)
    return std::fprintf(stderr, "usage: label_scan NETWORK SCAN.bin OUT.label [VOXEL_SIZE]\n"), 64;
  const float size = argc > 4 ? std::stof(argv[4]) : 0.05F;

  std::ifstream file(argv[2], std::ios::binary);
  std::vector<std::array<float, 4>> points;
  for (std::array<float, 4> point; file.read(reinterpret_cast<char*>(&point), sizeof(point));)
    points.push_back(point);
  if (points.empty()) return std::fprintf(stderr, "%s: no points\n", argv[2]), 1;

  // Voxels in the order in which points reach them; a voxel takes the values of its first point.
  std::map<std::array<int32_t, 4>, int32_t> row_of;
  std::vector<std::array<int32_t, 4>> coords; // batch, x, y, z
  std::vector<std::array<float, 4>> features;
  std::vector<int32_t> voxel_of_point;
  for (const auto& p : points) {
    const auto cell = [&](size_t axis) { return static_cast<int32_t>(std::floor(p[axis] / size)); };
    const std::array<int32_t, 4> at{0, cell(0), cell(1), cell(2)};
    const auto [place, fresh] = row_of.try_emplace(at, static_cast<int32_t>(coords.size()));
    if (fresh) coords.push_back(at), features.push_back(p);
    voxel_of_point.push_back(place->second);
  }

  const auto program = lattice::Program::load(argv[1]);
  lattice::Session session(program);
  const auto rows = static_cast<int64_t>(coords.size());
  const lattice::SparseView voxels{{lattice::DType::i32, {rows, 4}, coords.data()},
                                   {lattice::DType::f32, {rows, 4}, features.data()}};
  const auto outputs = session.run({voxels});

  // A result on the voxels of the input keeps their row order.
  const lattice::Tensor& scores = outputs.at(0).sparse().features;
  const int64_t classes = scores.shape[1];
  std::vector<uint32_t> labels;
  for (const int32_t voxel : voxel_of_point) {
    const float* row = scores.as<float>() + voxel * classes;
    labels.push_back(static_cast<uint32_t>(std::max_element(row, row + classes) - row));
  }
  std::ofstream out(argv[3], std::ios::binary);
  out.write(reinterpret_cast<const char*>(labels.data()),
            static_cast<std::streamsize>(labels.size() * sizeof(uint32_t)));
  std::printf("%zu points, %zu voxels\n", points.size(), coords.size());
  return out.good() ? 0 : 1;
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}
