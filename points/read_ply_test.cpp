// Facts about .ply: all three forms, lists, strictness, real files.
#include <cmath>

#include <gtest/gtest.h>

#include "points/read.h"
#include "points/test_clouds.h"

namespace lattice {
namespace {

Result<PointCloud> read(const std::string& bytes) { return read_ply(bytes_of(bytes), "a.ply"); }

const std::string xyz_header = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float "
                               "x\nproperty float y\nproperty float z\nend_header\n";

// The three forms of one cloud hold the same numbers, whatever else is in the file.
TEST(ReadPly, AllFormsGiveOneCloud) {
  for (const char* form : {"ascii", "binary_little_endian", "binary_big_endian"}) {
    const auto cloud = read(sample_ply(form));
    ASSERT_TRUE(cloud) << form << ": " << cloud.error().text();
    EXPECT_EQ(cloud->xyz, (std::vector<double>{0.125, 1, -2, 1000, -1.5, 30000, -7, 2, 3}));
    EXPECT_EQ(cloud->names(), "x, y, z, r, g, b, i");
    EXPECT_EQ(cloud->find("r")->values, (std::vector<double>{255, 1, 0}));
    EXPECT_EQ(cloud->find("b")->values, (std::vector<double>{7, 3, 0}));
    EXPECT_EQ(cloud->find("b")->type, DType::u8);
    EXPECT_EQ(cloud->find("i")->values[1], 1.5);
    EXPECT_TRUE(std::isnan(cloud->find("i")->values[2]));
    EXPECT_EQ(cloud->position_type, DType::f64);
  }
}

TEST(ReadPly, TakesStrayBlanksAndBothLineEnds) {
  const auto cloud = read_points(test_data("pdal/simple_text.ply"));
  ASSERT_TRUE(cloud) << cloud.error().text();
  EXPECT_EQ(cloud->xyz, (std::vector<double>{-1, 0, 0, 0, 1, 0, 1, 0, 0}));
  std::string windows;
  for (const char c : xyz_header + "1 2 3\n4 5 6")
    windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(read(windows)->xyz, (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(ReadPly, WithoutVerticesIsAnEmptyCloud) {
  const auto cloud = read_points(test_data("pdal/no_vertex.ply"));
  ASSERT_TRUE(cloud) << cloud.error().text();
  EXPECT_EQ(cloud->size(), 0);
}

TEST(ReadPly, KeepsInfinity) {
  const auto cloud = read_points(test_data("draco/float_inf_point_cloud.ply"));
  ASSERT_TRUE(cloud) << cloud.error().text();
  EXPECT_EQ(cloud->xyz[2], INFINITY);
  EXPECT_EQ(cloud->xyz[5], -INFINITY);
}

TEST(ReadPly, KeepsTheDigitsOfText) {
  EXPECT_EQ(read(xyz_header + "4320978.61 0 0\n0.1 0 0\n")->xyz[0], 4320978.61);
}

struct Bad {
  std::string bytes;
  const char* message;
};

TEST(ReadPly, RefusesWithLineAndReason) {
  const std::string binary = sample_ply("binary_little_endian");
  std::string negative = "ply\nformat binary_little_endian 1.0\nelement face 1\nproperty list char "
                         "int a\nend_header\n";
  const Bad cases[] = {
      {"", "a.ply: no PLY file"},
      {"plymouth\n", "a.ply:1: no PLY file"},
      {"ply\nformat ascii 1.0\nvertex 3\n", "a.ply:3: found \"vertex\", expected format"},
      {"ply\nformat ascii 2.0\nend_header\n", "a.ply:2: expected \"format NAME 1.0\""},
      {"ply\nformat binary 1.0\nend_header\n", "a.ply:2: format \"binary\""},
      {"ply\nelement vertex 0\nend_header\n", "a.ply:3: end_header, but no line \"format"},
      {"ply\nformat ascii 1.0\nelement vertex -1\nend_header\n",
       "a.ply:3: expected \"element NAME COUNT\""},
      {"ply\nformat ascii 1.0\nelement vertex 99999999999999999999\nend_header\n",
       "a.ply:3: expected \"element NAME COUNT\""},
      {"ply\nformat ascii 1.0\nproperty float x\nend_header\n",
       "a.ply:3: a property before any element"},
      {"ply\nformat ascii 1.0\nelement vertex 1\nproperty half x\nend_header\n",
       "a.ply:4: unknown type in \"half\""},
      {"ply\nformat ascii 1.0\nelement vertex 1\nproperty list float int x\nend_header\n",
       "a.ply:4: a list counted by a floating point number"},
      {"ply\nformat ascii 1.0\nelement vertex 1\nelement vertex 1\nend_header\n",
       "a.ply:4: element \"vertex\" a second time"},
      {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n1 "
       "2\n",
       "no column z: found x, y"},
      {"ply\nformat ascii 1.0\nelement vertex 4000000000000000000\nproperty float x\nproperty "
       "float y\nproperty float z\nend_header\n",
       "more than the rest of the file can hold"},
      {"ply\nformat ascii 1.0\nelement vertex 1\n", "has no end"},
      {xyz_header + "1 2 3\n", "more than the rest of the file can hold"},
      {xyz_header + "1 2 3           \n", "a.ply:8: the file ends after 1 of 2 rows"},
      {xyz_header + "1 2 3\n4 5      \n", "a.ply:9: row 1 of \"vertex\" has 2 values"},
      {xyz_header + "1 2 3\n4 5 6 7\n", "a.ply:9: row 1 of \"vertex\" has 4 values, expected 3"},
      {xyz_header + "1 2 3\n4 5 6\n7 8 9\n", "a.ply:10: found \"7\" after the last row"},
      {xyz_header + "1 2 3\n4 5 six\n",
       "a.ply:9: row 1 of \"vertex\", z: found \"six\", expected a number (f32)"},
      {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty "
       "float z\nproperty uchar red\nend_header\n1 2 3 256\n",
       "found \"256\", expected a whole number 0..255 (u8)"},
      {binary.substr(0, binary.size() - 1), "element \"face\""},
      {binary + "x", "1 bytes after the last row"},
      {negative + "\xff", "list a has count -1"},
  };
  for (const Bad& bad : cases) {
    const std::string text = error_of(read(bad.bytes));
    EXPECT_NE(text.find(bad.message), std::string::npos) << text << "\nexpected: " << bad.message;
  }
}

// An element without properties takes no bytes, however many rows it claims.
TEST(ReadPly, SkipsRowsOfNothing) {
  for (const char* form : {"ascii", "binary_little_endian"}) {
    const auto cloud = read(std::string("ply\nformat ") + form +
                            " 1.0\nelement ghost 9000000000000000000\nend_header\n");
    EXPECT_TRUE(cloud) << cloud.error().text();
  }
}

} // namespace
} // namespace lattice
