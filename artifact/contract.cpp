// The module's attributes and the shape of its function. The rules about names, roles and types of
// arguments and results are in contract_signature.cpp.
#include "artifact/contract.h"

#include <array>

#include <fmt/format.h>

#include "artifact/contract_signature.h"
#include "artifact/mlir.h"
#include "artifact/place.h"
#include "artifact/quote.h"

namespace lattice {
namespace {

constexpr ContractRelease contracts[] = {
#define LATTICE_CONTRACT(releases, digest) {releases, digest},
#include "artifact/digests.inc"
#undef LATTICE_CONTRACT
};

// An attribute in a few words. Never prints one that may be nested: written out it could be huge.
std::string shown(mlir::Attribute attribute) {
  if (const auto text = llvm::dyn_cast<mlir::StringAttr>(attribute)) {
    return fmt::format("the string {}", quote(text.getValue()));
  }
  if (const auto integer = llvm::dyn_cast<mlir::IntegerAttr>(attribute)) {
    llvm::SmallString<64> digits;
    integer.getValue().toString(digits, 10, !integer.getType().isUnsignedInteger());
    return printable(digits.str(), 40);
  }
  if (llvm::isa<mlir::FloatAttr>(attribute)) return "a floating-point number";
  if (llvm::isa<mlir::ArrayAttr>(attribute)) return "a list";
  return "an attribute of another kind";
}

class ModuleReader {
 public:
  ModuleReader(mlir::ModuleOp module, Findings& findings)
      : module_(module), where_(place_of(module.getOperation())), findings_(findings) {}

  // The attribute, or null after reporting that it is missing.
  mlir::Attribute required(llvm::StringRef name, std::string_view expected) {
    const mlir::Attribute attribute = module_->getAttr(name);
    if (!attribute)
      findings_.add(
          fmt::format("module attribute {} is missing, expected {}", name.str(), expected), where_);
    return attribute;
  }

  void refuse(llvm::StringRef name, mlir::Attribute found, std::string_view expected) {
    findings_.add(
        fmt::format("module attribute {} is {}, expected {}", name.str(), shown(found), expected),
        where_);
  }

  void ir_version() {
    constexpr auto name = "lattice.ir_version";
    const auto attribute = required(name, "the integer 2");
    if (!attribute) return;
    const auto integer = llvm::dyn_cast<mlir::IntegerAttr>(attribute);
    const bool negative =
        integer && integer.getType().isSignedInteger() && integer.getValue().isNegative();
    if (!integer || negative || integer.getValue() != 2) refuse(name, attribute, "the integer 2");
  }

  void weight_file() {
    constexpr auto name = "lattice.weight_file";
    const auto attribute = required(name, "\"weights.safetensors\"");
    if (!attribute) return;
    const auto text = llvm::dyn_cast<mlir::StringAttr>(attribute);
    if (!text || text.getValue() != "weights.safetensors")
      refuse(name, attribute, "\"weights.safetensors\"");
  }

  void schema_digest(const ContractOptions& options, Signature& signature) {
    constexpr auto name = "lattice.schema_digest";
    std::string expected = "one of";
    for (const ContractRelease& known : contracts) {
      expected += fmt::format(" \"{}\" (contract {})", known.digest, known.releases);
    }
    const auto attribute = required(name, expected);
    if (!attribute) return;
    const auto text = llvm::dyn_cast<mlir::StringAttr>(attribute);
    if (!text) return refuse(name, attribute, expected);
    signature.schema_digest = text.getValue().str();
    for (const ContractRelease& known : contracts) {
      if (signature.schema_digest == known.digest) signature.contract = known.releases;
    }
    if (signature.contract.empty() && !options.allow_unknown_digest)
      refuse(name, attribute, expected);
  }

