// Files over the system's calls; contract in base/file.h. No parsing here.
#include "base/file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lattice {
namespace {

// The system writes and reads at most a little under 2 GiB a call.
constexpr size_t bytes_a_call = size_t{1} << 30;

std::string reason(int error) { return std::generic_category().message(error); }

tl::unexpected<Error> io_error(std::string_view what, const std::string& name, int error) {
  return fail(Code::io, fmt::format("{}: {}", what, reason(error)),
              {name.empty() ? "''" : name, 0, 0, ""});
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "no regular file";
}

// Closes, and removes the file unless it was kept.
class TemporaryFile {
 public:
  TemporaryFile(int descriptor, std::string path)
      : descriptor_(descriptor), path_(std::move(path)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!kept_) ::unlink(path_.c_str());
  }

  int descriptor() const { return descriptor_; }
  const std::string& path() const { return path_; }
  // False with errno set when the system reports a late write error.
  bool close() { return ::close(std::exchange(descriptor_, -1)) == 0; }
  void keep() { kept_ = true; }

 private:
  int descriptor_;
  std::string path_;
  bool kept_ = false;
};

// False with errno set on failure.
bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), std::min(bytes.size(), bytes_a_call));
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

// A name no other call of this process uses; other processes are told apart by their number.
std::string temporary_name(const std::filesystem::path& path) {
  static std::atomic<uint64_t> counter{0};
  const auto folder = path.parent_path();
  return (folder / fmt::format(".{}.{}-{}.tmp", path.filename().string(), ::getpid(), counter++))
      .string();
}

} // namespace

Result<RegularFile> RegularFile::open(const std::filesystem::path& path) {
  const std::string name = path.string();
  // O_NONBLOCK: opening a pipe nobody writes to must not wait.
  int descriptor = -1;
  do {
    descriptor = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) return io_error("cannot be opened", name, errno);
  RegularFile file(descriptor, 0, name);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return io_error("cannot be examined", name, errno);
  if (!S_ISREG(status.st_mode)) {
    return fail(Code::io, fmt::format("is {}, expected a regular file", kind_of(status.st_mode)),
                {name, 0, 0, ""});
  }
  file.size_ = status.st_size;
  return file;
}

RegularFile::RegularFile(RegularFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_),
      name_(std::move(other.name_)) {}

RegularFile& RegularFile::operator=(RegularFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  std::swap(name_, other.name_);
  return *this;
}

RegularFile::~RegularFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status RegularFile::read_at(int64_t offset, std::span<std::byte> target) const {
  while (!target.empty()) {
    const ssize_t count =
        ::pread(descriptor_, target.data(), std::min(target.size(), bytes_a_call), offset);
    if (count < 0) {
      if (errno == EINTR) continue;
      return io_error("cannot be read", name_, errno);
    }
    if (count == 0) {
      return fail(Code::io,
                  fmt::format("became shorter while it was read: {} bytes, {} when it was opened",
                              offset, size_),
                  {name_, 0, 0, ""});
    }
    offset += count;
    target = target.subspan(static_cast<size_t>(count));
  }
  return {};
}

Result<std::string> read_file(const std::filesystem::path& path, int64_t max_bytes) {
  LATTICE_TRY(const RegularFile file, RegularFile::open(path));
  if (file.size() > max_bytes) {
    return fail(Code::io, fmt::format("holds {} bytes, the limit is {}", file.size(), max_bytes),
                {file.name(), 0, 0, ""});
  }
  std::string text;
  try {
    text.resize(static_cast<size_t>(file.size()));
  } catch (const std::bad_alloc&) {
    return fail(Code::memory, fmt::format("out of memory: {} bytes for a file", file.size()),
                {file.name(), 0, 0, ""});
  }
  LATTICE_CHECK(file.read_at(0, std::as_writable_bytes(std::span(text))));
  return text;
}

Status write_file_atomically(const std::filesystem::path& given,
                             std::span<const std::span<const std::byte>> parts) {
  if (given.empty()) return io_error("cannot be written", "", ENOENT);
  // A link stays: what it leads to is replaced.
  std::filesystem::path path = given;
  std::error_code error;
  if (std::filesystem::is_symlink(given, error)) {
    path = std::filesystem::canonical(given, error);
    if (error) return io_error("is a link that leads to no file", given.string(), error.value());
  }
  const std::string name = path.string();
  struct stat status {};
  if (::stat(name.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return fail(Code::io,
                fmt::format("is {}, expected a regular file or nothing", kind_of(status.st_mode)),
                {name, 0, 0, ""});
  }
  int descriptor = -1;
  std::string temporary_path;
  do { // a name left over by a process that was killed is passed over
    temporary_path = temporary_name(path);
    descriptor = ::open(temporary_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor < 0 && (errno == EEXIST || errno == EINTR));
  if (descriptor < 0) return io_error("cannot be written", name, errno);

  TemporaryFile temporary(descriptor, temporary_path);
  for (const auto part : parts) {
    if (!write_all(descriptor, part)) return io_error("cannot be written", name, errno);
  }
  if (::fsync(descriptor) != 0) return io_error("cannot be written", name, errno);
  if (!temporary.close()) return io_error("cannot be written", name, errno);
  if (::rename(temporary.path().c_str(), name.c_str()) != 0) {
    return io_error("cannot be replaced", name, errno);
  }
  temporary.keep();

  // The new name reaches the disk with its folder; a file system that cannot do that loses no data
  // of ours.
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  const int folder_descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_descriptor >= 0) {
    (void)::fsync(folder_descriptor);
    ::close(folder_descriptor);
  }
  return {};
}

Status write_file_atomically(const std::filesystem::path& path, std::string_view text) {
  const std::span<const std::byte> part = std::as_bytes(std::span(text));
  return write_file_atomically(path, std::span(&part, 1));
}

} // namespace lattice
