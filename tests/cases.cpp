// Reading and comparing of cases.h.
#include "tests/cases.h"

#include <cmath>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/f16.h"
#include "base/tensor.h"
#include "tools/lattice/compare.h"

namespace lattice::cases {

namespace {

float element(const TensorView& view, int64_t index) {
  if (view.dtype == DType::f16) return f32_from_f16(load_at<uint16_t>(view.data, index));
  if (view.dtype == DType::i32) return static_cast<float>(load_at<int32_t>(view.data, index));
  return load_at<float>(view.data, index);
}

std::string same_bits(const std::string& name, const Tensor& a, const Tensor& b) {
  if (a.dtype != b.dtype || a.shape != b.shape) return name + ": another type or shape";
  const int64_t count = elements_of(a.shape), size = size_of(a.dtype);
  for (int64_t i = 0; i < count; ++i) {
    if (std::memcmp(a.storage.get() + i * size, b.storage.get() + i * size, static_cast<size_t>(size)) == 0) continue;
    const float x = element(a.view(), i), y = element(b.view(), i);
    if (a.dtype != DType::i32 && std::isnan(x) && std::isnan(y)) continue;
    return fmt::format("{} element {}: {:a} against {:a}", name, i, x, y);
  }
  return "";
}

}  // namespace

std::vector<Case> list(const std::filesystem::path& root) {
  std::ifstream file(root / "manifest.json");
  std::vector<Case> found;
  const nlohmann::json manifest = nlohmann::json::parse(file);
  for (const auto& entry : manifest.at("cases")) {
    Case each;
    each.name = entry.at("name");
    each.folder = root / each.name;
    each.rtol = entry.value("rtol", 0.0);
    each.atol = entry.value("atol", 0.0);
    each.stage = entry.value("stage", "");
    each.reason = entry.value("reason", "");
    found.push_back(std::move(each));
  }
  return found;
}

SafetensorsFile open(const std::filesystem::path& file) {
  auto opened = SafetensorsFile::open(file);
  if (!opened) throw opened.error();
  return *std::move(opened);
}

Inputs inputs_of(const SafetensorsFile& file) {
  Inputs inputs;
  for (const SafetensorsEntry& entry : file.entries()) inputs.emplace_back(entry.name, entry.view);
  return inputs;
}

std::string difference(const Outputs& outputs, const SafetensorsFile& expected, double rtol, double atol) {
  std::string text;
  for (const cli::Mismatch& mismatch : cli::compare(outputs, expected, {rtol, atol}).mismatches) {
    text += cli::text_of(mismatch) + "\n";
  }
  return text;
}

std::string bit_difference(const Outputs& a, const Outputs& b) {
  if (a.size() != b.size()) return "another number of outputs";
  for (size_t i = 0; i < a.size(); ++i) {
    const std::string& name = a[i].name;
    if (a[i].is_sparse() != b[i].is_sparse()) return name + ": another kind";
    std::string fault;
    if (a[i].is_sparse()) {
      fault = same_bits(name + ".coords", a[i].sparse().coords, b[i].sparse().coords);
      if (fault.empty()) fault = same_bits(name + ".features", a[i].sparse().features, b[i].sparse().features);
    } else {
      fault = same_bits(name, a[i].tensor(), b[i].tensor());
    }
    if (!fault.empty()) return fault;
  }
  return "";
}

}  // namespace lattice::cases
