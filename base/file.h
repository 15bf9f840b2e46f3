// Files as the library reads and writes them: regular files only, sizes checked, writes all or
// nothing. Knows nothing of what is in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace lattice {

// A regular file open for reading. Directories, pipes, sockets and devices are refused, and opening
// one never waits for its other end. Read with read_at rather than mapped: another process may cut
// a mapped file, and the next touch of a lost page would be a SIGBUS that a library cannot catch
// for its host.
class RegularFile {
 public:
  static Result<RegularFile> open(const std::filesystem::path& path);
  RegularFile(RegularFile&& other) noexcept;
  RegularFile& operator=(RegularFile&& other) noexcept;
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;
  ~RegularFile();

  // Size when it was opened.
  int64_t size() const { return size_; }
  const std::string& name() const { return name_; }

  // Fills `target` from `offset` on. A file that has become shorter meanwhile is an error.
  Status read_at(int64_t offset, std::span<std::byte> target) const;

 private:
  RegularFile(int descriptor, int64_t size, std::string name)
      : descriptor_(descriptor), size_(size), name_(std::move(name)) {}

  int descriptor_ = -1;
  int64_t size_ = 0;
  std::string name_;
};

// The whole of a regular file that holds at most `max_bytes`.
Result<std::string> read_file(const std::filesystem::path& path, int64_t max_bytes);

// Writes `parts` one after another: into a new file in the same folder, which takes the place of
// `path` once every byte is on the disk. On an error `path` is as it was and the new file is gone.
Status write_file_atomically(const std::filesystem::path& path,
                             std::span<const std::span<const std::byte>> parts);
Status write_file_atomically(const std::filesystem::path& path, std::string_view text);

} // namespace lattice
