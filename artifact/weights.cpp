// C7 of the spec, one function a rule. What a declaration may say is C3 and the dialect's.
#include "artifact/weights.h"

#include <cmath>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>

#include "artifact/mlir.h"
#include "artifact/place.h"
#include "artifact/quote.h"
#include "base/f16.h"
#include "base/tensor.h"

namespace lattice {
namespace {

std::optional<WeightFamily> family_named(llvm::StringRef name) {
  for (const WeightFamily family :
       {WeightFamily::conv3d, WeightFamily::linear, WeightFamily::embedding, WeightFamily::channel,
        WeightFamily::bias}) {
    if (name == name_of(family)) return family;
  }
  return std::nullopt;
}

std::optional<DType> dtype_named(llvm::StringRef name) {
  if (name == "f32") return DType::f32;
  if (name == "f16") return DType::f16;
  return std::nullopt;
}

// The axes of a dense weight, by family.
const char* axes_of(WeightFamily family) {
  switch (family) {
  case WeightFamily::conv3d: return "(Cout, Kx, Ky, Kz, Cin)";
  case WeightFamily::linear: return "(O, I)";
  case WeightFamily::embedding: return "(N, C)";
  case WeightFamily::channel:
  case WeightFamily::bias: return "(C)";
  }
  return "";
}

size_t rank_of(WeightFamily family) {
  switch (family) {
  case WeightFamily::conv3d: return 5;
  case WeightFamily::linear:
  case WeightFamily::embedding: return 2;
  case WeightFamily::channel:
  case WeightFamily::bias: return 1;
  }
  return 0;
}

bool never_bound(DType dtype) {
  return dtype == DType::bf16 || dtype == DType::f8_e4m3 || dtype == DType::f8_e5m2;
}

// What the operation declares, or nothing if its declaration is not valid. Unverified operations
// may lack any attribute.
std::optional<WeightInfo> declaration(ir::WeightOp op) {
  if (op->getNumResults() != 1) return std::nullopt;
  const auto type = llvm::dyn_cast<ir::WeightType>(op->getResult(0).getType());
  const auto key = op.getStorageKeyAttr();
  const auto symbol = op.getSymNameAttr();
  const auto packing = op.getPackingAttr();
  if (!type || !key || !symbol || !packing || key.getValue().empty()) return std::nullopt;
  const auto family = family_named(type.getFamily());
  const auto dtype = dtype_named(type.getDtype());
  if (!family || !dtype) return std::nullopt;

  WeightInfo info;
  info.symbol = symbol.getValue().str();
  info.storage_key = key.getValue().str();
  info.family = *family;
  info.dtype = *dtype;
  info.where = place_of(op.getOperation());
  if (packing.is_dense()) return info;

  const auto scale_dtype = dtype_named(packing.getScaleDtype());
  const int64_t group_size = packing.getGroupSize();
  const bool known_kind = packing.getKind() == "int4" || packing.getKind() == "int8";
  const bool known_size = group_size == 32 || group_size == 64 || group_size == 128;
  const bool packable = *family == WeightFamily::conv3d || *family == WeightFamily::linear;
  if (!known_kind || !known_size || !packable || !scale_dtype) return std::nullopt;
  info.packing = {packing.bits(), group_size, *scale_dtype};
  return info;
}

class WeightChecker {
 public:
  WeightChecker(const SafetensorsFile& file, Findings& findings)
      : file_(file), findings_(findings) {}

  void check(WeightInfo& info) {
    if (info.packing.dense()) {
      dense(info);
    } else {
      packed(info);
    }
  }

  const std::unordered_set<std::string>& used() const { return used_; }

 private:
  void dense(WeightInfo& info) {
    const SafetensorsEntry* entry = find(info, info.storage_key, info.dtype, "the weight");
    if (entry == nullptr) return;
    const size_t rank = rank_of(info.family);
    if (entry->view.shape.size() != rank) {
      refuse(info, info.storage_key,
             fmt::format("expected shape {} of family {}, stored is {}", axes_of(info.family),
                         name_of(info.family), text_of(entry->view.shape)));
      return;
    }
    info.values = entry->view;
  }

