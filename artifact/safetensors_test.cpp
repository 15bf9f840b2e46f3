// Facts about safetensors files as a whole: the byte cases under tests/data, real files, the
// writer.
#include "artifact/safetensors.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/tensor.h"

namespace lattice {
namespace {

namespace fs = std::filesystem;

const fs::path cases = fs::path(LATTICE_TEST_DATA) / "safetensors_cases";

std::string message_of(const auto& result) { return result ? "" : result.error().text(); }
bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Result<SafetensorsFile> parse(std::string_view bytes) {
  return SafetensorsFile::parse(std::as_bytes(std::span(bytes)), "w.safetensors");
}

std::string with_header(std::string_view header, std::string_view data = "") {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>((header.size() >> (8 * i)) & 0xff));
  return bytes.append(header).append(data);
}

template <class T>
std::vector<T> values_of(const SafetensorsFile& file, std::string_view name) {
  const SafetensorsEntry* entry = file.find(name);
  if (entry == nullptr) return {};
  std::vector<T> values;
  for (int64_t i = 0; i < elements_of(entry->view.shape); ++i)
    values.push_back(load_at<T>(entry->view.data, i));
  return values;
}

// What the message of each refused case must say.
const std::map<std::string, std::string> refusals{
    {"01_zero_bytes.safetensors", "the file is empty"},
    {"02_seven_bytes.safetensors", "7 bytes, expected at least the 8 of the header length"},
    {"03_lfs_pointer.safetensors", "Git LFS pointer"},
    {"04_length_2_63.safetensors",
     "header length 9223372036854775808 is above the limit of 100000000"},
    {"05_length_past_end.safetensors",
     "the file is cut: header length 4096, but only 8 bytes follow"},
    {"06_truncated_data.safetensors",
     "w: the file is cut: its tensors need 16 bytes of data, it holds 8"},
    {"07_trailing_bytes.safetensors", "4 trailing bytes belong to no tensor"},
    {"08_hole.safetensors", "b: data_offsets leave a hole: bytes 4 to 8"},
    {"10_alias.safetensors", "b: data_offsets [0, 8] overlap those of \"a\""},
    {"11_duplicate_key.safetensors", "duplicate key \"w\""},
    {"13_short_range.safetensors",
     "w: shape (1000, 1000) of f32 needs 4000000 bytes, data_offsets [0, 4] give 4"},
    {"15_shape_wraps_to_4.safetensors",
     "w: the size of shape (2, 9223372036854775810) overflows 64 bits"},
    {"16_negative_dim.safetensors", "a dimension is negative"},
    {"18_huge_offset.safetensors", "an offset 18446744073709551616 does not fit 64 bits"},
    {"25_metadata_not_string.safetensors",
     "expected text as the value of \"n\" in __metadata__, found a number"},
    {"30_unknown_dtype.safetensors", "unknown dtype \"Q9\""},
    {"31_header_array.safetensors", "expected '{' as the first byte, found a list"},
    {"33_header_leading_space.safetensors", "expected '{' as the first byte, found byte 0x20"},
    {"36_missing_dtype.safetensors", "w: header byte 39: dtype is missing"},
    {"37_three_offsets.safetensors", "data_offsets has 3 numbers, expected 2"},
};

TEST(SafetensorsCases, AreJudgedAsTheManifestSays) {
  std::ifstream stream(cases / "manifest.json");
  const auto manifest = nlohmann::json::parse(stream);
  EXPECT_EQ(manifest.size(), 28u);
  for (const auto& entry : manifest) {
    const std::string name = entry.at("file");
    const auto file = SafetensorsFile::open(cases / name);
    if (entry.at("verdict") == "accept") {
      EXPECT_TRUE(file) << message_of(file);
    } else {
      ASSERT_TRUE(refusals.contains(name)) << name;
      EXPECT_TRUE(contains(message_of(file), refusals.at(name)))
          << name << " says: " << message_of(file);
      EXPECT_TRUE(contains(message_of(file), name)) << message_of(file);
    }
  }
}

TEST(SafetensorsCases, HoldTheValuesOfTheManifest) {
  const auto open = [](const char* name) { return SafetensorsFile::open(cases / name).value(); };
  EXPECT_EQ(values_of<float>(open("00_good.safetensors"), "w"), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(open("00_good.safetensors").find("w")->view.shape, (Shape{2, 2}));
  EXPECT_EQ(values_of<float>(open("19_empty_tensor.safetensors"), "w"), std::vector<float>{7});
  EXPECT_EQ(open("19_empty_tensor.safetensors").find("e")->view.shape, (Shape{0, 3}));
  EXPECT_EQ(open("20_two_empty.safetensors").entries().size(), 2u);
  EXPECT_EQ(open("22_metadata_only.safetensors").metadata(),
            (SafetensorsMetadata{{"format", "pt"}}));
  EXPECT_EQ(values_of<float>(open("26_data_at_odd_address.safetensors"), "w"),
            (std::vector<float>{1.5f, -2.5f}));
  EXPECT_EQ(values_of<float>(open("28_unordered_header.safetensors"), "a"), std::vector<float>{1});
  EXPECT_EQ(values_of<float>(open("28_unordered_header.safetensors"), "b"), std::vector<float>{2});
  EXPECT_EQ(open("29_bf16.safetensors").find("w")->view.dtype, DType::bf16);
  EXPECT_EQ(open("00_good.safetensors").find("v"), nullptr);
}

// A header of 100 MB is read, one byte more is refused by its length alone.
TEST(Safetensors, HeaderLimitIsExact) {
  std::string header(100'000'000, ' ');
  header.replace(0, 2, "{}");
  EXPECT_TRUE(parse(with_header(header)));
  header.push_back(' ');
  EXPECT_TRUE(contains(message_of(parse(with_header(header))),
                       "header length 100000001 is above the limit of 100000000 bytes"));
}

TEST(Safetensors, WebPageIsNamed) {
  EXPECT_TRUE(
      contains(message_of(parse("<!DOCTYPE html><html><body>404</body></html>")), "a web page"));
  EXPECT_TRUE(contains(message_of(parse("\n <HTML>")), "a web page"));
}

TEST(Safetensors, ScalarHasOneElement) {
  const auto file = parse(
      with_header(R"({"s":{"dtype":"I32","shape":[],"data_offsets":[0,4]}})", {"\7\0\0\0", 4}));
  ASSERT_TRUE(file) << message_of(file);
  EXPECT_EQ(values_of<int32_t>(*file, "s"), std::vector<int32_t>{7});
}

// An empty tensor in the middle of another one lies in bytes that are not its own.
TEST(Safetensors, EmptyRangeInsideAnotherIsAnOverlap) {
  const auto file = parse(with_header(
      R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"e":{"dtype":"U8","shape":[0],"data_offsets":[2,2]}})",
      "1234"));
  EXPECT_TRUE(contains(message_of(file), "e: data_offsets [2, 2] overlap"));
}

