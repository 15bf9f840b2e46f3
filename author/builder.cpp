// The builder's core: handles, names, inputs, outputs, and how an operation becomes a line of text.
// The operations themselves are in builder_<family>.cpp.
#include "author/builder.h"

#include <algorithm>
#include <atomic>

#include <fmt/format.h>

#include "artifact/contract.h"
#include "author/graph_text.h"
#include "base/utf8.h"

namespace lattice::author {
namespace {

// The version of the format that is written.
constexpr int64_t ir_version = 2;

std::string type_text(const ValueInfo& info) {
  switch (info.kind) {
  case ValueKind::sparse: return sparse_type(info.dtype);
  case ValueKind::weight: return weight_type(info.family, info.dtype);
  case ValueKind::tensor: break;
  }
  return tensor_type(info.dtype, info.shape);
}

// With an article: "a conv3d weight", "a tensor (?, 4) of f32".
std::string kind_text(const ValueInfo& info) {
  if (info.kind == ValueKind::weight)
    return fmt::format("{} {} weight", info.family == "embedding" ? "an" : "a", info.family);
  if (info.kind == ValueKind::sparse) {
    return info.channels() < 0 ? fmt::format("a sparse value of {}", name_of(info.dtype))
                               : fmt::format("a sparse value of {} with {} channels",
                                             name_of(info.dtype), info.channels());
  }
  return fmt::format("a {}", tensor_type(info.dtype, info.shape));
}

struct WriteAttribute {
  const AttributeSchema& schema;

  std::string operator()(const Triple& value) const { return triple_text(value); }
  std::string operator()(const std::array<double, 3>& value) const { return triple_text(value); }
  std::string operator()(float value) const { return real_text(value) + " : f32"; }
  std::string operator()(int64_t value) const { return fmt::format("{} : i64", value); }
  std::string operator()(const std::string& value) const {
    switch (schema.kind) {
    case AttributeKind::choice: return fmt::format("#lattice.{}<{}>", schema.keyword, value);
    case AttributeKind::packing: return fmt::format("#lattice.packing<{}>", value);
    default: return string_text(value);
    }
  }
};

bool fits(AttributeKind kind, size_t index) {
  switch (kind) {
  case AttributeKind::triple: return index == 0;
  case AttributeKind::real_triple: return index == 1;
  case AttributeKind::real: return index == 2;
  case AttributeKind::integer: return index == 3;
  default: return index == 4;
  }
}

} // namespace

GraphBuilder::GraphBuilder() {
  static std::atomic<uint32_t> builders{0};
  serial_ = ++builders;
}

// -------------------------------------------------------------------------------------------
// checks

std::string GraphBuilder::describe(Value value) const {
  return fmt::format("%{}, {}", at(value).name, kind_text(at(value)));
}

Status GraphBuilder::check_handle(std::string_view what, Value value) const {
  if (!value) return fail(Code::usage, fmt::format("{}: no value given", what));
  if (value.builder != serial_)
    return fail(Code::usage, fmt::format("{}: the value belongs to another builder", what));
  if (static_cast<size_t>(value.id) >= values_.size()) {
    return fail(Code::usage, fmt::format("{}: unknown value {}, the builder has {}", what, value.id,
                                         values_.size()));
  }
  return {};
}

Result<const OpSchema*> GraphBuilder::check_operands(std::string_view op,
                                                     std::span<const Value> operands) const {
  const OpSchema* schema = op_schema_named(op);
  if (schema == nullptr)
    return fail(Code::internal, fmt::format("the dialect has no operation {}", op));
  if (schema->operands.size() != operands.size()) {
    return fail(Code::internal, fmt::format("{} takes {} operands, {} were given", op,
                                            schema->operands.size(), operands.size()));
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const OperandSchema& expected = schema->operands[i];
    if (!operands[i] && expected.optional) continue;
    LATTICE_CHECK(check_handle(fmt::format("{}: {}", op, expected.name), operands[i]));
    const ValueInfo& found = at(operands[i]);
    if (found.kind != expected.kind || found.family != expected.family) {
      return fail(Code::usage, fmt::format("{}: {} must be {}, but is {}", op, expected.name,
                                           expected.expected, describe(operands[i])));
    }
  }
  return schema;
}

Status GraphBuilder::check_equal(std::string_view what, int64_t found, int64_t expected,
                                 std::string_view source) const {
  if (found < 0 || expected < 0 || found == expected) return {};
  return fail(Code::usage, fmt::format("{} is {}, but {} has {}", what, found, source, expected));
}

Status GraphBuilder::check_target(std::string_view op, Value target, const Triple& stride) const {
  if (at(target).stride == stride) return {};
  return fail(Code::usage,
              fmt::format("{}: the target %{} has stride {}, but the result would have {}", op,
                          at(target).name, text_of(at(target).stride), text_of(stride)));
}

Status GraphBuilder::check_new_name(std::string_view what, std::string_view name) const {
  if (name.empty()) return fail(Code::usage, fmt::format("the name of an {} is empty", what));
  if (first_invalid_utf8(name) != std::string_view::npos) {
    return fail(Code::usage, fmt::format("the name of an {} is not valid UTF-8", what));
  }
  return {};
}

// -------------------------------------------------------------------------------------- values,
// text

std::string GraphBuilder::free_name(std::string_view wanted) {
  const std::string base = identifier_of(wanted);
  std::string name = base;
  while (names_.contains(name)) name = fmt::format("{}_{}", base, ++names_[base]);
  return name;
}

Value GraphBuilder::add(ValueInfo info, std::string_view name) {
  info.name = free_name(name);
  names_.try_emplace(info.name, 0);
  values_.push_back(std::move(info));
  return {static_cast<int32_t>(values_.size() - 1), serial_};
}

Result<std::vector<Value>> GraphBuilder::emit(const OpSchema& schema,
                                              std::span<const Value> operands,
                                              std::span<const Attribute> attributes,
                                              std::span<const ValueInfo> results,
                                              std::string_view name) {
  const std::string_view op = schema.name;
  if (attributes.size() != schema.attributes.size() || results.size() != schema.results.size()) {
    return fail(Code::internal,
                fmt::format("{} has {} attributes and {} results, the builder gives {} and {}", op,
                            schema.attributes.size(), schema.results.size(), attributes.size(),
                            results.size()));
  }
  std::string symbol, list;
  for (const AttributeSchema& expected : schema.attributes) {
    const auto given = std::ranges::find(attributes, expected.name, &Attribute::name);
    if (given == attributes.end())
      return fail(Code::internal, fmt::format("{}: the builder gives no {}", op, expected.name));
    if (!fits(expected.kind, given->value.index())) {
      return fail(Code::internal, fmt::format("{}: the builder gives {} as another kind of value",
                                              op, expected.name));
    }
    const auto* word = std::get_if<std::string>(&given->value);
    if (expected.kind == AttributeKind::choice &&
        std::ranges::find(expected.words, *word) == expected.words.end()) {
      return fail(Code::usage, fmt::format("{}: {} is \"{}\", expected one of {}", op,
                                           expected.name, *word, fmt::join(expected.words, ", ")));
    }
    if (expected.kind == AttributeKind::symbol) {
      symbol = " @" + *word;
      continue;
    }
    list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", expected.name,
                        std::visit(WriteAttribute{expected}, given->value));
  }

