// Facts about voxels: the rule in f32, order, sums, what is refused, and real files.
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "points/features.h"
#include "points/read.h"
#include "points/test_files.h"
#include "points/test_sha256.h"
#include "points/voxelize.h"

namespace lattice {
namespace {

std::span<const float> floats(const Tensor& tensor) {
  return {tensor.as<float>(), static_cast<size_t>(tensor.shape[0] * tensor.shape[1])};
}

std::vector<float> reduced(const Voxels& voxels, const std::vector<float>& features,
                           int64_t channels, Reduction reduction) {
  const auto tensor = reduce_by_voxel(voxels, features, channels, reduction);
  EXPECT_TRUE(tensor) << (tensor ? "" : tensor.error().text());
  if (!tensor) return {};
  return {floats(*tensor).begin(), floats(*tensor).end()};
}

TEST(Sha256, PublishedExample) {
  EXPECT_EQ(sha256("abc", 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Voxelize, RowsComeInFirstOccurrenceOrder) {
  const std::vector<float> points{5, 5, 5, -0.5f, 0, 0, 5.5f, 5, 5, 0.5f, 0, 0};
  const auto voxels = voxelize(points, {}, 3);
  ASSERT_TRUE(voxels) << voxels.error().text();
  EXPECT_EQ(voxels->coords,
            (std::vector<int32_t>{3, 5, 5, 5, 3, -1, 0, 0, 3, 0, 0, 0})); // floor, not towards zero
  EXPECT_EQ(voxels->voxel_of_point, (std::vector<int32_t>{0, 1, 0, 2}));
}

// Field report 32: neither the first group nor a single voxel may get lost.
TEST(Voxelize, TwoPointsInOneVoxelAreMeaned) {
  const std::vector<float> points{68.9309f, 31.5947f, 0.86f, 69.0586f, 31.4590f, 0.8594f};
  const auto voxels = voxelize(points, {{0.32, 0.32, 6}, {-74.88, -74.88, -2}});
  ASSERT_TRUE(voxels) << voxels.error().text();
  EXPECT_EQ(voxels->coords, (std::vector<int32_t>{0, 449, 332, 0}));
  EXPECT_EQ(reduced(*voxels, {2, 4}, 1, Reduction::mean), std::vector<float>{3});
  EXPECT_EQ(reduced(*voxels, {2, 4}, 1, Reduction::sum), std::vector<float>{6});
}

// Field report 8: never a saturated voxel.
TEST(Voxelize, FarOffPositionsAreRefusedWhereTheyLeaveInt32) {
  const std::vector<float> points{1, 2, 3, 289814.2f, 4320978.6f, 170.8f};
  const std::string text = error_of(voxelize(points, {{0.001, 0.001, 0.001}}));
  EXPECT_NE(text.find("point row 1, axis y: 4320978.5 lies in voxel 4320978"), std::string::npos)
      << text;
  EXPECT_NE(text.find("leaves int32"), std::string::npos) << text;
  const auto voxels = voxelize(points, {{0.1, 0.1, 0.1}});
  ASSERT_TRUE(voxels) << voxels.error().text();
  EXPECT_EQ(voxels->size(), 2);
  EXPECT_EQ(voxels->coords[6], static_cast<int32_t>(std::floor(4320978.6f / 0.1f)));
}

// Field report 46.
TEST(Voxelize, RefusesOrLeavesOutWhatIsNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              inf = std::numeric_limits<float>::infinity();
  const std::vector<float> points{0, 0, 0, nan, 0, 0, 1, 1, 1, inf, 0, 0, 1e30f, 0, 0};
  const VoxelRule rule{{0.5, 0.5, 0.5}};
  EXPECT_NE(error_of(voxelize(points, rule)).find("point row 1, axis x: nan is not finite"),
            std::string::npos);

  const auto usable = usable_rows(points, rule);
  ASSERT_TRUE(usable);
  EXPECT_EQ(usable->rows, (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(usable->not_finite, 2);
  EXPECT_EQ(usable->out_of_range, 1);
  const auto voxels = voxelize(std::vector<float>{0, 0, 0, 1, 1, 1}, rule);
  ASSERT_TRUE(voxels);
  EXPECT_EQ(voxels->coords, (std::vector<int32_t>{0, 0, 0, 0, 0, 2, 2, 2}));
  EXPECT_EQ(reduced(*voxels, {1, 4}, 1, Reduction::sum), (std::vector<float>{1, 4}));
}

TEST(Voxelize, ReachesBothEndsOfInt32) {
  const std::vector<float> points{-2147483648.0f, 2147483520.0f, 0};
  const auto voxels = voxelize(points, {});
  ASSERT_TRUE(voxels) << voxels.error().text();
  EXPECT_EQ(voxels->coords, (std::vector<int32_t>{0, INT32_MIN, 2147483520, 0}));
  EXPECT_FALSE(voxelize(std::vector<float>{2147483648.0f, 0, 0}, {}));
  EXPECT_FALSE(voxelize(std::vector<float>{0, 0, -2147483904.0f}, {}));
}

// Coordinates that agree in their low bits, or add up to the same, are still different voxels.
TEST(Voxelize, KeepsEveryColumnApart) {
  std::vector<float> points;
  const float values[] = {0, 1, -1, 65536, -65536, 16777216, -16777216};
  for (const float x : values) {
    for (const float y : values) {
      for (const float z : values) points.insert(points.end(), {x, y, z});
    }
  }
  const auto voxels = voxelize(points, {});
  ASSERT_TRUE(voxels);
  EXPECT_EQ(voxels->size(), 343);
}

TEST(Voxelize, StrideMultipliesIndicesAndIsChecked) {
  const std::vector<float> points{-1.5f, 3, 0};
  EXPECT_EQ(voxelize(points, {{1, 1, 1}, {0, 0, 0}, {2, 4, 8}})->coords,
            (std::vector<int32_t>{0, -4, 12, 0}));
  EXPECT_NE(error_of(voxelize(std::vector<float>{0, 1e9f, 0}, {{1, 1, 1}, {0, 0, 0}, {1, 4, 1}}))
                .find("axis y"),
            std::string::npos);
}

TEST(Voxelize, OfNoPointsHasNoVoxels) {
  const auto voxels = voxelize({}, {});
  ASSERT_TRUE(voxels);
  EXPECT_EQ(voxels->size(), 0);
  EXPECT_EQ(reduce_by_voxel(*voxels, {}, 5, Reduction::mean)->shape, (Shape{0, 5}));
}

TEST(Voxelize, RefusesRulesThatMakeNoSense) {
  for (const double size : {0.0, -1.0, 1e-60, std::nan(""), HUGE_VAL})
    EXPECT_FALSE(voxelize({}, {{1, size, 1}})) << size;
  EXPECT_FALSE(voxelize({}, {{1, 1, 1}, {0, 0, std::nan("")}}));
  EXPECT_FALSE(voxelize({}, {{1, 1, 1}, {0, 0, 0}, {1, 0, 1}}));
  EXPECT_FALSE(voxelize({}, {}, -1));
  EXPECT_FALSE(voxelize(std::vector<float>{1, 2}, {}));
}

// Features are added in point order, in f32: 1e8 + 1 loses the 1, and then -1e8 leaves nothing.
TEST(ReduceByVoxel, AddsInPointOrder) {
  const std::vector<float> points(9, 0.5f);
  const auto voxels = voxelize(points, {});
  ASSERT_TRUE(voxels);
  EXPECT_EQ(reduced(*voxels, {1e8f, 1, -1e8f}, 1, Reduction::sum), std::vector<float>{0});
  EXPECT_EQ(reduced(*voxels, {1e8f, -1e8f, 1}, 1, Reduction::mean), std::vector<float>{1.0f / 3});
}

// One line of tests/data/points/voxels.txt.
struct Row {
  std::string file;
  int64_t columns = 0, points = 0, not_finite = 0;
  double size = 0;
  int64_t voxels = 0;
  std::string digest;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.file << " at " << row.size; }

std::vector<Row> table() {
  std::istringstream lines(content_of(test_data("voxels.txt")));
  std::vector<Row> rows;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    Row row;
    words >> row.file >> row.columns >> row.points >> row.not_finite >> row.size >> row.voxels >>
        row.digest;
    EXPECT_TRUE(words) << line;
    rows.push_back(row);
  }
  return rows;
}

// Where a file of the table lies: with the tests, with the examples, or in the folder that
// LATTICE_EXTRA_DATA names (files whose terms do not let the project ship them). Empty if nowhere.
std::string find_file(const std::string& name) {
  std::vector<std::string> places{test_data(name),
                                  example_data(std::filesystem::path(name).filename().string())};
  if (const char* extra = std::getenv("LATTICE_EXTRA_DATA"))
    places.push_back(std::string(extra) + "/" + name);
  for (const std::string& place : places) {
    if (std::filesystem::exists(place)) return place;
  }
  return {};
}

class RealFile : public ::testing::TestWithParam<Row> {};

TEST_P(RealFile, GivesThePublishedVoxels) {
  const Row& row = GetParam();
  const std::string path = find_file(row.file);
  if (path.empty())
    GTEST_SKIP() << row.file
                 << " is not shipped; LATTICE_EXTRA_DATA can name a folder that holds it";
  ReadOptions options;
  options.columns = row.columns;
  auto cloud = read_points(path, options);
  ASSERT_TRUE(cloud) << cloud.error().text();
  EXPECT_EQ(cloud->size(), row.points);
  EXPECT_EQ(count_not_finite(*cloud), row.not_finite);
  EXPECT_EQ(row.not_finite == 0, require_finite(*cloud).has_value());
  EXPECT_EQ(static_cast<int64_t>(drop_not_finite(*cloud).size()), row.points - row.not_finite);

  const auto positions = make_positions(*cloud, {0, 0, 0});
  ASSERT_TRUE(positions);
  const auto voxels = voxelize(floats(*positions), {{row.size, row.size, row.size}});
  ASSERT_TRUE(voxels) << voxels.error().text();
  EXPECT_EQ(voxels->size(), row.voxels);
  std::vector<std::array<int32_t, 3>> sorted;
  for (int64_t k = 0; k < voxels->size(); ++k) {
    const int32_t* c = voxels->coords.data() + k * 4;
    sorted.push_back({c[1], c[2], c[3]});
  }
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sha256(sorted.data(), sorted.size() * 12), row.digest);
}

std::string name_of_row(const ::testing::TestParamInfo<Row>& info) {
  std::string name = info.param.file + "_at_" + std::to_string(info.param.size);
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Table, RealFile, ::testing::ValuesIn(table()), name_of_row);

} // namespace
} // namespace lattice
