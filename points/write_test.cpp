// Facts about what is written: .ply and .npy come back as they were, .png is well formed, pictures
// show the points.
#include <cmath>

#include <gtest/gtest.h>
#include <zlib.h>

#include "points/colours.h"
#include "points/read.h"
#include "points/render.h"
#include "points/test_files.h"
#include "points/write.h"

namespace lattice {
namespace {

TEST(WritePly, ComesBackAsItWas) {
  const TemporaryFolder folder;
  const std::vector<double> xyz{636001.76, -2, 0.1, 4, 5, 6};
  const std::vector<uint8_t> rgb{1, 2, 3, 253, 254, 255};
  const std::vector<int32_t> labels{-7, 2147483647};
  const std::vector<float> scores{0.5f, 9, -1.5f, 9};
  PlyPoints points;
  points.xyz = xyz;
  points.rgb = rgb;
  points.labels = labels;
  points.label_name = "classification";
  points.columns.push_back({"score", scores, 2});
  for (const bool precise : {false, true}) {
    points.double_positions = precise;
    const std::string path = folder.file("a.ply");
    const auto status = write_ply(path, points);
    ASSERT_TRUE(status) << status.error().text();
    const auto cloud = read_points(path);
    ASSERT_TRUE(cloud) << cloud.error().text();
    EXPECT_EQ(cloud->names(), "x, y, z, r, g, b, class, score");
    EXPECT_EQ(cloud->xyz[0], precise ? 636001.76 : static_cast<double>(636001.76f));
    EXPECT_EQ(cloud->find("b")->values, (std::vector<double>{3, 255}));
    EXPECT_EQ(cloud->find("class")->values, (std::vector<double>{-7, 2147483647}));
    EXPECT_EQ(cloud->find("score")->values, (std::vector<double>{0.5, -1.5}));
  }
}

TEST(WritePly, WritesNoPoints) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_ply(folder.file("a.ply"), {}));
  EXPECT_EQ(read_points(folder.file("a.ply"))->size(), 0);
}

TEST(WritePly, RefusesLengthsThatDoNotAgree) {
  const TemporaryFolder folder;
  const std::vector<double> xyz{1, 2, 3};
  const std::vector<uint8_t> rgb{1, 2};
  const std::vector<int32_t> labels{1, 2};
  const auto refused = [&](auto change) {
    PlyPoints points;
    points.xyz = xyz;
    change(points);
    return !write_ply(folder.file("a.ply"), points);
  };
  EXPECT_TRUE(refused([&](PlyPoints& points) { points.rgb = rgb; }));
  EXPECT_TRUE(refused([&](PlyPoints& points) { points.labels = labels; }));
  EXPECT_TRUE(refused([](PlyPoints& points) { points.label_name = "two words"; }));
  EXPECT_TRUE(refused([](PlyPoints& points) { points.columns.push_back({"short", {}, 1}); }));
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.ply")));
}

TEST(WriteNpy, ComesBackAsItWas) {
  const TemporaryFolder folder;
  const std::vector<float> values{1, 2, 3, 4.5f, 5, 6};
  ASSERT_TRUE(write_npy(folder.file("a.npy"), {DType::f32, {2, 3}, values.data()}));
  EXPECT_EQ(read_points(folder.file("a.npy"))->xyz, (std::vector<double>{1, 2, 3, 4.5, 5, 6}));
}

// What NumPy itself writes, to the byte.
TEST(WriteNpy, HeaderIsNumPys) {
  const TemporaryFolder folder;
  const std::vector<int64_t> values{7, -7};
  const auto header_of = [&](const TensorView& tensor) {
    EXPECT_TRUE(write_npy(folder.file("a.npy"), tensor));
    const std::string bytes = content_of(folder.file("a.npy"));
    EXPECT_EQ(bytes.find('\n') % 64, 63u);
    return bytes.substr(10, bytes.find(" \n") == std::string::npos
                                ? 0
                                : bytes.find_last_not_of(" \n", bytes.find('\n')) - 9);
  };
  EXPECT_EQ(header_of({DType::i64, {2}, values.data()}),
            "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }");
  EXPECT_EQ(header_of({DType::u8, {2, 2, 4}, values.data()}),
            "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2, 4), }");
  EXPECT_EQ(header_of({DType::i32, {}, values.data()}),
            "{'descr': '<i4', 'fortran_order': False, 'shape': (), }");
  EXPECT_FALSE(write_npy(folder.file("b.npy"), {DType::bf16, {1}, values.data()}));
}

