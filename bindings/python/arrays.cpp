// What arrays.h promises, by DLPack through nanobind's ndarray.
#include "arrays.h"

#include <cstring>
#include <limits>
#include <memory>

#include <fmt/format.h>

namespace lattice::python {

namespace {

using Array = nb::ndarray<nb::ro>;

DType dtype_of(const Array& array, const std::string& name) {
  const auto type = array.dtype();
  using Code8 = nb::dlpack::dtype_code;
  const auto code = static_cast<Code8>(type.code);
  if (type.lanes == 1) {
    switch (code) {
    case Code8::Float:
      if (type.bits == 16) return DType::f16;
      if (type.bits == 32) return DType::f32;
      if (type.bits == 64) return DType::f64;
      break;
    case Code8::Bfloat:
      if (type.bits == 16) return DType::bf16;
      break;
    case Code8::Int:
      if (type.bits == 8) return DType::i8;
      if (type.bits == 16) return DType::i16;
      if (type.bits == 32) return DType::i32;
      if (type.bits == 64) return DType::i64;
      break;
    case Code8::UInt:
      if (type.bits == 8) return DType::u8;
      if (type.bits == 16) return DType::u16;
      if (type.bits == 32) return DType::u32;
      if (type.bits == 64) return DType::u64;
      break;
    case Code8::Bool:
      if (type.bits == 8) return DType::boolean;
      break;
    default: break;
    }
  }
  refuse(Code::input,
         fmt::format("{}: the array's element type (DLPack code {}, {} bits) is none of "
                     "a graph's: f32, f16, i32",
                     name, static_cast<int>(type.code), static_cast<int>(type.bits)));
}

const char* device_name(int type) {
  switch (type) {
  case nb::device::cuda::value: return "a CUDA device";
  case nb::device::rocm::value: return "a ROCm device";
  case nb::device::metal::value: return "a Metal device";
  default: return "another device";
  }
}

bool row_major(const Array& array) {
  int64_t expected = 1;
  for (size_t axis = array.ndim(); axis-- > 0;) {
    if (array.shape(axis) == 0) return true;
    if (array.shape(axis) != 1 && array.stride(axis) != expected) return false;
    expected *= static_cast<int64_t>(array.shape(axis));
  }
  return true;
}

// Calls visit(index, address) for every element in row-major order.
template <class F>
void for_each_element(const Array& array, int64_t bytes, F visit) {
  const size_t rank = array.ndim();
  std::vector<int64_t> at(rank, 0);
  const auto* base = static_cast<const std::byte*>(array.data());
  const int64_t count = static_cast<int64_t>(array.size());
  for (int64_t index = 0; index < count; ++index) {
    int64_t offset = 0;
    for (size_t axis = 0; axis < rank; ++axis) offset += at[axis] * array.stride(axis);
    visit(index, base + offset * bytes);
    for (size_t axis = rank; axis-- > 0;) {
      if (++at[axis] < static_cast<int64_t>(array.shape(axis))) break;
      at[axis] = 0;
    }
  }
}

std::string place_of(int64_t index, const Shape& shape) {
  Shape place(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    place[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return text_of(place);
}

Tensor narrowed(const Array& array, const Shape& shape, const std::string& name) {
  Tensor result = take(make_tensor(DType::i32, shape));
  for_each_element(array, 8, [&](int64_t index, const std::byte* from) {
    int64_t value = 0;
    std::memcpy(&value, from, 8);
    if (value < std::numeric_limits<int32_t>::min() ||
        value > std::numeric_limits<int32_t>::max()) {
      refuse(Code::input, fmt::format("{}: the value at {} is {}, which does not fit int32", name,
                                      place_of(index, shape), value));
    }
    const auto narrow = static_cast<int32_t>(value);
    std::memcpy(result.storage.get() + index * 4, &narrow, 4);
  });
  return result;
}

} // namespace

GivenArray given_array(nb::handle object, const std::string& name, bool as_i32) {
  GivenArray given;
  if (!nb::try_cast(object, given.array, false) || !given.array.is_valid()) {
    refuse(Code::input,
           fmt::format("{}: found {}, expected an array (DLPack or buffer protocol, in "
                       "native byte order)",
                       name, nb::cast<std::string>(nb::inst_name(object))));
  }
  const Array& array = given.array;
  const int device = array.device_type();
  if (device != nb::device::cpu::value && device != nb::device::cuda_host::value) {
    refuse(Code::device,
           fmt::format("{}: the array is on {} ({}), the program runs on the cpu: move "
                       "it there first",
                       name, device_name(device), array.device_id()));
  }
  DType dtype = dtype_of(array, name);
  Shape shape(array.ndim());
  for (size_t axis = 0; axis < array.ndim(); ++axis)
    shape[axis] = static_cast<int64_t>(array.shape(axis));

  if (as_i32 && dtype == DType::i64) {
    given.copy = narrowed(array, shape, name);
    dtype = DType::i32;
  } else if (!row_major(array)) {
    given.copy = take(make_tensor(dtype, shape));
    const int64_t bytes = size_of(dtype);
    for_each_element(array, bytes, [&](int64_t index, const std::byte* from) {
      std::memcpy(given.copy.storage.get() + index * bytes, from, static_cast<size_t>(bytes));
    });
  } else {
    given.view = {dtype, std::move(shape), array.data()};
    return given;
  }
  given.view = given.copy.view();
  return given;
}

GivenArray given_array(nb::handle object, const std::string& name, DType dtype,
                       const Shape& shape) {
  GivenArray given = given_array(object, name);
  bool fits = given.view.dtype == dtype && given.view.shape.size() == shape.size();
  for (size_t axis = 0; fits && axis < shape.size(); ++axis)
    fits = shape[axis] == -1 || shape[axis] == given.view.shape[axis];
  if (!fits) {
    refuse(Code::usage,
           fmt::format("{}: found {} of {}, expected {} of {}", name, text_of(given.view.shape),
                       name_of(given.view.dtype), text_of(shape), name_of(dtype)));
  }
  return given;
}

NumpyArray array_of(const Tensor& tensor) {
  nb::dlpack::dtype type{};
  type.lanes = 1;
  type.bits = static_cast<uint8_t>(8 * size_of(tensor.dtype));
  switch (tensor.dtype) {
  case DType::f16:
  case DType::f32:
  case DType::f64: type.code = static_cast<uint8_t>(nb::dlpack::dtype_code::Float); break;
  case DType::i8:
  case DType::i16:
  case DType::i32:
  case DType::i64: type.code = static_cast<uint8_t>(nb::dlpack::dtype_code::Int); break;
  case DType::boolean: type.code = static_cast<uint8_t>(nb::dlpack::dtype_code::Bool); break;
  default: type.code = static_cast<uint8_t>(nb::dlpack::dtype_code::UInt); break;
  }
  auto* owner = new std::shared_ptr<std::byte[]>(tensor.storage);
  const nb::capsule keep(
      owner, [](void* held) noexcept { delete static_cast<std::shared_ptr<std::byte[]>*>(held); });
  std::vector<size_t> shape(tensor.shape.begin(), tensor.shape.end());
  static std::byte nothing[64];
  void* data = tensor.storage ? static_cast<void*>(tensor.storage.get()) : nothing;
  return nb::steal<NumpyArray>(
      nb::cast(nb::ndarray<nb::numpy>(data, shape.size(), shape.data(), keep, nullptr, type))
          .release());
}

} // namespace lattice::python
