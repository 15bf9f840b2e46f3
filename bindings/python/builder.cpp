// The graph builder of author/ as a Python class: one method an operation, with its words and
// defaults. What an operation means is the dialect's business.
#include "author/builder.h"

#include <cstring>

#include "arrays.h"
#include "author/quantize.h"

namespace lattice::python {

// Three numbers, or one for all axes.
struct TripleArg {
  Triple value{};
};
struct RealTripleArg {
  std::array<double, 3> value{};
};

} // namespace lattice::python

namespace nanobind::detail {

template <class Arg, class Scalar>
struct triple_caster {
  template <class... More>
  static bool load(handle source, Arg& to, More... more) noexcept {
    make_caster<Scalar> one;
    if (one.from_python(source, more...)) {
      to.value.fill(one.value);
      return true;
    }
    make_caster<std::array<Scalar, 3>> three;
    if (!three.from_python(source, more...)) return false;
    to.value = three.value;
    return true;
  }
};

template <>
struct type_caster<lattice::python::TripleArg> {
  NB_TYPE_CASTER(lattice::python::TripleArg, const_name("int | tuple[int, int, int]"))
  template <class Flags>
  bool from_python(handle source, Flags flags, cleanup_list* cleanup) noexcept {
    return triple_caster<lattice::python::TripleArg, int64_t>::load(source, value, flags, cleanup);
  }
};

template <>
struct type_caster<lattice::python::RealTripleArg> {
  NB_TYPE_CASTER(lattice::python::RealTripleArg, const_name("float | tuple[float, float, float]"))
  template <class Flags>
  bool from_python(handle source, Flags flags, cleanup_list* cleanup) noexcept {
    return triple_caster<lattice::python::RealTripleArg, double>::load(source, value, flags,
                                                                       cleanup);
  }
};

} // namespace nanobind::detail

