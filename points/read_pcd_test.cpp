// Facts about .pcd: all three kinds of data, packed colours, LZF, strictness, real files.
#include <cmath>

#include <gtest/gtest.h>

#include "points/lzf.h"
#include "points/read.h"
#include "points/test_clouds.h"

namespace lattice {
namespace {

Result<PointCloud> read(const std::string& bytes) { return read_pcd(bytes_of(bytes), "a.pcd"); }

TEST(ReadPcd, BinaryAndCompressedGiveOneCloud) {
  for (const char* data : {"binary", "binary_compressed"}) {
    const auto cloud = read(sample_pcd(data));
    ASSERT_TRUE(cloud) << data << ": " << cloud.error().text();
    EXPECT_EQ(cloud->xyz, (std::vector<double>{1, 2, -3.5, 4, 5, 6}));
    EXPECT_EQ(cloud->names(), "x, y, z, r, g, b");
  }
}

// As a float, opaque red is a signalling NaN, and reading it as one would turn a bit of it.
TEST(ReadPcd, UnpacksColoursBitByBit) {
  const auto cloud = read(sample_pcd("binary"));
  ASSERT_TRUE(cloud);
  EXPECT_EQ(cloud->find("r")->values, (std::vector<double>{0xbf, 1}));
  EXPECT_EQ(cloud->find("g")->values, (std::vector<double>{0x10, 2}));
  EXPECT_EQ(cloud->find("b")->values, (std::vector<double>{0x02, 3}));
  EXPECT_EQ(cloud->find("r")->type, DType::u8);
}

TEST(ReadPcd, AsciiHoldsNaNAndPackedColoursAsFloats) {
  const auto cloud = read(sample_pcd("ascii"));
  ASSERT_TRUE(cloud) << cloud.error().text();
  EXPECT_TRUE(std::isnan(cloud->xyz[3]));
  // 2.3418052e-38 has the bits 0x00ff0000.
  EXPECT_EQ(cloud->find("r")->values, (std::vector<double>{255, 0}));
  EXPECT_EQ(cloud->find("g")->values, (std::vector<double>{0, 0}));
}

// Dark reds are subnormal floats.
TEST(ReadPcd, AsciiReadsSubnormalColours) {
  const std::string dark =
      pcd_header("x y z rgb", "4 4 4 4", "F F F F", "1 1 1 1", 1, "ascii") + "0 0 0 9.2196e-41\n";
  const auto cloud = read(dark);
  ASSERT_TRUE(cloud) << cloud.error().text();
  EXPECT_EQ(cloud->find("g")->values[0], 1); // bits 0x00010101
  EXPECT_EQ(cloud->find("r")->values[0], 1);
}

TEST(ReadPcd, RealAsciiFile) {
  const auto cloud = read_points(test_data("pcl/bun0.pcd"));
  ASSERT_TRUE(cloud) << cloud.error().text();
  EXPECT_EQ(cloud->size(), 397);
  EXPECT_EQ(cloud->names(), "x, y, z, normal_x, normal_y, normal_z, curvature");
  EXPECT_EQ(cloud->xyz[1], 0.11349);
}

// Rows of numbers without a header are no cloud of zero points.
TEST(ReadPcd, RefusesAFileWithoutHeader) {
  const std::string text = error_of(read_points(test_data("pdal/missingheader.pcd")));
  EXPECT_NE(text.find(":1: no PCD header: found \"289814.15\", expected VERSION"),
            std::string::npos)
      << text;
}

TEST(ReadPcd, OfNoPointsIsAnEmptyCloud) {
  for (const std::string data : {"ascii", "binary"}) {
    const auto cloud = read(pcd_header("x y z", "4 4 4", "F F F", "1 1 1", 0, data));
    ASSERT_TRUE(cloud) << cloud.error().text();
    EXPECT_EQ(cloud->size(), 0);
  }
  EXPECT_TRUE(read(Blob()
                       .text(pcd_header("x y z", "4 4 4", "F F F", "1 1 1", 0, "binary_compressed"))
                       .put<uint64_t>(0)
                       .bytes));
}

struct Bad {
  std::string bytes;
  const char* message;
};

TEST(ReadPcd, RefusesWithLineAndReason) {
  const auto header = [](const char* sizes, const char* types, const char* counts, int64_t points,
                         const char* data) {
    return pcd_header("x y z", sizes, types, counts, points, data);
  };
  const std::string compressed = header("4 4 4", "F F F", "1 1 1", 2, "binary_compressed");
  const Bad cases[] = {
      {"", "no PCD header: no line \"DATA\""},
      {"VERSION 0.7\nDATA ascii\n", "a.pcd:2: no FIELDS before DATA"},
      {"VERSION 0.7\nVERSION 0.7\n", "a.pcd:2: VERSION a second time"},
      {header("4 4", "F F F", "1 1 1", 1, "ascii"), "3 names in FIELDS, but 2 in SIZE"},
      {header("4 4 2", "F F F", "1 1 1", 1, "ascii"), "field z has TYPE F and SIZE 2"},
      {header("4 4 4", "F F F", "1 1 0", 1, "ascii"), "field z has COUNT 0"},
      {header("4 4 4", "F F F", "1 1 4000000000", 1, "binary"), "field z has COUNT 4000000000"},
      {header("4 4 4", "F F F", "1 1 1", 1, "text"),
       "DATA \"text\", expected ascii, binary or binary_compressed"},
      {header("4 4 4", "F F F", "1 1 1", 9000000000000000000, "binary"), "more than 2^63 bytes"},
      {header("4 4 4", "F F F", "1 1 1", 5, "binary") + "12345",
       "5 points of 12 bytes need 60 bytes, but 5 are left"},
      {"VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 2\nHEIGHT 3\nPOINTS 7\nDATA "
       "ascii\n",
       "WIDTH 2 times HEIGHT 3 is not POINTS 7"},
      {"VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nDATA ascii\n",
       "neither POINTS nor WIDTH"},
      {"VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS -7\nDATA ascii\n",
       "POINTS \"-7\""},
      {header("4 4 4", "F F F", "1 1 1", 2, "ascii") + "1 2 3\n",
       "more than 6 bytes of text can hold"},
      {header("4 4 4", "F F F", "1 1 1", 2, "ascii") + "1.00 2.00 3.00\n",
       "a.pcd:12: the file ends after 1 of 2 points"},
      {header("4 4 4", "F F F", "1 1 1", 1, "ascii") + "1 2 3\n4 5 6\n",
       "found a row after the 1 points"},
      {header("4 4 4", "F F F", "1 1 1", 1, "ascii") + "1 2\n3 4 5\n",
       "point 0 has 2 values, expected 3"},
      {header("4 4 4", "F F U", "1 1 1", 1, "ascii") + "1 2 -3\n",
       "point 0, z: found \"-3\", expected a whole number 0..4294967295 (u32)"},
      {pcd_header("x y", "4 4", "F F", "1 1", 1, "ascii") + "1 2\n", "no column z: found x, y"},
      {compressed + "1234", "expected the two sizes of compressed data (8 bytes)"},
      {Blob().text(compressed).put<uint32_t>(0).put<uint32_t>(25).bytes,
       "but 2 points of 12 bytes are 24"},
      {Blob().text(compressed).put<uint32_t>(9).put<uint32_t>(24).text("1234").bytes,
       "9 bytes of compressed data, but 4 are left"},
      {Blob().text(compressed).put<uint32_t>(4).put<uint32_t>(24).text("1234").bytes,
       "do not unpack to 24 bytes"},
      {Blob()
           .text(header("4 4 4", "F F F", "1 1 1", 200000000, "binary_compressed"))
           .put<uint32_t>(4)
           .put<uint32_t>(2400000000)
           .text("1234")
           .bytes,
       "4 bytes cannot unpack to 2400000000"},
  };
  for (const Bad& bad : cases) {
    const std::string text = error_of(read(bad.bytes));
    const std::string message = bad.message;
    EXPECT_NE(text.find(message), std::string::npos) << text << "\nexpected: " << message;
  }
}

std::string unpacked(const std::string& packed, size_t size, bool& good) {
  std::string out(size, '?');
  good = lzf_decode(bytes_of(packed), std::as_writable_bytes(std::span(out)));
  return out;
}

TEST(Lzf, CopiesMayOverlapWhatTheyWrite) {
  bool good = false;
  // "ab" as it stands, then 4 + 2 bytes from two back, then 7 + 9 + 2 from one back.
  EXPECT_EQ(unpacked(std::string("\x01"
                                 "ab\x80\x01\xe0\x09\x00",
                                 8),
                     26, good),
            "abababab" + std::string(18, 'b'));
  EXPECT_TRUE(good);
}

TEST(Lzf, RefusesWhatLeavesEitherEnd) {
  bool good = true;
  for (const std::string& packed : {std::string("\x05"
                                                "ab"),
                                    std::string("\x20\x00", 2),
                                    std::string("\x00"
                                                "a\x20\x01",
                                                4),
                                    std::string("\x00"
                                                "a\xe0",
                                                3),
                                    std::string("\x00"
                                                "a\x20",
                                                3),
                                    std::string("\x00"
                                                "a\xe0\x05",
                                                4),
                                    std::string("\x1f"
                                                "abcdefghijklmnopqrstuvwxyz012345"),
                                    std::string("\x00"
                                                "a\xe0\xff\x00",
                                                5)}) {
    unpacked(packed, 8, good);
    EXPECT_FALSE(good);
  }
  unpacked(std::string("\x00"
                       "a"),
           2, good);
  EXPECT_FALSE(good);
}

} // namespace
} // namespace lattice
