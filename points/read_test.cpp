// Facts about the readers of tables: .bin, .npy, .npz, and about read_points itself.
// .ply, .pcd and .las have files of their own.
#include <gtest/gtest.h>

#include "points/read.h"
#include "points/test_clouds.h"

namespace lattice {
namespace {

using ::testing::TestWithParam;

Result<PointCloud> read(const std::string& bytes, const std::string& name,
                        const ReadOptions& options = {}) {
  return read_points(bytes_of(bytes), name, options);
}

void expect_sample(const Result<PointCloud>& cloud, int64_t rows, int64_t columns) {
  ASSERT_TRUE(cloud) << cloud.error().text();
  ASSERT_EQ(cloud->size(), rows);
  ASSERT_EQ(static_cast<int64_t>(cloud->columns.size()), columns - 3);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const double value =
          column < 3
              ? cloud->xyz[static_cast<size_t>(row * 3 + column)]
              : cloud->columns[static_cast<size_t>(column - 3)].values[static_cast<size_t>(row)];
      EXPECT_EQ(value, sample_value(row, column)) << row << ", " << column;
    }
  }
}

TEST(ReadBin, HasFourColumnsUnlessTheNameSaysFive) {
  expect_sample(read(sample_bin(7, 4), "a.bin"), 7, 4);
  expect_sample(read(sample_bin(7, 5), "a.pcd.bin"), 7, 5);
  EXPECT_EQ(read(sample_bin(7, 5), "a.pcd.bin")->names(), "x, y, z, i, ring");
}

TEST(ReadBin, TakesTheCallersColumns) {
  ReadOptions options;
  options.columns = 6;
  const auto cloud = read(sample_bin(3, 6), "a.bin", options);
  expect_sample(cloud, 3, 6);
  EXPECT_EQ(cloud->names(), "x, y, z, r, g, b");
  options.names = {"i", "x", "y", "z", "ring", "t"};
  EXPECT_EQ(read(sample_bin(3, 6), "a.bin", options)->xyz[0], sample_value(0, 1));
}

TEST(ReadBin, RefusesASizeThatDoesNotDivide) {
  const std::string text = error_of(read(sample_bin(5, 5), "scan.bin"));
  EXPECT_NE(text.find("scan.bin: 100 bytes are no whole number of points of 4 columns (16 bytes); "
                      "columns that would fit: 5"),
            std::string::npos)
      << text;
}

TEST(ReadBin, OfNoBytesIsAnEmptyCloud) { expect_sample(read("", "a.bin"), 0, 4); }

TEST(ReadNpy, EveryTypeOrderAndVersion) {
  for (const std::string type : {"<f4", ">f4", "<f8", ">f8"}) {
    for (const bool fortran : {false, true}) {
      for (const char version : {'\1', '\2', '\3'}) {
        const auto order = type[0] == '<' ? std::endian::little : std::endian::big;
        Blob data;
        for (int64_t k = 0; k < 20; ++k) {
          const float value = fortran ? sample_value(k % 5, k / 5) : sample_value(k / 4, k % 4);
          if (type[2] == '4') {
            data.put(value, order);
          } else {
            data.put(static_cast<double>(value), order);
          }
        }
        expect_sample(
            read(npy_with(npy_header(type, fortran, "(5, 4)"), data.bytes, version), "a.npy"), 5,
            4);
      }
    }
  }
}

struct BadNpy {
  const char* name;
  std::string bytes;
  const char* message;
};

TEST(ReadNpy, RefusesWithTheReason) {
  const std::string data = sample_bin(2, 3);
  const auto header = [](const char* type, const char* shape) {
    return npy_header(type, false, shape);
  };
  const BadNpy cases[] = {
      {"integers", npy_with(header("<i4", "(2, 3)"), data),
       "found element type \"<i4\", expected <f4, <f8, >f4 or >f8"},
      {"one axis", npy_with(header("<f4", "(6,)"), data),
       "found shape (6,), expected (N, C) with C of 3 or more"},
      {"two columns", npy_with(header("<f4", "(3, 2)"), data), "found shape (3, 2)"},
      {"overflow", npy_with(header("<f4", "(4611686018427387904, 4)"), data),
       "needs more than 2^63 bytes"},
      {"huge dimension", npy_with(header("<f4", "(99999999999999999999, 4)"), data),
       "expected a whole number below 2^63"},
      {"negative", npy_with(header("<f4", "(-1, 4)"), data), "found dimension"},
      {"cut", npy_with(header("<f4", "(3, 3)"), data), "needs 36 bytes of data, the file has 24"},
      {"too long", npy_with(header("<f4", "(1, 3)"), data),
       "needs 12 bytes of data, the file has 24"},
      {"key twice",
       npy_with("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", data),
       "key \"descr\" twice"},
      {"key missing", npy_with("{'descr': '<f4', 'shape': (2, 3)}", data), "a key missing"},
      {"structured",
       npy_with("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,)}", data),
       "a structured array"},
      {"version", npy_with(header("<f4", "(2, 3)"), data, 4), "npy version 4.0"},
      {"no npy", "hello, world", "starts with \"hello,\""},
      {"header too long", npy_with(header("<f4", "(2, 3)"), data).substr(0, 40),
       "but the file has 40 bytes"},
      {"empty", "", "no npy file"},
  };
  for (const BadNpy& bad : cases) {
    const std::string text = error_of(read(bad.bytes, "a.npy"));
    EXPECT_NE(text.find(bad.message), std::string::npos) << bad.name << ": " << text;
  }
}

