// Palette and ramp, both laid out in OKLab, where equal steps look equal.
// OKLab to sRGB is the published definition.
#include "points/colours.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lattice {

namespace {

// lightness 0..1, chroma, hue in degrees
Colour from_oklch(double lightness, double chroma, double hue) {
  const double angle = hue * std::numbers::pi / 180;
  const double a = chroma * std::cos(angle), b = chroma * std::sin(angle);
  const auto cube = [](double v) { return v * v * v; };
  const double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
  const double linear[3] = {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
                            -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
                            -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
  Colour colour{};
  for (size_t k = 0; k < 3; ++k) {
    const double v = std::clamp(linear[k], 0.0, 1.0);
    const double encoded = v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
    colour[k] = static_cast<uint8_t>(std::lround(encoded * 255));
  }
  return colour;
}

constexpr Colour grey{128, 128, 128};

} // namespace

Colour label_colour(int64_t label) {
  if (label < 0) return grey;
  // Neighbouring classes are far apart in hue and differ in lightness as well.
  struct Entry {
    double lightness, chroma, hue;
  };
  static constexpr Entry palette[16] = {
      {0.62, 0.16, 255}, {0.75, 0.16, 70},  {0.68, 0.17, 145}, {0.60, 0.20, 25},
      {0.58, 0.17, 305}, {0.82, 0.14, 95},  {0.72, 0.11, 205}, {0.70, 0.17, 350},
      {0.50, 0.09, 60},  {0.80, 0.13, 125}, {0.45, 0.14, 265}, {0.80, 0.08, 20},
      {0.50, 0.10, 150}, {0.78, 0.09, 285}, {0.48, 0.13, 15},  {0.86, 0.09, 180}};
  const Entry& entry = palette[label % 16];
  const auto round = static_cast<double>(label / 16 % 16);
  return from_oklch(entry.lightness - 0.02 * round, entry.chroma, entry.hue + 9 * round);
}

Colour ramp_colour(double value) {
  if (std::isnan(value)) return grey;
  const double t = std::clamp(value, 0.0, 1.0);
  return from_oklch(0.27 + 0.64 * t, 0.11 + 0.06 * t * t, 305 - 200 * t);
}

std::vector<uint8_t> colours_by_label(std::span<const int32_t> labels) {
  std::vector<uint8_t> rgb;
  rgb.reserve(labels.size() * 3);
  for (const int32_t label : labels) {
    const Colour colour = label_colour(label);
    rgb.insert(rgb.end(), colour.begin(), colour.end());
  }
  return rgb;
}

std::vector<uint8_t> colours_by_value(std::span<const double> values, double low, double high) {
  // The ramp at 1024 places: the eye sees no more, and pow is slow.
  std::vector<Colour> table;
  for (int k = 0; k < 1024; ++k) table.push_back(ramp_colour(k / 1023.0));
  const double scale = high > low ? 1023 / (high - low) : 0;
  std::vector<uint8_t> rgb;
  rgb.reserve(values.size() * 3);
  for (const double value : values) {
    const double place = (value - low) * scale;
    const Colour colour =
        std::isnan(place) ? grey : table[static_cast<size_t>(std::clamp(place, 0.0, 1023.0))];
    rgb.insert(rgb.end(), colour.begin(), colour.end());
  }
  return rgb;
}

std::vector<uint8_t> colours_of(const PointCloud& cloud) {
  const Column* channels[3] = {cloud.find("r"), cloud.find("g"), cloud.find("b")};
  double largest = 0;
  for (const Column* channel : channels) {
    if (channel == nullptr) return {};
    for (const double value : channel->values) largest = std::max(largest, value);
  }
  const double full = largest > 255                                   ? 65535
                      : largest > 1 || channels[0]->type == DType::u8 ? 255
                                                                      : 1;
  std::vector<uint8_t> rgb;
  rgb.reserve(static_cast<size_t>(cloud.size()) * 3);
  for (size_t row = 0; row < static_cast<size_t>(cloud.size()); ++row) {
    for (const Column* channel : channels) {
      const double value = channel->values[row];
      rgb.push_back(value > 0 ? static_cast<uint8_t>(std::lround(std::min(value / full, 1.0) * 255))
                              : uint8_t{0});
    }
  }
  return rgb;
}

} // namespace lattice
