// What a person or a script reads: data on stdout, everything else on stderr, colours on terminals
// only. Knows no subcommand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/status.h"
#include "lattice/signature.hpp"

namespace lattice::cli {

using Json = nlohmann::ordered_json;

// Writes to stdout. Fails with Code::io when the text does not arrive (full disk, closed pipe).
Status print(std::string_view text);
// The object on one line.
Status print_json(const Json& object);

// A line on stderr: "warning: ..." and plain.
void warn(std::string_view text);
void note(std::string_view text);
// All diagnostics, a line each, on stderr.
void print_error(const Error& error);
// {"ok": false, "error": {"code": "artifact", "diagnostics": [...]}}
Json json_of(const Error& error);
Json json_of(const Signature& signature);

// A number as JSON has it, else "nan", "inf" or "-inf".
Json json_number(double value);

// "1.5 GB"; powers of 1024.
std::string human_bytes(int64_t bytes);
// 1234567 -> "1,234,567"
std::string grouped(int64_t value);

// "65536", "1.5G", "200MiB": bytes; powers of 1024.
Result<int64_t> parse_bytes(std::string_view text);
// "0.05" or "0.05,0.05,0.1", finite.
Result<std::array<double, 3>> parse_triple(std::string_view text, std::string_view option);

} // namespace lattice::cli
