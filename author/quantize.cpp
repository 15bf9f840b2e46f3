// Affine quantization by groups of input channels, and back.
#include "author/quantize.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/f16.h"
#include "base/tensor.h"

namespace lattice::author {
namespace {

// Where everything of a packed weight stands. Pointwise weights have their output channels outside.
struct Layout {
  int64_t outputs = 0, rows = 0, inputs = 0; // O, kernel rows, I
  int64_t groups = 0, words = 0;             // along the input channels
  int64_t group_size = 0, per_word = 0;
  bool pointwise = false;

  int64_t source(int64_t out, int64_t row, int64_t in) const {
    return (out * rows + row) * inputs + in;
  }
  int64_t at(int64_t out, int64_t row, int64_t along, int64_t count) const {
    return pointwise ? out * count + along : (row * count + along) * outputs + out;
  }
  Shape shape(int64_t along) const {
    return pointwise ? Shape{1, outputs, along} : Shape{rows, along, outputs};
  }
};

Result<Layout> layout_of(const Shape& shape, int bits, int64_t group_size) {
  if (bits != 4 && bits != 8)
    return fail(Code::usage, fmt::format("{} bits, expected 4 or 8", bits));
  if (group_size != 32 && group_size != 64 && group_size != 128) {
    return fail(Code::usage, fmt::format("group size {}, expected 32, 64 or 128", group_size));
  }
  if ((shape.size() != 2 && shape.size() != 5) || !checked_product(shape) ||
      std::ranges::any_of(shape, [](int64_t dim) { return dim < 1; })) {
    return fail(Code::usage,
                fmt::format("shape {}, expected (O, I) or (Cout, Kx, Ky, Kz, Cin) for packing",
                            text_of(shape)));
  }
  Layout layout;
  layout.outputs = shape.front();
  layout.inputs = shape.back();
  layout.rows = 1;
  for (size_t axis = 1; axis + 1 < shape.size(); ++axis) layout.rows *= shape[axis];
  layout.pointwise = layout.rows == 1;
  layout.group_size = group_size;
  layout.per_word = 32 / bits;
  layout.groups = (layout.inputs + group_size - 1) / group_size;
  layout.words = layout.groups * group_size / layout.per_word;
  return layout;
}

// A float as it can be stored, not above `value` (down) or not below it (up).
float stored_down(float value, DType dtype) {
  if (dtype == DType::f32) return value;
  const uint16_t half = f16_from_f32(value);
  const float rounded = f32_from_f16(half);
  if (rounded <= value) return rounded;
  // The neighbour below: one step towards zero for positive numbers, away from it for others.
  if (half == 0) return f32_from_f16(0x8001);
  return f32_from_f16(static_cast<uint16_t>((half & 0x8000u) != 0 ? half + 1 : half - 1));
}
float stored_up(float value, DType dtype) { return -stored_down(-value, dtype); }

struct Group {
  float scale = 0, bias = 0;
};

// Smallest scale that reaches `high` from the bias in `levels` steps.
Group group_of(float low, float high, int levels, DType dtype) {
  Group group{0, stored_down(low, dtype)};
  const double range = static_cast<double>(high) - static_cast<double>(group.bias);
  float scale = static_cast<float>(range / levels);
  while (static_cast<double>(scale) * levels < range) scale = std::nextafter(scale, INFINITY);
  group.scale = stored_up(scale, dtype);
  return group;
}

void put(Tensor& tensor, int64_t index, float value) {
  if (tensor.dtype == DType::f32) {
    reinterpret_cast<float*>(tensor.storage.get())[index] = value;
  } else {
    reinterpret_cast<uint16_t*>(tensor.storage.get())[index] = f16_from_f32(value);
  }
}

float get(const Tensor& tensor, int64_t index) {
  return tensor.dtype == DType::f32 ? tensor.as<float>()[index]
                                    : f32_from_f16(tensor.as<uint16_t>()[index]);
}

} // namespace

Result<PackedWeight> quantize_affine(const Shape& shape, std::span<const float> data, int bits,
                                     int64_t group_size, DType scale_dtype) {
  LATTICE_TRY(const Layout layout, layout_of(shape, bits, group_size));
  if (scale_dtype != DType::f16 && scale_dtype != DType::f32) {
    return fail(Code::usage,
                fmt::format("scales of {}, expected f16 or f32", name_of(scale_dtype)));
  }
  if (checked_product(shape) != static_cast<int64_t>(data.size())) {
    return fail(Code::usage, fmt::format("{} numbers for shape {}", data.size(), text_of(shape)));
  }
  PackedWeight packed;
  LATTICE_TRY(packed.codes, make_tensor(DType::u32, layout.shape(layout.words)));
  LATTICE_TRY(packed.scales, make_tensor(scale_dtype, layout.shape(layout.groups)));
  LATTICE_TRY(packed.biases, make_tensor(scale_dtype, layout.shape(layout.groups)));
  auto* words = reinterpret_cast<uint32_t*>(packed.codes.storage.get());
  const int levels = (1 << bits) - 1;

  for (int64_t out = 0; out < layout.outputs; ++out) {
    for (int64_t row = 0; row < layout.rows; ++row) {
      for (int64_t g = 0; g < layout.groups; ++g) {
        const int64_t begin = g * group_size, end = std::min(begin + group_size, layout.inputs);
        const auto values = data.subspan(static_cast<size_t>(layout.source(out, row, begin)),
                                         static_cast<size_t>(end - begin));
        for (size_t i = 0; i < values.size(); ++i) {
          if (!std::isfinite(values[i])) {
            return fail(Code::usage,
                        fmt::format("element {} is not finite and cannot be packed",
                                    layout.source(out, row, begin) + static_cast<int64_t>(i)));
          }
        }
        const auto [low, high] = std::ranges::minmax(values);
        const Group group = group_of(low, high, levels, scale_dtype);
        if (!std::isfinite(group.scale) || !std::isfinite(group.bias)) {
          return fail(Code::usage, fmt::format("values from {} to {} are too large for {} scales",
                                               low, high, name_of(scale_dtype)));
        }
        put(packed.scales, layout.at(out, row, g, layout.groups), group.scale);
        put(packed.biases, layout.at(out, row, g, layout.groups), group.bias);
        for (int64_t in = begin; in < end; ++in) {
          const double distance = static_cast<double>(values[static_cast<size_t>(in - begin)]) -
                                  static_cast<double>(group.bias);
          const double code =
              group.scale > 0 ? std::round(distance / static_cast<double>(group.scale)) : 0.0;
          const auto unsigned_code =
              static_cast<uint32_t>(std::clamp(code, 0.0, static_cast<double>(levels)));
          words[layout.at(out, row, in / layout.per_word, layout.words)] |=
              unsigned_code << (in % layout.per_word * bits);
        }
      }
    }
  }
  return packed;
}

Result<Tensor> dequantize_affine(const PackedWeight& weight, const Shape& shape, int bits,
                                 int64_t group_size) {
  LATTICE_TRY(const Layout layout, layout_of(shape, bits, group_size));
  const Shape groups = layout.shape(layout.groups);
  if (weight.codes.shape != layout.shape(layout.words) || weight.scales.shape != groups ||
      weight.biases.shape != groups) {
    return fail(
        Code::usage,
        fmt::format("packed tensors of shapes {}, {}, {} do not belong to a weight of shape {}",
                    text_of(weight.codes.shape), text_of(weight.scales.shape),
                    text_of(weight.biases.shape), text_of(shape)));
  }
  LATTICE_TRY(Tensor result, make_tensor(DType::f32, shape));
  auto* values = reinterpret_cast<float*>(result.storage.get());
  const auto* words = weight.codes.as<uint32_t>();
  const uint32_t mask = (1u << bits) - 1;
  for (int64_t out = 0; out < layout.outputs; ++out) {
    for (int64_t row = 0; row < layout.rows; ++row) {
      for (int64_t in = 0; in < layout.inputs; ++in) {
        const int64_t group = layout.at(out, row, in / group_size, layout.groups);
        const uint32_t code = (words[layout.at(out, row, in / layout.per_word, layout.words)] >>
                               (in % layout.per_word * bits)) &
                              mask;
        values[layout.source(out, row, in)] = std::fma(
            get(weight.scales, group), static_cast<float>(code), get(weight.biases, group));
      }
    }
  }
  return result;
}

} // namespace lattice::author
