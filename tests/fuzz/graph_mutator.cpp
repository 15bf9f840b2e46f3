// Changes a graph's text by its tokens: operations, attributes, keywords and values for others of
// their kind, so that most of what comes out parses and reaches the verifier. What follows a NUL is
// the weights file.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "author/op_schema.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

using Random = std::minstd_rand;

size_t below(Random& random, size_t limit) { return limit == 0 ? 0 : random() % limit; }

template <class List>
const auto& one_of(Random& random, const List& list) {
  return list[below(random, std::size(list))];
}

// Words by kind, from the table of operations. A kind is what may stand in each other's place.
struct Words {
  std::vector<std::string> operations, attributes, keywords;

  static const Words& get() {
    static const Words words = [] {
      Words made;
      for (const auto& op : lattice::author::op_schemas()) {
        made.operations.emplace_back("lattice." + std::string(op.name));
        for (const auto& attribute : op.attributes) {
          made.attributes.emplace_back(attribute.name);
          for (const auto word : attribute.words) made.keywords.emplace_back(word);
        }
      }
      for (const char* word : {"f32",           "f16",
                               "i32",           "i64",
                               "conv3d",        "linear",
                               "embedding",     "channel",
                               "bias",          "dense",
                               "int8",          "int4",
                               "affine",        "conv3d_o_xyz_i",
                               "linear_o_i",    "embedding_n_c",
                               "channel_c",     "bias_c",
                               "sparse_coords", "sparse_features",
                               "sparse_active", "tensor",
                               "sparse_tensor"}) {
        made.keywords.emplace_back(word);
      }
      return made;
    }();
    return words;
  }
};

struct Token {
  size_t at, size;
  enum Kind { operation, attribute, keyword, number, value } kind;
};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

std::vector<Token> tokens_of(const std::string& text) {
  const Words& words = Words::get();
  const auto in = [](const std::vector<std::string>& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  std::vector<Token> tokens;
  for (size_t at = 0; at < text.size();) {
    const bool value = text[at] == '%';
    size_t end = at + 1;
    while (end < text.size() && is_word(text[end])) ++end;
    if (!value && !is_word(text[at])) {
      ++at;
      continue;
    }
    const std::string word = text.substr(at, end - at);
    const auto add = [&](Token::Kind kind) { tokens.push_back({at, end - at, kind}); };
    if (value) {
      add(Token::value);
    } else if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) {
      add(Token::number);
    } else if (in(words.operations, word)) {
      add(Token::operation);
    } else if (in(words.attributes, word)) {
      add(Token::attribute);
    } else if (in(words.keywords, word)) {
      add(Token::keyword);
    }
    at = end;
  }
  return tokens;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

// A line again, its result under a new name that later lines may come to read.
std::string again(const std::string& line, Random& random) {
  const size_t name = line.find('%'), equals = line.find('=');
  if (name == std::string::npos || equals == std::string::npos || name > equals) return line;
  return line.substr(0, name) + "%again" + std::to_string(below(random, 1000)) + " " +
         line.substr(equals);
}

std::string changed(std::string text, Random& random) {
  if (below(random, 4) == 0) {
    std::vector<std::string> lines = lines_of(text);
    if (lines.empty()) return text;
    const size_t line = below(random, lines.size()), other = below(random, lines.size());
    switch (below(random, 3)) {
    case 0: lines.erase(lines.begin() + static_cast<ptrdiff_t>(line)); break;
    case 1:
      lines.insert(lines.begin() + static_cast<ptrdiff_t>(line) + 1, again(lines[line], random));
      break;
    default: std::swap(lines[line], lines[other]);
    }
    return joined(lines);
  }
  const std::vector<Token> tokens = tokens_of(text);
  if (tokens.empty()) return text;
  const Token token = one_of(random, tokens);
  static constexpr std::array numbers = {"0",
                                         "1",
                                         "2",
                                         "3",
                                         "4",
                                         "5",
                                         "8",
                                         "32",
                                         "-1",
                                         "-2147483648",
                                         "2147483647",
                                         "2147483648",
                                         "1099511627776",
                                         "9223372036854775807",
                                         "0.5",
                                         "1.0e-3",
                                         "0x7FF0000000000000",
                                         "0x7FC00000",
                                         "0xFF800000",
                                         "1.0e39"};
  const Words& words = Words::get();
  std::string replacement;
  switch (token.kind) {
  case Token::operation: replacement = one_of(random, words.operations); break;
  case Token::attribute: replacement = one_of(random, words.attributes); break;
  case Token::keyword: replacement = one_of(random, words.keywords); break;
  case Token::number: replacement = one_of(random, numbers); break;
  case Token::value: {
    const Token other = one_of(random, tokens);
    if (other.kind != Token::value) return text;
    replacement = text.substr(other.at, other.size);
  }
  }
  return text.replace(token.at, token.size, replacement);
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  Random random(seed + 1);
  const auto* nul = size == 0 ? nullptr : static_cast<const uint8_t*>(std::memchr(data, 0, size));
  const size_t text_size = nul == nullptr ? size : static_cast<size_t>(nul - data);
  const size_t kind = below(random, 12);
  if (kind == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string rest(reinterpret_cast<const char*>(data) + text_size, size - text_size);
  if (kind == 1 && rest.size() > 1) {
    return text_size + 1 +
           LLVMFuzzerMutate(data + text_size + 1, rest.size() - 1, max_size - text_size - 1);
  }
  std::string text(reinterpret_cast<const char*>(data), text_size);
  for (size_t k = 1 + below(random, 3); k > 0; --k) text = changed(std::move(text), random);
  text += rest;
  if (text.size() > max_size) return size;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
