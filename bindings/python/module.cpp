// The extension module lattice_runtime._lattice: puts the parts together. Private: people use the
// Python package around it.
#include "door.h"

#include "lattice/lattice.hpp"

NB_MODULE(_lattice, module) {
  using namespace lattice::python;
  // A program that ends by an exception keeps objects until the end; that is no fault, and we never
  // print.
  nb::set_leak_warnings(false);
  module.doc() = "The compiled half of lattice_runtime. Use the names of the package instead.";
  module.def("version", &lattice::version);
  module.def("devices", [] {
    List<nb::typed<nb::tuple, nb::str, nb::str>> list;
    for (const lattice::DeviceInfo& device : lattice::devices())
      list.append(nb::make_tuple(device.name, device.description));
    return list;
  });
  add_errors(module);
  add_program(module);
  add_artifact(module);
  add_builder(module);
  add_points(module);
}
