// Facts about .las: every point format, 64-bit counts, strictness, real files.
#include <cmath>

#include <gtest/gtest.h>

#include "points/read.h"
#include "points/test_clouds.h"

namespace lattice {
namespace {

Result<PointCloud> read(const std::string& bytes) { return read_las(bytes_of(bytes), "a.las"); }

TEST(ReadLas, EveryPointFormat) {
  for (int format = 0; format <= 10; ++format) {
    const auto cloud = read(sample_las(4, format));
    ASSERT_TRUE(cloud) << format << ": " << cloud.error().text();
    ASSERT_EQ(cloud->size(), 2);
    EXPECT_EQ(cloud->xyz,
              (std::vector<double>{100 * 0.01, -200 * 0.01 + 1000, -2147483648.0 * 0.01 + 2000,
                                   101 * 0.01, -200 * 0.01 + 1000, 7 * 0.01 + 2000}));
    EXPECT_EQ(cloud->find("i")->values[1], 40000);
    EXPECT_EQ(cloud->find("i")->type, DType::u16);
    EXPECT_EQ(cloud->find("class")->values[1], format < 6 ? 2 : 200);
    EXPECT_EQ(cloud->find("return")->values[1], format < 6 ? 2 : 9);
    EXPECT_EQ(cloud->find("returns")->values[1], format < 6 ? 3 : 12);
    const bool colour =
        format == 2 || format == 3 || format == 5 || format == 7 || format == 8 || format == 10;
    ASSERT_EQ(cloud->find("r") != nullptr, colour) << format;
    if (colour) {
      EXPECT_EQ(cloud->find("r")->values[1], 65535);
      EXPECT_EQ(cloud->find("b")->values[1], 65533);
    }
    ASSERT_EQ(cloud->find("gps_time") != nullptr, format != 0 && format != 2) << format;
    if (cloud->find("gps_time") != nullptr) {
      EXPECT_EQ(cloud->find("gps_time")->values[1], 1e9 + 0.5);
    }
  }
}

TEST(ReadLas, EveryVersion) {
  const int newest[] = {1, 1, 3, 5, 10};
  for (int minor = 0; minor <= 4; ++minor) {
    const auto cloud = read(sample_las(minor, newest[minor]));
    EXPECT_TRUE(cloud) << minor << ": " << cloud.error().text();
  }
}

TEST(ReadLas, RealFiles) {
  const auto autzen = read_points(example_data("autzen_trim.las"));
  ASSERT_TRUE(autzen) << autzen.error().text();
  EXPECT_EQ(autzen->size(), 110000);
  const Extent extent = extent_of(*autzen);
  EXPECT_NEAR(extent.low[0], 636001.76, 1e-9);
  EXPECT_NEAR(extent.high[1], 849497.90, 1e-9);
  const auto& classes = autzen->find("class")->values;
  EXPECT_EQ(std::count(classes.begin(), classes.end(), 2), 26107); // ground

  const auto none = read_points(test_data("pdal/no-points.las"));
  ASSERT_TRUE(none) << none.error().text();
  EXPECT_EQ(none->size(), 0);
}

// NaN in a side field says nothing about the position.
TEST(ReadLas, NaNTimeIsNoBadPoint) {
  const auto cloud = read_points(test_data("pdal/gps-time-nan.las"));
  ASSERT_TRUE(cloud) << cloud.error().text();
  EXPECT_TRUE(std::isnan(cloud->find("gps_time")->values[0]));
  EXPECT_EQ(count_not_finite(*cloud), 0);
}

struct Bad {
  std::string bytes;
  const char* message;
};

TEST(ReadLas, RefusesWithByteAndReason) {
  const std::string good = sample_las(2, 3), modern = sample_las(4, 7);
  const auto with = [](std::string bytes, size_t at, auto value) {
    std::memcpy(bytes.data() + at, &value, sizeof(value));
    return bytes;
  };
  const Bad cases[] = {
      {"", "no LAS file"},
      {"LASF", "cut in its header: 4 bytes, expected at least 227"},
      {with(good, 0, 'X'), "starts with \"XASF\", expected \"LASF\""},
      {with(good, 24, uint8_t{2}), "LAS version 2.2"},
      {with(good, 25, uint8_t{5}), "LAS version 1.5"},
      {with(good, 94, uint16_t{200}), "header size 200 at byte 94"},
      {with(modern, 94, uint16_t{227}), "header size 227 at byte 94, expected 375"},
      {with(good, 96, uint32_t{100}), "points start at byte 100, inside the header"},
      {with(good, 104, uint8_t{7}), "point format 7 at byte 104, expected 0 to 3 in LAS 1.2"},
      {with(good, 104, uint8_t{0x83}), "compressed (LAZ)"},
      {with(good, 105, uint16_t{30}), "point records of 30 bytes at byte 105, format 3 needs 34"},
      {with(good, 107, uint32_t{3}),
       "3 points of 37 bytes from byte 237 on, but the file has 311 bytes"},
      {with(good, 107, UINT32_MAX), "4294967295 points"},
      {with(good, 131, 0.0), "scale 0 and offset 0 of axis x"},
      {with(good, 139, std::nan("")), "of axis y, expected finite numbers"},
      {with(good, 171, HUGE_VAL), "of axis z, expected finite numbers"},
      {with(modern, 247, UINT64_MAX), "counts 18446744073709551615 points"},
      {with(modern, 247, uint64_t{1} << 62), "4611686018427387904 points"},
      {with(modern, 107, uint32_t{1}), "the header counts 2 points at byte 247 and 1 at byte 107"},
      {good.substr(0, good.size() - 1),
       "2 points of 37 bytes from byte 237 on, but the file has 310 bytes"},
      {good.substr(0, 230), "points of 37 bytes from byte 237 on, but the file has 230 bytes"},
  };
  for (const Bad& bad : cases) {
    const std::string text = error_of(read(bad.bytes));
    EXPECT_NE(text.find(bad.message), std::string::npos) << text << "\nexpected: " << bad.message;
  }
}

} // namespace
} // namespace lattice