TEST(Safetensors, DataLimitIsNamed) {
  const auto file = SafetensorsFile::open(cases / "00_good.safetensors", 15);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code(), Code::memory);
  EXPECT_TRUE(contains(message_of(file), "holds 16 bytes of tensors, the limit is 15"));
}

// Any byte changed, or any tail cut: an answer, never a crash; what is accepted can be read to its
// end.
TEST(Safetensors, DamagedBytesNeverCrash) {
  std::vector<std::string> seeds;
  for (const auto& entry : fs::directory_iterator(cases)) {
    if (entry.path().extension() == ".safetensors")
      seeds.push_back(read_file(entry.path(), 1 << 20).value());
  }
  ASSERT_EQ(seeds.size(), 28u);
  std::sort(seeds.begin(), seeds.end());
  std::mt19937 random(1);
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = seeds[random() % seeds.size()];
    if (bytes.empty()) continue;
    for (auto change = random() % 3; change < 3; ++change) {
      bytes[random() % bytes.size()] =
          static_cast<char>(random() % 2 == 0 ? random() : "{}[]\",:019 \\u"[random() % 13]);
    }
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    const auto file = parse(bytes);
    if (!file) continue;
    ++accepted;
    for (const SafetensorsEntry& entry : file->entries()) {
      const int64_t size = elements_of(entry.view.shape) * size_of(entry.view.dtype);
      uint32_t sum = 0;
      for (int64_t i = 0; i < size; ++i) sum += load_at<uint8_t>(entry.view.data, i);
      EXPECT_LE(sum, 255 * size);
    }
  }
  EXPECT_GT(accepted, 100);
}

