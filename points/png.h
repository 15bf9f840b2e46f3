// Pictures in memory and as .png.
// 8-bit RGB and nothing more; zlib compresses.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace lattice {

using Colour = std::array<uint8_t, 3>; // red, green, blue

struct Picture {
  int32_t width = 0, height = 0;
  std::vector<uint8_t> rgb; // rows from the top, 3 bytes a pixel

  Picture() = default;
  Picture(int32_t w, int32_t h, Colour background);
  uint8_t* pixel(int32_t x, int32_t y) { return rgb.data() + (int64_t{y} * width + x) * 3; }
  const uint8_t* pixel(int32_t x, int32_t y) const {
    return rgb.data() + (int64_t{y} * width + x) * 3;
  }
};

// The file's bytes; empty when the picture's sizes and pixels do not agree or zlib fails.
std::string png_bytes(const Picture& picture);

Status write_png(const std::string& path, const Picture& picture);

} // namespace lattice
