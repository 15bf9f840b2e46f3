// Thousands of damaged files for every reader: each is read or refused, and none makes it ask for
// much more memory than the file backs. The damage is the same in every run.
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "points/read.h"
#include "points/test_clouds.h"

namespace {
size_t largest_request = 0; // of any single allocation since it was last set to 0
}

// Not inlined: the compiler would see malloc meet delete.
[[gnu::noinline]] void* operator new(size_t size) {
  largest_request = std::max(largest_request, size);
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace lattice {
namespace {

struct Sample {
  std::string name, bytes;
};

void PrintTo(const Sample& sample, std::ostream* out) { *out << sample.name; }

std::vector<Sample> samples() {
  std::vector<Sample> all{
      {"four.bin", sample_bin(9, 4)},
      {"five.pcd.bin", sample_bin(9, 5)},
      {"plain.npy", sample_npy(9, 4)},
      {"fortran.npy", npy_with(npy_header(">f4", true, "(9, 4)"), sample_bin(9, 4), 2)},
      {"stored.npz", sample_npz(false)},
      {"deflated.npz", sample_npz(true)}};
  for (const std::string form : {"ascii", "binary_little_endian", "binary_big_endian"})
    all.push_back({form + ".ply", sample_ply(form)});
  for (const std::string data : {"ascii", "binary", "binary_compressed"})
    all.push_back({data + ".pcd", sample_pcd(data)});
  for (const int format : {0, 3, 7, 10})
    all.push_back({"format" + std::to_string(format) + ".las", sample_las(4, format)});
  for (const char* file : {"draco/test_pos_color_big_endian.ply", "pcl/octants.pcd",
                           "pdal/simple_text.ply", "pdal/gps-time-nan.las", "pdal/no-points.las"}) {
    all.push_back({file, content_of(test_data(file))});
  }
  return all;
}

class Damage {
 public:
  explicit Damage(uint64_t seed) : state_(seed) {}

  std::string to(std::string bytes) {
    for (uint64_t k = 1 + below(4); k > 0; --k) change(bytes);
    return bytes;
  }

 private:
  uint64_t below(uint64_t limit) { // splitmix64
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % limit;
  }

  void change(std::string& bytes) {
    if (bytes.empty()) return;
    // Half of the damage goes to the first 400 bytes, where the headers are.
    const size_t at = below(below(2) == 0 ? std::min<size_t>(bytes.size(), 400) : bytes.size());
    static constexpr int64_t numbers[] = {
        0,         1,         -1,       255, 65535, 2147483647, -2147483648LL, 4294967295LL,
        INT64_MAX, INT64_MIN, 1LL << 40};
    static const std::string words[] = {"0",
                                        "-1",
                                        "9",
                                        "99999999999",
                                        "9223372036854775807",
                                        "1e999",
                                        "nan",
                                        " ",
                                        "\n",
                                        "list",
                                        "(",
                                        "}",
                                        "vertex",
                                        ""};
    switch (below(8)) {
    case 0: bytes[at] = static_cast<char>(below(256)); break;
    case 1: bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8)); break;
    case 2: bytes.resize(at); break;
    case 3: bytes.erase(at, 1 + below(8)); break;
    case 4: bytes.insert(at, bytes.substr(below(bytes.size()), 1 + below(16))); break;
    case 5: bytes.replace(at, below(6), words[below(std::size(words))]); break;
    default: {
      const int64_t number = numbers[below(std::size(numbers))];
      const size_t size = size_t{1} << below(4);
      if (at + size <= bytes.size()) std::memcpy(bytes.data() + at, &number, size);
    }
    }
  }

  uint64_t state_;
};

// 1032 is the most that deflate can unpack from a byte; a point of one byte a column takes eight of
// memory a column. Far below what the numbers in a header could ask for.
size_t allowance(const Sample& sample, size_t bytes) {
  return 65536 + bytes * (sample.name.ends_with(".npz") ? 1032 * 8 : 88 * 24);
}

class DamagedFile : public ::testing::TestWithParam<Sample> {};

void try_reading(const Sample& sample, const std::string& bytes, int64_t& accepted) {
  largest_request = 0;
  const auto cloud = read_points(bytes_of(bytes), sample.name);
  ASSERT_LE(largest_request, allowance(sample, bytes.size()));
  if (!cloud) {
    ASSERT_FALSE(cloud.error().text().empty());
    return;
  }
  ++accepted;
  for (const Column& column : cloud->columns)
    ASSERT_EQ(static_cast<int64_t>(column.values.size()), cloud->size());
}

TEST_P(DamagedFile, IsReadOrRefused) {
  const Sample& sample = GetParam();
  int64_t accepted = 0;
  try_reading(sample, sample.bytes, accepted);
  ASSERT_EQ(accepted, 1);
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    try_reading(sample, Damage(seed).to(sample.bytes), accepted);
    if (HasFatalFailure()) return;
  }
  EXPECT_LT(accepted, 4001); // the damage is felt
}

// A file cut anywhere is refused, unless the cut leaves a whole file of its kind.
TEST_P(DamagedFile, CutAnywhereIsSafe) {
  const Sample& sample = GetParam();
  int64_t accepted = 0;
  for (size_t size = 0; size < sample.bytes.size(); ++size) {
    SCOPED_TRACE(size);
    try_reading(sample, sample.bytes.substr(0, size), accepted);
    if (HasFatalFailure()) return;
  }
  if (sample.name.ends_with(".npz") || sample.name.ends_with(".npy") ||
      sample.name.starts_with("binary") || sample.name.starts_with("format")) {
    EXPECT_EQ(accepted, 0);
  }
}

std::string name_of_sample(const ::testing::TestParamInfo<Sample>& info) {
  std::string name = info.param.name;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Readers, DamagedFile, ::testing::ValuesIn(samples()), name_of_sample);

} // namespace
} // namespace lattice
