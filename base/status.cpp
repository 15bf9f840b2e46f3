// Texts of errors. What an error is stands in include/lattice/status.hpp.
#include "base/status.h"

#include <fmt/format.h>

namespace lattice {

const char* name_of(Code code) {
  switch (code) {
    case Code::ok: return "ok";
    case Code::io: return "io";
    case Code::artifact: return "artifact";
    case Code::input: return "input";
    case Code::unsupported: return "unsupported";
    case Code::memory: return "memory";
    case Code::device: return "device";
    case Code::usage: return "usage";
    case Code::internal: return "internal";
    case Code::interrupted: return "interrupted";
  }
  return "unknown";
}

std::string text_of(const Location& where) {
  std::string text = where.file;
  if (where.line > 0) text += fmt::format(":{}", where.line);
  if (where.line > 0 && where.column > 0) text += fmt::format(":{}", where.column);
  if (!where.key.empty()) text += (text.empty() ? "" : ": ") + where.key;
  return text;
}

namespace {

void append(std::string& text, const Diagnostic& diagnostic, int depth) {
  if (!text.empty()) text += '\n';
  text.append(static_cast<size_t>(depth) * 2, ' ');
  const std::string where = text_of(diagnostic.where);
  if (!where.empty()) text += where + ": ";
  if (depth > 0) text += "note: ";
  text += diagnostic.message;
  for (const Diagnostic& note : diagnostic.notes) append(text, note, depth + 1);
}

}  // namespace

std::string text_of(const Diagnostic& diagnostic) {
  std::string text;
  append(text, diagnostic, 0);
  return text;
}

Error::Error(Code code, std::vector<Diagnostic> diagnostics)
    : code_(code), diagnostics_(std::move(diagnostics)) {
  for (const Diagnostic& diagnostic : diagnostics_) append(text_, diagnostic, 0);
}

Error::Error(Code code, std::string message, Location where)
    : Error(code, {Diagnostic{std::move(message), std::move(where), {}}}) {}

}  // namespace lattice
