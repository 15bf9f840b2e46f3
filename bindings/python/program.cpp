// Program, Topology and runs. Takes inputs as lattice_runtime/_binding.py hands them over and gives
// plain tuples back; the package around it makes them pleasant.
#include <atomic>
#include <memory>

#include "arrays.h"
#include "session_pool.h"

namespace lattice::python {

namespace {

struct PyProgram {
  explicit PyProgram(Program loaded) : program(loaded), pool(std::move(loaded)) {}
  Program program;
  SessionPool pool;
};

// Ends runs from another thread.
struct PyStop {
  std::atomic<bool> requested{false};
};

// Inputs with the arrays they look into.
struct GivenInputs {
  std::vector<GivenArray> arrays;
  Inputs inputs;
};

std::string label(const std::string& name, const char* part = "") {
  return name.empty() ? std::string("input") : "input \"" + name + "\"" + part;
}

// Each entry is (name, array, as_i32) or (name, coords, features, active, stride); an empty name is
// positional, active -1 means all rows.
using Entries = List<Tuple<Any>>;

GivenInputs given_inputs(const Entries& entries) {
  GivenInputs given;
  given.arrays.reserve(2 * entries.size());
  const auto view = [&](nb::handle array, const std::string& name, bool as_i32) {
    given.arrays.push_back(given_array(array, name, as_i32));
    return given.arrays.back().view;
  };
  for (const nb::handle each : entries) {
    const auto entry = nb::cast<nb::tuple>(each);
    auto name = nb::cast<std::string>(entry[0]);
    if (entry.size() == 3) {
      TensorView tensor = view(entry[1], label(name), nb::cast<bool>(entry[2]));
      given.inputs.push_back(name.empty() ? Input(std::move(tensor))
                                          : Input(std::move(name), std::move(tensor)));
      continue;
    }
    SparseView sparse;
    sparse.coords = view(entry[1], label(name, " coords"), true);
    sparse.features = view(entry[2], label(name, " features"), false);
    sparse.active = nb::cast<int64_t>(entry[3]);
    sparse.stride = nb::cast<Triple>(entry[4]);
    given.inputs.push_back(name.empty() ? Input(std::move(sparse))
                                        : Input(std::move(name), std::move(sparse)));
  }
  return given;
}

List<Tuple<Any>> list_of(const Outputs& outputs) {
  nb::list list;
  for (const Output& output : outputs) {
    if (output.is_sparse()) {
      const SparseTensor& sparse = output.sparse();
      list.append(nb::make_tuple(output.name, array_of(sparse.coords), array_of(sparse.features),
                                 nb::tuple(nb::cast(sparse.stride))));
    } else {
      list.append(nb::make_tuple(output.name, array_of(output.tensor())));
    }
  }
  return list;
}

Named<Any> dict_of(const RunReport& report) {
  nb::dict dict;
  dict["topology_ms"] = report.topology_ms;
  dict["features_ms"] = report.features_ms;
  dict["total_ms"] = report.total_ms;
  dict["voxels"] = report.voxels;
  dict["pairs"] = report.pairs;
  dict["gflop"] = report.gflop;
  dict["peak_bytes"] = report.peak_bytes;
  dict["live_bytes"] = report.live_bytes;
  dict["threads"] = report.threads;
  dict["simd"] = report.simd;
  nb::list steps;
  for (const StepTime& step : report.steps) {
    nb::dict entry;
    entry["name"] = step.name;
    entry["parameter"] = step.parameter;
    entry["where"] = text_of(step.where);
    entry["kernel"] = step.kernel;
    entry["rows"] = step.rows;
    entry["pairs"] = step.pairs;
    entry["gflop"] = step.gflop;
    entry["bytes"] = step.bytes;
    entry["start_ms"] = step.start_ms;
    entry["milliseconds"] = step.milliseconds;
    nb::list threads;
    for (const ThreadTime& each : step.threads)
      threads.append(nb::make_tuple(each.thread, each.start_ms, each.milliseconds));
    entry["threads"] = threads;
    steps.append(entry);
  }
  dict["steps"] = steps;
  return dict;
}

Named<Any> dict_of(const Signature& signature) {
  nb::list arguments, groups, outputs;
  for (const ArgumentInfo& each : signature.arguments)
    arguments.append(nb::make_tuple(each.name, name_of(each.role), name_of(each.dtype),
                                    nb::tuple(nb::cast(each.shape)), each.group));
  for (const SparseGroup& each : signature.groups)
    groups.append(nb::make_tuple(each.name, each.first, nb::tuple(nb::cast(each.stride))));
  for (const OutputInfo& each : signature.outputs)
    outputs.append(nb::make_tuple(each.name, name_of(each.role), name_of(each.dtype),
                                  nb::tuple(nb::cast(each.shape)),
                                  nb::tuple(nb::cast(each.stride))));
  nb::dict dict;
  dict["arguments"] = arguments;
  dict["groups"] = groups;
  dict["outputs"] = outputs;
  dict["schema_digest"] = signature.schema_digest;
  dict["contract"] = signature.contract;
  dict["text"] = text_of(signature);
  return dict;
}

RunOptions run_options(int32_t threads, int64_t max_memory, bool trusted, const PyStop* stop) {
  RunOptions options;
  options.threads = threads;
  options.max_memory = max_memory;
  options.trusted = trusted;
  if (stop != nullptr) options.stop = &stop->requested;
  return options;
}

nb::typed<nb::tuple, Entries, Named<Any>> run(PyProgram& self, const Entries& entries,
                                              const Topology* topology, int32_t threads,
                                              int64_t max_memory, bool trusted, const PyStop* stop,
                                              bool profile) {
  const GivenInputs given = given_inputs(entries);
  const RunOptions options = run_options(threads, max_memory, trusted, stop);
  RunReport report;
  const Outputs outputs = take(unlocked([&] {
    auto session = self.pool.lease();
    session->profile(profile);
    auto result = topology == nullptr ? session->try_run(given.inputs, options)
                                      : session->try_run(*topology, given.inputs, options);
    if (result) report = session->report();
    return result;
  }));
  return nb::make_tuple(list_of(outputs), dict_of(report));
}

Topology prepare(PyProgram& self, const Entries& entries, int32_t threads, int64_t max_memory,
                 bool trusted, const PyStop* stop) {
  const GivenInputs given = given_inputs(entries);
  const RunOptions options = run_options(threads, max_memory, trusted, stop);
  return take(unlocked([&] { return self.program.try_prepare(given.inputs, options); }));
}

LoadOptions load_options(std::string device, bool allow_unknown_digest, std::string simd) {
  LoadOptions options;
  options.device = std::move(device);
  options.allow_unknown_digest = allow_unknown_digest;
  options.simd = std::move(simd);
  return options;
}

// Python owns what the two give.
PyProgram* load(const std::string& path, std::string device, bool allow_unknown_digest,
                std::string simd) {
  const LoadOptions options =
      load_options(std::move(device), allow_unknown_digest, std::move(simd));
  return new PyProgram(take(unlocked([&] { return Program::try_load(path, options); })));
}

PyProgram* load_memory(const std::string& graph, const nb::bytes& weights, std::string device,
                       bool allow_unknown_digest, std::string simd) {
  const LoadOptions options =
      load_options(std::move(device), allow_unknown_digest, std::move(simd));
  const std::span bytes(reinterpret_cast<const std::byte*>(weights.c_str()), weights.size());
  return new PyProgram(
      take(unlocked([&] { return Program::try_load_memory(graph, bytes, options); })));
}

std::string inspect(const PyProgram& self, std::string_view format) {
  if (format == "text") return self.program.inspect(InspectFormat::text);
  if (format == "json") return self.program.inspect(InspectFormat::json);
  if (format == "dot") return self.program.inspect(InspectFormat::dot);
  refuse(Code::usage, "format: found \"" + std::string(format) + "\", expected text, json or dot");
}

} // namespace

void add_program(nb::module_& module) {
  module.def(
      "address_of",
      [](nb::handle array) {
        const GivenArray given = given_array(array, "array");
        return reinterpret_cast<uintptr_t>(given.view.data);
      },
      nb::arg("array"),
      "Where the library reads an array: its own memory unless it must be copied.");
  nb::class_<Topology>(
      module, "Topology",
      "Coordinates prepared once, to be run with new features as often as wanted. Owns "
      "all it needs.")
      .def_prop_ro("rows", &Topology::rows, "Active rows of the first support.")
      .def_prop_ro("bytes", &Topology::bytes, "Memory it holds.");
  nb::class_<PyStop>(
      module, "Stop",
      "A flag by which another thread ends runs at their next step, with InterruptedRunError.")
      .def(nb::init<>())
      .def(
          "request", [](PyStop& self) { self.requested = true; },
          "Ends every run that was given this flag, and those that are started with it.")
      .def(
          "reset", [](PyStop& self) { self.requested = false; }, "Lets runs go on again.")
      .def_prop_ro(
          "requested", [](const PyStop& self) { return self.requested.load(); },
          "Whether the end was asked for.");
  nb::class_<PyProgram>(module, "Program")
      .def_static("load", &load, nb::arg("path"), nb::arg("device"),
                  nb::arg("allow_unknown_digest"), nb::arg("simd"))
      .def_static("load_memory", &load_memory, nb::arg("graph"), nb::arg("weights"),
                  nb::arg("device"), nb::arg("allow_unknown_digest"), nb::arg("simd"))
      .def_prop_ro("device", [](const PyProgram& self) { return self.program.device(); })
      .def("signature", [](const PyProgram& self) { return dict_of(self.program.signature()); })
      .def("topology_inputs", [](const PyProgram& self) { return self.program.topology_inputs(); })
      .def("inspect", &inspect, nb::arg("format"))
      .def("explain", [](const PyProgram& self) { return self.program.explain(); })
      .def("prepare", &prepare, nb::arg("inputs"), nb::arg("threads"), nb::arg("max_memory"),
           nb::arg("trusted"), nb::arg("stop").none())
      .def("run", &run, nb::arg("inputs"), nb::arg("topology").none(), nb::arg("threads"),
           nb::arg("max_memory"), nb::arg("trusted"), nb::arg("stop").none(), nb::arg("profile"));
}

} // namespace lattice::python
