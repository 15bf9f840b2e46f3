// Owned memory of a size fixed when it is made, left uninitialized. Not a growing container.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "kernels/cpu/topology/pool.h"

namespace lattice::cpu {

// Throws std::bad_alloc like `new`; the topology's border turns that into an error.
template <class T>
class Array {
  static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  explicit Array(int64_t size, BlockPool* pool = nullptr) : size_(size) {
    if (size <= 0) return;
    owner_ = BlockPool::block_of(pool, size * static_cast<int64_t>(sizeof(T)));
    data_ = reinterpret_cast<T*>(owner_.get());
  }
  Array(Array&& other) noexcept { *this = std::move(other); }
  Array& operator=(Array&& other) noexcept {
    owner_ = std::move(other.owner_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  int64_t size() const { return size_; }
  int64_t bytes() const { return size_ * static_cast<int64_t>(sizeof(T)); }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](int64_t index) { return data_[index]; }
  const T& operator[](int64_t index) const { return data_[index]; }
  std::span<const T> span() const { return {data_, static_cast<size_t>(size_)}; }

 private:
  std::shared_ptr<std::byte[]> owner_;
  T* data_ = nullptr;
  int64_t size_ = 0;
};

} // namespace lattice::cpu
