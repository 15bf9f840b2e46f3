// MLIR's parser between our text and our errors. Rules of the artifact are elsewhere.
#include "artifact/parse.h"

#include <optional>

#include <fmt/format.h>

#include "artifact/place.h"
#include "artifact/quote.h"

namespace lattice {
namespace {

// What stands between `before` and the next `after`, or nothing if `text` does not start with
// `before`.
std::optional<std::string_view> between(std::string_view text, std::string_view before,
                                        std::string_view after) {
  if (!text.starts_with(before)) return std::nullopt;
  text.remove_prefix(before.size());
  const size_t end = text.find(after);
  if (end == std::string_view::npos) return std::nullopt;
  return text.substr(0, end);
}

// MLIR's sentences in the words of our verifiers: "'lattice.conv3d' op has ..." is "conv3d: has
// ...".
std::string reworded(std::string_view text) {
  if (const auto dialect = between(text, "Dialect `", "'")) {
    constexpr std::string_view before = "custom op ";
    const size_t at = text.find(before);
    const auto name = at == std::string_view::npos
                          ? std::nullopt
                          : between(text.substr(at + before.size()), "'", "'");
    return fmt::format("operation {}, expected only lattice operations and func.return",
                       printable(name.value_or(*dialect)));
  }
  // The parser names the operation once more than the verifier.
  if (const auto name = between(text, "custom op '", "' '")) text.remove_prefix(name->size() + 13);
  std::string said(text);
  if (auto name = between(text, "'", "' op ")) {
    text.remove_prefix(name->size() + 6);
    if (name->starts_with("lattice.")) name->remove_prefix(8);
    said = fmt::format("{}: {}", *name, text);
  }
  while (said.ends_with(' ')) said.pop_back();
  // Types and names in a message come from the text and may be of any length.
  return printable(said, 2000);
}

Diagnostic converted(mlir::Diagnostic& diagnostic) {
  Diagnostic result{reworded(diagnostic.str()), place_of(diagnostic.getLocation()), {}};
  for (mlir::Diagnostic& note : diagnostic.getNotes()) {
    // Advice for people who build MLIR tools.
    if (std::string_view(note.str()).starts_with("Registered dialects:")) continue;
    result.notes.push_back(converted(note));
  }
  return result;
}

// Replaces what loc(...) says by where things stand.
class Relocator {
 public:
  Relocator(const llvm::SourceMgr& sources, mlir::MLIRContext& context, const std::string& file)
      : sources_(sources), file_(mlir::StringAttr::get(&context, file)) {}

  void relocate(const mlir::AsmParserState& state) {
    for (const auto& definition : state.getOpDefs())
      definition.op->setLoc(at(definition.loc.Start));
    for (const auto& definition : state.getBlockDefs()) {
      for (mlir::BlockArgument argument : definition.block->getArguments()) {
        const size_t index = argument.getArgNumber();
        if (index < definition.arguments.size())
          argument.setLoc(at(definition.arguments[index].loc.Start));
      }
    }
  }

 private:
  mlir::Location at(llvm::SMLoc place) const {
    if (!place.isValid()) return mlir::FileLineColLoc::get(file_, 0, 0);
    const auto [line, column] = sources_.getLineAndColumn(place, sources_.getMainFileID());
    return mlir::FileLineColLoc::get(file_, line, column);
  }

  const llvm::SourceMgr& sources_;
  mlir::StringAttr file_;
};

} // namespace

Location place_of(mlir::Location location) {
  if (const auto place = location->findInstanceOf<mlir::FileLineColLoc>()) {
    return {printable(place.getFilename().getValue()), place.getLine(), place.getColumn(), ""};
  }
  return {};
}

Location place_of(mlir::Operation* op) { return place_of(op->getLoc()); }

DiagnosticCollector::DiagnosticCollector(mlir::MLIRContext& context, Findings& findings)
    : handler_(&context, [&findings](mlir::Diagnostic& diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error) {
          findings.add(Code::artifact, converted(diagnostic));
        }
        return mlir::success();
      }) {}

std::unique_ptr<mlir::MLIRContext> make_context() {
  mlir::DialectRegistry registry;
  ir::register_dialects(registry);
  auto context =
      std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  context->printOpOnDiagnostic(false);
  // A foreign operation in generic form parses, so that the contract refuses it together with all
  // else.
  context->allowUnregisteredDialects(true);
  return context;
}

mlir::OwningOpRef<mlir::ModuleOp> parse_graph(std::string_view text, const std::string& file,
                                              mlir::MLIRContext& context, Findings& findings) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, file), llvm::SMLoc());
  const mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
  mlir::Block block;
  mlir::AsmParserState state;
  if (mlir::failed(mlir::parseAsmSourceFile(sources, &block, config, &state))) {
    if (findings.empty()) findings.add("the text cannot be parsed", {file, 1, 1, ""});
    return nullptr;
  }
  Relocator(sources, context, file).relocate(state);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  for (mlir::Operation& op : llvm::make_early_inc_range(block)) {
    const bool is_module = llvm::isa<mlir::ModuleOp>(op);
    if (is_module && !module) {
      op.remove();
      module = llvm::cast<mlir::ModuleOp>(op);
    } else {
      findings.add(
          is_module ? std::string("a second module, expected only one")
                    : fmt::format("{} outside the module", printable(op.getName().getStringRef())),
          place_of(&op));
    }
  }
  if (!module) findings.add("the text holds no module, expected one", {file, 1, 1, ""});
  return module;
}

} // namespace lattice
