// Writing a safetensors file: header from names and shapes, then the data, all or nothing.
#include <algorithm>
#include <array>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifact/quote.h"
#include "artifact/safetensors.h"
#include "artifact/safetensors_header.h"
#include "base/checked.h"
#include "base/file.h"
#include "base/tensor.h"
#include "base/utf8.h"

namespace lattice {
namespace {

std::string json_text(const std::string& text) { return nlohmann::json(text).dump(); }

// The pieces of a file in order: length and header, then the data where it lies.
struct Pieces {
  std::string start;
  std::vector<std::span<const std::byte>> data;
};

Result<Pieces> pieces_of(const std::string& file, std::span<const NamedTensor> tensors,
                         const SafetensorsMetadata& metadata) {
  const auto refuse = [&](std::string message, const std::string& key) {
    return fail(Code::usage, std::move(message), {file, 0, 0, printable(key)});
  };

  std::string header = "{";
  if (!metadata.empty()) {
    std::unordered_set<std::string> keys;
    header += "\"__metadata__\":{";
    for (size_t i = 0; i < metadata.size(); ++i) {
      const auto& [key, value] = metadata[i];
      if (!keys.insert(key).second)
        return refuse(fmt::format("duplicate key {} in metadata", quote(key)), "");
      if (first_invalid_utf8(key) != std::string::npos ||
          first_invalid_utf8(value) != std::string::npos) {
        return refuse("metadata is not valid UTF-8", "");
      }
      header += fmt::format("{}{}:{}", i > 0 ? "," : "", json_text(key), json_text(value));
    }
    header += '}';
  }

  std::vector<const NamedTensor*> order;
  for (const NamedTensor& named : tensors) order.push_back(&named);
  // Tensors of one element size keep their order: all lie in one array, so their addresses tell it.
  std::sort(order.begin(), order.end(), [](const NamedTensor* a, const NamedTensor* b) {
    const int64_t size_a = size_of(a->tensor.dtype), size_b = size_of(b->tensor.dtype);
    return size_a != size_b ? size_a > size_b : a < b;
  });

  std::unordered_set<std::string> names{"__metadata__"};
  Pieces pieces;
  int64_t offset = 0;
  for (const NamedTensor* named : order) {
    const auto& [name, tensor] = *named;
    if (!names.insert(name).second)
      return refuse(fmt::format("{} cannot be written twice", quote(name)), name);
    if (first_invalid_utf8(name) != std::string::npos)
      return refuse("the name is not valid UTF-8", name);
    const auto elements = checked_product(tensor.shape);
    const auto bytes = elements ? checked_mul(*elements, size_of(tensor.dtype)) : std::nullopt;
    const auto end = bytes ? checked_add(offset, *bytes) : std::nullopt;
    if (!end) return refuse(fmt::format("shape {} is no size", text_of(tensor.shape)), name);
    if (*bytes > 0 && tensor.data == nullptr) return refuse("the tensor has no data", name);
    header +=
        fmt::format("{}{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                    header.size() > 1 ? "," : "", json_text(name),
                    safetensors_name_of(tensor.dtype), fmt::join(tensor.shape, ","), offset, *end);
    pieces.data.emplace_back(static_cast<const std::byte*>(tensor.data), static_cast<size_t>(*bytes));
    offset = *end;
  }
  header += '}';
  header.resize((header.size() + 7) / 8 * 8, ' '); // the data starts on a multiple of 8
  if (static_cast<int64_t>(header.size()) > SafetensorsFile::max_header_bytes) {
    return refuse(fmt::format("the header takes {} bytes, the limit is {}", header.size(),
                              SafetensorsFile::max_header_bytes),
                  "");
  }

  for (int i = 0; i < 8; ++i)
    pieces.start.push_back(
        static_cast<char>((static_cast<uint64_t>(header.size()) >> (8 * i)) & 0xff));
  pieces.start += header;
  return pieces;
}

} // namespace

Status write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                         const SafetensorsMetadata& metadata) {
  LATTICE_TRY(const Pieces pieces, pieces_of(path.filename().string(), tensors, metadata));
  std::vector<std::span<const std::byte>> parts{std::as_bytes(std::span(pieces.start))};
  parts.insert(parts.end(), pieces.data.begin(), pieces.data.end());
  return write_file_atomically(path, parts);
}

Result<std::vector<std::byte>> safetensors_bytes(std::span<const NamedTensor> tensors,
                                                 const SafetensorsMetadata& metadata) {
  LATTICE_TRY(const Pieces pieces, pieces_of("", tensors, metadata));
  const auto start = std::as_bytes(std::span(pieces.start));
  std::vector<std::byte> bytes(start.begin(), start.end());
  for (const auto& part : pieces.data) bytes.insert(bytes.end(), part.begin(), part.end());
  return bytes;
}

} // namespace lattice
