// Tensors by name out of a safetensors file, and into one (spec 7). Strict about the bytes; which
// names and types a graph wants is the business of weights.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/status.h"
#include "lattice/tensor.hpp"

namespace lattice {

// One tensor of a file. `view.data` may have any alignment; the memory is that of the
// SafetensorsFile.
struct SafetensorsEntry {
  std::string name;
  TensorView view;
};

using SafetensorsMetadata = std::vector<std::pair<std::string, std::string>>;

// The tensors of one file, held in memory. Copies share that memory.
//
// Not a memory map: if another process cuts a mapped file, touching a lost page ends the host
// process with SIGBUS, and a library has no business with signal handlers. Bytes are read instead,
// after the header has been found right for the size of the file; weights are repacked at load
// anyway, so a map would save no copy that lasts.
class SafetensorsFile {
 public:
  static constexpr int64_t max_header_bytes = 100'000'000;
  static constexpr int64_t no_limit = std::numeric_limits<int64_t>::max();

  // Fails with Code::io when the file cannot be read, Code::artifact when it is no valid
  // safetensors file, Code::memory when its data is larger than `max_data_bytes` or than the system
  // gives.
  static Result<SafetensorsFile> open(const std::filesystem::path& path,
                                      int64_t max_data_bytes = no_limit);
  // The same for bytes in memory, which are copied. `name` stands for the file in errors.
  static Result<SafetensorsFile> parse(std::span<const std::byte> bytes, std::string name);

  SafetensorsFile() = default;

  // Null when there is no such tensor.
  const SafetensorsEntry* find(std::string_view name) const;
  // As listed in the file.
  const std::vector<SafetensorsEntry>& entries() const { return contents_->entries; }
  const SafetensorsMetadata& metadata() const { return contents_->metadata; }
  // As errors name it: "weights.safetensors".
  const std::string& name() const { return contents_->name; }
  // Bytes of all tensors together.
  int64_t data_bytes() const { return contents_->data_bytes; }

 private:
  struct Contents {
    std::string name;
    std::shared_ptr<std::byte> data;
    int64_t data_bytes = 0;
    std::vector<SafetensorsEntry> entries;
    SafetensorsMetadata metadata;
    std::unordered_map<std::string_view, size_t> index; // views into the names of `entries`
  };
  template <class ReadAt>
  static Result<SafetensorsFile> load(int64_t size, std::string name, int64_t max_data_bytes,
                                      ReadAt read_at);

  std::shared_ptr<const Contents> contents_ = std::make_shared<Contents>();
};

struct NamedTensor {
  std::string name;
  TensorView tensor;
};

// Writes `tensors` so that every one is aligned to its element, largest elements first, otherwise
// in the order given: the same tensors give the same bytes. All or nothing, see
// write_file_atomically.
Status write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                         const SafetensorsMetadata& metadata = {});

// The bytes of that file in memory.
Result<std::vector<std::byte>> safetensors_bytes(std::span<const NamedTensor> tensors,
                                                 const SafetensorsMetadata& metadata = {});

} // namespace lattice
