// A part of a generated support while it is made. See generate.cpp.
#pragma once

#include <bit>
#include <limits>
#include <vector>

#include "kernels/cpu/topology/budget.h"
#include "kernels/cpu/topology/row_tree.h"

namespace lattice::cpu {

// An input line that reaches an output line.
struct Reach {
  LineKey line;
  uint32_t source;
  Row from;
};

// Bits set, without relying on an instruction that the oldest processors lack.
inline Row bits_set(uint64_t word) {
  word -= (word >> 1) & 0x5555555555555555u;
  word = (word & 0x3333333333333333u) + ((word >> 2) & 0x3333333333333333u);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<Row>((word * 0x0101010101010101u) >> 56);
}

// What one chunk of output lines has made so far; positions count from the chunk's own beginning.
struct Piece {
  std::vector<LineKey> line;
  std::vector<Row> line_begin;
  std::vector<int32_t> column_y;
  std::vector<Row> column_begin;
  Array<int32_t> z;
  int64_t rows = 0; // z holds this many; the rest of it is spare
  Status status;

  // Room for `more` rows.
  Status grow(int64_t more, Taken& scratch, const Location& where) {
    if (rows + more <= z.size()) return {};
    const int64_t wanted = std::max(z.size() * 2, rows + more + 4096);
    if (wanted / 2 > std::numeric_limits<int32_t>::max()) {
      return tl::make_unexpected(
          faults::too_many_rows(wanted, std::numeric_limits<int32_t>::max(), where));
    }
    LATTICE_CHECK(scratch.take((wanted - z.size()) * 4, "a generated support", where));
    Array<int32_t> larger(wanted, scratch.pool());
    std::copy_n(z.data(), rows, larger.data());
    z = std::move(larger);
    return {};
  }

  // A row for every bit set: bit i stands for low + i. There must be room.
  void append_bits(uint64_t bits, int64_t low) {
    int32_t* out = z.data() + rows;
    for (; bits != 0; bits &= bits - 1) {
      *out++ = static_cast<int32_t>(low + std::countr_zero(bits));
    }
    rows = out - z.data();
  }
};

} // namespace lattice::cpu
