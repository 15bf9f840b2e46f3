// lattice::Error to the Python exception of its code, with its diagnostics as data.
#include "door.h"

namespace lattice::python {

namespace {

nb::tuple data_of(const Diagnostic& diagnostic) {
  nb::list notes;
  for (const Diagnostic& note : diagnostic.notes) notes.append(data_of(note));
  const Location& where = diagnostic.where;
  return nb::make_tuple(diagnostic.message, where.file, where.line, where.column, where.key,
                        nb::tuple(notes));
}

// Sets the Python error. If that fails, whatever Python says about it is the error.
void raise(const Error& error) {
  try {
    nb::list diagnostics;
    for (const Diagnostic& each : error.diagnostics()) diagnostics.append(data_of(each));
    const nb::object exception =
        nb::module_::import_("lattice_runtime._errors")
            .attr("make_error")(name_of(error.code()), error.text(), nb::tuple(diagnostics));
    PyErr_SetObject(exception.type().ptr(), exception.ptr());
  } catch (nb::python_error& failure) {
    failure.restore();
  }
}

} // namespace

void add_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      raise(error);
    }
  });
}

DType dtype_named(std::string_view name, std::string_view what) {
  if (name == "f32" || name == "float32") return DType::f32;
  if (name == "f16" || name == "float16") return DType::f16;
  if (name == "i32" || name == "int32") return DType::i32;
  refuse(Code::usage,
         std::string(what) + ": found \"" + std::string(name) + "\", expected f32, f16 or i32");
}

} // namespace lattice::python