// No rows, but a width that would ask for a thousand million columns.
TEST(ReadNpy, RefusesAWidthNothingBacks) {
  EXPECT_NE(error_of(read(npy_with(npy_header("<f4", false, "(0, 1000000000)"), ""), "a.npy"))
                .find("1000000000 columns"),
            std::string::npos);
}

TEST(ReadNpy, OfNoRowsIsAnEmptyCloud) {
  expect_sample(read(npy_with(npy_header("<f4", false, "(0, 4)"), ""), "a.npy"), 0, 4);
}

TEST(ReadNpz, TakesTheFirstArrayOrTheNamedOne) {
  for (const bool packed : {false, true}) {
    const std::string bytes = sample_npz(packed);
    expect_sample(read(bytes, "a.npz"), 50, 4);
    ReadOptions options;
    options.array = "b";
    expect_sample(read(bytes, "a.npz", options), 2, 3);
    options.array = "b.npy";
    expect_sample(read(bytes, "a.npz", options), 2, 3);
    options.array = "c";
    EXPECT_NE(error_of(read(bytes, "a.npz", options)).find("no array \"c\"; it holds pc, b"),
              std::string::npos);
  }
}

TEST(ReadNpz, RefusesDamage) {
  std::string bytes = sample_npz(true);
  const size_t member = bytes.find("pc.npy") + 10 + 40;
  bytes[member] = static_cast<char>(bytes[member] ^ 1);
  EXPECT_FALSE(read(bytes, "a.npz"));
  std::string stored = sample_npz(false);
  stored[stored.find("pc.npy") + 300] ^= 1;
  EXPECT_NE(error_of(read(stored, "a.npz")).find("member pc.npy has checksum"), std::string::npos);
  EXPECT_NE(error_of(read(stored.substr(0, stored.size() - 30), "a.npz")).find("the file is cut"),
            std::string::npos);
  EXPECT_NE(error_of(read(zip_of({{"a.txt", "x", false}}), "a.npz")).find("holds no .npy array"),
            std::string::npos);
}

// A member of a few bytes that claims 4 GB is refused before memory is asked for.
TEST(ReadNpz, RefusesAMemberThatClaimsTooMuch) {
  std::string bytes = zip_of({{"a.npy", sample_npy(50, 4), true}});
  const size_t entry = bytes.rfind(std::string("PK\1\2"));
  const uint32_t claim = 0xfffffff0;
  std::memcpy(bytes.data() + entry + 24, &claim, 4);
  EXPECT_NE(error_of(read(bytes, "a.npz")).find("claims 4294967280 bytes"), std::string::npos);
}

TEST(ReadPoints, NamesWhatItDoesNotRead) {
  EXPECT_NE(error_of(read("", "a.laz")).find("convert it to .las first"), std::string::npos);
  EXPECT_NE(error_of(read("", "a.xyz")).find("expected .bin, .npy, .npz, .ply, .pcd or .las"),
            std::string::npos);
  EXPECT_EQ(read("", "a.xyz").error().code(), Code::unsupported);
  EXPECT_EQ(read_points("/nowhere/a.ply").error().code(), Code::io);
  EXPECT_NE(
      error_of(read("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "a.ply"))
          .find("Git LFS pointer"),
      std::string::npos);
}

TEST(ReadPoints, TakesEndingsInAnyCase) { expect_sample(read(sample_bin(2, 4), "A.BIN"), 2, 4); }

TEST(ReadPoints, RefusesColumnsThatMakeNoSense) {
  ReadOptions options;
  options.columns = 2;
  EXPECT_NE(error_of(read("", "a.bin", options)).find("2 columns, expected 3 to 1024"),
            std::string::npos);
  options.columns = 4;
  options.names = {"x", "y", "z"};
  EXPECT_NE(error_of(read("", "a.bin", options)).find("3 column names for 4 columns"),
            std::string::npos);
  options = {0, {"x", "y", "x"}, ""};
  EXPECT_NE(error_of(read(sample_bin(1, 3), "a.bin", options)).find("column \"x\" is there twice"),
            std::string::npos);
  options = {0, {"x", "y", "i"}, ""};
  EXPECT_NE(error_of(read(sample_bin(1, 3), "a.bin", options)).find("no column z: found x, y, i"),
            std::string::npos);
}

} // namespace
} // namespace lattice
