// classify_tiles ARTIFACT IN_DIR OUT_DIR: writes every .las of IN_DIR to OUT_DIR with new classes, 2 where the network
// finds ground and 1 elsewhere. LAS 1.0 to 1.3, point formats 0 to 5, in feet. The end of docs/tutorial.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <vector>

#include "lattice/lattice.hpp"

namespace {

constexpr std::array<float, 3> voxel_size{1.5F, 1.5F, 0.5F};

// A tile as its bytes, and where in them the points are.
struct Tile {
  std::vector<char> bytes;
  size_t start = 0, length = 0, count = 0;  // of the records
  std::array<double, 3> scale{}, offset{};

  template <class T>
  T at(size_t place) const {
    T value;
    if (place + sizeof(T) > bytes.size()) throw std::runtime_error("the file is cut");
    std::memcpy(&value, bytes.data() + place, sizeof(T));
    return value;
  }

  explicit Tile(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
    if (bytes.size() < 227 || std::memcmp(bytes.data(), "LASF", 4) != 0) throw std::runtime_error("not a LAS file");
    start = at<uint32_t>(96);
    if (at<uint8_t>(104) > 5) throw std::runtime_error("compressed, or a point format above 5");
    length = at<uint16_t>(105);
    count = at<uint32_t>(107);
    if (length < 20 || start > bytes.size() || count > (bytes.size() - start) / length)
      throw std::runtime_error("the file is cut");
    for (size_t axis = 0; axis < 3; ++axis) {
      scale[axis] = at<double>(131 + axis * 8);
      offset[axis] = at<double>(155 + axis * 8);
    }
  }

  double coordinate(size_t point, size_t axis) const {
    return at<int32_t>(start + point * length + axis * 4) * scale[axis] + offset[axis];
  }

  void classify(size_t point, bool ground) {
    char& byte = bytes[start + point * length + 15];  // the upper three bits are flags
    byte = static_cast<char>((byte & 0xe0) | (ground ? 2 : 1));
  }
};

// Gives each point its class and returns how many are ground.
size_t classify(Tile& tile, lattice::Session& session) {
  std::array<double, 3> origin{};
  for (size_t axis = 0; axis < 3; ++axis) {
    origin[axis] = tile.count > 0 ? tile.coordinate(0, axis) : 0;
    for (size_t point = 1; point < tile.count; ++point) origin[axis] = std::min(origin[axis], tile.coordinate(point, axis));
  }

  // Voxels in the order in which points reach them; the one channel is the mean height of their points.
  std::map<std::array<int32_t, 4>, int32_t> row_of;
  std::vector<std::array<int32_t, 4>> coords;  // batch, x, y, z
  std::vector<float> heights, points_in;
  std::vector<int32_t> voxel_of_point;
  for (size_t point = 0; point < tile.count; ++point) {
    std::array<int32_t, 4> cell{};
    float height = 0;
    for (size_t axis = 0; axis < 3; ++axis) {
      height = static_cast<float>(tile.coordinate(point, axis) - origin[axis]);
      cell[axis + 1] = static_cast<int32_t>(std::floor(height / voxel_size[axis]));
    }
    const auto [place, fresh] = row_of.try_emplace(cell, static_cast<int32_t>(coords.size()));
    if (fresh) {
      coords.push_back(cell);
      heights.push_back(0);
      points_in.push_back(0);
    }
    heights[static_cast<size_t>(place->second)] += height;
    ++points_in[static_cast<size_t>(place->second)];
    voxel_of_point.push_back(place->second);
  }
  for (size_t row = 0; row < heights.size(); ++row) heights[row] /= points_in[row];

  const auto rows = static_cast<int64_t>(coords.size());
  const lattice::SparseView voxels{{lattice::DType::i32, {rows, 4}, coords.data()},
                                   {lattice::DType::f32, {rows, 1}, heights.data()}};
  const auto outputs = session.run({voxels});

  // A result on the voxels of the input keeps their row order: scores of "other" and "ground".
  const float* scores = outputs.at(0).sparse().features.as<float>();
  size_t found = 0;
  for (size_t point = 0; point < tile.count; ++point) {
    const float* score = scores + int64_t{voxel_of_point[point]} * 2;
    tile.classify(point, score[1] > score[0]);
    found += score[1] > score[0] ? 1 : 0;
  }
  return found;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) return std::fprintf(stderr, "usage: classify_tiles ARTIFACT IN_DIR OUT_DIR\n"), 64;
  const std::filesystem::path out = argv[3];
  std::filesystem::create_directories(out);
  lattice::Session session(lattice::Program::load(argv[1]));
  int failed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[2])) {
    if (entry.path().extension() != ".las") continue;
    const std::string name = entry.path().filename().string();
    try {
      Tile tile(entry.path());
      const size_t ground = classify(tile, session);
      std::ofstream file(out / name, std::ios::binary);
      if (!file.write(tile.bytes.data(), static_cast<std::streamsize>(tile.bytes.size())).flush())
        throw std::runtime_error("cannot be written to " + out.string());
      std::printf("%s: %zu points, %zu ground, %.0f ms\n", name.c_str(), tile.count, ground, session.report().total_ms);
    } catch (const std::exception& error) {  // the next tile may be fine
      std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
      ++failed;
    }
  }
  return failed > 0 ? 1 : 0;
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}
