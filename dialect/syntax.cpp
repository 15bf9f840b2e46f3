// How types and attributes of the dialect are read and written: fields in a fixed order, each value
// a bare keyword where it is one, else a quoted string. Values are not judged here but in
// verify.cpp.
#include "dialect/dialect.h"

namespace lattice::ir {
namespace {

using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::failed;
using mlir::ParseResult;

// `name =` and a word.
ParseResult parse_word(AsmParser& parser, llvm::StringRef name, std::string& word) {
  return mlir::failure(failed(parser.parseKeyword(name)) || failed(parser.parseEqual()) ||
                       failed(parser.parseKeywordOrString(&word)));
}

// A type or attribute of one word, `<word>`.
template <class Attr>
mlir::Attribute parse_choice(AsmParser& parser) {
  std::string word;
  if (failed(parser.parseLess()) || failed(parser.parseKeywordOrString(&word)) ||
      failed(parser.parseGreater()))
    return {};
  return Attr::get(parser.getContext(), word);
}

void print_choice(AsmPrinter& printer, llvm::StringRef word) {
  printer << "<";
  printer.printKeywordOrString(word);
  printer << ">";
}

void print_word(AsmPrinter& printer, llvm::StringRef name, llvm::StringRef word) {
  printer << name << " = ";
  printer.printKeywordOrString(word);
}

mlir::Type float_type(mlir::MLIRContext* context, llvm::StringRef dtype) {
  if (dtype == "f32") return mlir::FloatType::getF32(context);
  if (dtype == "f16") return mlir::FloatType::getF16(context);
  return {};
}

} // namespace

#define LATTICE_CHOICE(Attr)                                                                       \
  mlir::Attribute Attr::parse(AsmParser& parser, mlir::Type) {                                     \
    return parse_choice<Attr>(parser);                                                             \
  }                                                                                                \
  void Attr::print(AsmPrinter& printer) const { print_choice(printer, getValue()); }
LATTICE_CHOICE(CoordAttr)
LATTICE_CHOICE(FeatureLayoutAttr)
LATTICE_CHOICE(WeightLayoutAttr)
LATTICE_CHOICE(ActivationKindAttr)
LATTICE_CHOICE(GeluApproxAttr)
LATTICE_CHOICE(JoinAttr)
LATTICE_CHOICE(BinaryKindAttr)
LATTICE_CHOICE(PoolModeAttr)
LATTICE_CHOICE(VoxelReductionAttr)
LATTICE_CHOICE(PointInterpolationAttr)
#undef LATTICE_CHOICE

mlir::Attribute PackingAttr::parse(AsmParser& parser, mlir::Type) {
  std::string kind, scale_dtype, mode;
  int64_t group_size = 0;
  if (failed(parser.parseLess()) || failed(parser.parseKeywordOrString(&kind))) return {};
  const bool grouped = mlir::succeeded(parser.parseOptionalComma());
  if (grouped && (failed(parser.parseKeyword("group_size")) || failed(parser.parseEqual()) ||
                  failed(parser.parseInteger(group_size)) || failed(parser.parseComma()) ||
                  failed(parse_word(parser, "scale_dtype", scale_dtype)) ||
                  failed(parser.parseComma()) || failed(parse_word(parser, "mode", mode))))
    return {};
  if (failed(parser.parseGreater())) return {};
  return PackingAttr::get(parser.getContext(), kind, grouped, group_size, scale_dtype, mode);
}

void PackingAttr::print(AsmPrinter& printer) const {
  printer << "<";
  printer.printKeywordOrString(getKind());
  if (getGrouped()) {
    printer << ", group_size = " << getGroupSize() << ", ";
    print_word(printer, "scale_dtype", getScaleDtype());
    printer << ", ";
    print_word(printer, "mode", getMode());
  }
  printer << ">";
}

mlir::Type SparseTensorType::parse(AsmParser& parser) {
  int64_t rank = 0;
  std::string coord, feature, dtype;
  if (failed(parser.parseLess()) || failed(parser.parseKeyword("rank")) ||
      failed(parser.parseEqual()) || failed(parser.parseInteger(rank)) ||
      failed(parser.parseComma()) || failed(parse_word(parser, "coord", coord)) ||
      failed(parser.parseComma()) || failed(parse_word(parser, "feature", feature)) ||
      failed(parser.parseComma()) || failed(parse_word(parser, "dtype", dtype)) ||
      failed(parser.parseGreater()))
    return {};
  return SparseTensorType::get(parser.getContext(), rank, coord, feature, dtype);
}

void SparseTensorType::print(AsmPrinter& printer) const {
  printer << "<rank = " << getRank() << ", ";
  print_word(printer, "coord", getCoord());
  printer << ", ";
  print_word(printer, "feature", getFeature());
  printer << ", ";
  print_word(printer, "dtype", getDtype());
  printer << ">";
}

mlir::Type SparseTensorType::element_type() const { return float_type(getContext(), getDtype()); }

mlir::Type WeightType::parse(AsmParser& parser) {
  std::string family, dtype;
  if (failed(parser.parseLess()) || failed(parser.parseKeywordOrString(&family)) ||
      failed(parser.parseComma()) || failed(parser.parseKeywordOrString(&dtype)) ||
      failed(parser.parseGreater()))
    return {};
  return WeightType::get(parser.getContext(), family, dtype);
}

void WeightType::print(AsmPrinter& printer) const {
  printer << "<";
  printer.printKeywordOrString(getFamily());
  printer << ", ";
  printer.printKeywordOrString(getDtype());
  printer << ">";
}

mlir::Type WeightType::element_type() const { return float_type(getContext(), getDtype()); }

void SparseDecomposeOp::getAsmResultNames(mlir::OpAsmSetValueNameFn set_name) {
  set_name(getCoords(), "coords");
  set_name(getFeatures(), "features");
  set_name(getActive(), "active");
}

} // namespace lattice::ir
