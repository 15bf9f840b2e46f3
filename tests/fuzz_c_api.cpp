// libFuzzer: bytes as a sequence of calls of the C interface on a few slots of handles: in any
// order, with missing handles, odd shapes and options. What the caller owes (memory behind a shape,
// live handles) is kept.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "artifact/safetensors.h"
#include "author/builder.h"
#include "lattice/lattice.h"

namespace {

using lattice::author::GraphBuilder;
using lattice::author::Value;

struct Artifact {
  std::string graph;
  std::vector<std::byte> weights;
};

Artifact make_artifact(int which) {
  GraphBuilder builder;
  const Value x = *builder.sparse_input("x", 2);
  const std::vector<float> numbers(8 * 4, 0.25f);
  Value y =
      *builder.conv3d(x, *builder.weight("w", "conv3d", {2, 2, 2, 2, 2}, numbers), {}, {2, 2, 2});
  if (which == 1) {
    const Value extra = *builder.tensor_input("extra", {-1, 2});
    (void)builder.output("dense", *builder.activation(extra, "relu"));
  }
  if (which == 2) y = *builder.global_pool(y, "avg", 2);
  (void)builder.output("y", y);
  const auto graph = builder.graph();
  return {graph->text, *safetensors_bytes(graph->weights)};
}

const std::array<Artifact, 3>& artifacts() {
  static const std::array<Artifact, 3> list = {make_artifact(0), make_artifact(1),
                                               make_artifact(2)};
  return list;
}

void require(bool holds, const char* what) {
  if (holds) return;
  (void)std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

class Player {
 public:
  Player(const uint8_t* data, size_t size) : data_(data), size_(size) {
    for (size_t i = 0; i < sizeof(memory_); ++i)
      memory_[i] = static_cast<char>(i % 5 == 0 ? i / 64 : 0);
  }
  ~Player() {
    for (auto*& each : outputs_) lattice_outputs_free(each);
    for (auto*& each : sessions_) lattice_session_free(each);
    for (auto*& each : topologies_) lattice_topology_free(each);
    for (auto*& each : programs_) lattice_program_free(each);
    lattice_stop_free(stop_);
  }

  void play() {
    for (int calls = 0; used_ < size_ && calls < 60; ++calls) call();
  }

 private:
  static constexpr size_t slots = 3;

  int64_t below(int64_t bound) { return used_ < size_ ? data_[used_++] % bound : 0; }
  size_t slot() { return static_cast<size_t>(below(slots)); }

  // The code and the error object must tell the same story.
  void settle(lattice_code code, lattice_error* error, const void* made) {
    require((code == LATTICE_OK) == (error == nullptr), "an error object for each failure");
    require((code == LATTICE_OK) == (made != nullptr), "a handle for each success");
    require(code != LATTICE_INTERNAL, lattice_error_message(error));
    if (error == nullptr) return;
    require(lattice_error_code(error) == code && lattice_error_count(error) > 0,
            "the error holds its code");
    lattice_diagnostic diagnostic;
    for (size_t i = 0; i < lattice_error_count(error); ++i) {
      require(lattice_error_diagnostic(error, i, &diagnostic) != 0 &&
                  std::strlen(diagnostic.message) > 0,
              "every diagnostic has a text");
    }
    require(lattice_error_diagnostic(error, lattice_error_count(error), &diagnostic) == 0,
            "and no more");
    lattice_error_free(error);
  }

  lattice_tensor tensor() {
    static constexpr lattice_dtype types[] = {LATTICE_I32, LATTICE_F32, LATTICE_F16, LATTICE_U32,
                                              static_cast<lattice_dtype>(2)};
    static constexpr int64_t odd[] = {-1, INT64_MIN, INT64_MAX, int64_t{1} << 61};
    lattice_tensor made;
    made.dtype = types[below(5)];
    made.rank = static_cast<int32_t>(below(20) == 0 ? below(256) - 128 : 1 + below(2));
    std::array<int64_t, 2>& shape = shapes_[next_shape_++ % shapes_.size()];
    shape = {below(9), 1 + below(5)};
    if (below(12) == 0) shape[0] = odd[below(4)];
    if (made.rank > 2) made.rank = 2; // shape must have rank entries
    made.shape = made.rank > 0 ? shape.data() : nullptr;
    made.data = below(12) == 0 ? nullptr : memory_ + below(8);
    return made;
  }

  // Half of the time the inputs that the program wants, else anything.
  std::vector<lattice_input> inputs() {
    std::vector<lattice_input> list;
    static constexpr const char* names[] = {"x",        "extra",      nullptr,    "",
                                            "x_coords", "x_features", "x_active", "nothing"};
    const auto add = [&](const char* name) {
      lattice_input input;
      lattice_input_init(&input);
      input.name = name;
      input.kind = below(2) == 0 ? LATTICE_INPUT_SPARSE : LATTICE_INPUT_TENSOR;
      input.tensor = tensor();
      input.coords = tensor();
      input.features = tensor();
      input.active = below(12) - 2;
      for (int64_t& stride : input.stride) stride = below(10) == 0 ? below(256) - 128 : 1;
      list.push_back(input);
    };
    if (below(2) == 0) {
      for (int64_t count = below(5); count > 0; --count) add(names[below(8)]);
      return list;
    }
    add("x");
    list[0].kind = LATTICE_INPUT_SPARSE;
    std::array<int64_t, 2>&coords = shapes_[next_shape_++ % shapes_.size()],
                        &features = shapes_[next_shape_++ % shapes_.size()];
    coords = {below(9), 4};
    features = {coords[0], 2};
    for (int32_t i = 0; i < 36; ++i)
      coords_[static_cast<size_t>(i)] = i % 4 == 0 ? 0 : i * static_cast<int32_t>(1 + below(3));
    list[0].coords = {LATTICE_I32, 2, coords.data(), coords_.data()};
    list[0].features = {LATTICE_F32, 2, features.data(), memory_};
    list[0].active = -1;
    for (int64_t& stride : list[0].stride) stride = 1;
    if (below(2) == 0) add("extra");
    return list;
  }

  lattice_run_options options() {
    lattice_run_options made;
    lattice_run_options_init(&made);
    made.threads = static_cast<int32_t>(below(4));
    if (below(20) == 0) made.threads = -1;
    if (below(4) == 0) made.max_memory = (int64_t{1} << below(24)) - below(2);
    if (below(4) == 0) made.stop = stop_;
    made.trusted = below(8) == 0;
    return made;
  }

  // Loading takes longer than all the rest: mostly a program is shared that was loaded before.
  static const lattice_program* loaded(size_t artifact, bool reference) {
    static std::array<std::array<lattice_program*, 2>, 3> programs{};
    lattice_program*& program = programs[artifact][reference ? 1 : 0];
    if (program != nullptr) return program;
    lattice_load_options made;
    lattice_load_options_init(&made);
    made.device = reference ? "reference" : "cpu";
    const Artifact& from = artifacts()[artifact];
    require(lattice_program_load_memory(from.graph.data(), from.graph.size(), from.weights.data(),
                                        from.weights.size(), &made, &program,
                                        nullptr) == LATTICE_OK,
            "a good artifact loads");
    return program;
  }

  void load() {
    lattice_program*& program = programs_[slot()];
    lattice_program_free(std::exchange(program, nullptr));
    if (below(8) != 0) {
      lattice_error* error = nullptr;
      const auto which = static_cast<size_t>(below(3));
      const auto code = lattice_program_share(loaded(which, below(3) == 0), &program, &error);
      return settle(code, error, program);
    }
    const Artifact& artifact = artifacts()[static_cast<size_t>(below(3))];
    lattice_load_options made;
    lattice_load_options_init(&made);
    static constexpr const char* devices[] = {nullptr, "cpu", "reference", "", "tpu"};
    made.device = devices[below(5)];
    made.simd = below(4) == 0 ? "scalar" : below(9) == 0 ? "what" : nullptr;
    lattice_error* error = nullptr;
    const size_t cut = below(10) == 0 ? static_cast<size_t>(below(256)) : 0;
    const auto code = lattice_program_load_memory(
        artifact.graph.data(), artifact.graph.size() - cut, artifact.weights.data(),
        artifact.weights.size() - (below(20) == 0 ? 1 : 0), below(3) == 0 ? nullptr : &made,
        &program, &error);
    settle(code, error, program);
  }

  void call() {
    lattice_error* error = nullptr;
    switch (below(12)) {
    case 0: return load();
    case 1: {
      lattice_session*& session = sessions_[slot()];
      lattice_session_free(std::exchange(session, nullptr));
      const auto code = lattice_session_new(programs_[slot()], &session, &error);
      return settle(code, error, session);
    }
    case 2: {
      lattice_topology*& topology = topologies_[slot()];
      lattice_topology_free(std::exchange(topology, nullptr));
      const auto given = inputs();
      const auto how = options();
      const auto code = lattice_program_prepare(programs_[slot()], given.data(), given.size(),
                                                below(3) == 0 ? nullptr : &how, &topology, &error);
      return settle(code, error, topology);
    }
    case 3:
    case 4:
    case 5:
    case 6: {
      lattice_outputs*& outputs = outputs_[slot()];
      lattice_outputs_free(std::exchange(outputs, nullptr));
      const auto given = inputs();
      const auto how = options();
      const auto code = lattice_session_run(
          sessions_[slot()], below(3) == 0 ? topologies_[slot()] : nullptr, given.data(),
          given.size(), below(3) == 0 ? nullptr : &how, &outputs, &error);
      return settle(code, error, outputs);
    }
    case 7: {
      const lattice_outputs* outputs = outputs_[slot()];
      lattice_output output;
      const size_t count = outputs != nullptr ? lattice_outputs_count(outputs) : 0;
      for (size_t i = 0; i < count; ++i) {
        require(lattice_outputs_get(outputs, i, &output) != 0, "every output can be had");
        const lattice_tensor& values = output.is_sparse != 0 ? output.features : output.tensor;
        int64_t bytes = values.dtype == LATTICE_F16 ? 2 : 4;
        for (int32_t axis = 0; axis < values.rank; ++axis) bytes *= values.shape[axis];
        for (int64_t i_byte = 0; i_byte < bytes; ++i_byte)
          sum_ = sum_ + static_cast<const unsigned char*>(values.data)[i_byte];
      }
      if (outputs != nullptr)
        require(lattice_outputs_get(outputs, count, &output) == 0, "and no more");
      return;
    }
    case 8: {
      lattice_program*& copy = programs_[slot()];
      lattice_program* made = nullptr;
      const auto code = lattice_program_share(programs_[slot()], &made, &error);
      settle(code, error, made);
      lattice_program_free(copy);
      copy = made;
      return;
    }
    case 9: {
      const lattice_program* program = programs_[slot()];
      lattice_text* text = nullptr;
      const auto code =
          below(2) == 0 ? lattice_program_explain(program, &text, &error)
                        : lattice_program_inspect(program, static_cast<lattice_format>(below(4)),
                                                  &text, &error);
      if (code == LATTICE_OK)
        require(std::strlen(lattice_text_data(text)) == lattice_text_size(text),
                "text ends where it says");
      settle(code, error, text);
      lattice_text_free(text);
      return;
    }
    case 10:
      if (stop_ == nullptr) {
        stop_ = lattice_stop_new();
      } else if (below(2) == 0) {
        lattice_stop_request(stop_);
      } else {
        lattice_stop_reset(stop_);
      }
      return;
    default: {
      // Any handle may go at any time; what was made of it lives on.
      const size_t which = slot();
      switch (below(4)) {
      case 0: lattice_program_free(std::exchange(programs_[which], nullptr)); return;
      case 1: lattice_session_free(std::exchange(sessions_[which], nullptr)); return;
      case 2: lattice_topology_free(std::exchange(topologies_[which], nullptr)); return;
      default: lattice_outputs_free(std::exchange(outputs_[which], nullptr)); return;
      }
    }
    }
  }

  const uint8_t* data_;
  size_t size_, used_ = 0;
  std::array<lattice_program*, slots> programs_{};
  std::array<lattice_session*, slots> sessions_{};
  std::array<lattice_topology*, slots> topologies_{};
  std::array<lattice_outputs*, slots> outputs_{};
  lattice_stop* stop_ = nullptr;
  std::array<std::array<int64_t, 2>, 64> shapes_{};
  size_t next_shape_ = 0;
  std::array<int32_t, 36> coords_{};
  alignas(16) char memory_[512];
  volatile unsigned sum_ = 0;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Player(data, size).play();
  return 0;
}
