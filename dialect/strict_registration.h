// Registers an operation so that the generic form `<{...}>` refuses attributes that the operation
// does not have or that are given twice. MLIR's own model drops them; all else is passed on to it.
#pragma once

#include <memory>

#include "dialect/dialect.h"

namespace lattice::ir {

template <class Op>
class StrictModel final : public mlir::OperationName::Impl {
  using Attribute = mlir::Attribute;
  using Operation = mlir::Operation;
  using OperationName = mlir::OperationName;
  using Properties = mlir::OpaqueProperties;
  using LogicalResult = mlir::LogicalResult;
  using Model = mlir::RegisteredOperationName::Model<Op>;
  using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

 public:
  static void insert(mlir::Dialect& owner) {
    mlir::RegisteredOperationName::insert(std::make_unique<StrictModel>(&owner),
                                          Op::getAttributeNames());
  }

  explicit StrictModel(mlir::Dialect* owner)
      : Impl(Op::getOperationName(), owner, mlir::TypeID::get<Op>(),
             std::move(Model(owner).getInterfaceMap())),
        model_(owner) {}

  LogicalResult setPropertiesFromAttr(OperationName op_name, Properties properties, Attribute attr,
                                      EmitError error) final {
    const auto dictionary = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(attr);
    if (!dictionary) return error() << "expected a dictionary of attributes between <{ and }>";
    for (const mlir::NamedAttribute& entry : dictionary) {
      if (llvm::is_contained(Op::getAttributeNames(), entry.getName().getValue())) {
        if (!is_set(properties, entry.getName())) continue;
        return error() << entry.getName().getValue() << " is given twice, inside and outside <{ }>";
      }
      auto diagnostic = error();
      append_unknown(diagnostic, entry.getName(), op_name);
      return diagnostic;
    }
    if (dictionary.empty() && Op::getAttributeNames().empty()) return mlir::success();
    return model_.setPropertiesFromAttr(op_name, properties, attr, error);
  }

  LogicalResult foldHook(Operation* op, llvm::ArrayRef<Attribute> attrs,
                         llvm::SmallVectorImpl<mlir::OpFoldResult>& results) final {
    return model_.foldHook(op, attrs, results);
  }
  void getCanonicalizationPatterns(mlir::RewritePatternSet& set, mlir::MLIRContext* context) final {
    model_.getCanonicalizationPatterns(set, context);
  }
  bool hasTrait(mlir::TypeID id) final { return model_.hasTrait(id); }
  OperationName::ParseAssemblyFn getParseAssemblyFn() final { return model_.getParseAssemblyFn(); }
  void populateDefaultAttrs(const OperationName& op_name, mlir::NamedAttrList& attrs) final {
    model_.populateDefaultAttrs(op_name, attrs);
  }
  void printAssembly(Operation* op, mlir::OpAsmPrinter& printer,
                     llvm::StringRef default_dialect) final {
    model_.printAssembly(op, printer, default_dialect);
  }
  LogicalResult verifyInvariants(Operation* op) final { return model_.verifyInvariants(op); }
  LogicalResult verifyRegionInvariants(Operation* op) final {
    return model_.verifyRegionInvariants(op);
  }
  std::optional<Attribute> getInherentAttr(Operation* op, llvm::StringRef key) final {
    return model_.getInherentAttr(op, key);
  }
  void setInherentAttr(Operation* op, mlir::StringAttr key, Attribute value) final {
    model_.setInherentAttr(op, key, value);
  }
  void populateInherentAttrs(Operation* op, mlir::NamedAttrList& attrs) final {
    model_.populateInherentAttrs(op, attrs);
  }
  LogicalResult verifyInherentAttrs(OperationName op_name, mlir::NamedAttrList& attrs,
                                    EmitError error) final {
    return model_.verifyInherentAttrs(op_name, attrs, error);
  }
  int getOpPropertyByteSize() final { return model_.getOpPropertyByteSize(); }
  void initProperties(OperationName op_name, Properties storage, Properties init) final {
    model_.initProperties(op_name, storage, init);
  }
  void deleteProperties(Properties properties) final { model_.deleteProperties(properties); }
  void populateDefaultProperties(OperationName op_name, Properties properties) final {
    model_.populateDefaultProperties(op_name, properties);
  }
  Attribute getPropertiesAsAttr(Operation* op) final { return model_.getPropertiesAsAttr(op); }
  void copyProperties(Properties to, Properties from) final { model_.copyProperties(to, from); }
  bool compareProperties(Properties a, Properties b) final {
    return model_.compareProperties(a, b);
  }
  llvm::hash_code hashProperties(Properties properties) final {
    return model_.hashProperties(properties);
  }

 private:
  static bool is_set(mlir::OpaqueProperties properties, mlir::StringAttr name) {
    if constexpr (Model::hasProperties) {
      const auto value = Op::getInherentAttr(name.getContext(),
                                             *properties.as<typename Model::Properties*>(), name);
      return value && *value;
    }
    return false;
  }

  Model model_;
};

} // namespace lattice::ir
