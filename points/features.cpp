// Builds the feature matrix a column at a time.
// Rounds once, at the end of each value.
#include "points/features.h"

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "base/tensor.h"
#include "points/number.h"

namespace lattice {

namespace {

// The largest value of an integer type, 1 for the others: what "full" means when nobody says.
double full_of(DType type) {
  switch (type) {
  case DType::u8: return 255;
  case DType::i8: return 127;
  case DType::u16: return 65535;
  case DType::i16: return 32767;
  case DType::u32: return 4294967295.0;
  case DType::i32: return 2147483647.0;
  default: return 1;
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split_names(std::string_view text) {
  std::vector<std::string_view> names;
  while (true) {
    const size_t comma = text.find(',');
    names.push_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return names;
    text.remove_prefix(comma + 1);
  }
}

Status check_options(const FeatureOptions& options) {
  for (const double value : options.origin) {
    if (!std::isfinite(value))
      return fail(Code::usage, fmt::format("origin is {}, expected a finite number", value));
  }
  for (const double value : {options.colour_full, options.intensity_full}) {
    if (!std::isfinite(value) || value < 0) {
      return fail(
          Code::usage,
          fmt::format("a full colour or intensity of {}, expected a positive number or 0 (by type)",
                      value));
    }
  }
  return {};
}

// One channel into out[channel], out[channel + step], ... `out` is null for an empty cloud.
Status fill(const PointCloud& cloud, std::string_view name, const FeatureOptions& options,
            float* out, int64_t channel, int64_t step) {
  const int64_t count = cloud.size();
  if (name == "one") {
    for (int64_t row = 0; row < count; ++row) out[row * step + channel] = 1.0f;
    return {};
  }
  if (name == "x" || name == "y" || name == "z") {
    const int64_t axis = name[0] - 'x';
    const double origin = options.origin[static_cast<size_t>(axis)];
    for (int64_t row = 0; row < count; ++row)
      out[row * step + channel] =
          static_cast<float>(cloud.xyz[static_cast<size_t>(row * 3 + axis)] - origin);
    return {};
  }
  const Column* column = cloud.find(name);
  if (column == nullptr) {
    return fail(
        Code::usage,
        fmt::format("channel \"{}\" is not in the cloud, which has {} (and one, the constant 1)",
                    name, cloud.names()));
  }
  double full = 1;
  if (name == "r" || name == "g" || name == "b") {
    full = options.colour_full > 0 ? options.colour_full : full_of(column->type);
  } else if (name == "i") {
    full = options.intensity_full > 0 ? options.intensity_full : full_of(column->type);
  }
  const double* values = column->values.data();
  for (int64_t row = 0; row < count; ++row)
    out[row * step + channel] = static_cast<float>(values[row] / full);
  return {};
}

} // namespace

Result<Vec3> parse_origin(std::string_view text, const PointCloud& cloud) {
  if (text == "min") return extent_of(cloud).low;
  const std::vector<std::string_view> words = split_names(text);
  Vec3 origin{};
  bool good = words.size() == 3;
  for (size_t axis = 0; good && axis < 3; ++axis) {
    const auto value = parse_number(words[axis]);
    good = value && std::isfinite(*value);
    if (good) origin[axis] = *value;
  }
  if (!good)
    return fail(Code::usage,
                fmt::format("origin \"{}\", expected \"min\" or three numbers x,y,z", shown(text)));
  return origin;
}

Result<Tensor> make_positions(const PointCloud& cloud, const Vec3& origin) {
  FeatureOptions options;
  options.origin = origin;
  return make_features(cloud, "x,y,z", options);
}

Result<Tensor> make_features(const PointCloud& cloud, std::string_view channels,
                             const FeatureOptions& options) {
  LATTICE_CHECK(check_options(options));
  const std::vector<std::string_view> names = split_names(channels);
  const auto step = static_cast<int64_t>(names.size());
  LATTICE_TRY(Tensor matrix, make_tensor(DType::f32, {cloud.size(), step}));
  float* out = reinterpret_cast<float*>(matrix.storage.get());
  for (int64_t channel = 0; channel < step; ++channel) {
    LATTICE_CHECK(fill(cloud, names[static_cast<size_t>(channel)], options, out, channel, step));
  }
  return matrix;
}

} // namespace lattice