  std::string operand_names, operand_types;
  for (const Value operand : operands) {
    if (!operand) continue;
    const char* separator = operand_names.empty() ? "" : ", ";
    operand_names += fmt::format("{}%{}", separator, at(operand).name);
    operand_types += separator + type_text(at(operand));
  }
  std::vector<Value> values;
  std::string result_names, result_types;
  for (size_t i = 0; i < results.size(); ++i) {
    std::string base(name.empty() ? op.substr(op.rfind('.') + 1) : name);
    if (results.size() > 1) base += fmt::format("_{}", schema.results[i]);
    values.push_back(add(results[i], base));
    const char* separator = i > 0 ? ", " : "";
    result_names += fmt::format("{}%{}", separator, at(values.back()).name);
    result_types += separator + type_text(results[i]);
  }

  // weight and sparse.decompose have a form of their own.
  std::string types;
  if (operands.empty()) {
    types = result_types;
  } else if (results.size() > 1) {
    types = fmt::format("{} -> ({})", operand_types, result_types);
  } else {
    types = fmt::format("({}) -> {}", operand_types, result_types);
  }
  lines_.push_back(fmt::format("{} = lattice.{}{}{}{}{} : {}", result_names, op, symbol,
                               operand_names.empty() ? "" : " ", operand_names,
                               list.empty() ? "" : fmt::format(" {{{}}}", list), types));
  operations_.push_back(op);
  return values;
}

Result<Value> GraphBuilder::emit_one(const OpSchema& schema, std::span<const Value> operands,
                                     std::span<const Attribute> attributes, ValueInfo result,
                                     std::string_view name) {
  LATTICE_TRY(const auto values, emit(schema, operands, attributes, std::span(&result, 1), name));
  return values[0];
}

Result<ValueInfo> GraphBuilder::info(Value value) const {
  LATTICE_CHECK(check_handle("info", value));
  return at(value);
}

// ------------------------------------------------------------------------------------ inputs,
// outputs

Value GraphBuilder::add_argument(std::string name, std::string_view role, ValueInfo info) {
  const std::string type = type_text(info);
  const Value value = add(std::move(info), name);
  arguments_.push_back({std::move(name), std::string(role), at(value).name, type});
  return value;
}

