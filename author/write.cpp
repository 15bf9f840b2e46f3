// Writing an artifact: into a folder of its own first, verified there, then moved to where it
// belongs.
#include <atomic>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "author/builder.h"
#include "author/verify.h"
#include "base/file.h"

namespace lattice::author {
namespace {

namespace fs = std::filesystem;

constexpr const char* graph_file = "graph.mlir";
constexpr const char* weights_file = "weights.safetensors";

// A new folder that goes away with all it holds, unless it has been moved.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make(const fs::path& parent) {
    static std::atomic<uint32_t> count{0};
    for (int attempt = 0; attempt < 100; ++attempt) {
      const fs::path path = parent / fmt::format(".lattice-partial-{}-{}", getpid(), ++count);
      std::error_code error;
      if (fs::create_directory(path, error)) return TemporaryFolder(path);
      if (error)
        return fail(Code::io, fmt::format("cannot make a folder in {}: {}", parent.string(),
                                          error.message()));
    }
    return fail(Code::io, fmt::format("cannot find a free name in {}", parent.string()));
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

Status move_to(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error)
    return fail(Code::io, fmt::format("cannot move {} to {}: {}", from.string(), to.string(),
                                      error.message()));
  return {};
}

// Replaces the two files of an existing directory. If the second cannot be moved, the first comes
// back.
Status replace_files(const fs::path& fresh, const fs::path& directory) {
  const fs::path weights = directory / weights_file, kept = fresh / "previous";
  std::error_code error;
  const bool had_weights = fs::exists(fs::symlink_status(weights, error));
  if (had_weights) LATTICE_CHECK(move_to(weights, kept));
  Status status = move_to(fresh / weights_file, weights);
  if (status) {
    status = move_to(fresh / graph_file, directory / graph_file);
    if (status) return {};
    fs::remove(weights, error);
  }
  if (had_weights) fs::rename(kept, weights, error);
  return status;
}

} // namespace

Status GraphBuilder::write(const fs::path& directory) const {
  LATTICE_TRY(const Graph built, graph());
  std::error_code error;
  fs::path target = fs::absolute(directory, error).lexically_normal();
  if (error || directory.empty()) return fail(Code::usage, "the directory to write to has no name");
  if (!target.has_filename()) target = target.parent_path();
  const fs::file_status status = fs::status(target, error);
  const bool exists = fs::is_directory(status);
  if (!exists && fs::exists(status))
    return fail(Code::io, fmt::format("{} is there and no directory", target.string()));
  const fs::path parent = exists ? target : target.parent_path();
  fs::create_directories(parent, error);

  LATTICE_TRY(const TemporaryFolder folder, TemporaryFolder::make(parent));
  LATTICE_CHECK(write_file_atomically(folder.path() / graph_file, built.text));
  LATTICE_CHECK(write_safetensors(folder.path() / weights_file, built.weights));
  LATTICE_CHECK(verify_artifact(folder.path()));
  return exists ? replace_files(folder.path(), target) : move_to(folder.path(), target);
}

} // namespace lattice::author