// Undoes what png.cpp did, by the definition of the format.
Picture decoded(const std::string& png) {
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  Picture picture;
  std::string packed;
  for (size_t at = 8; at + 12 <= png.size();) {
    const std::byte* raw = reinterpret_cast<const std::byte*>(png.data()) + at;
    const uint32_t size = load<uint32_t>(raw, std::endian::big);
    const std::string type = png.substr(at + 4, 4);
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(png.data()) + at + 4, size + 4);
    EXPECT_EQ(load<uint32_t>(raw + 8 + size, std::endian::big), crc) << type;
    if (type == "IHDR") {
      picture.width = static_cast<int32_t>(load<uint32_t>(raw + 8, std::endian::big));
      picture.height = static_cast<int32_t>(load<uint32_t>(raw + 12, std::endian::big));
    }
    if (type == "IDAT") packed += png.substr(at + 8, size);
    at += 12 + size;
  }
  const size_t row = static_cast<size_t>(picture.width) * 3;
  std::vector<uint8_t> plain((row + 1) * static_cast<size_t>(picture.height));
  uLongf size = plain.size();
  EXPECT_EQ(
      uncompress(plain.data(), &size, reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
      Z_OK);
  EXPECT_EQ(size, plain.size());
  picture.rgb.resize(row * static_cast<size_t>(picture.height));
  for (size_t k = 0; k < picture.rgb.size(); ++k) {
    const size_t y = k / row, x = k % row;
    const int left = x >= 3 ? picture.rgb[k - 3] : 0, above = y > 0 ? picture.rgb[k - row] : 0,
              corner = x >= 3 && y > 0 ? picture.rgb[k - row - 3] : 0;
    const int p = left + above - corner, dl = std::abs(p - left), da = std::abs(p - above),
              dc = std::abs(p - corner);
    const int guess[] = {0, left, above, (left + above) / 2,
                         dl <= da && dl <= dc ? left
                         : da <= dc           ? above
                                              : corner};
    const int filter = plain[y * (row + 1)];
    EXPECT_LT(filter, 5);
    picture.rgb[k] = static_cast<uint8_t>(plain[y * (row + 1) + 1 + x] + guess[filter % 5]);
  }
  return picture;
}

TEST(Png, HoldsEveryPixel) {
  Picture picture(37, 23, {9, 8, 7});
  uint32_t state = 1;
  for (size_t k = 300; k < picture.rgb.size(); ++k)
    picture.rgb[k] =
        static_cast<uint8_t>(k % 500 < 250 ? k : (state = state * 1664525u + 1013904223u) >> 24);
  const Picture back = decoded(png_bytes(picture));
  EXPECT_EQ(back.width, 37);
  EXPECT_EQ(back.height, 23);
  EXPECT_EQ(back.rgb, picture.rgb);
}

TEST(Png, RefusesPicturesThatAreNone) {
  const TemporaryFolder folder;
  EXPECT_FALSE(write_png(folder.file("a.png"), Picture()));
  Picture wrong(3, 3, {});
  wrong.rgb.pop_back();
  EXPECT_FALSE(write_png(folder.file("a.png"), wrong));
}

// Straight down: +x is to the right, +y up, and of two points in one place the higher one shows.
TEST(Render, LooksDownByDefault) {
  const std::vector<double> xyz{0, 0, 0, 10, 0, 0, 0, 10, 0, 0, 10, 5, std::nan(""), 0, 0};
  const std::vector<uint8_t> rgb{255, 0, 0, 0, 255, 0, 255, 255, 0, 0, 0, 255, 9, 9, 9};
  View view;
  view.width = view.height = 100;
  view.point_size = 10;
  const auto picture = render_points(xyz, rgb, view);
  ASSERT_TRUE(picture) << picture.error().text();
  const auto strongest = [&](int32_t x, int32_t y) {
    return std::max_element(picture->pixel(x, y), picture->pixel(x, y) + 3) - picture->pixel(x, y);
  };
  EXPECT_EQ(strongest(4, 95), 0);
  EXPECT_EQ(strongest(95, 95), 1);
  EXPECT_EQ(strongest(4, 4), 2);
  EXPECT_EQ(picture->pixel(50, 50)[0], view.background[0]);
}

