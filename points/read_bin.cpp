// Headerless tables of little-endian f32 rows: KITTI and nuScenes scans.
// The number of columns is the caller's word or the file name's; nothing in the file tells.
#include <fmt/format.h>

#include "points/fields.h"
#include "points/place.h"
#include "points/read.h"

namespace lattice {

namespace {

// Which usual column counts divide the file: the likely mistake is a wrong count, not a cut file.
std::string counts_that_fit(size_t bytes) {
  std::string text;
  for (const size_t columns : {3, 4, 5, 6}) {
    if (bytes % (columns * 4) == 0) text += fmt::format("{}{}", text.empty() ? "" : ", ", columns);
  }
  return text.empty() ? "none of 3 to 6 columns would fit" : "columns that would fit: " + text;
}

} // namespace

Result<PointCloud> read_bin(Bytes bytes, const std::string& name, const ReadOptions& options) {
  int64_t columns = options.columns;
  if (columns == 0) columns = static_cast<int64_t>(options.names.size());
  if (columns == 0) columns = name.ends_with(".pcd.bin") ? 5 : 4;
  std::vector<std::string> names = options.names;
  if (names.empty()) names = names_for_columns(columns);

  const size_t row_bytes = static_cast<size_t>(columns) * 4;
  if (bytes.size() % row_bytes != 0) {
    return fail(Code::input,
                fmt::format("{} bytes are no whole number of points of {} columns ({} bytes); {}",
                            bytes.size(), columns, row_bytes, counts_that_fit(bytes.size())),
                in_file(name));
  }
  std::vector<Field> fields;
  for (std::string& column : names) fields.push_back({std::move(column), DType::f32});
  const auto count = static_cast<int64_t>(bytes.size() / row_bytes);
  LATTICE_TRY(Filling filling, start_filling(fields, count, name));
  const std::byte* at = bytes.data();
  for (int64_t row = 0; row < count; ++row) {
    for (const Filling::Place& place : filling.places) {
      place.put(row, load<float>(at));
      at += 4;
    }
  }
  return std::move(filling.cloud);
}

} // namespace lattice
