// The faults of one artifact as they are found, so that all of them are reported and not the first
// alone.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/status.h"

namespace lattice {

class Findings {
 public:
  // Enough for a person; a hostile graph of 64 MB could hold millions.
  static constexpr size_t most = 1000;

  void add(std::string message, Location where = {}, std::vector<Diagnostic> notes = {}) {
    add(Code::artifact, {std::move(message), std::move(where), std::move(notes)});
  }

  // An artifact error outranks one of reading a file.
  void add(Code code, Diagnostic finding) {
    if (!code_ || code == Code::artifact) code_ = code;
    if (found_.size() < most) {
      found_.push_back(std::move(finding));
    } else {
      ++left_out_;
    }
  }

  void add(const Error& error) {
    for (const Diagnostic& diagnostic : error.diagnostics()) add(error.code(), diagnostic);
  }

  bool empty() const { return found_.empty(); }

  // Ok, or everything found.
  Status status() const {
    if (empty()) return {};
    std::vector<Diagnostic> all = found_;
    if (left_out_ > 0) all.push_back({fmt::format("and {} more errors", left_out_), {}, {}});
    return tl::make_unexpected(Error(*code_, std::move(all)));
  }

 private:
  std::optional<Code> code_;
  std::vector<Diagnostic> found_;
  size_t left_out_ = 0;
};

} // namespace lattice
