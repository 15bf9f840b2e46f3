// Decoder of LZF streams, the compression inside .pcd files.
// There is no encoder: nothing here writes .pcd.
#pragma once

#include <cstddef>
#include <span>

namespace lattice {

// Fills `out` from `packed`. False unless the stream is whole, refers only to bytes already written
// and fills `out` exactly.
bool lzf_decode(std::span<const std::byte> packed, std::span<std::byte> out);

// No LZF stream shrinks by more: three bytes give at most 264.
constexpr int most_lzf = 88;

} // namespace lattice