  void packed(WeightInfo& info) {
    const std::string& key = info.storage_key;
    const SafetensorsEntry* codes =
        find(info, key + ".weight", DType::u32, "the codes of a packed weight");
    const SafetensorsEntry* scales =
        find(info, key + ".scales", info.packing.scale_dtype, "the scales of a packed weight");
    const SafetensorsEntry* biases =
        find(info, key + ".biases", info.packing.scale_dtype, "the biases of a packed weight");
    if (scales != nullptr) finite(info, *scales);
    if (biases != nullptr) finite(info, *biases);
    if (codes == nullptr) return;

    const Shape& shape = codes->view.shape;
    const std::string_view form = info.family == WeightFamily::linear
                                      ? "(1, O, words)"
                                      : "(1, O, words) for kernels of one row, else (K, words, O)";
    if (shape.size() != 3 || shape[0] < 1 ||
        (info.family == WeightFamily::linear && shape[0] != 1)) {
      refuse(info, codes->name,
             fmt::format("the codes of a packed {} weight have the shape {}, stored is {}",
                         name_of(info.family), form, text_of(shape)));
      return;
    }
    const size_t words_axis = shape[0] == 1 ? 2 : 1;
    const int64_t words_a_group = info.packing.group_size / info.packing.codes_a_word();
    const int64_t words = shape[words_axis];
    if (words < 1 || words % words_a_group != 0) {
      refuse(info, codes->name,
             fmt::format("groups of {} codes of {} bits take {} words each: axis {} must be a "
                         "multiple of that, stored is {}",
                         info.packing.group_size, info.packing.bits, words_a_group, words_axis,
                         text_of(shape)));
      return;
    }
    Shape wanted = shape;
    wanted[words_axis] = words / words_a_group;
    bool good = scales != nullptr && biases != nullptr;
    for (const SafetensorsEntry* entry : {scales, biases}) {
      if (entry == nullptr || entry->view.shape == wanted) continue;
      good = false;
      refuse(info, entry->name,
             fmt::format("expected shape {} for codes of shape {}, stored is {}", text_of(wanted),
                         text_of(shape), text_of(entry->view.shape)));
    }
    if (!good) return;
    info.values = codes->view;
    info.scales = scales->view;
    info.biases = biases->view;
  }

  // The tensor with this key and dtype, or null after reporting why not.
  const SafetensorsEntry* find(const WeightInfo& info, const std::string& key, DType dtype,
                               std::string_view what) {
    used_.insert(key);
    const SafetensorsEntry* entry = file_.find(key);
    if (entry == nullptr) {
      refuse(info, key,
             fmt::format("no such tensor in {}, expected {} of {}{}", file_.name(), what,
                         name_of(dtype), hint(info)));
      return nullptr;
    }
    const DType stored = entry->view.dtype;
    if (stored == dtype) return entry;
    refuse(info, key,
           fmt::format("stored as {}{}, expected {}", name_of(stored),
                       never_bound(stored) ? " (not supported for weights)" : "", name_of(dtype)));
    return nullptr;
  }

  // A weight that is there in the other form is a likely mistake.
  std::string hint(const WeightInfo& info) const {
    const bool dense_there = file_.find(info.storage_key) != nullptr;
    const bool codes_there = file_.find(info.storage_key + ".scales") != nullptr;
    if (info.packing.dense() && codes_there)
      return fmt::format(" ({}.scales is there: a packed weight?)", printable(info.storage_key));
    if (!info.packing.dense() && dense_there)
      return fmt::format(" ({} is there: a dense weight?)", printable(info.storage_key));
    return "";
  }

  void finite(const WeightInfo& info, const SafetensorsEntry& entry) {
    const int64_t count = elements_of(entry.view.shape);
    const bool half = entry.view.dtype == DType::f16;
    for (int64_t i = 0; i < count; ++i) {
      const float value = half ? f32_from_f16(load_at<uint16_t>(entry.view.data, i))
                               : load_at<float>(entry.view.data, i);
      if (std::isfinite(value)) continue;
      refuse(info, entry.name,
             fmt::format("element {} at index {} is {}, expected a finite number", i,
                         text_of(index_of(i, entry.view.shape)), value));
      return;
    }
  }

  // Index of element i in each axis.
  static Shape index_of(int64_t i, const Shape& shape) {
    Shape index(shape.size());
    for (size_t axis = shape.size(); axis-- > 0;) {
      index[axis] = i % shape[axis];
      i /= shape[axis];
    }
    return index;
  }

  void refuse(const WeightInfo& info, const std::string& key, std::string message) {
    const Diagnostic declared{
        fmt::format("declared by lattice.weight @{}", printable(info.symbol)), info.where, {}};
    findings_.add(std::move(message), {file_.name(), 0, 0, printable(key)}, {declared});
  }

  const SafetensorsFile& file_;
  Findings& findings_;
  std::unordered_set<std::string> used_;
};

} // namespace

int64_t WeightInfo::out_channels() const {
  if (packing.dense()) return values.shape[0];
  return values.shape[pointwise() ? 1 : 2];
}

int64_t WeightInfo::in_channels() const {
  if (packing.dense()) return values.shape.back();
  return values.shape[pointwise() ? 2 : 1] * packing.codes_a_word();
}

Weights check_weights(mlir::ModuleOp module, const SafetensorsFile& file, Findings& findings) {
  Weights weights;
  WeightChecker checker(file, findings);
  module->walk([&](ir::WeightOp op) {
    auto info = declaration(op);
    if (!info) return;
    checker.check(*info);
    weights.index.emplace(op.getOperation(), weights.infos.size());
    weights.infos.push_back(std::move(*info));
  });
  for (const SafetensorsEntry& entry : file.entries()) {
    if (!checker.used().contains(entry.name)) weights.unused.push_back(entry.name);
  }
  return weights;
}

} // namespace lattice
