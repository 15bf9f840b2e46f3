// Reading a safetensors file: length, header, ranges, data, in that order, each judged before the
// next is touched. The header's grammar is in safetensors_header.cpp.
#include "artifact/safetensors.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>

#include <fmt/format.h>

#include "artifact/imposters.h"
#include "artifact/quote.h"
#include "artifact/safetensors_header.h"
#include "base/file.h"
#include "base/tensor.h"

namespace lattice {
namespace {

constexpr int64_t length_bytes = 8;

uint64_t little_endian_u64(const std::byte* bytes) {
  uint64_t value = 0;
  for (int i = 7; i >= 0; --i) value = (value << 8) | static_cast<uint64_t>(bytes[i]);
  return value;
}

// The ranges must tile the data: no byte twice, none left out, none past the end.
Status check_ranges(const std::vector<HeaderEntry>& entries, uint64_t data_bytes,
                    const std::string& file) {
  std::vector<size_t> order(entries.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const auto key = [&](size_t i) { return std::tuple(entries[i].begin, entries[i].end, i); };
    return key(a) < key(b);
  });
  const auto refuse = [&](const HeaderEntry& entry, std::string message) {
    return fail(Code::artifact, std::move(message), {file, 0, 0, printable(entry.name)});
  };
  uint64_t covered = 0;
  const HeaderEntry* last = nullptr;
  for (const size_t i : order) {
    const HeaderEntry& entry = entries[i];
    if (entry.begin < covered) {
      return refuse(entry, fmt::format("data_offsets [{}, {}] overlap those of {}, which end at {}",
                                       entry.begin, entry.end, quote(last->name), covered));
    }
    if (entry.begin > covered && entry.begin <= data_bytes) {
      return refuse(
          entry,
          fmt::format("data_offsets leave a hole: bytes {} to {} before it belong to no tensor",
                      covered, entry.begin));
    }
    covered = entry.end;
    last = &entry;
  }
  if (covered > data_bytes) {
    return refuse(*last,
                  fmt::format("the file is cut: its tensors need {} bytes of data, it holds {}",
                              covered, data_bytes));
  }
  if (covered < data_bytes) {
    return fail(
        Code::artifact,
        fmt::format("{} trailing bytes belong to no tensor: the tensors end at {}, the data at {}",
                    data_bytes - covered, covered, data_bytes),
        {file, 0, 0, ""});
  }
  return {};
}

std::shared_ptr<std::byte> allocate(int64_t bytes) {
  constexpr std::align_val_t alignment{64};
  auto* memory = static_cast<std::byte*>(
      ::operator new(static_cast<size_t>(std::max<int64_t>(bytes, 1)), alignment, std::nothrow));
  if (memory == nullptr) throw std::bad_alloc();
  return {memory, [](std::byte* held) { ::operator delete (held, std::align_val_t{64}); }};
}

} // namespace

// `read_at(offset, target)` fills target from the file.
template <class ReadAt>
Result<SafetensorsFile> SafetensorsFile::load(int64_t size, std::string name,
                                              int64_t max_data_bytes, ReadAt read_at) try {
  const auto refuse = [&](std::string message) {
    return fail(Code::artifact, std::move(message), {name, 0, 0, ""});
  };
  if (size == 0) return refuse("the file is empty, expected a safetensors file");

  std::byte start[512];
  const auto start_bytes = static_cast<size_t>(std::min<int64_t>(size, sizeof start));
  LATTICE_CHECK(read_at(0, std::span(start, start_bytes)));
  const uint64_t header_bytes = start_bytes >= length_bytes ? little_endian_u64(start) : 0;
  const bool length_is_sane = start_bytes >= length_bytes && header_bytes <= max_header_bytes;
  if (!length_is_sane) {
    // No length a header can have: perhaps something else lies in the file's place.
    const std::string_view text(reinterpret_cast<const char*>(start), start_bytes);
    if (const auto other = imposter(text)) {
      return refuse(fmt::format("is {}, expected a safetensors file", *other));
    }
  }
  if (size < length_bytes) {
    return refuse(
        fmt::format("the file is cut: {} bytes, expected at least the {} of the header length",
                    size, length_bytes));
  }
  if (header_bytes > max_header_bytes) {
    return refuse(fmt::format("header length {} is above the limit of {} bytes", header_bytes,
                              max_header_bytes));
  }
  const auto header_size = static_cast<int64_t>(header_bytes);
  if (header_size > size - length_bytes) {
    return refuse(fmt::format(
        "the file is cut: header length {}, but only {} bytes follow (expected a file of at "
        "least {} bytes, found {})",
        header_size, size - length_bytes, header_size + length_bytes, size));
  }

  auto contents = std::make_shared<Contents>();
  std::vector<HeaderEntry> listed;
  {
    std::string text(static_cast<size_t>(header_size), '\0');
    LATTICE_CHECK(read_at(length_bytes, std::as_writable_bytes(std::span(text))));
    LATTICE_TRY(SafetensorsHeader header, parse_safetensors_header(text, name));
    listed = std::move(header.entries);
    contents->metadata = std::move(header.metadata);
  }
  const int64_t data_start = length_bytes + header_size;
  const int64_t data_bytes = size - data_start;
  LATTICE_CHECK(check_ranges(listed, static_cast<uint64_t>(data_bytes), name));
  if (data_bytes > max_data_bytes) {
    return fail(
        Code::memory,
        fmt::format("holds {} bytes of tensors, the limit is {}", data_bytes, max_data_bytes),
        {name, 0, 0, ""});
  }

  contents->data = allocate(data_bytes);
  contents->data_bytes = data_bytes;
  LATTICE_CHECK(
      read_at(data_start, std::span(contents->data.get(), static_cast<size_t>(data_bytes))));
  contents->entries.reserve(listed.size());
  contents->index.reserve(listed.size());
  for (HeaderEntry& entry : listed) {
    contents->entries.push_back(
        {std::move(entry.name),
         {entry.dtype, std::move(entry.shape), contents->data.get() + entry.begin}});
    contents->index.emplace(contents->entries.back().name, contents->entries.size() - 1);
  }
  contents->name = std::move(name);
  SafetensorsFile file;
  file.contents_ = std::move(contents);
  return file;
} catch (const std::bad_alloc&) {
  return fail(Code::memory, fmt::format("out of memory for {} bytes of tensors", size),
              {std::move(name), 0, 0, ""});
}

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path,
                                              int64_t max_data_bytes) {
  LATTICE_TRY(const RegularFile file, RegularFile::open(path));
  return load(
      file.size(), path.filename().string(), max_data_bytes,
      [&](int64_t offset, std::span<std::byte> target) { return file.read_at(offset, target); });
}

Result<SafetensorsFile> SafetensorsFile::parse(std::span<const std::byte> bytes, std::string name) {
  return load(static_cast<int64_t>(bytes.size()), std::move(name), no_limit,
              [&](int64_t offset, std::span<std::byte> target) -> Status {
                if (!target.empty())
                  std::memcpy(target.data(), bytes.data() + offset, target.size());
                return {};
              });
}

const SafetensorsEntry* SafetensorsFile::find(std::string_view name) const {
  const auto found = contents_->index.find(name);
  return found == contents_->index.end() ? nullptr : &contents_->entries[found->second];
}

} // namespace lattice
