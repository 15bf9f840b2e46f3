// One check a rule of spec 1, in its order: counts, names, roles, types, sparse groups, outputs.
#include "artifact/contract_signature.h"

#include <set>

#include <fmt/format.h>

#include "artifact/mlir.h"
#include "artifact/place.h"
#include "artifact/quote.h"
#include "base/utf8.h"

namespace lattice {
namespace {

using Names = std::optional<std::vector<std::string>>;

// "tensor<?x4xi32>" and the like. Built here, as a type of the text may be huge when printed.
std::string shown(mlir::Type type) {
  if (const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type)) {
    std::string text = "tensor<";
    if (tensor.getRank() > 16) return fmt::format("a tensor of rank {}", tensor.getRank());
    for (const int64_t dim : tensor.getShape()) {
      text += mlir::ShapedType::isDynamic(dim) ? "?x" : fmt::format("{}x", dim);
    }
    const mlir::Type element = tensor.getElementType();
    if (element.isF32() || element.isF16() || element.isBF16() || element.isF64()) {
      text += element.isF32() ? "f32" : element.isF16() ? "f16" : element.isBF16() ? "bf16" : "f64";
    } else if (const auto integer = llvm::dyn_cast<mlir::IntegerType>(element)) {
      text += fmt::format("{}i{}",
                          integer.isSigned()     ? "s"
                          : integer.isUnsigned() ? "u"
                                                 : "",
                          integer.getWidth());
    } else {
      text += "...";
    }
    return text + (tensor.getEncoding() ? ", ...>" : ">");
  }
  if (llvm::isa<ir::SparseTensorType>(type)) return "a !lattice.sparse_tensor";
  if (llvm::isa<ir::WeightType>(type)) return "a !lattice.weight";
  if (llvm::isa<mlir::UnrankedTensorType>(type)) return "an unranked tensor";
  return "a type of another kind";
}

std::optional<DType> dtype_of(mlir::Type element) {
  if (element.isF32()) return DType::f32;
  if (element.isF16()) return DType::f16;
  if (element.isSignlessInteger(32)) return DType::i32;
  return std::nullopt;
}

// Type and shape of a plain ranked tensor of f32, f16 or i32; false for anything else.
bool plain_tensor(mlir::Type type, DType& dtype, Shape& shape) {
  const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || tensor.getEncoding()) return false;
  const auto element = dtype_of(tensor.getElementType());
  if (!element) return false;
  dtype = *element;
  shape.clear();
  for (const int64_t dim : tensor.getShape())
    shape.push_back(mlir::ShapedType::isDynamic(dim) ? -1 : dim);
  return true;
}

std::optional<Role> role_named(std::string_view name) {
  for (const Role role : {Role::tensor, Role::sparse_coords, Role::sparse_features,
                          Role::sparse_active, Role::sparse_tensor}) {
    if (name == name_of(role)) return role;
  }
  return std::nullopt;
}

