// Bytes and files for the tests of this folder.
// Included by tests only.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "base/file.h"
#include "points/number.h"

namespace lattice {

inline std::string test_data(const std::string& name) {
  return std::string(LATTICE_TEST_DATA) + "/points/" + name;
}
inline std::string example_data(const std::string& name) {
  return std::string(LATTICE_TEST_DATA) + "/../../examples/data/" + name;
}

inline std::string content_of(const std::string& path) {
  auto content = read_file(path, int64_t{1} << 30);
  EXPECT_TRUE(content) << (content ? "" : content.error().text());
  return content ? *content : std::string();
}

inline Bytes bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

// Appends numbers as their bytes.
struct Blob {
  std::string bytes;

  template <class T>
  Blob& put(T value, std::endian order = std::endian::little) {
    std::string raw(sizeof(T), '\0');
    std::memcpy(raw.data(), &value, sizeof(T));
    if (order != std::endian::native) std::reverse(raw.begin(), raw.end());
    bytes += raw;
    return *this;
  }
  Blob& text(std::string_view more) {
    bytes += more;
    return *this;
  }
  // Overwrites what is there.
  template <class T>
  Blob& set(size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof(T));
    return *this;
  }
};

// The text of the error of a failed call; a test failure when it did not fail.
template <class T>
std::string error_of(const T& result) {
  EXPECT_FALSE(result) << "expected an error";
  return result ? std::string() : result.error().text();
}

// A path in a folder of its own that is gone at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "points-XXXXXX").string();
    path_ = mkdtemp(name.data()) != nullptr ? name : "";
    EXPECT_FALSE(path_.empty());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

} // namespace lattice
