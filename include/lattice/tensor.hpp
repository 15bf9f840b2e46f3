// Plain tensors: row-major, contiguous, any start address. Part of the public interface.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace lattice {

// Element types a weights file may hold. Only f32, f16, i32 and u32 can be bound to a graph.
enum class DType : uint8_t { boolean, u8, i8, u16, i16, f16, bf16, u32, i32, f32, u64, i64, f64, f8_e4m3, f8_e5m2 };

const char* name_of(DType dtype);  // "f32", "i32", ...
int64_t size_of(DType dtype);      // bytes an element

using Shape = std::vector<int64_t>;
using Triple = std::array<int64_t, 3>;  // x, y, z

std::string text_of(const Shape& shape);   // "(3, 4)"
std::string text_of(const Triple& value);  // "(2, 2, 2)"

// Somebody else's memory: `data` holds the product of `shape` elements and outlives the call it is
// given to. It need not be aligned and may be null when the tensor is empty.
struct TensorView {
  DType dtype = DType::f32;
  Shape shape;
  const void* data = nullptr;
};

// Memory of its own, 64-byte aligned, shared between copies of the handle.
struct Tensor {
  DType dtype = DType::f32;
  Shape shape;
  std::shared_ptr<std::byte[]> storage;

  const void* data() const { return storage.get(); }
  TensorView view() const { return {dtype, shape, storage.get()}; }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(storage.get());
  }
};

// A sparse value as a caller hands it over. Coordinates are physical: rows batch, x, y, z.
struct SparseView {
  TensorView coords;    // (N, 4) i32
  TensorView features;  // (N, C) f32 or f16
  int64_t active = -1;  // rows that count, 0..N; -1 means all N
  Triple stride{1, 1, 1};
};

// A sparse result: exactly the active rows, physical coordinates.
struct SparseTensor {
  Tensor coords;    // (n, 4) i32
  Tensor features;  // (n, C)
  Triple stride{1, 1, 1};

  SparseView view() const { return {coords.view(), features.view(), -1, stride}; }
};

}  // namespace lattice

#pragma GCC visibility pop
