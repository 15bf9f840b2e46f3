// NumPy's .npz: a zip archive whose members are .npy files, stored or deflated.
// Finds one member and hands its bytes to read_npy; no other use of zip archives.
#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <zlib.h>

#include "points/place.h"
#include "points/read.h"

namespace lattice {

namespace {

constexpr uint32_t end_signature = 0x06054b50, entry_signature = 0x02014b50,
                   member_signature = 0x04034b50;
constexpr size_t end_size = 22, entry_size = 46, member_size = 30;
// Deflate cannot shrink by more than this; a member that claims more is refused before it gets
// memory.
constexpr uint64_t most_deflate = 1032;

struct Member {
  std::string_view name;
  uint16_t flags = 0, method = 0;
  uint32_t crc = 0, packed = 0, size = 0, offset = 0;
};

tl::unexpected<Error> wrong(const std::string& message, const std::string& file) {
  return fail(Code::input, "zip archive: " + message, in_file(file));
}

// The end record stands last, before a comment of at most 65535 bytes.
std::optional<size_t> find_end(Bytes bytes) {
  if (bytes.size() < end_size) return std::nullopt;
  const size_t last = bytes.size() - end_size;
  const size_t first = last - std::min<size_t>(last, 65535);
  for (size_t at = last + 1; at-- > first;) {
    if (load<uint32_t>(&bytes[at]) != end_signature) continue;
    if (at + end_size + load<uint16_t>(&bytes[at + 20]) == bytes.size()) return at;
  }
  return std::nullopt;
}

Result<std::vector<Member>> list_members(Bytes bytes, const std::string& file) {
  const auto end = find_end(bytes);
  if (!end) return wrong("no end record found; the file is cut or no .npz", file);
  const uint16_t count = load<uint16_t>(&bytes[*end + 10]);
  const uint32_t size = load<uint32_t>(&bytes[*end + 12]),
                 offset = load<uint32_t>(&bytes[*end + 16]);
  if (count == 0xffff || offset == 0xffffffffu) {
    return fail(Code::unsupported,
                "zip archives past 2 GB (zip64) are not read; save the array as .npy",
                in_file(file));
  }
  if (load<uint16_t>(&bytes[*end + 4]) != 0 || load<uint16_t>(&bytes[*end + 8]) != count) {
    return wrong("it spans several disks", file);
  }
  if (offset > *end || size > *end - offset) {
    return wrong(fmt::format("its directory is at bytes {}..{}, past its end record at {}", offset,
                             uint64_t{offset} + size, *end),
                 file);
  }
  std::vector<Member> members;
  size_t at = offset;
  const size_t stop = size_t{offset} + size;
  for (int k = 0; k < count; ++k) {
    if (stop - at < entry_size || load<uint32_t>(&bytes[at]) != entry_signature) {
      return wrong(fmt::format("no directory entry {} of {} at byte {}", k + 1, count, at), file);
    }
    const size_t name = load<uint16_t>(&bytes[at + 28]);
    const size_t rest = name + load<uint16_t>(&bytes[at + 30]) + load<uint16_t>(&bytes[at + 32]);
    if (stop - at - entry_size < rest)
      return wrong(fmt::format("directory entry {} is cut at byte {}", k + 1, at), file);
    Member member;
    member.name = text_in(bytes.subspan(at + entry_size, name));
    member.flags = load<uint16_t>(&bytes[at + 8]);
    member.method = load<uint16_t>(&bytes[at + 10]);
    member.crc = load<uint32_t>(&bytes[at + 16]);
    member.packed = load<uint32_t>(&bytes[at + 20]);
    member.size = load<uint32_t>(&bytes[at + 24]);
    member.offset = load<uint32_t>(&bytes[at + 42]);
    members.push_back(member);
    at += entry_size + rest;
  }
  return members;
}

Result<Member> choose(const std::vector<Member>& members, const std::string& wanted,
                      const std::string& file) {
  std::string names;
  for (const Member& member : members) {
    if (!member.name.ends_with(".npy")) continue;
    if (wanted.empty() || member.name == wanted || member.name == wanted + ".npy") return member;
    names += (names.empty() ? "" : ", ") + shown(member.name.substr(0, member.name.size() - 4));
  }
  if (wanted.empty()) return wrong("it holds no .npy array", file);
  return wrong(fmt::format("no array \"{}\"; it holds {}", shown(wanted),
                           names.empty() ? "none" : shown(names, 200)),
               file);
}

// The bytes of a member as they lie in the archive.
Result<Bytes> packed_bytes(Bytes bytes, const Member& member, const std::string& file) {
  if ((member.flags & 1) != 0)
    return fail(Code::unsupported, fmt::format("member {} is encrypted", shown(member.name)),
                in_file(file));
  if (member.packed == 0xffffffffu || member.size == 0xffffffffu || member.offset == 0xffffffffu) {
    return fail(
        Code::unsupported,
        fmt::format("member {} is past 2 GB (zip64); save the array as .npy", shown(member.name)),
        in_file(file));
  }
  const size_t at = member.offset;
  if (bytes.size() < member_size || at > bytes.size() - member_size ||
      load<uint32_t>(&bytes[at]) != member_signature) {
    return wrong(
        fmt::format("no member at byte {}, where the directory places {}", at, shown(member.name)),
        file);
  }
  const size_t start =
      at + member_size + load<uint16_t>(&bytes[at + 26]) + load<uint16_t>(&bytes[at + 28]);
  if (start > bytes.size() || member.packed > bytes.size() - start) {
    return wrong(fmt::format("member {} needs bytes {}..{}, the file has {}", shown(member.name),
                             start, start + member.packed, bytes.size()),
                 file);
  }
  return bytes.subspan(start, member.packed);
}

Result<std::vector<std::byte>> inflate_member(Bytes packed, const Member& member,
                                              const std::string& file) {
  if (member.size > uint64_t{member.packed} * most_deflate + 64) {
    return wrong(fmt::format("member {} claims {} bytes out of {}, more than deflate can give",
                             shown(member.name), member.size, member.packed),
                 file);
  }
  std::vector<std::byte> plain(member.size);
  z_stream stream{};
  if (inflateInit2(&stream, -15) != Z_OK)
    return fail(Code::memory, "no memory to inflate", in_file(file));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
  stream.avail_in = member.packed;
  // A spare byte of room, so that a stream longer than it claims shows itself.
  std::byte spare{};
  stream.next_out =
      plain.empty() ? reinterpret_cast<Bytef*>(&spare) : reinterpret_cast<Bytef*>(plain.data());
  stream.avail_out = plain.empty() ? 1 : member.size;
  const int code = inflate(&stream, Z_FINISH);
  const bool whole =
      code == Z_STREAM_END && stream.total_out == member.size && stream.avail_in == 0;
  const uint64_t given = stream.total_out;
  inflateEnd(&stream);
  if (!whole)
    return wrong(fmt::format("member {} does not inflate to its {} bytes (stopped at {})",
                             shown(member.name), member.size, given),
                 file);
  return plain;
}

Status check_crc(Bytes plain, const Member& member, const std::string& file) {
  const auto crc = static_cast<uint32_t>(
      crc32_z(crc32(0, nullptr, 0), reinterpret_cast<const Bytef*>(plain.data()), plain.size()));
  if (crc == member.crc) return {};
  return wrong(fmt::format("member {} has checksum {:08x}, the directory says {:08x}",
                           shown(member.name), crc, member.crc),
               file);
}

} // namespace

Result<PointCloud> read_npz(Bytes bytes, const std::string& name, const ReadOptions& options) {
  LATTICE_TRY(const std::vector<Member> members, list_members(bytes, name));
  LATTICE_TRY(const Member member, choose(members, options.array, name));
  LATTICE_TRY(const Bytes packed, packed_bytes(bytes, member, name));
  const std::string inner = name + ": " + shown(member.name, 64);
  if (member.method == 0) {
    if (member.packed != member.size)
      return wrong(fmt::format("stored member {} has sizes {} and {}", shown(member.name),
                               member.packed, member.size),
                   name);
    LATTICE_CHECK(check_crc(packed, member, name));
    return read_npy(packed, inner, options);
  }
  if (member.method != 8) {
    return fail(Code::unsupported,
                fmt::format("member {} uses zip method {}, expected 0 (stored) or 8 (deflate)",
                            shown(member.name), member.method),
                in_file(name));
  }
  LATTICE_TRY(const std::vector<std::byte> plain, inflate_member(packed, member, name));
  LATTICE_CHECK(check_crc(plain, member, name));
  return read_npy(plain, inner, options);
}

} // namespace lattice
