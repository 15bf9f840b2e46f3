// Owned memory of a size fixed when it is made, left uninitialized. Not a growing container.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace lattice::cpu {

// Throws std::bad_alloc like `new`; the topology's border turns that into an error.
template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(int64_t size)
      : data_(size > 0 ? new T[static_cast<size_t>(size)] : nullptr), size_(size) {}

  int64_t size() const { return size_; }
  int64_t bytes() const { return size_ * static_cast<int64_t>(sizeof(T)); }
  bool empty() const { return size_ == 0; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](int64_t index) { return data_[static_cast<size_t>(index)]; }
  const T& operator[](int64_t index) const { return data_[static_cast<size_t>(index)]; }
  std::span<const T> span() const { return {data_.get(), static_cast<size_t>(size_)}; }

 private:
  std::unique_ptr<T[]> data_;
  int64_t size_ = 0;
};

} // namespace lattice::cpu
