// A coloured cloud as a picture: parallel projection, depth buffer, a little shading.
// For people to look at. A plain loop over points; no window, no GPU.
#pragma once

#include <span>
#include <string_view>

#include "points/png.h"

namespace lattice {

struct View {
  int32_t width = 1200, height = 800;
  // Degrees. azimuth is the direction one looks in: 0 along +y ("north"), 90 along +x. elevation is
  // how far one looks down: 90 straight down (+x to the right, +y up), 0 level.
  double azimuth = 0, elevation = 90;
  double point_size = 0; // diameter in pixels; 0: so that neighbouring points just meet
  Colour background{18, 20, 26};
};

// `xyz` is 3 N, `rgb` 3 N bytes. The whole cloud fits into the picture; points that are not finite
// are left out; without points the picture is empty. Code::usage for sizes that do not agree.
Result<Picture> render_points(std::span<const double> xyz, std::span<const uint8_t> rgb,
                              const View& view);

// Pictures next to each other or below each other, with a gap of the background's colour.
Picture side_by_side(std::span<const Picture> pictures, Colour background = {18, 20, 26});
Picture stacked(std::span<const Picture> pictures, Colour background = {18, 20, 26});

// Capitals, digits and . , : - + % / ( ) in blocks of `scale` pixels, 5 by 7 of them; small letters
// are drawn as capitals, others left blank. What falls outside the picture is cut off.
void draw_text(Picture& picture, int32_t x, int32_t y, std::string_view text, Colour colour,
               int32_t scale = 2);

} // namespace lattice
