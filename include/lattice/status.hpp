// Errors as the library reports them: a code, and one or more diagnostics with the place each is about.
// Part of the public interface. Functions named try_* return Result; the others throw lattice::Error.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#pragma GCC visibility push(default)

namespace lattice {

// What kind of thing went wrong. Numbers are stable: the C interface exposes them.
enum class Code : int32_t {
  ok = 0,
  io = 1,           // a file could not be opened, read or written
  artifact = 2,     // the artifact is not valid: text, contract, operations, weights
  input = 3,        // an input of a run is missing, unexpected or not what the signature says
  unsupported = 4,  // valid, but not offered by this build or device
  memory = 5,       // the memory limit, or the system, refused an allocation
  device = 6,       // a device is missing or failed
  usage = 7,        // an argument of a call is wrong
  internal = 8,     // a fault of the library itself
  interrupted = 9,  // the caller asked the run to stop
};

// Lower-case word for a code: "artifact", "input", ...
const char* name_of(Code code);

// A place in a text file. line and column count from 1; 0 means unknown. For a weight `file` is the
// weights file and `key` the tensor.
struct Location {
  std::string file;
  int64_t line = 0;
  int64_t column = 0;
  std::string key;
};

// "graph.mlir:31:12", "weights.safetensors: enc1.weight", or "" when nothing is known.
std::string text_of(const Location& where);

// One finding: what was found, what was expected, and where. No trailing full stop or newline.
struct Diagnostic {
  std::string message;
  Location where;
  std::vector<Diagnostic> notes;
};

// "graph.mlir:31:12: conv3d: ..." and its notes, one line each, no trailing newline.
std::string text_of(const Diagnostic& diagnostic);

// Thrown by the functions not named try_*, carried by Result. Holds at least one diagnostic.
class Error : public std::exception {
 public:
  Error(Code code, std::vector<Diagnostic> diagnostics);
  Error(Code code, std::string message, Location where = {});

  Code code() const { return code_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  // All diagnostics, a line each.
  const char* what() const noexcept override { return text_.c_str(); }
  const std::string& text() const { return text_; }

 private:
  Code code_;
  std::vector<Diagnostic> diagnostics_;
  std::string text_;
};

template <class T>
using Result = tl::expected<T, Error>;

// Result of a call that returns nothing.
using Status = tl::expected<void, Error>;

}  // namespace lattice

#pragma GCC visibility pop