  // Texts of a list, or nothing after reporting why not.
  std::optional<std::vector<std::string>> strings(llvm::StringRef name) {
    const auto attribute = required(name, "a list of strings");
    if (!attribute) return std::nullopt;
    const auto list = llvm::dyn_cast<mlir::ArrayAttr>(attribute);
    if (!list) {
      refuse(name, attribute, "a list of strings");
      return std::nullopt;
    }
    std::vector<std::string> texts;
    for (const mlir::Attribute entry : list) {
      const auto text = llvm::dyn_cast<mlir::StringAttr>(entry);
      if (!text) {
        findings_.add(fmt::format("entry {} of module attribute {} is {}, expected a string",
                                  texts.size(), name.str(), shown(entry)),
                      where_);
        return std::nullopt;
      }
      texts.push_back(text.getValue().str());
    }
    return texts;
  }

  // The function, if the module holds exactly one called forward with a body of one block.
  mlir::func::FuncOp entry() {
    if (module_->getNumRegions() != 1 || module_->getRegion(0).getBlocks().size() != 1) {
      findings_.add("the module has no body, expected func.func @forward", where_);
      return nullptr;
    }
    mlir::func::FuncOp forward;
    int functions = 0;
    for (mlir::Operation& op : module_->getRegion(0).front()) {
      auto function = llvm::dyn_cast<mlir::func::FuncOp>(op);
      if (!function) {
        findings_.add(
            fmt::format("the module holds {}, expected only func.func @forward", name_of(op)),
            place_of(&op));
        continue;
      }
      ++functions;
      const auto name = function.getSymNameAttr();
      const std::string shown_name = name ? quote(name.getValue()) : "without a name";
      if (functions > 1) {
        findings_.add(
            fmt::format("a second function {}, expected only func.func @forward", shown_name),
            place_of(&op));
      } else if (!name || name.getValue() != "forward") {
        findings_.add(fmt::format("the function is {}, expected @forward", shown_name),
                      place_of(&op));
      }
      if (!forward) forward = function;
    }
    if (functions == 0)
      findings_.add("the module holds no function, expected func.func @forward", where_);
    return forward;
  }

  void body(mlir::func::FuncOp forward) {
    mlir::Operation* op = forward.getOperation();
    const Location where = place_of(op);
    if (op->getNumRegions() != 1 || op->getRegion(0).empty()) {
      findings_.add("@forward is only declared, expected a body", where);
      return;
    }
    mlir::Region& region = op->getRegion(0);
    if (const size_t blocks = region.getBlocks().size(); blocks != 1) {
      findings_.add(fmt::format("the body of @forward has {} blocks, expected one", blocks), where);
    }
    for (mlir::Block& block : region) {
      for (mlir::Operation& inner : block) {
        const bool lattice_op =
            inner.isRegistered() && inner.getName().getDialectNamespace() == "lattice";
        if (lattice_op || llvm::isa<mlir::func::ReturnOp>(inner)) continue;
        findings_.add(
            fmt::format(
                "operation {} in @forward, expected only lattice operations and func.return",
                name_of(inner)),
            place_of(&inner));
      }
    }
  }

 private:
  static std::string name_of(mlir::Operation& op) { return printable(op.getName().getStringRef()); }

  mlir::ModuleOp module_;
  Location where_;
  Findings& findings_;
};

} // namespace

std::span<const ContractRelease> accepted_contracts() { return contracts; }

Signature check_contract(mlir::ModuleOp module, const ContractOptions& options,
                         Findings& findings) {
  Signature signature;
  ModuleReader reader(module, findings);
  reader.ir_version();
  reader.schema_digest(options, signature);
  reader.weight_file();
  const DeclaredSignature declared{
      reader.strings("lattice.input_names"), reader.strings("lattice.input_roles"),
      reader.strings("lattice.output_names"), reader.strings("lattice.output_roles")};
  auto forward = reader.entry();
  if (!forward) return signature;
  reader.body(forward);
  check_signature(forward, declared, signature, findings);
  return signature;
}

} // namespace lattice
