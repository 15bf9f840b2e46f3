// Facts about reading and writing files: what is refused, and that a write is all or nothing.
#include "base/file.h"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lattice {
namespace {

namespace fs = std::filesystem;

// A folder of its own for each test, removed afterwards.
class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "lattice_file_test_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  size_t files_in_folder() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

std::string message_of(const auto& result) { return result ? "" : result.error().text(); }

TEST_F(Files, WhatWasWrittenIsRead) {
  ASSERT_TRUE(write_file_atomically(folder_ / "a", "first"));
  ASSERT_TRUE(write_file_atomically(folder_ / "a", "second"));
  EXPECT_EQ(read_file(folder_ / "a", 100), "second");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(Files, ALinkThatLeadsNowhereIsNotReplaced) {
  fs::create_symlink("loop", folder_ / "loop");
  const auto status = write_file_atomically(folder_ / "loop", "text");
  ASSERT_FALSE(status);
  EXPECT_NE(std::string(status.error().what()).find("leads to no file"), std::string::npos);
  EXPECT_TRUE(fs::is_symlink(folder_ / "loop"));
}

TEST_F(Files, OnlyRegularFilesAreRead) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  fs::create_symlink("loop", folder_ / "loop");
  EXPECT_NE(message_of(read_file(folder_, 100)).find("is a directory"), std::string::npos);
  EXPECT_NE(message_of(read_file(folder_ / "pipe", 100)).find("is a pipe"), std::string::npos);
  EXPECT_NE(message_of(read_file(folder_ / "loop", 100)).find("symbolic links"), std::string::npos);
  EXPECT_NE(message_of(read_file(folder_ / "absent", 100)).find("No such file"), std::string::npos);
  EXPECT_NE(message_of(read_file("/dev/zero", 100)).find("is a device"), std::string::npos);
}

TEST_F(Files, PermissionIsNamed) {
  ASSERT_TRUE(write_file_atomically(folder_ / "a", "text"));
  fs::permissions(folder_ / "a", fs::perms::none);
  const auto text = read_file(folder_ / "a", 100);
  if (::geteuid() == 0) {
    EXPECT_TRUE(text); // root may read anything
  } else {
    EXPECT_NE(message_of(text).find("Permission denied"), std::string::npos);
  }
}

TEST_F(Files, SizeLimitIsNamed) {
  ASSERT_TRUE(write_file_atomically(folder_ / "a", "12345"));
  EXPECT_TRUE(read_file(folder_ / "a", 5));
  EXPECT_NE(message_of(read_file(folder_ / "a", 4)).find("holds 5 bytes, the limit is 4"),
            std::string::npos);
}

// A file another process cuts while it is open is an error, not a signal.
TEST_F(Files, CutWhileOpenIsAnError) {
  ASSERT_TRUE(write_file_atomically(folder_ / "a", std::string(10000, 'x')));
  const auto file = RegularFile::open(folder_ / "a");
  ASSERT_TRUE(file);
  fs::resize_file(folder_ / "a", 100);
  std::string text(10000, ' ');
  const Status status = file->read_at(0, std::as_writable_bytes(std::span(text)));
  EXPECT_NE(message_of(status).find("became shorter while it was read: 100 bytes, 10000"),
            std::string::npos);
}

// A write that fails half-way leaves the old file and nothing beside it.
TEST_F(Files, FailedWriteLeavesTheOldFile) {
  ASSERT_TRUE(write_file_atomically(folder_ / "a", "old"));
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small { 1000, before.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status status = write_file_atomically(folder_ / "a", std::string(5000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::io);
  EXPECT_EQ(read_file(folder_ / "a", 100), "old");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(Files, WritingOverAFolderIsRefused) {
  fs::create_directory(folder_ / "a");
  EXPECT_NE(message_of(write_file_atomically(folder_ / "a", "x")).find("is a directory"),
            std::string::npos);
  EXPECT_FALSE(write_file_atomically(folder_ / "absent" / "a", "x"));
  EXPECT_EQ(files_in_folder(), 1u);
}

} // namespace
} // namespace lattice
