// Artifacts as data: graphs described and verified, weights read. Running them is program.cpp's.
#include "arrays.h"
#include "artifact/describe_graph.h"
#include "artifact/safetensors.h"
#include "author/verify.h"
#include "exec/load_plan.h"

namespace lattice::python {

namespace {

std::string describe(const std::string& text) {
  return take(unlocked([&] { return describe_graph(text); }));
}

void verify_text(const std::string& text) {
  take(unlocked([&] { return verify_graph(text); }));
}

void verify_directory(const std::string& path) {
  take(unlocked([&] { return author::verify_artifact(path); }));
}

void verify_memory(const std::string& graph, const nb::bytes& weights) {
  const std::span bytes(reinterpret_cast<const std::byte*>(weights.c_str()), weights.size());
  take(unlocked([&] { return load_plan_memory(graph, bytes, {}); }));
}

// Name to array, each with memory of its own: the file may hold them at any alignment.
Named<NumpyArray> read_weights(const std::string& path) {
  const SafetensorsFile file = take(unlocked([&] { return SafetensorsFile::open(path); }));
  nb::dict weights;
  for (const SafetensorsEntry& entry : file.entries())
    weights[nb::cast(entry.name)] = array_of(take(copy_of(entry.view)));
  return weights;
}

// Entries are (name, array). All or nothing.
void write_weights(const std::string& path,
                   const List<nb::typed<nb::tuple, nb::str, Any>>& entries) {
  std::vector<GivenArray> arrays;
  std::vector<NamedTensor> tensors;
  for (const nb::handle each : entries) {
    const auto entry = nb::cast<nb::tuple>(each);
    auto name = nb::cast<std::string>(entry[0]);
    arrays.push_back(given_array(entry[1], "weight \"" + name + "\""));
    tensors.push_back({std::move(name), arrays.back().view});
  }
  take(unlocked([&] { return write_safetensors(path, tensors); }));
}

} // namespace

void add_artifact(nb::module_& module) {
  module.def("describe_graph", &describe, nb::arg("text"));
  module.def("verify_graph", &verify_text, nb::arg("text"));
  module.def("verify_directory", &verify_directory, nb::arg("path"));
  module.def("verify_memory", &verify_memory, nb::arg("graph"), nb::arg("weights"));
  module.def("read_weights", &read_weights, nb::arg("path"));
  module.def("write_weights", &write_weights, nb::arg("path"), nb::arg("weights"));
}

} // namespace lattice::python
