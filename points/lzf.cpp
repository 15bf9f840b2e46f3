// LZF: runs of literal bytes, and copies from up to 8192 bytes back.
// Every length is checked against both ends before a byte moves.
#include "points/lzf.h"

#include <cstdint>
#include <cstring>

namespace lattice {

bool lzf_decode(std::span<const std::byte> packed, std::span<std::byte> out) {
  size_t in = 0, written = 0;
  const auto byte = [&](size_t at) { return std::to_integer<size_t>(packed[at]); };
  while (in < packed.size()) {
    const size_t control = byte(in++);
    if (control < 32) { // control + 1 literal bytes
      const size_t length = control + 1;
      if (length > packed.size() - in || length > out.size() - written) return false;
      std::memcpy(out.data() + written, packed.data() + in, length);
      in += length;
      written += length;
      continue;
    }
    // Three bits of length (7 means another byte follows), thirteen of distance.
    size_t length = control >> 5;
    if (length == 7) {
      if (in == packed.size()) return false;
      length += byte(in++);
    }
    length += 2;
    if (in == packed.size()) return false;
    const size_t distance = ((control & 31) << 8) + byte(in++) + 1;
    if (distance > written || length > out.size() - written) return false;
    // Byte by byte: a copy may overlap what it writes, which repeats a pattern.
    for (size_t k = 0; k < length; ++k, ++written) out[written] = out[written - distance];
  }
  return written == out.size();
}

} // namespace lattice
