// The token walk of graph_scanner.h. Token rules follow the MLIR language reference.
#include "artifact/graph_scanner.h"

#include <algorithm>

#include <fmt/format.h>

#include "artifact/guard.h"
#include "artifact/quote.h"

namespace lattice {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_word_part(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '$' || c == '.';
}
bool is_name_part(char c) { return is_word_part(c) || c == '-'; }

// Value of a run of digits, or `above` when it is larger than that.
int64_t value_of(std::string_view digits, int64_t above) {
  int64_t value = 0;
  for (const char c : digits) {
    value = value * 10 + (c - '0');
    if (value > above) return above + 1;
  }
  return value;
}

// Bits of the integer type a word ends in: "si32", or "x4xi8" out of a shape; 0 when it is none.
int64_t integer_width_of(std::string_view word) {
  size_t digits = word.size();
  while (digits > 0 && is_digit(word[digits - 1])) --digits;
  if (digits == word.size() || digits == 0 || word[digits - 1] != 'i') return 0;
  size_t start = digits - 1;
  if (start > 0 && (word[start - 1] == 's' || word[start - 1] == 'u')) --start;
  if (start > 0 && word[start - 1] != 'x') return 0;
  return value_of(word.substr(digits), GraphLimits::integer_width);
}

} // namespace

Location location_in(std::string_view text, size_t offset, const std::string& file) {
  const std::string_view before = text.substr(0, offset);
  const size_t line_end = before.rfind('\n');
  const size_t line_start = line_end == std::string_view::npos ? 0 : line_end + 1;
  return {file, 1 + std::count(before.begin(), before.end(), '\n'),
          static_cast<int64_t>(offset - line_start) + 1, ""};
}

tl::unexpected<Error> GraphScanner::refuse(size_t offset, std::string message) const {
  return fail(Code::artifact, std::move(message), location_in(text_, offset, file_));
}

Status GraphScanner::scan() {
  while (at_ < text_.size()) LATTICE_CHECK(next());
  if (last_ == Token::none) return refuse(0, "the file holds only comments, expected MLIR text");
  return {};
}

Status GraphScanner::next() {
  const size_t start = at_;
  const char c = text_[at_];
  if (c == '\n' || c == '\r') {
    new_line_ = true;
    ++at_;
    return {};
  }
  if (c == ' ' || c == '\t') {
    ++at_;
    return {};
  }
  if (c == '/' && peek(1) == '/' && !in_opaque_body()) {
    at_ = std::min(text_.find_first_of("\n\r", at_), text_.size());
    return {};
  }
  if (c == '#' || c == '!' || c == '%' || c == '^') return prefixed_name();

  begin_token(c);
  const Token before = last_;
  last_ = Token::other;
  if (is_digit(c)) {
    if (before == Token::value_colon) last_ = Token::value_colon;
    LATTICE_CHECK(number());
  } else if (is_letter(c) || c == '_') {
    LATTICE_CHECK(word());
  } else {
    ++at_;
    switch (c) {
    case '"': string(); break;
    case '(': LATTICE_CHECK(open(')', false)); break;
    case '[': LATTICE_CHECK(open(']', false)); break;
    case '{': LATTICE_CHECK(open('}', false)); break;
    case '<':
      LATTICE_CHECK(open('>', false));
      if (before == Token::affine) brackets_.back().affine_start = start;
      break;
    case ')':
    case ']':
    case '}':
    case '>': close(c); break;
    case '-':
      if (peek() == '>') {
        ++at_;
        last_ = Token::connector;
      }
      break;
    case ':': last_ = before == Token::value_name ? Token::value_colon : Token::connector; break;
    case '=':
    case ',': last_ = Token::connector; break;
    case '@': // "@name" and "@\"name\""; the string is the next token
      while (is_word_part(peek())) ++at_;
      break;
    default: break;
    }
  }
  return count(start, nullptr);
}

// An alias definition ends with the line, unless this token or the one before carries it on.
void GraphScanner::begin_token(char first) {
  const bool carried_on = last_ == Token::connector || first == ':' || first == ',' ||
                          std::string_view("-([{<)]}>").find(first) != std::string_view::npos;
  if (new_line_ && brackets_.empty() && !carried_on) defining_ = nullptr;
  new_line_ = false;
}

// Adds the token from `start` on, or the alias it stands for, to what has been read.
Status GraphScanner::count(size_t start, const Alias* used) {
  const int64_t bytes = used != nullptr ? used->bytes : static_cast<int64_t>(at_ - start);
  expanded_ += bytes;
  if (expanded_ > GraphLimits::expanded_bytes) {
    return refuse(start, fmt::format("the text with its aliases written out has more than {} bytes",
                                     GraphLimits::expanded_bytes));
  }
  const int64_t nesting =
      static_cast<int64_t>(brackets_.size()) + (used != nullptr ? used->nesting : 0);
  if (nesting > GraphLimits::nesting) {
    return refuse(start,
                  fmt::format("brackets are nested more than {} deep", GraphLimits::nesting));
  }
  if (defining_ != nullptr) {
    defining_->bytes += bytes;
    defining_->nesting = std::max(defining_->nesting, nesting);
  }
  if (!brackets_.empty() && brackets_.back().affine_start != std::string_view::npos &&
      static_cast<int64_t>(at_ - brackets_.back().affine_start) > GraphLimits::affine_bytes) {
    return refuse(
        brackets_.back().affine_start,
        fmt::format("an affine expression of more than {} bytes", GraphLimits::affine_bytes));
  }
  return {};
}

