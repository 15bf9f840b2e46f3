// libFuzzer: any bytes as a safetensors file. What is accepted must be readable to its last byte,
// and the same after it was written out and read again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "artifact/safetensors.h"
#include "base/tensor.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

using namespace lattice;

int64_t bytes_of(const TensorView& view) { return elements_of(view.shape) * size_of(view.dtype); }

void read_again(const SafetensorsFile& file) {
  std::vector<NamedTensor> tensors;
  for (const SafetensorsEntry& entry : file.entries()) tensors.push_back({entry.name, entry.view});
  const auto bytes = safetensors_bytes(tensors, file.metadata());
  if (!bytes) std::abort();
  const auto again = SafetensorsFile::parse(*bytes, "again");
  if (!again || again->metadata() != file.metadata() || again->entries().size() != tensors.size())
    std::abort();
  for (const NamedTensor& tensor : tensors) {
    const SafetensorsEntry* entry = again->find(tensor.name);
    if (entry == nullptr || entry->view.shape != tensor.tensor.shape ||
        entry->view.dtype != tensor.tensor.dtype)
      std::abort();
    const auto size = static_cast<size_t>(bytes_of(tensor.tensor));
    if (size > 0 && std::memcmp(entry->view.data, tensor.tensor.data, size) != 0) std::abort();
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = SafetensorsFile::parse(std::as_bytes(std::span(data, size)), "fuzz");
  if (!file) {
    if (file.error().diagnostics().empty()) std::abort();
    return 0;
  }
  int64_t total = 0;
  uint32_t sum = 0;
  for (const SafetensorsEntry& entry : file->entries()) {
    const int64_t bytes = bytes_of(entry.view);
    for (int64_t i = 0; i < bytes; ++i) sum += load_at<uint8_t>(entry.view.data, i);
    total += bytes;
    if (file->find(entry.name) == nullptr) std::abort();
  }
  // The tensors tile the data, so every byte is counted once.
  if (total != file->data_bytes()) std::abort();
  read_again(*file);
  volatile uint32_t used = sum;
  (void)used;
  return 0;
}

// Half of the time the length at the front is made right again: to the last brace, or past what
// follows it.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  const size_t made = LLVMFuzzerMutate(data, size, max_size);
  if (made < 8 || seed % 2 == 0) return made;
  const auto* last =
      std::find(std::make_reverse_iterator(data + made), std::make_reverse_iterator(data + 8), '}')
          .base();
  const auto length = static_cast<uint64_t>(last - data) - 8;
  std::memcpy(data, &length, 8);
  return made;
}
