// Large memory in large pages: fewer page faults when it is first touched, fewer look-ups of
// addresses after.
#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace lattice {

inline constexpr size_t huge_page = size_t{2} << 20; // bytes

// Memory of a huge page and more is worth this alignment.
inline size_t alignment_for(size_t bytes, size_t least) {
  return bytes >= huge_page ? huge_page : least;
}

// A hint for the whole huge pages in `bytes` from `data` on, which lies on a border of one; nothing
// depends on it.
inline void prefer_huge_pages(void* data, size_t bytes) {
  if (bytes >= huge_page) madvise(data, bytes / huge_page * huge_page, MADV_HUGEPAGE);
}

} // namespace lattice