Status GraphScanner::open(char closing, bool opaque) {
  const bool inherited = !brackets_.empty() && brackets_.back().opaque;
  const size_t affine = brackets_.empty() ? std::string_view::npos : brackets_.back().affine_start;
  brackets_.push_back({closing, opaque || inherited, affine});
  if (static_cast<int64_t>(brackets_.size()) > GraphLimits::nesting) {
    return refuse(at_ - 1,
                  fmt::format("brackets are nested more than {} deep", GraphLimits::nesting));
  }
  return {};
}

// A bracket that closes nothing is left for the parser to name.
void GraphScanner::close(char symbol) {
  if (!brackets_.empty() && brackets_.back().closing == symbol) brackets_.pop_back();
}

// Strings end with their line at the latest; the parser names one that is not closed.
void GraphScanner::string() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n' || c == '\r') return;
    at_ += c == '\\' ? 2 : 1;
    if (c == '"') break;
  }
  at_ = std::min(at_, text_.size());
}

// "%x", "^block", "#alias", "!alias", "#dialect.name<...>", "!dialect.name<...>".
Status GraphScanner::prefixed_name() {
  const size_t start = at_;
  const char sigil = text_[at_++];
  begin_token(sigil);
  if (is_digit(peek())) {
    while (is_digit(peek())) ++at_;
  } else {
    while (is_name_part(peek())) ++at_;
  }
  const std::string_view name = text_.substr(start, at_ - start);
  if (sigil == '#' && name.size() > 1 && is_digit(name[1]))
    LATTICE_CHECK(result_number(name.substr(1), start));
  if (sigil == '%') {
    last_ = Token::value_name;
    return count(start, nullptr);
  }
  last_ = Token::other;
  if (sigil == '^') return count(start, nullptr);
  if (peek() == '<') {
    LATTICE_CHECK(count(start, nullptr));
    ++at_;
    return open('>', true);
  }
  if (brackets_.empty()) {
    const size_t after = text_.find_first_not_of(" \t\r\n", at_);
    if (after != std::string_view::npos && text_[after] == '=') {
      defining_ = &aliases_[name];
      *defining_ = {};
      return {};
    }
  }
  return use_alias(name, start);
}

// "%x#7": the parser makes room for eight results of %x, whether there are so many or not.
Status GraphScanner::result_number(std::string_view digits, size_t start) {
  const int64_t number = value_of(digits, GraphLimits::results);
  if (number > GraphLimits::results) {
    return refuse(start, fmt::format("result number {}, the limit is {}", printable(digits, 40),
                                     GraphLimits::results));
  }
  result_numbers_ += number + 1;
  if (result_numbers_ <= GraphLimits::result_numbers) return {};
  return refuse(start, fmt::format("result numbers that add up to more than {}",
                                   GraphLimits::result_numbers));
}

Status GraphScanner::use_alias(std::string_view name, size_t start) {
  const auto known = aliases_.find(name);
  // One that is not defined yet, or is only now being defined, cannot be written out.
  if (known == aliases_.end() || &known->second == defining_) return count(start, nullptr);
  const Alias used = known->second;
  return count(start, &used);
}

Status GraphScanner::number() {
  const size_t start = at_;
  const bool hexadecimal = peek() == '0' && peek(1) == 'x' && is_hex_digit(peek(2));
  if (hexadecimal) at_ += 2;
  while (hexadecimal ? is_hex_digit(peek()) : is_digit(peek())) ++at_;
  const std::string_view digits = text_.substr(start, at_ - start);
  if (static_cast<int64_t>(digits.size()) > GraphLimits::digits) {
    return refuse(start, fmt::format("a number of {} digits, the limit is {}", digits.size(),
                                     GraphLimits::digits));
  }
  if (last_ == Token::value_colon) {
    last_ = Token::other;
    if (!hexadecimal && value_of(digits, GraphLimits::results) > GraphLimits::results) {
      return refuse(start, fmt::format("{} results of one operation, the limit is {}",
                                       printable(digits, 40), GraphLimits::results));
    }
  }
  return {};
}

Status GraphScanner::word() {
  const size_t start = at_;
  while (is_word_part(peek())) ++at_;
  const std::string_view word = text_.substr(start, at_ - start);
  if (word == "affine_map" || word == "affine_set") last_ = Token::affine;
  if (integer_width_of(word) > GraphLimits::integer_width) {
    return refuse(start,
                  fmt::format("an integer type wider than {} bits", GraphLimits::integer_width));
  }
  return {};
}

} // namespace lattice