Result<Value> GraphBuilder::sparse_input(std::string_view name, int64_t channels, DType dtype,
                                         Triple stride) {
  LATTICE_CHECK(check_new_name("input", name));
  if (channels < 1)
    return fail(Code::usage,
                fmt::format("input {}: {} channels, expected at least 1", name, channels));
  if (dtype != DType::f32 && dtype != DType::f16) {
    return fail(Code::usage,
                fmt::format("input {}: features of {}, expected f32 or f16", name, name_of(dtype)));
  }
  std::vector<std::string> names{std::string(name)};
  for (const char* part : {"coords", "features", "active"})
    names.push_back(fmt::format("{}_{}", name, part));
  for (const std::string& one : names) {
    if (input_names_.contains(one))
      return fail(Code::usage, fmt::format("input {}: the name {} is taken", name, one));
  }
  input_names_.insert(names.begin(), names.end());
  const Value coords =
      add_argument(names[1], "sparse_coords", {.dtype = DType::i32, .shape = {-1, 4}});
  const Value features =
      add_argument(names[2], "sparse_features", {.dtype = dtype, .shape = {-1, channels}});
  const Value active = add_argument(names[3], "sparse_active", {.dtype = DType::i32, .shape = {1}});
  return make_sparse(coords, features, active, stride, name);
}

Result<Value> GraphBuilder::tensor_input(std::string_view name, Shape shape, DType dtype) {
  LATTICE_CHECK(check_new_name("input", name));
  if (dtype != DType::f32 && dtype != DType::f16 && dtype != DType::i32) {
    return fail(Code::usage,
                fmt::format("input {}: {}, expected f32, f16 or i32", name, name_of(dtype)));
  }
  if (std::ranges::any_of(shape, [](int64_t dim) { return dim < -1; })) {
    return fail(Code::usage, fmt::format("input {}: shape {} is no shape", name, text_of(shape)));
  }
  if (!input_names_.insert(std::string(name)).second)
    return fail(Code::usage, fmt::format("input {}: the name is taken", name));
  return add_argument(std::string(name), "tensor", {.dtype = dtype, .shape = std::move(shape)});
}

Status GraphBuilder::output(std::string_view name, Value value) {
  LATTICE_CHECK(check_new_name("output", name));
  LATTICE_CHECK(check_handle(fmt::format("output {}", name), value));
  const ValueInfo& info = at(value);
  if (info.kind == ValueKind::weight)
    return fail(Code::usage, fmt::format("output {}: a weight cannot be an output", name));
  std::vector<std::string> names{std::string(name)};
  const bool sparse = info.kind == ValueKind::sparse;
  if (sparse) {
    for (const char* part : {"coords", "features", "active"})
      names.push_back(fmt::format("{}.{}", name, part));
  }
  for (const std::string& one : names) {
    if (output_names_.contains(one))
      return fail(Code::usage, fmt::format("output {}: the name {} is taken", name, one));
  }
  output_names_.insert(names.begin(), names.end());
  results_.push_back({names[0], sparse ? "sparse_tensor" : "tensor", info.name, type_text(info)});
  return {};
}

// ----------------------------------------------------------------------------------------- the
// graph

Result<Graph> GraphBuilder::graph() const {
  if (results_.empty()) return fail(Code::usage, "the graph has no output");
  const auto list = [](const std::vector<Port>& ports, std::string Port::*field) {
    std::string out;
    for (const Port& port : ports) out += (out.empty() ? "" : ", ") + string_text(port.*field);
    return out;
  };
  std::string arguments, types, names;
  for (const Port& argument : arguments_) {
    arguments +=
        fmt::format("{}\n    %{}: {}", arguments.empty() ? "" : ",", argument.ssa, argument.type);
  }
  if (!arguments.empty()) arguments += "\n  ";
  for (const Port& result : results_) {
    types += (types.empty() ? "" : ", ") + result.type;
    names += (names.empty() ? "%" : ", %") + result.ssa;
  }

  Graph graph;
  graph.text = fmt::format("module attributes {{\n"
                           "  lattice.ir_version = {} : i64,\n"
                           "  lattice.schema_digest = {},\n"
                           "  lattice.input_names = [{}],\n"
                           "  lattice.input_roles = [{}],\n"
                           "  lattice.output_names = [{}],\n"
                           "  lattice.output_roles = [{}],\n"
                           "  lattice.weight_file = \"weights.safetensors\"\n"
                           "}} {{\n"
                           "  func.func @forward({}) -> {} {{\n",
                           ir_version, string_text(accepted_contracts().back().digest),
                           list(arguments_, &Port::name), list(arguments_, &Port::role),
                           list(results_, &Port::name), list(results_, &Port::role), arguments,
                           results_.size() == 1 ? types : "(" + types + ")");
  for (const std::string& line : lines_) graph.text += "    " + line + "\n";
  graph.text += fmt::format("    return {} : {}\n  }}\n}}\n", names, types);
  for (const Stored& stored : stored_) graph.weights.push_back({stored.key, stored.tensor.view()});
  return graph;
}

} // namespace lattice::author