class SafetensorsOnDisk : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "lattice_safetensors_test_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(SafetensorsOnDisk, NoFileIsNoSafetensorsFile) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(contains(message_of(SafetensorsFile::open(folder_)), "is a directory"));
  EXPECT_TRUE(contains(message_of(SafetensorsFile::open(folder_ / "pipe")), "is a pipe"));
  EXPECT_EQ(SafetensorsFile::open(folder_ / "absent").error().code(), Code::io);
}

// A file that claims a terabyte and holds none is answered without asking for the memory.
TEST_F(SafetensorsOnDisk, SparseGiantMeetsTheLimit) {
  ASSERT_TRUE(write_file_atomically(
      folder_ / "w",
      with_header(
          R"({"w":{"dtype":"U8","shape":[1099511627776],"data_offsets":[0,1099511627776]}})")));
  std::error_code error;
  fs::resize_file(folder_ / "w", fs::file_size(folder_ / "w") + (uintmax_t{1} << 40), error);
  ASSERT_FALSE(error) << error.message();
  EXPECT_TRUE(
      contains(message_of(SafetensorsFile::open(folder_ / "w", 1 << 20)), "the limit is 1048576"));
}

// What is written is read back: order, alignment, names that need escapes, metadata.
TEST_F(SafetensorsOnDisk, WriterRoundTrips) {
  const std::vector<uint8_t> bytes{1, 2, 3};
  const std::vector<float> floats{1.5f, -2.5f};
  const std::vector<NamedTensor> tensors{
      {"b\"y\n\xc3\xa9", {DType::u8, {3}, bytes.data()}},
      {"f", {DType::f32, {2, 1}, floats.data()}},
      {"empty", {DType::f16, {0, 5}, nullptr}},
  };
  const SafetensorsMetadata metadata{{"made by", "a \\ test"}};
  ASSERT_TRUE(write_safetensors(folder_ / "w", tensors, metadata));
  const auto file = SafetensorsFile::open(folder_ / "w");
  ASSERT_TRUE(file) << message_of(file);
  EXPECT_EQ(values_of<uint8_t>(*file, tensors[0].name), bytes);
  EXPECT_EQ(values_of<float>(*file, "f"), floats);
  EXPECT_EQ(file->find("empty")->view.shape, (Shape{0, 5}));
  EXPECT_EQ(file->metadata(), metadata);
  EXPECT_EQ(file->entries().front().name, "f");
  const std::string written = read_file(folder_ / "w", 1 << 20).value();
  EXPECT_EQ(static_cast<unsigned char>(written[0]) % 8, 0);
  ASSERT_TRUE(write_safetensors(folder_ / "again", tensors, metadata));
  EXPECT_EQ(read_file(folder_ / "again", 1 << 20).value(), written);
}

TEST_F(SafetensorsOnDisk, WriterRefusesWhatCouldNotBeRead) {
  const float value = 1;
  const auto write = [&](std::vector<NamedTensor> tensors) {
    return message_of(write_safetensors(folder_ / "w", tensors));
  };
  const TensorView one{DType::f32, {1}, &value};
  EXPECT_TRUE(contains(write({{"w", one}, {"w", one}}), "\"w\" cannot be written twice"));
  EXPECT_FALSE(write({{"__metadata__", one}}).empty());
  EXPECT_TRUE(contains(write({{"\xff", one}}), "not valid UTF-8"));
  EXPECT_TRUE(contains(write({{"w", {DType::f32, {-1}, &value}}}), "is no size"));
  EXPECT_TRUE(contains(write({{"w", {DType::f32, {1}, nullptr}}}), "no data"));
  EXPECT_TRUE(fs::is_empty(folder_));
}

} // namespace
} // namespace lattice