class SignatureReader {
 public:
  SignatureReader(mlir::func::FuncOp forward, const DeclaredSignature& declared,
                  Signature& signature, Findings& findings)
      : declared_(declared), signature_(signature), findings_(findings),
        where_(place_of(forward.getOperation())) {
    const auto attribute = forward.getFunctionTypeAttr();
    const auto type =
        attribute ? llvm::dyn_cast<mlir::FunctionType>(attribute.getValue()) : mlir::FunctionType();
    if (!type) return; // a fault of the function that the verifier reports
    typed_ = true;
    inputs_.assign(type.getInputs().begin(), type.getInputs().end());
    results_.assign(type.getResults().begin(), type.getResults().end());
    argument_places_.assign(inputs_.size(), where_);
    if (forward->getNumRegions() != 1 || forward->getRegion(0).empty()) return;
    mlir::Block& block = forward->getRegion(0).front();
    if (block.getNumArguments() != inputs_.size()) return;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      argument_places_[i] = place_of(block.getArgument(static_cast<unsigned>(i)).getLoc());
    }
  }

  void read() {
    if (!typed_) return;
    const bool named = counts("input", declared_.input_names, inputs_.size(), "arguments") &&
                       unique("input", *declared_.input_names);
    const bool roles_counted =
        counts("input", declared_.input_roles, inputs_.size(), "arguments", "roles");
    arguments(roles_counted);
    if (named && roles_counted) groups();

    if (results_.empty())
      findings_.add("@forward returns nothing, expected at least one result", where_);
    const bool outputs_named =
        counts("output", declared_.output_names, results_.size(), "results") &&
        unique("output", *declared_.output_names);
    const bool outputs_counted =
        counts("output", declared_.output_roles, results_.size(), "results", "roles");
    outputs(outputs_counted);
    if (outputs_named && outputs_counted) output_components();
  }

 private:
  bool counts(std::string_view side, const Names& names, size_t wanted, std::string_view of,
              std::string_view what = "names") {
    if (!names) return false;
    if (names->size() == wanted) return true;
    findings_.add(fmt::format("lattice.{}_{} has {} entries, @forward has {} {}", side, what,
                              names->size(), wanted, of),
                  where_);
    return false;
  }

  // Not empty, no name twice, and text that every door can pass on.
  bool unique(std::string_view side, const std::vector<std::string>& names) {
    bool good = true;
    std::set<std::string_view> seen;
    for (size_t i = 0; i < names.size(); ++i) {
      const auto refuse = [&](std::string message) {
        findings_.add(std::move(message), side == "input" ? argument_places_[i] : where_);
        good = false;
      };
      if (names[i].empty()) {
        refuse(fmt::format("{} name {} is empty", side, i));
      } else if (first_invalid_utf8(names[i]) != std::string::npos) {
        refuse(fmt::format("{} name {} is not valid UTF-8", side, i));
      } else if (!seen.insert(names[i]).second) {
        refuse(fmt::format("{} name {} is used twice", side, quote(names[i])));
      }
    }
    return good;
  }

  std::string argument(size_t i) const {
    if (declared_.input_names && i < declared_.input_names->size()) {
      return fmt::format("argument {} {}", i, quote((*declared_.input_names)[i]));
    }
    return fmt::format("argument {}", i);
  }

  void arguments(bool roles_counted) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      ArgumentInfo info;
      if (declared_.input_names && i < declared_.input_names->size())
        info.name = (*declared_.input_names)[i];
      const bool plain = plain_tensor(inputs_[i], info.dtype, info.shape);
      if (!plain) {
        findings_.add(fmt::format("{} is {}, expected a ranked tensor of f32, f16 or i32",
                                  argument(i), shown(inputs_[i])),
                      argument_places_[i]);
      }
      if (roles_counted) {
        const std::string& spelling = (*declared_.input_roles)[i];
        const auto role = role_named(spelling);
        if (!role || *role == Role::sparse_tensor) {
          findings_.add(fmt::format("{} has the role {}, expected tensor, sparse_coords, "
                                    "sparse_features or sparse_active",
                                    argument(i), quote(spelling)),
                        argument_places_[i]);
        } else {
          info.role = *role;
          if (plain) role_and_type(i, info);
        }
      }
      signature_.arguments.push_back(std::move(info));
    }
  }

  void role_and_type(size_t i, const ArgumentInfo& info) {
    const Shape& shape = info.shape;
    std::string_view expected;
    switch (info.role) {
    case Role::sparse_coords:
      if (info.dtype != DType::i32 || shape.size() != 2 || shape[1] != 4)
        expected = "tensor<?x4xi32>";
      break;
    case Role::sparse_features:
      if (info.dtype == DType::i32 || shape.size() != 2)
        expected = "a tensor of rank 2 of f32 or f16";
      break;
    case Role::sparse_active:
      if (info.dtype != DType::i32 || shape != Shape{1}) expected = "tensor<1xi32>";
      break;
    case Role::tensor:
    case Role::sparse_tensor: break;
    }
    if (expected.empty()) return;
    findings_.add(fmt::format("{} has the role {} and the type {}, expected {}", argument(i),
                              name_of(info.role), shown(inputs_[i]), expected),
                  argument_places_[i]);
  }

  // Three consecutive arguments that are one sparse input.
  void groups() {
    std::vector<ArgumentInfo>& all = signature_.arguments;
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].role == Role::tensor) continue;
      const bool complete = i + 2 < all.size() && all[i].role == Role::sparse_coords &&
                            all[i + 1].role == Role::sparse_features &&
                            all[i + 2].role == Role::sparse_active;
      if (!complete) {
        findings_.add(
            fmt::format(
                "{} has the role {} outside a group, expected sparse_coords, sparse_features and "
                "sparse_active on consecutive arguments",
                argument(i), name_of(all[i].role)),
            argument_places_[i]);
        continue;
      }
      group(i);
      i += 2;
    }
    // A group is given under its name, so that name may mean nothing else.
    for (size_t g = 0; g < signature_.groups.size(); ++g) {
      const SparseGroup& group = signature_.groups[g];
      const Location& where = argument_places_[static_cast<size_t>(group.first)];
      if (signature_.argument_named(group.name) >= 0) {
        findings_.add(
            fmt::format("sparse input {} has the name of another argument", quote(group.name)),
            where);
      }
      for (size_t h = 0; h < g; ++h) {
        if (signature_.groups[h].name == group.name) {
          findings_.add(fmt::format("two sparse inputs are named {}", quote(group.name)), where);
        }
      }
    }
  }

  void group(size_t first) {
    std::vector<ArgumentInfo>& all = signature_.arguments;
    constexpr std::string_view suffix = "_coords";
    const std::string& coords = all[first].name;
    std::string name;
    if (coords == "coords" && all[first + 1].name == "features" &&
        all[first + 2].name == "active") {
      name = "input";
    } else if (coords.size() > suffix.size() && coords.ends_with(suffix)) {
      name = coords.substr(0, coords.size() - suffix.size());
      if (all[first + 1].name != name + "_features" || all[first + 2].name != name + "_active")
        name.clear();
    }
    if (name.empty()) {
      findings_.add(
          fmt::format("{}, {} and {} name no sparse input, expected NAME_coords, NAME_features and "
                      "NAME_active, or coords, features and active",
                      quote(coords), quote(all[first + 1].name), quote(all[first + 2].name)),
          argument_places_[first]);
      return;
    }
    const Shape& rows = all[first].shape;
    const Shape& feature_rows = all[first + 1].shape;
    if (!rows.empty() && !feature_rows.empty() && rows[0] >= 0 && feature_rows[0] >= 0 &&
        rows[0] != feature_rows[0]) {
      findings_.add(fmt::format("sparse input {} has {} rows of coordinates and {} of features",
                                quote(name), rows[0], feature_rows[0]),
                    argument_places_[first]);
    }
    for (size_t i = first; i < first + 3; ++i)
      all[i].group = static_cast<int32_t>(signature_.groups.size());
    SparseGroup group;
    group.name = std::move(name);
    group.first = static_cast<int32_t>(first);
    signature_.groups.push_back(std::move(group));
  }

  void outputs(bool roles_counted) {
    for (size_t i = 0; i < results_.size(); ++i) {
      OutputInfo info;
      std::string label = fmt::format("result {}", i);
      if (declared_.output_names && i < declared_.output_names->size()) {
        info.name = (*declared_.output_names)[i];
        label += " " + quote(info.name);
      }
      const auto sparse = llvm::dyn_cast<ir::SparseTensorType>(results_[i]);
      const bool plain = plain_tensor(results_[i], info.dtype, info.shape);
      if (sparse) {
        info.role = Role::sparse_tensor;
        if (const mlir::Type element = sparse.element_type())
          info.dtype = dtype_of(element).value_or(DType::f32);
        info.shape = {-1, -1};
      } else if (!plain) {
        findings_.add(fmt::format("{} is {}, expected a ranked tensor of f32, f16 or i32, or a "
                                  "!lattice.sparse_tensor",
                                  label, shown(results_[i])),
                      where_);
      }
      if (roles_counted) {
        const std::string& spelling = (*declared_.output_roles)[i];
        const auto role = role_named(spelling);
        if (!role || (*role != Role::tensor && *role != Role::sparse_tensor)) {
          findings_.add(fmt::format("{} has the role {}, expected tensor or sparse_tensor", label,
                                    quote(spelling)),
                        where_);
        } else if ((sparse || plain) && *role != info.role) {
          findings_.add(
              fmt::format("{} has the role {} and is {}, expected {}", label, spelling,
                          shown(results_[i]),
                          *role == Role::tensor ? "a ranked tensor" : "a !lattice.sparse_tensor"),
              where_);
        }
      }
      signature_.outputs.push_back(std::move(info));
    }
  }

  // A sparse output is written as NAME.coords, NAME.features and NAME.active.
  void output_components() {
    std::set<std::string> names;
    for (const OutputInfo& output : signature_.outputs) names.insert(output.name);
    for (const OutputInfo& output : signature_.outputs) {
      if (output.role != Role::sparse_tensor) continue;
      for (const char* part : {".coords", ".features", ".active"}) {
        if (!names.contains(output.name + part)) continue;
        findings_.add(fmt::format("output name {} is also a part of the sparse output {}",
                                  quote(output.name + part), quote(output.name)),
                      where_);
      }
    }
  }

  const DeclaredSignature& declared_;
  Signature& signature_;
  Findings& findings_;
  Location where_;
  bool typed_ = false;
  std::vector<mlir::Type> inputs_, results_;
  std::vector<Location> argument_places_;
};

} // namespace

void check_signature(mlir::func::FuncOp forward, const DeclaredSignature& declared,
                     Signature& signature, Findings& findings) {
  SignatureReader(forward, declared, signature, findings).read();
}

} // namespace lattice
