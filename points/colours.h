// Colours for points: by class, by value, or as the file has them.
// Chosen for the eye; nothing is computed with them.
#pragma once

#include <span>
#include <vector>

#include "points/cloud.h"
#include "points/png.h"

namespace lattice {

// Distinct colours for classes 0, 1, 2, ...; repeats with small changes after 16. Grey below 0.
Colour label_colour(int64_t label);

// Dark violet at 0 through blue, teal and green to yellow at 1; equally spaced to the eye. Values
// outside are clamped, NaN is grey.
Colour ramp_colour(double value);

// 3 bytes a label or value. by_value spreads the ramp from low to high.
std::vector<uint8_t> colours_by_label(std::span<const int32_t> labels);
std::vector<uint8_t> colours_by_value(std::span<const double> values, double low, double high);

// r, g and b of the cloud scaled to a byte, or empty when it has none. 16-bit fields that hold
// 8-bit colours, as some .las writers leave them, are recognised by their largest value.
std::vector<uint8_t> colours_of(const PointCloud& cloud);

} // namespace lattice
