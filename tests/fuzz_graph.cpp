// libFuzzer: a graph's text, a NUL and a weights file, through everything that is made of them:
// guard, parser, contract, verifier, weights, plan, device. What loads is also run, on both
// devices: equal bits or equal errors.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <string_view>
#include <vector>

#include "artifact/load.h"
#include "base/tensor.h"
#include "lattice/lattice.hpp"
#include "tests/cases.h"

namespace {

using namespace lattice;

void require(bool holds, const std::string& what) {
  if (holds) return;
  (void)std::fprintf(stderr, "broken: %s\n", what.c_str());
  std::abort();
}

// A few rows for every argument, as its type wants them; nothing where a declared size is large.
class MadeInputs {
 public:
  explicit MadeInputs(const Signature& signature) {
    for (const ArgumentInfo& argument : signature.arguments) add(signature, argument);
  }
  bool made() const { return made_; }
  const Inputs& list() const { return list_; }

 private:
  static constexpr int64_t rows = 5;

  void add(const Signature& signature, const ArgumentInfo& argument) {
    Shape shape = argument.shape;
    int64_t count = 1;
    for (int64_t& size : shape) {
      if (size < 0) size = &size == &shape[0] ? rows : 3;
      made_ = made_ && size <= 4096;
      count *= made_ ? size : 0;
    }
    made_ = made_ && count <= 65536;
    if (!made_) return;
    std::vector<int32_t>& numbers = memory_.emplace_back(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      int32_t number = static_cast<int32_t>(i % 3);
      if (argument.role == Role::sparse_coords) {
        const int64_t axis = i % 4;
        const Triple& stride = signature.groups[static_cast<size_t>(argument.group)].stride;
        // A diagonal with a bend; batch 0 and 1.
        number = axis == 0 ? static_cast<int32_t>(i / 12 % 2)
                           : static_cast<int32_t>((i / 4 - 2) *
                                                  (stride[static_cast<size_t>(axis - 1)] % 4096) *
                                                  (axis == 3 ? 2 : 1));
      } else if (argument.role == Role::sparse_active ||
                 (argument.dtype == DType::i32 && count == 1)) {
        number = static_cast<int32_t>(rows - 1);
      }
      const size_t at = static_cast<size_t>(i);
      if (argument.dtype == DType::i32) numbers[at] = number;
      const float real = static_cast<float>(i % 7) * 0.75f - 1.5f;
      if (argument.dtype == DType::f32) std::memcpy(&numbers[at], &real, 4);
      // 0x3C00 is 1.0 in f16, 0xBC00 is -1.0.
      const auto half = static_cast<uint16_t>(i % 2 == 0 ? 0x3C00 : 0xBC00);
      if (argument.dtype == DType::f16)
        std::memcpy(reinterpret_cast<char*>(numbers.data()) + 2 * i, &half, 2);
    }
    list_.push_back({argument.name, TensorView{argument.dtype, shape, numbers.data()}});
  }

  std::list<std::vector<int32_t>> memory_;
  Inputs list_;
  bool made_ = true;
};

struct Answer {
  Outputs outputs;
  Code code = Code::ok;
  std::string error;
};

Answer run(const Program& program, const Inputs& inputs) {
  Session session(program);
  auto outputs = session.try_run(inputs, {.threads = 2, .max_memory = int64_t{32} << 20});
  if (outputs) return {*std::move(outputs), Code::ok, {}};
  return {{}, outputs.error().code(), outputs.error().text()};
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const size_t nul = all.find('\0');
  const std::string text(all.substr(0, nul));
  const std::string_view weights =
      nul == std::string_view::npos ? std::string_view() : all.substr(nul + 1);
  const auto bytes = std::as_bytes(std::span(weights));

  auto slow = Program::try_load_memory(text, bytes, {.device = "reference"});
  if (!slow) {
    require(!slow.error().diagnostics().empty(), "an error says something");
    require(slow.error().code() != Code::internal, slow.error().text());
    return 0;
  }
  const auto fast = Program::try_load_memory(text, bytes);
  require(fast.has_value(), "what loads for one device loads for the other");
  for (const auto format : {InspectFormat::text, InspectFormat::json, InspectFormat::dot}) {
    require(!slow->inspect(format).empty(), "inspect");
  }
  require(!fast->explain().empty(), "explain");

  const MadeInputs inputs(slow->signature());
  if (!inputs.made()) return 0;
  const Answer expected = run(*slow, inputs.list()), found = run(*fast, inputs.list());
  // What a device holds differs, and with it what is too much.
  if (expected.code == Code::memory || found.code == Code::memory) return 0;
  require(expected.code != Code::internal && found.code != Code::internal,
          expected.error + found.error);
  require(expected.error == found.error, expected.error + " against " + found.error);
  require(cases::bit_difference(found.outputs, expected.outputs).empty(),
          cases::bit_difference(found.outputs, expected.outputs));
  return 0;
}
