// Writes .npy, version 1.0, C order.
// The header is padded so that the data start at a multiple of 64 bytes, as NumPy does.
#include <bit>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/file.h"
#include "points/place.h"
#include "points/write.h"

namespace lattice {

namespace {

static_assert(std::endian::native == std::endian::little,
              "the data are written as they lie in memory");

const char* npy_type(DType type) {
  switch (type) {
  case DType::f16: return "<f2";
  case DType::f32: return "<f4";
  case DType::f64: return "<f8";
  case DType::i32: return "<i4";
  case DType::i64: return "<i8";
  case DType::u8: return "|u1";
  default: return nullptr;
  }
}

} // namespace

Status write_npy(const std::string& path, const TensorView& tensor) {
  const char* type = npy_type(tensor.dtype);
  if (type == nullptr)
    return fail(Code::unsupported,
                fmt::format("cannot write {} to .npy, expected f16, f32, f64, i32, i64 or u8",
                            name_of(tensor.dtype)),
                in_file(path));
  const auto elements = checked_product(tensor.shape);
  const auto bytes = elements ? checked_mul(*elements, size_of(tensor.dtype)) : std::nullopt;
  if (!bytes)
    return fail(Code::usage,
                fmt::format("shape {} of {} has no size in bytes", text_of(tensor.shape),
                            name_of(tensor.dtype)),
                in_file(path));

  std::string shape = "(";
  for (const int64_t dim : tensor.shape) shape += fmt::format("{}, ", dim);
  if (tensor.shape.size() > 1) shape.resize(shape.size() - 2);
  if (tensor.shape.size() == 1) shape.pop_back(); // (5,) keeps its comma
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}), }}", type, shape);
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  if (header.size() > 0xffff)
    return fail(Code::unsupported, fmt::format("a tensor of {} axes", tensor.shape.size()),
                in_file(path));
  std::string start = "\x93NUMPY";
  start +=
      {'\1', '\0', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  start += header;
  const std::span<const std::byte> parts[] = {
      std::as_bytes(std::span(start)),
      {static_cast<const std::byte*>(tensor.data), static_cast<size_t>(*bytes)}};
  return write_file_atomically(path, parts);
}

} // namespace lattice
