// What people find in place of a file they meant to download. Names it, judges nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lattice {

// "a Git LFS pointer (...)", "a web page", ... for the first bytes of a file, or nothing.
inline std::optional<std::string> imposter(std::string_view start) {
  if (start.starts_with("version https://git-lfs.github.com/spec/")) {
    return "a Git LFS pointer in place of the file (fetch it with git lfs pull)";
  }
  if (start.starts_with("PK\x03\x04")) return "a zip archive";
  if (start.starts_with("\xef\xbb\xbf")) start.remove_prefix(3);
  const size_t first = start.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return std::nullopt;
  start.remove_prefix(first);
  const auto begins = [&](std::string_view lower) {
    if (start.size() < lower.size()) return false;
    for (size_t i = 0; i < lower.size(); ++i) {
      const char c = start[i];
      if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != lower[i]) return false;
    }
    return true;
  };
  if (begins("<!doctype html") || begins("<html") || begins("<head")) {
    return "a web page (HTML) in place of the file";
  }
  if (begins("<?xml")) return "an XML document in place of the file";
  return std::nullopt;
}

} // namespace lattice
