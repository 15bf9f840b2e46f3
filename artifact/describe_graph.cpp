// Walks a verified module and writes down what stands there. The names of values come from the
// parser's own record of the text; MLIR itself forgets them.
#include "artifact/describe_graph.h"

#include <new>

#include <nlohmann/json.hpp>

#include "artifact/guard.h"
#include "artifact/mlir.h"
#include "artifact/parse.h"

namespace lattice {
namespace {

using nlohmann::json;

constexpr const char* graph_name = "graph.mlir";

template <class Printable>
std::string printed(Printable value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  value.print(stream);
  return text;
}

json json_of(mlir::Attribute attribute) {
  if (const auto text = llvm::dyn_cast<mlir::StringAttr>(attribute)) return text.getValue().str();
  if (const auto flag = llvm::dyn_cast<mlir::BoolAttr>(attribute)) return flag.getValue();
  if (const auto number = llvm::dyn_cast<mlir::IntegerAttr>(attribute)) {
    if (number.getValue().getSignificantBits() <= 64) return number.getValue().getSExtValue();
  }
  if (const auto number = llvm::dyn_cast<mlir::FloatAttr>(attribute)) {
    const double value = number.getValueAsDouble();
    if (value - value == 0) return value; // JSON has no infinity
  }
  if (const auto list = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(attribute))
    return json(list.asArrayRef().vec());
  if (const auto list = llvm::dyn_cast<mlir::DenseF64ArrayAttr>(attribute))
    return json(list.asArrayRef().vec());
  return printed(attribute);
}

// The name of every value as the text spells it.
class Names {
 public:
  explicit Names(const mlir::AsmParserState& state) : state_(state) {}

  std::string of(mlir::Value value) const {
    if (const auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
      const auto* block = state_.getBlockDef(argument.getOwner());
      const size_t index = argument.getArgNumber();
      if (block == nullptr || index >= block->arguments.size()) return "";
      return spelled(block->arguments[index].loc);
    }
    const auto result = llvm::cast<mlir::OpResult>(value);
    const auto* op = state_.getOpDef(result.getOwner());
    if (op == nullptr) return "";
    const size_t index = result.getResultNumber();
    std::string name;
    for (size_t group = 0; group < op->resultGroups.size(); ++group) {
      const size_t first = op->resultGroups[group].startIndex;
      if (first > index) break;
      const size_t end = group + 1 < op->resultGroups.size()
                             ? op->resultGroups[group + 1].startIndex
                             : result.getOwner()->getNumResults();
      name = spelled(op->resultGroups[group].definition.loc);
      if (end - first > 1) name += "#" + std::to_string(index - first);
    }
    return name;
  }

  template <class Values>
  json list_of(Values values) const {
    json list = json::array();
    for (mlir::Value value : values) list.push_back(of(value));
    return list;
  }

 private:
  static std::string spelled(llvm::SMRange range) {
    if (!range.isValid()) return "";
    return std::string(range.Start.getPointer(), range.End.getPointer());
  }
  const mlir::AsmParserState& state_;
};

template <class Types>
json types_of(Types types) {
  json list = json::array();
  for (mlir::Type type : types) list.push_back(printed(type));
  return list;
}

json operation(mlir::Operation& op, const Names& names) {
  json attributes = json::object();
  for (const mlir::NamedAttribute& each : op.getAttrs())
    attributes[each.getName().str()] = json_of(each.getValue());
  return {{"name", op.getName().getStringRef().str()},
          {"operands", names.list_of(op.getOperands())},
          {"results", names.list_of(op.getResults())},
          {"attrs", std::move(attributes)},
          {"operand_types", types_of(op.getOperandTypes())},
          {"result_types", types_of(op.getResultTypes())}};
}

json port(mlir::Value value, const std::string& abi_name, Role role, const Names& names) {
  return {{"name", names.of(value)},
          {"abi_name", abi_name},
          {"type", printed(value.getType())},
          {"role", name_of(role)}};
}

json describe(mlir::ModuleOp module, const Signature& signature, const Names& names) {
  mlir::func::FuncOp forward = *module.getOps<mlir::func::FuncOp>().begin();
  json ops = json::array(), arguments = json::array(), outputs = json::array(),
       returns = json::array();
  for (mlir::BlockArgument argument : forward.getArguments()) {
    const ArgumentInfo& info = signature.arguments[argument.getArgNumber()];
    arguments.push_back(port(argument, info.name, info.role, names));
  }
  for (mlir::Operation& op : forward.getBody().front()) {
    if (!llvm::isa<mlir::func::ReturnOp>(op)) {
      ops.push_back(operation(op, names));
      continue;
    }
    returns = names.list_of(op.getOperands());
    for (unsigned i = 0; i < op.getNumOperands(); ++i)
      outputs.push_back(
          port(op.getOperand(i), signature.outputs[i].name, signature.outputs[i].role, names));
  }
  return {{"ir_version", json_of(module->getAttr("lattice.ir_version"))},
          {"schema_digest", signature.schema_digest},
          {"weight_file", json_of(module->getAttr("lattice.weight_file"))},
          {"name", forward.getName().str()},
          {"args", std::move(arguments)},
          {"ops", std::move(ops)},
          {"returns", std::move(returns)},
          {"outputs", std::move(outputs)}};
}

// Verifies; gives the signature of a valid graph.
Result<Signature> checked_signature(std::string_view text, const ContractOptions& options) {
  LATTICE_CHECK(guard_graph_text(text, graph_name));
  Findings findings;
  const auto context = make_context();
  const DiagnosticCollector collector(*context, findings);
  auto module = parse_graph(text, graph_name, *context, findings);
  Signature signature;
  if (module) {
    signature = check_contract(*module, options, findings);
    (void)ir::verify_all(module->getOperation()); // what it finds reaches the collector
  }
  LATTICE_CHECK(findings.status());
  return signature;
}

} // namespace

Status verify_graph(std::string_view text, const ContractOptions& options) try {
  LATTICE_TRY(const Signature signature, checked_signature(text, options));
  static_cast<void>(signature);
  return {};
} catch (const std::bad_alloc&) {
  return fail(Code::memory, "out of memory while verifying a graph");
}

Result<std::string> describe_graph(std::string_view text, const ContractOptions& options) try {
  LATTICE_TRY(const Signature signature, checked_signature(text, options));
  const auto context = make_context();
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, graph_name), llvm::SMLoc());
  mlir::Block block;
  mlir::AsmParserState state;
  const mlir::ParserConfig config(context.get(), /*verifyAfterParse=*/false);
  if (mlir::failed(mlir::parseAsmSourceFile(sources, &block, config, &state)))
    return fail(Code::internal, "a graph that was valid does not parse a second time");
  for (mlir::Operation& op : block) {
    if (const auto module = llvm::dyn_cast<mlir::ModuleOp>(op))
      return describe(module, signature, Names(state))
          .dump(-1, ' ', false, json::error_handler_t::replace);
  }
  return fail(Code::internal, "a graph that was valid holds no module");
} catch (const std::bad_alloc&) {
  return fail(Code::memory, "out of memory while describing a graph");
}

} // namespace lattice
