// Opens a point file and hands it to the reader of its format.
// The formats themselves are in read_*.cpp.
#include "points/read.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include <fmt/format.h>

#include "base/file.h"
#include "points/guarded.h"
#include "points/place.h"

namespace lattice {

namespace {

// Far above any real table, far below what could overflow a row size.
constexpr int64_t max_columns = 1024;

Status check_options(const ReadOptions& options) {
  const auto named = static_cast<int64_t>(options.names.size());
  const int64_t columns = options.columns == 0 && named > 0 ? named : options.columns;
  if (columns != 0 && (columns < 3 || columns > max_columns)) {
    return fail(Code::usage, fmt::format("{} columns, expected 3 to {}", columns, max_columns));
  }
  if (named > 0 && named != columns) {
    return fail(Code::usage, fmt::format("{} column names for {} columns", named, columns));
  }
  return {};
}

Result<PointCloud> dispatch(Bytes bytes, const std::string& name, const ReadOptions& options) {
  std::string low;
  for (const char c : name) low += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (text_in(bytes).starts_with("version https://git-lfs")) {
    return fail(Code::input,
                "is a Git LFS pointer, not the file itself; fetch it with git lfs pull",
                in_file(name));
  }
  if (low.ends_with(".bin")) return read_bin(bytes, name, options);
  if (low.ends_with(".npy")) return read_npy(bytes, name, options);
  if (low.ends_with(".npz")) return read_npz(bytes, name, options);
  if (low.ends_with(".ply")) return read_ply(bytes, name);
  if (low.ends_with(".pcd")) return read_pcd(bytes, name);
  if (low.ends_with(".las")) return read_las(bytes, name);
  if (low.ends_with(".laz")) {
    return fail(Code::unsupported, "compressed .laz files are not read; convert it to .las first",
                in_file(name));
  }
  return fail(Code::unsupported,
              "unknown kind of point file; expected .bin, .npy, .npz, .ply, .pcd or .las",
              in_file(name));
}

} // namespace

Result<PointCloud> read_points(Bytes bytes, const std::string& name, const ReadOptions& options) {
  LATTICE_CHECK(check_options(options));
  return guarded("the points of " + name, [&] { return dispatch(bytes, name, options); });
}

Result<PointCloud> read_points(const std::string& path, const ReadOptions& options) {
  LATTICE_TRY(const std::string content, read_file(path, std::numeric_limits<int64_t>::max()));
  return read_points(std::as_bytes(std::span(content)), path, options);
}

} // namespace lattice
