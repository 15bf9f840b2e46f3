// Writes .png: a header, one compressed chunk of filtered rows, an end.
// For each row the filter whose bytes are smallest is taken, the usual rule of thumb.
#include "points/png.h"

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <zlib.h>

#include "base/file.h"
#include "points/guarded.h"
#include "points/place.h"

namespace lattice {

namespace {

void append_u32(std::string& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 255);
}

void append_chunk(std::string& out, std::string_view type, std::string_view data) {
  append_u32(out, static_cast<uint32_t>(data.size()));
  const std::string body = std::string(type) + std::string(data);
  out += body;
  append_u32(out,
             static_cast<uint32_t>(crc32_z(
                 crc32(0, nullptr, 0), reinterpret_cast<const Bytef*>(body.data()), body.size())));
}

// Which of left, above and upper left is nearest to left + above - upper left.
int paeth(int left, int above, int corner) {
  const int guess = left + above - corner;
  const int dl = std::abs(guess - left), da = std::abs(guess - above),
            dc = std::abs(guess - corner);
  if (dl <= da && dl <= dc) return left;
  return da <= dc ? above : corner;
}

uint8_t filtered(int filter, int value, int left, int above, int corner) {
  const int guesses[] = {0, left, above, (left + above) / 2, paeth(left, above, corner)};
  return static_cast<uint8_t>(value - guesses[filter]);
}

std::string filter_rows(const Picture& picture) {
  const auto row_bytes = static_cast<size_t>(picture.width) * 3;
  std::string out;
  out.reserve((row_bytes + 1) * static_cast<size_t>(picture.height));
  std::string row(row_bytes, '\0'), best;
  for (int32_t y = 0; y < picture.height; ++y) {
    const uint8_t* now = picture.rgb.data() + static_cast<size_t>(y) * row_bytes;
    const uint8_t* before = y > 0 ? now - row_bytes : nullptr;
    int64_t best_cost = -1;
    int best_filter = 0;
    for (int filter = 0; filter < 5; ++filter) {
      int64_t cost = 0;
      for (size_t k = 0; k < row_bytes; ++k) {
        const int left = k >= 3 ? now[k - 3] : 0, above = before != nullptr ? before[k] : 0;
        const int corner = k >= 3 && before != nullptr ? before[k - 3] : 0;
        const uint8_t byte = filtered(filter, now[k], left, above, corner);
        row[k] = static_cast<char>(byte);
        cost += byte < 128 ? byte : 256 - byte;
      }
      if (best_cost < 0 || cost < best_cost) {
        best_cost = cost;
        best_filter = filter;
        best.swap(row);
        row.resize(row_bytes);
      }
    }
    out += static_cast<char>(best_filter);
    out += best;
  }
  return out;
}

} // namespace

Picture::Picture(int32_t w, int32_t h, Colour background)
    : width(w), height(h), rgb(static_cast<size_t>(w) * static_cast<size_t>(h) * 3) {
  for (size_t k = 0; k < rgb.size(); ++k) rgb[k] = background[k % 3];
}

std::string png_bytes(const Picture& picture) {
  if (picture.width < 1 || picture.height < 1) return {};
  if (picture.rgb.size() !=
      static_cast<size_t>(picture.width) * static_cast<size_t>(picture.height) * 3)
    return {};
  const std::string plain = filter_rows(picture);
  if (plain.size() >= UINT32_MAX) return {};
  uLongf size = compressBound(static_cast<uLong>(plain.size()));
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                reinterpret_cast<const Bytef*>(plain.data()), static_cast<uLong>(plain.size()),
                6) != Z_OK)
    return {};
  packed.resize(size);
  if (packed.size() > INT32_MAX) return {};

  std::string header;
  append_u32(header, static_cast<uint32_t>(picture.width));
  append_u32(header, static_cast<uint32_t>(picture.height));
  header += {'\10', '\2', '\0', '\0',
             '\0'}; // 8 bits, RGB, the only compression and filtering, no interlace
  std::string out = "\x89PNG\r\n\x1a\n";
  append_chunk(out, "IHDR", header);
  append_chunk(out, "IDAT", packed);
  append_chunk(out, "IEND", "");
  return out;
}

Status write_png(const std::string& path, const Picture& picture) {
  return guarded("a .png", [&]() -> Status {
    const std::string bytes = png_bytes(picture);
    if (bytes.empty()) {
      return fail(Code::usage,
                  fmt::format("a picture of {} x {} with {} bytes cannot be written as .png",
                              picture.width, picture.height, picture.rgb.size()),
                  in_file(path));
    }
    return write_file_atomically(path, bytes);
  });
}

} // namespace lattice