TEST(Render, TakesNoPointsAndOnePoint) {
  View view;
  view.width = view.height = 20;
  EXPECT_EQ(render_points({}, {}, view)->rgb, Picture(20, 20, view.background).rgb);
  view.point_size = 4;
  const std::vector<double> xyz{1e6, 2e6, 3};
  const std::vector<uint8_t> rgb{255, 255, 255};
  EXPECT_GT(render_points(xyz, rgb, view)->pixel(10, 10)[0], 100);
  EXPECT_FALSE(render_points(xyz, {}, view));
  view.width = 0;
  EXPECT_FALSE(render_points(xyz, rgb, view));
}

TEST(Render, SheetsKeepTheirPictures) {
  const std::vector<Picture> two{Picture(4, 3, {1, 1, 1}), Picture(5, 6, {2, 2, 2})};
  const Picture wide = side_by_side(two), tall = stacked(two);
  EXPECT_EQ(wide.width, 17);
  EXPECT_EQ(wide.height, 6);
  EXPECT_EQ(wide.pixel(12, 5)[0], 2);
  EXPECT_EQ(tall.width, 5);
  EXPECT_EQ(tall.height, 17);
  EXPECT_EQ(tall.pixel(0, 0)[0], 1);
  EXPECT_EQ(tall.pixel(4, 16)[0], 2);
}

TEST(Render, TextStaysInsideThePicture) {
  Picture picture(20, 10, {0, 0, 0});
  draw_text(picture, 1, 1, "I", {255, 255, 255}, 1);
  EXPECT_EQ(picture.pixel(3, 4)[0], 255);
  EXPECT_EQ(picture.pixel(1, 4)[0], 0);
  draw_text(picture, -3, -3, "HELLO, WORLD", {255, 255, 255}, 3); // cut off on all sides
}

TEST(Colours, OfLabelsAreDistinct) {
  for (int a = 0; a < 32; ++a) {
    for (int b = 0; b < a; ++b) EXPECT_NE(label_colour(a), label_colour(b)) << a << ", " << b;
  }
}

TEST(Colours, OfValuesGrowBrighter) {
  const auto brightness = [](Colour c) { return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; };
  for (int k = 1; k <= 16; ++k)
    EXPECT_GT(brightness(ramp_colour(k / 16.0)), brightness(ramp_colour((k - 1) / 16.0))) << k;
  const std::vector<double> values{-5, 0, 5, 50, std::nan("")};
  const std::vector<uint8_t> rgb = colours_by_value(values, 0, 10);
  EXPECT_EQ((Colour{rgb[0], rgb[1], rgb[2]}), ramp_colour(0));
  EXPECT_EQ((Colour{rgb[9], rgb[10], rgb[11]}), ramp_colour(1));
  EXPECT_EQ((Colour{rgb[12], rgb[13], rgb[14]}), (Colour{128, 128, 128}));
}

// Some .las writers leave 8-bit colours in the 16-bit fields.
TEST(Colours, OfACloudKnowTheirScale) {
  PointCloud cloud;
  cloud.xyz = {0, 0, 0};
  for (const char* name : {"r", "g", "b"}) cloud.columns.push_back({name, DType::u16, {200}});
  EXPECT_EQ(colours_of(cloud), (std::vector<uint8_t>{200, 200, 200}));
  cloud.columns[2].values[0] = 65535;
  EXPECT_EQ(colours_of(cloud), (std::vector<uint8_t>{1, 1, 255}));
  cloud.columns.pop_back();
  EXPECT_TRUE(colours_of(cloud).empty());
}

} // namespace
} // namespace lattice
