// What is checked of graph.mlir before any parser sees a byte of it. Keeps MLIR's recursive parser
// and printer within bounds; does not know the grammar beyond its tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace lattice {

// The limits of graph text (spec 1; the last six are ours, docs/security.md).
struct GraphLimits {
  static constexpr int64_t bytes = 64'000'000;
  static constexpr int64_t nesting = 256; // open brackets, those of the aliases used included
  // Reading a number takes time that grows with the square of its digits.
  static constexpr int64_t digits = 1'000;
  // An integer attribute takes as many bits as its type says, however short it is written.
  static constexpr int64_t integer_width = 1'024;
  // A count after a value's name ("%x:3") is added up before it is compared.
  static constexpr int64_t results = 65'536;
  // Room is made for as many results as the number of one says ("%x#3"); of all uses together.
  static constexpr int64_t result_numbers = 16'777'216;
  // Affine expressions recurse without brackets.
  static constexpr int64_t affine_bytes = 4'096;
  // The text with every alias written out. Aliases of aliases double without end.
  static constexpr int64_t expanded_bytes = 4 * bytes;
};

// Ok if `text` is UTF-8 MLIR text within the limits; else an error with line and column that says
// what lies there instead (bytecode, a Git LFS pointer, JSON, a web page, ...).
Status guard_graph_text(std::string_view text, const std::string& file);

} // namespace lattice
