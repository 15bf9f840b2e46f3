// Tensors: names, sizes, allocation. The types are the public ones of include/lattice/tensor.hpp.
#include "base/tensor.h"

#include <new>

#include <fmt/format.h>

#include "base/checked.h"

namespace lattice {

const char* name_of(DType dtype) {
  switch (dtype) {
    case DType::boolean: return "bool";
    case DType::u8: return "u8";
    case DType::i8: return "i8";
    case DType::u16: return "u16";
    case DType::i16: return "i16";
    case DType::f16: return "f16";
    case DType::bf16: return "bf16";
    case DType::u32: return "u32";
    case DType::i32: return "i32";
    case DType::f32: return "f32";
    case DType::u64: return "u64";
    case DType::i64: return "i64";
    case DType::f64: return "f64";
    case DType::f8_e4m3: return "f8_e4m3";
    case DType::f8_e5m2: return "f8_e5m2";
  }
  return "unknown";
}

int64_t size_of(DType dtype) {
  switch (dtype) {
    case DType::boolean:
    case DType::u8:
    case DType::i8:
    case DType::f8_e4m3:
    case DType::f8_e5m2: return 1;
    case DType::u16:
    case DType::i16:
    case DType::f16:
    case DType::bf16: return 2;
    case DType::u32:
    case DType::i32:
    case DType::f32: return 4;
    case DType::u64:
    case DType::i64:
    case DType::f64: return 8;
  }
  return 0;
}

std::string text_of(const Shape& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::string text_of(const Triple& value) { return fmt::format("({}, {}, {})", value[0], value[1], value[2]); }

Result<Tensor> make_tensor(DType dtype, Shape shape) {
  const auto elements = checked_product(shape);
  const auto bytes = elements ? checked_mul(*elements, size_of(dtype)) : std::nullopt;
  if (!bytes) return fail(Code::memory, fmt::format("a tensor of shape {} does not fit 64 bits", text_of(shape)));
  constexpr std::align_val_t alignment{64};
  auto* memory = static_cast<std::byte*>(
      ::operator new[](static_cast<size_t>(*bytes > 0 ? *bytes : 1), alignment, std::nothrow));
  if (memory == nullptr) return fail(Code::memory, fmt::format("out of memory: {} bytes for a tensor", *bytes));
  std::memset(memory, 0, static_cast<size_t>(*bytes));
  Tensor tensor{dtype, std::move(shape), {}};
  try {
    tensor.storage = std::shared_ptr<std::byte[]>(
        memory, [](std::byte* held) { ::operator delete[](held, std::align_val_t{64}); });
  } catch (const std::bad_alloc&) {  // the deleter has run
    return fail(Code::memory, "out of memory");
  }
  return tensor;
}

Result<Tensor> copy_of(const TensorView& view) {
  LATTICE_TRY(Tensor tensor, make_tensor(view.dtype, view.shape));
  const int64_t bytes = elements_of(view.shape) * size_of(view.dtype);
  if (bytes > 0) std::memcpy(tensor.storage.get(), view.data, static_cast<size_t>(bytes));
  return tensor;
}

}  // namespace lattice