namespace lattice::python {

namespace {

using author::GraphBuilder;
using author::Value;
using author::ValueInfo;
using author::ValueKind;

// A value with what is known of it, which never changes once it is made.
struct PyValue {
  Value value;
  ValueInfo info;
};

PyValue made(const GraphBuilder& builder, Value value) {
  return {value, take(builder.info(value))};
}

// How an argument of the builder comes from Python.
template <class T>
struct Door {
  using type = T;
  static T in(T value) { return value; }
};
template <>
struct Door<Value> {
  using type = const PyValue*;
  static Value in(const PyValue* value) { return value == nullptr ? Value{} : value->value; }
};
template <>
struct Door<Triple> {
  using type = TripleArg;
  static Triple in(const TripleArg& triple) { return triple.value; }
};
template <>
struct Door<std::array<double, 3>> {
  using type = RealTripleArg;
  static std::array<double, 3> in(const RealTripleArg& triple) { return triple.value; }
};
template <>
struct Door<std::optional<DType>> {
  using type = std::optional<std::string_view>;
  static std::optional<DType> in(const type& name) {
    if (!name) return std::nullopt;
    return dtype_named(*name, "dtype");
  }
};

// The method with the arguments of Python.
template <class... Args>
auto method(Result<Value> (GraphBuilder::*member)(Args...)) {
  return [member](GraphBuilder& self, typename Door<Args>::type... args) {
    return made(self, take((self.*member)(Door<Args>::in(args)...)));
  };
}

std::vector<float> numbers_of(const GivenArray& given) {
  std::vector<float> numbers(static_cast<size_t>(elements_of(given.view.shape)));
  if (!numbers.empty())
    std::memcpy(numbers.data(), given.view.data, numbers.size() * sizeof(float));
  return numbers;
}

GivenArray weight_array(nb::handle data, const std::string& name) {
  GivenArray given = given_array(data, name);
  if (given.view.dtype != DType::f32)
    refuse(Code::usage, name + ": found " + name_of(given.view.dtype) + ", expected f32");
  return given;
}

PyValue weight(GraphBuilder& self, const std::string& storage_key, std::string_view family,
               nb::handle data, std::string_view dtype, int bits, int64_t group_size,
               std::string_view scale_dtype) {
  const GivenArray given = weight_array(data, "weight \"" + storage_key + "\"");
  author::WeightOptions options;
  options.dtype = dtype_named(dtype, "dtype");
  options.bits = bits;
  options.group_size = group_size;
  options.scale_dtype = dtype_named(scale_dtype, "scale_dtype");
  const std::vector<float> numbers = numbers_of(given);
  return made(self, take(self.weight(storage_key, family, given.view.shape, numbers, options)));
}

std::tuple<NumpyArray, NumpyArray, NumpyArray>
quantize(nb::handle data, int bits, int64_t group_size, std::string_view scale_dtype) {
  const GivenArray given = weight_array(data, "data");
  const std::vector<float> numbers = numbers_of(given);
  const author::PackedWeight packed = take(author::quantize_affine(
      given.view.shape, numbers, bits, group_size, dtype_named(scale_dtype, "scale_dtype")));
  return {array_of(packed.codes), array_of(packed.scales), array_of(packed.biases)};
}

NumpyArray dequantize(nb::handle codes, nb::handle scales, nb::handle biases, const Shape& shape,
                      int bits, int64_t group_size) {
  const auto tensor = [](nb::handle array, const char* name) {
    return take(copy_of(given_array(array, name).view));
  };
  const author::PackedWeight packed{tensor(codes, "codes"), tensor(scales, "scales"),
                                    tensor(biases, "biases")};
  return array_of(take(author::dequantize_affine(packed, shape, bits, group_size)));
}

const char* kind_name(ValueKind kind) {
  switch (kind) {
  case ValueKind::sparse: return "sparse";
  case ValueKind::tensor: return "tensor";
  case ValueKind::weight: return "weight";
  }
  return "";
}

std::string repr(const PyValue& value) {
  std::string text = "<%" + value.info.name + ": " + kind_name(value.info.kind) + " " +
                     text_of(value.info.shape) + " " + name_of(value.info.dtype);
  if (value.info.kind == ValueKind::sparse) text += ", stride " + text_of(value.info.stride);
  return text + ">";
}

void add_value(nb::module_& module) {
  nb::class_<PyValue>(
      module, "Value",
      "A value of a graph that is being built. Sizes are -1 where only a run knows.")
      .def_prop_ro(
          "name", [](const PyValue& self) { return self.info.name; }, "In the text of the graph.")
      .def_prop_ro(
          "kind", [](const PyValue& self) { return kind_name(self.info.kind); },
          "sparse, tensor or weight.")
      .def_prop_ro(
          "dtype", [](const PyValue& self) { return name_of(self.info.dtype); }, "f32, f16 or i32.")
      .def_prop_ro(
          "shape",
          [](const PyValue& self) { return Tuple<nb::int_>(nb::tuple(nb::cast(self.info.shape))); },
          "Of a sparse value (-1, channels).")
      .def_prop_ro(
          "channels", [](const PyValue& self) { return self.info.channels(); },
          "The last of the shape.")
      .def_prop_ro(
          "stride",
          [](const PyValue& self) {
            const Triple& stride = self.info.stride;
            return std::tuple(stride[0], stride[1], stride[2]);
          },
          "Of a sparse value: the physical distance of neighbouring rows.")
      .def("__repr__", &repr);
}

const nb::tuple triple(int value) { return nb::make_tuple(value, value, value); }

void add_inputs(nb::class_<GraphBuilder>& builder) {
  builder.def(nb::init<>())
      .def(
          "sparse_input",
          [](GraphBuilder& self, std::string_view name, int64_t channels, std::string_view dtype,
             TripleArg stride) {
            return made(self, take(self.sparse_input(name, channels, dtype_named(dtype, "dtype"),
                                                     stride.value)));
          },
          nb::arg("name"), nb::arg("channels"), nb::arg("dtype") = "f32",
          nb::arg("stride") = triple(1),
          "A sparse input: the arguments NAME_coords, NAME_features and NAME_active.")
      .def(
          "tensor_input",
          [](GraphBuilder& self, std::string_view name, const Shape& shape,
             std::string_view dtype) {
            return made(self, take(self.tensor_input(name, shape, dtype_named(dtype, "dtype"))));
          },
          nb::arg("name"), nb::arg("shape"), nb::arg("dtype") = "f32",
          "A tensor input of f32, f16 or i32; -1 in the shape: any size.")
      .def(
          "output",
          [](GraphBuilder& self, std::string_view name, const PyValue& value) {
            take(self.output(name, value.value));
          },
          nb::arg("name"), nb::arg("value"),
          "Makes a sparse value or a tensor a result of the graph.")
      .def("_weight", &weight, nb::arg("storage_key"), nb::arg("family"), nb::arg("data"),
           nb::arg("dtype"), nb::arg("bits"), nb::arg("group_size"), nb::arg("scale_dtype"))
      .def_prop_ro(
          "operations",
          [](const GraphBuilder& self) {
            nb::list names;
            for (const std::string_view name : self.operations()) names.append(name);
            return Tuple<nb::str>(nb::tuple(names));
          },
          "Names of the operations so far, in order: sparse.make, weight, conv3d, ...")
      .def_prop_ro("parameters", &GraphBuilder::parameters,
                   "Elements of all weights, before packing.")
      .def(
          "text", [](const GraphBuilder& self) { return take(self.graph()).text; },
          "The graph as MLIR text, unverified.")
      .def(
          "weights",
          [](const GraphBuilder& self) {
            const author::Graph graph = take(self.graph());
            Named<NumpyArray> weights;
            for (const NamedTensor& each : graph.weights)
              weights[nb::cast(each.name)] = array_of(take(copy_of(each.tensor)));
            return weights;
          },
          "Name to array, as weights.safetensors holds them; copies.")
      .def(
          "_write",
          [](const GraphBuilder& self, const std::string& path) {
            take(unlocked([&] { return self.write(path); }));
          },
          nb::arg("path"));
}

} // namespace

#include "builder_operations.inl"

void add_builder(nb::module_& module) {
  add_value(module);
  nb::class_<GraphBuilder> builder(module, "GraphBuilder");
  add_inputs(builder);
  add_sparse(builder);
  add_convolutions(builder);
  add_features(builder);
  module.def("quantize", &quantize, nb::arg("data"), nb::arg("bits"), nb::arg("group_size"),
             nb::arg("scale_dtype"));
  module.def("dequantize", &dequantize, nb::arg("codes"), nb::arg("scales"), nb::arg("biases"),
             nb::arg("shape"), nb::arg("bits"), nb::arg("group_size"));
}

} // namespace lattice::python
