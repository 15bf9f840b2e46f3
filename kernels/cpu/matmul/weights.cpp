// Packing weights, and the choice of kernels for their output channels.
#include "kernels/cpu/matmul/weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <new>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/f16.h"
#include "base/huge_pages.h"
#include "base/tensor.h"

namespace lattice::cpu {
namespace {

// Zeroed floats on a cache line border, or nothing.
std::shared_ptr<float[]> aligned_floats(int64_t count) {
  const size_t bytes = static_cast<size_t>(count) * sizeof(float);
  const std::align_val_t border{alignment_for(bytes, 64)};
  void* memory = ::operator new (bytes, border, std::nothrow);
  if (memory == nullptr) return nullptr;
  prefer_huge_pages(memory, bytes);
  float* floats = static_cast<float*>(memory);
  std::fill_n(floats, count, 0.0f);
  return {floats, [border](float* p) { ::operator delete (p, border); }};
}

float float_at(const TensorView& view, int64_t index) {
  if (view.dtype == DType::f16) return f32_from_f16(load_at<uint16_t>(view.data, index));
  return load_at<float>(view.data, index);
}

// Sizes of a weight, whatever its storage.
struct Sizes {
  int64_t kernel_rows = 0;
  int64_t cout = 0;
  int64_t cin = 0; // stored: packed ones may be padded
};

Result<Sizes> sizes_of(const Weight& weight, int64_t cin) {
  const Shape& shape = weight.data.shape;
  Sizes sizes;
  if (weight.bits != 0) {
    const int64_t codes_a_word = 32 / weight.bits;
    if (shape.size() == 3 && shape[0] == 1) sizes = {1, shape[1], shape[2] * codes_a_word};
    if (shape.size() == 3 && shape[0] > 1) sizes = {shape[0], shape[2], shape[1] * codes_a_word};
  } else if (shape.size() == 2) {
    sizes = {1, shape[0], shape[1]};
  } else if (shape.size() == 5) {
    sizes = {shape[1] * shape[2] * shape[3], shape[0], shape[4]};
  }
  const bool enough = weight.bits != 0 ? sizes.cin >= cin : sizes.cin == cin;
  if (sizes.kernel_rows < 1 || sizes.cout < 1 || cin < 1 || !enough)
    return fail(
        Code::internal,
        fmt::format("weight {} cannot be packed for {} input channels", text_of(shape), cin),
        weight.where);
  return sizes;
}

// w(output, kernel row, input) for input = 0 .. cin - 1, as f32. Spec 5 for packed codes.
void read_chain(const Weight& weight, const Sizes& sizes, int64_t row, int64_t out, int64_t cin,
                float* to) {
  if (weight.bits == 0) {
    const int64_t first = (out * sizes.kernel_rows + row) * sizes.cin;
    for (int64_t c = 0; c < cin; ++c) to[c] = float_at(weight.data, first + c);
    return;
  }
  const int64_t codes_a_word = 32 / weight.bits;
  const uint32_t mask = (1u << weight.bits) - 1;
  const int64_t words = sizes.cin / codes_a_word;
  const int64_t groups = sizes.cin / weight.group_size;
  const bool spatial = sizes.kernel_rows > 1;
  for (int64_t c = 0; c < cin; ++c) {
    const int64_t word = c / codes_a_word;
    const int64_t group = c / weight.group_size;
    const int64_t at = spatial ? (row * words + word) * sizes.cout + out : out * words + word;
    const int64_t scale_at =
        spatial ? (row * groups + group) * sizes.cout + out : out * groups + group;
    const uint32_t shift = static_cast<uint32_t>((c % codes_a_word) * weight.bits);
    const uint32_t code = (load_at<uint32_t>(weight.data.data, at) >> shift) & mask;
    to[c] = std::fma(float_at(weight.scales, scale_at), static_cast<float>(code),
                     float_at(weight.biases, scale_at));
  }
}

// The cheapest kernels that cover `vectors` vectors of output channels, wide ones first.
std::vector<const PairKernel*> cheapest_cover(const SimdTable& simd, int64_t vectors) {
  const auto count = static_cast<size_t>(vectors);
  std::vector<int64_t> cost(count + 1, INT64_MAX);
  std::vector<const PairKernel*> last(count + 1, nullptr);
  cost[0] = 0;
  for (size_t v = 1; v <= count; ++v) {
    for (const PairKernel& kernel : simd.kernels) {
      const auto width = static_cast<size_t>(kernel.vectors);
      if (width > v) continue;
      const int64_t with = cost[v - width] + int64_t{kernel.vectors} * kernel.cost;
      if (with < cost[v]) {
        cost[v] = with;
        last[v] = &kernel;
      }
    }
  }
  std::vector<const PairKernel*> cover;
  for (size_t v = count; v > 0; v -= static_cast<size_t>(last[v]->vectors))
    cover.push_back(last[v]);
  std::sort(cover.begin(), cover.end(), [](const PairKernel* a, const PairKernel* b) {
    return a->vectors > b->vectors || (a->vectors == b->vectors && a < b);
  });
  return cover;
}

std::string label_of(const PairKernel& kernel) {
  return fmt::format("{} {}x{}", kernel.level, kernel.rows, kernel.vectors);
}

} // namespace

Result<MatmulWeights> pack_weights(const Weight& weight, int64_t cin, const PackOptions& options) {
  LATTICE_TRY(const Sizes sizes, sizes_of(weight, cin));
  MatmulWeights packed;
  packed.simd = options.simd;
  packed.kernel_rows = sizes.kernel_rows;
  packed.cin = cin;
  packed.cout = sizes.cout;
  packed.normalized = options.normalized;
  packed.eps = options.eps;
  const int64_t lanes = options.simd->lanes;
  int64_t vectors = (sizes.cout + lanes - 1) / lanes;
  std::vector<const PairKernel*> cover;
  if (options.only != nullptr) {
    const int64_t width = options.only->vectors;
    vectors = (vectors + width - 1) / width * width;
    cover.assign(static_cast<size_t>(vectors / width), options.only);
  } else {
    cover = cheapest_cover(*options.simd, vectors);
  }
  packed.padded_cout = vectors * lanes;
  int64_t first = 0;
  for (const PairKernel* kernel : cover) {
    packed.blocks.push_back({kernel, first, cin * first});
    first += kernel->vectors * lanes;
  }

  const auto floats = checked_product(Shape{sizes.kernel_rows, cin, packed.padded_cout});
  const auto bytes = floats ? checked_mul(*floats, int64_t{sizeof(float)}) : std::nullopt;
  const int64_t square_floats = packed.normalized ? sizes.kernel_rows * packed.padded_cout : 0;
  auto memory = bytes ? aligned_floats(*floats) : nullptr;
  auto squares = packed.normalized && memory != nullptr ? aligned_floats(square_floats) : nullptr;
  if (memory == nullptr || (packed.normalized && squares == nullptr))
    return fail(Code::memory,
                fmt::format("no memory for the packed weight {}", text_of(weight.data.shape)),
                weight.where);
  std::vector<float> chain(static_cast<size_t>(cin));
  for (int64_t row = 0; row < sizes.kernel_rows; ++row) {
    for (const CoutBlock& block : packed.blocks) {
      const int64_t width = block.kernel->vectors * lanes;
      float* to = memory.get() + row * packed.row_floats() + block.offset;
      for (int64_t o = 0; o < width && block.first + o < sizes.cout; ++o) {
        read_chain(weight, sizes, row, block.first + o, cin, chain.data());
        for (int64_t c = 0; c < cin; ++c) to[c * width + o] = chain[static_cast<size_t>(c)];
        if (!packed.normalized) continue;
        float sum = 0.0f;
        for (const float w : chain) sum = std::fma(w, w, sum);
        squares[static_cast<ptrdiff_t>(row * packed.padded_cout + block.first + o)] = sum;
      }
    }
  }
  packed.packed = std::move(memory);
  packed.squares = std::move(squares);
  packed.bytes = (*floats + square_floats) * int64_t{sizeof(float)};
  return packed;
}

std::string MatmulWeights::kernel_name() const {
  std::string name;
  for (size_t i = 0; i < blocks.size();) {
    size_t same = i;
    while (same < blocks.size() && blocks[same].kernel == blocks[i].kernel) ++same;
    if (!name.empty()) name += " + ";
    name += label_of(*blocks[i].kernel);
    if (same - i > 1) name += fmt::format(" ({} times)", same - i);
    i = same;
  }
  return name;
}

std::string explain(const MatmulWeights& weights) {
  const int64_t lanes = weights.simd->lanes;
  const int64_t vectors = weights.padded_cout / lanes;
  std::string text = fmt::format("{}: {} output channels are {} vectors of {}",
                                 weights.kernel_name(), weights.cout, vectors, lanes);
  for (const PairKernel& kernel : weights.simd->kernels) {
    const bool used = std::any_of(weights.blocks.begin(), weights.blocks.end(),
                                  [&](const CoutBlock& block) { return block.kernel == &kernel; });
    if (used) continue;
    text += fmt::format("\n  not {}: ", label_of(kernel));
    if (kernel.vectors > vectors) {
      text += fmt::format("wider than {} vectors", vectors);
    } else {
      text += fmt::format("{} vectors cost less with the ones above", vectors);
    }
  }
  return text;
}

Result<ChannelVector> channel_vector(const Weight& weight) {
  const int64_t channels = weight.data.shape.empty() ? 0 : weight.data.shape[0];
  const int64_t padded = (channels + 31) / 32 * 32 + 64;
  auto memory = aligned_floats(padded);
  if (memory == nullptr)
    return fail(Code::memory, fmt::format("no memory for {} channels", channels), weight.where);
  for (int64_t c = 0; c < channels; ++c) memory[c] = float_at(weight.data, c);
  return ChannelVector{std::move(memory), channels};
}

Result<BatchNormConstants> batch_norm_constants(const Weight& scale, const Weight& bias,
                                                const Weight& mean, const Weight& var, float eps) {
  LATTICE_TRY(const ChannelVector scales, channel_vector(scale));
  LATTICE_TRY(const ChannelVector biases, channel_vector(bias));
  LATTICE_TRY(const ChannelVector means, channel_vector(mean));
  LATTICE_TRY(const ChannelVector vars, channel_vector(var));
  const int64_t channels = scales.channels;
  const int64_t padded = (channels + 31) / 32 * 32 + 64;
  auto s = aligned_floats(padded);
  auto t = aligned_floats(padded);
  if (s == nullptr || t == nullptr)
    return fail(Code::memory, fmt::format("no memory for {} channels", channels), scale.where);
  for (int64_t c = 0; c < channels; ++c) {
    s[c] = scales.data()[c] / std::sqrt(vars.data()[c] + eps);
    t[c] = std::fma(-means.data()[c], s[c], biases.data()[c]);
  }
  return BatchNormConstants{{std::move(s), channels}, {std::move(t), channels}};
}

} // namespace lattice::cpu
