// Printing for the command line. No exception leaves: a stream that fails is an error or is
// ignored.
#include "tools/lattice/console.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

#include "artifact/quote.h"

namespace lattice::cli {
namespace {

bool colours_on_stderr() {
  static const bool on = isatty(STDERR_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  return on;
}

// There is nobody left to tell when stderr fails.
void to_stderr(const std::string& text) { (void)std::fwrite(text.data(), 1, text.size(), stderr); }

void labelled(std::string_view label, const char* colour, std::string_view text) {
  to_stderr(colours_on_stderr() ? fmt::format("\x1b[{}m{}:\x1b[0m {}\n", colour, label, text)
                                : fmt::format("{}: {}\n", label, text));
}

Json json_of(const Diagnostic& diagnostic) {
  Json object{{"message", diagnostic.message}};
  const Location& where = diagnostic.where;
  if (!where.file.empty()) object["file"] = where.file;
  if (where.line > 0) object["line"] = where.line;
  if (where.column > 0) object["column"] = where.column;
  if (!where.key.empty()) object["key"] = where.key;
  if (!diagnostic.notes.empty()) {
    object["notes"] = Json::array();
    for (const Diagnostic& each : diagnostic.notes) object["notes"].push_back(json_of(each));
  }
  return object;
}

} // namespace

Status print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) return fail(Code::io, "stdout: cannot be written");
  return {};
}

Status print_json(const Json& object) {
  // Names out of files need not be UTF-8.
  return print(object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

void warn(std::string_view text) { labelled("warning", "1;33", text); }

void note(std::string_view text) { to_stderr(fmt::format("{}\n", text)); }

void print_error(const Error& error) {
  for (const Diagnostic& diagnostic : error.diagnostics())
    labelled("error", "1;31", text_of(diagnostic));
  if (error.diagnostics().size() > 1) note(fmt::format("{} errors", error.diagnostics().size()));
}

Json json_of(const Error& error) {
  Json diagnostics = Json::array();
  for (const Diagnostic& each : error.diagnostics()) diagnostics.push_back(json_of(each));
  return {{"ok", false},
          {"error", {{"code", name_of(error.code())}, {"diagnostics", std::move(diagnostics)}}}};
}

Json json_of(const Signature& signature) {
  Json arguments = Json::array();
  for (const ArgumentInfo& each : signature.arguments) {
    arguments.push_back({{"name", each.name},
                         {"role", name_of(each.role)},
                         {"dtype", name_of(each.dtype)},
                         {"shape", each.shape}});
  }
  Json groups = Json::array();
  for (const SparseGroup& each : signature.groups) {
    groups.push_back(
        {{"name", each.name}, {"first_argument", each.first}, {"stride", each.stride}});
  }
  Json outputs = Json::array();
  for (const OutputInfo& each : signature.outputs) {
    Json object{{"name", each.name},
                {"role", name_of(each.role)},
                {"dtype", name_of(each.dtype)},
                {"shape", each.shape}};
    if (each.role == Role::sparse_tensor) object["stride"] = each.stride;
    outputs.push_back(std::move(object));
  }
  return {{"arguments", std::move(arguments)},
          {"sparse_inputs", std::move(groups)},
          {"outputs", std::move(outputs)},
          {"schema_digest", signature.schema_digest},
          {"contract", signature.contract}};
}

Json json_number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

std::string human_bytes(int64_t bytes) {
  constexpr std::array units{"KB", "MB", "GB", "TB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, units[unit]);
}

namespace {

// A number at the start of `text`, which loses it; nothing if there is none or it is not finite.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

} // namespace

Result<int64_t> parse_bytes(std::string_view text) {
  const auto refuse = [whole = text] {
    return fail(
        Code::usage,
        fmt::format("{} is no size: expected bytes such as 65536, 200M or 1.5G", quote(whole)));
  };
  std::string_view rest = text;
  const auto number = take_number(rest);
  if (!number || *number < 0) return refuse();
  double factor = 1;
  if (!rest.empty() && rest != "B") {
    constexpr std::string_view letters = "KMGT";
    const size_t power =
        letters.find(static_cast<char>(std::toupper(static_cast<unsigned char>(rest.front()))));
    rest.remove_prefix(1);
    if (power == std::string_view::npos || (!rest.empty() && rest != "B" && rest != "iB"))
      return refuse();
    factor = std::exp2(10.0 * static_cast<double>(power + 1));
  }
  const double bytes = *number * factor;
  if (bytes > 0x1p62) return refuse();
  return static_cast<int64_t>(bytes);
}

Result<std::array<double, 3>> parse_triple(std::string_view text, std::string_view option) {
  const auto refuse = [&, whole = text] {
    return fail(Code::usage, fmt::format("{}: {} is neither a number nor three of them, x,y,z",
                                         option, quote(whole)));
  };
  std::string_view rest = text;
  std::array<double, 3> values{};
  for (size_t axis = 0; axis < 3; ++axis) {
    const auto value = take_number(rest);
    if (!value) return refuse();
    values[axis] = *value;
    if (axis == 0 && rest.empty()) return std::array{*value, *value, *value};
    if (axis == 2) break;
    if (rest.empty() || rest.front() != ',') return refuse();
    rest.remove_prefix(1);
  }
  if (!rest.empty()) return refuse();
  return values;
}

} // namespace lattice::cli
