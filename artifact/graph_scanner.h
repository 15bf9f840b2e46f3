// Walks the tokens of MLIR text and keeps count of what a parser would recurse on or multiply.
// No grammar: text that passes may still be nonsense, which the parser then says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"

namespace lattice {

// Line and column (from 1, in bytes) of an offset.
Location location_in(std::string_view text, size_t offset, const std::string& file);

class GraphScanner {
 public:
  GraphScanner(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  // Ok, or the first place where a limit of GraphLimits is passed.
  Status scan();

 private:
  enum class Token : uint8_t { none, other, connector, value_name, value_colon, affine };
  struct Bracket {
    char closing;
    bool opaque; // the body of #name<...> or !name<...>, which MLIR scans without knowing comments
    size_t affine_start; // where affine_map<...> began, or npos
  };
  // What an alias stands for, written out.
  struct Alias {
    int64_t bytes = 0;
    int64_t nesting = 0;
  };

  Status next();
  Status open(char closing, bool opaque);
  void close(char symbol);
  Status prefixed_name();
  Status number();
  Status word();
  void string();
  Status count(size_t start, const Alias* used);
  void begin_token(char first);
  Status use_alias(std::string_view name, size_t start);
  Status result_number(std::string_view digits, size_t start);
  tl::unexpected<Error> refuse(size_t offset, std::string message) const;

  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool in_opaque_body() const { return !brackets_.empty() && brackets_.back().opaque; }

  std::string_view text_;
  const std::string& file_;
  size_t at_ = 0;
  Token last_ = Token::none;
  bool new_line_ = true; // a line ended since the last token
  std::vector<Bracket> brackets_;
  std::unordered_map<std::string_view, Alias> aliases_;
  Alias* defining_ = nullptr; // the alias whose definition is being read
  int64_t expanded_ = 0;
  int64_t result_numbers_ = 0; // of all uses together
};

} // namespace lattice
