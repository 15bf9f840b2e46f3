// libFuzzer: any bytes as a safetensors file. What is accepted must be readable to its last byte.
#include <cstdint>
#include <cstdlib>

#include "artifact/safetensors.h"
#include "base/tensor.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = lattice::SafetensorsFile::parse(std::as_bytes(std::span(data, size)), "fuzz");
  if (!file) return 0;
  int64_t total = 0;
  uint32_t sum = 0;
  for (const lattice::SafetensorsEntry& entry : file->entries()) {
    const int64_t bytes =
        lattice::elements_of(entry.view.shape) * lattice::size_of(entry.view.dtype);
    for (int64_t i = 0; i < bytes; ++i) sum += lattice::load_at<uint8_t>(entry.view.data, i);
    total += bytes;
    if (file->find(entry.name) == nullptr) std::abort();
  }
  // The tensors tile the data, so every byte is counted once.
  if (total != file->data_bytes()) std::abort();
  [[maybe_unused]] volatile uint32_t keep = sum;
  return 0;
}
