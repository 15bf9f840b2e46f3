// A cursor over JSON text for readers that know what must come next. Builds no tree, so nesting
// costs nothing and a repeated key cannot be lost.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace lattice {

class JsonCursor {
 public:
  // `text` is valid UTF-8; `file` names it in errors.
  JsonCursor(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  size_t position() const { return at_; }
  bool at_end() const { return at_ == text_.size(); }

  // Takes `symbol` after white space if it is next.
  bool accept(char symbol);
  Status expect(char symbol, std::string_view where);

  // A string with its escapes resolved. `what` completes "expected ...".
  Result<std::string> string(std::string_view what);

  // A number: its value, if it is whole, not negative and fits 64 bits.
  Result<uint64_t> whole_number(std::string_view what);

  // An error at this place: "header byte N: message".
  tl::unexpected<Error> error(std::string message, std::string key = {}) const;

  // What stands here, in a few words: "a number", "the end", "'['".
  std::string found() const;

 private:
  void skip_space();
  Status escape(std::string& value);
  Result<uint32_t> four_hex_digits();

  std::string_view text_;
  const std::string& file_;
  size_t at_ = 0;
};

} // namespace lattice
