// Matching and comparing for differences.h.
#include "tools/lattice/differences.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "tools/lattice/values.h"

namespace lattice::cli {
namespace {

// One graph with what matching needs beside it.
struct Side {
  const Json& graph;
  struct Source {
    int64_t operation = -1; // index of the operation that gives it; -1: an argument
    int64_t result = 0;     // which of its results, or which argument
  };
  std::unordered_map<std::string, Source> sources; // of each value, by its name in the text
  std::vector<std::string> names, parameters;      // of each operation

  explicit Side(const Json& described) : graph(described) {
    int64_t index = 0;
    for (const Json& argument : graph["args"]) sources[argument["name"]] = {-1, index++};
    std::unordered_map<std::string, std::string> keys; // of values that are weights
    for (const Json& operation : graph["ops"]) {
      const auto place = static_cast<int64_t>(names.size());
      names.push_back(operation["name"].get<std::string>().substr(strlen("lattice.")));
      int64_t result = 0;
      for (const Json& name : operation["results"]) sources[name] = {place, result++};
      std::string parameter;
      if (names.back() == "weight") {
        parameter = operation["attrs"]["storage_key"];
        for (const Json& name : operation["results"]) keys[name] = parameter;
      } else {
        for (const Json& name : operation["operands"]) {
          const auto key = keys.find(name);
          if (parameter.empty() && key != keys.end()) parameter = key->second;
        }
      }
      parameters.push_back(std::move(parameter));
    }
  }

  size_t size() const { return names.size(); }
  std::string identity(size_t at) const { return names[at] + '\n' + parameters[at]; }

  // "argument x_features", "subm_conv3d enc1.weight", with the place where that says too little.
  std::string text_of_source(const std::string& value) const {
    const Source source = sources.at(value);
    if (source.operation < 0) {
      const Json& argument = graph["args"][static_cast<size_t>(source.result)];
      return "argument " + argument["abi_name"].get<std::string>();
    }
    const auto at = static_cast<size_t>(source.operation);
    std::string text = parameters[at].empty()
                           ? fmt::format("{} at {}", names[at], source.operation + 1)
                           : fmt::format("{} {}", names[at], parameters[at]);
    if (source.result > 0) text += fmt::format(", result {}", source.result + 1);
    return text;
  }
};

// For each operation of `a` its partner in `b`, ascending, or -1: a longest common subsequence.
std::vector<int64_t> match(const Side& a, const Side& b) {
  std::vector<int64_t> partner(a.size(), -1);
  size_t begin = 0, a_end = a.size(), b_end = b.size();
  while (begin < a_end && begin < b_end && a.identity(begin) == b.identity(begin)) {
    partner[begin] = static_cast<int64_t>(begin);
    ++begin;
  }
  while (a_end > begin && b_end > begin && a.identity(a_end - 1) == b.identity(b_end - 1))
    partner[--a_end] = static_cast<int64_t>(--b_end);

  const size_t rows = a_end - begin, columns = b_end - begin;
  if (rows == 0 || columns == 0) return partner;
  // The table takes rows * columns. Graphs that differ in more than this bound are matched by what
  // comes next instead, which may find fewer partners.
  constexpr size_t most_cells = 30'000'000;
  if (rows > most_cells / columns) {
    std::unordered_map<std::string, std::vector<size_t>> places;
    for (size_t j = b_end; j-- > begin;) places[b.identity(j)].push_back(j);
    size_t next = begin;
    for (size_t i = begin; i < a_end; ++i) {
      std::vector<size_t>& left = places[a.identity(i)];
      while (!left.empty() && left.back() < next) left.pop_back();
      if (left.empty()) continue;
      partner[i] = static_cast<int64_t>(left.back());
      next = left.back() + 1;
    }
    return partner;
  }
  std::unordered_map<std::string, int32_t> numbers;
  const auto number = [&](const std::string& identity) {
    return numbers.emplace(identity, static_cast<int32_t>(numbers.size())).first->second;
  };
  std::vector<int32_t> left(rows), right(columns);
  for (size_t i = 0; i < rows; ++i) left[i] = number(a.identity(begin + i));
  for (size_t j = 0; j < columns; ++j) right[j] = number(b.identity(begin + j));
  std::vector<int32_t> longest((rows + 1) * (columns + 1), 0); // of the rest from (i, j) on
  const auto at = [&](size_t i, size_t j) -> int32_t& { return longest[i * (columns + 1) + j]; };
  for (size_t i = rows; i-- > 0;) {
    for (size_t j = columns; j-- > 0;) {
      at(i, j) = left[i] == right[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  for (size_t i = 0, j = 0; i < rows && j < columns;) {
    if (left[i] == right[j]) {
      partner[begin + i++] = static_cast<int64_t>(begin + j++);
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      ++i;
    } else {
      ++j;
    }
  }
  return partner;
}

using Change = GraphDifference::Change;

void compare_fields(const Json& before, const Json& after, const std::string& prefix,
                    std::vector<Change>& changes) {
  for (const auto& [name, value] : before.items()) {
    if (name == "sym_name") continue; // a label
    const auto other = after.find(name);
    const Json found = other == after.end() ? Json(nullptr) : *other;
    if (found != value) changes.push_back({prefix + name, value, found});
  }
  for (const auto& [name, value] : after.items()) {
    if (name != "sym_name" && !before.contains(name))
      changes.push_back({prefix + name, nullptr, value});
  }
}

void compare_lists(const Json& before, const Json& after, const std::string& what,
                   std::vector<Change>& changes) {
  for (size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
    const Json a = i < before.size() ? before[i] : Json(nullptr);
    const Json b = i < after.size() ? after[i] : Json(nullptr);
    if (a != b) changes.push_back({fmt::format("{} {}", what, i + 1), a, b});
  }
}

// Values by where they come from.
void compare_values(const Side& a, const Side& b, const std::vector<int64_t>& partner,
                    const Json& before, const Json& after, const std::string& what,
                    std::vector<Change>& changes) {
  for (size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
    if (i < before.size() && i < after.size()) {
      const Side::Source source = a.sources.at(before[i]), other = b.sources.at(after[i]);
      const int64_t expected =
          source.operation < 0 ? -1 : partner[static_cast<size_t>(source.operation)];
      const bool both_arguments = source.operation < 0 && other.operation < 0;
      const bool matched = source.operation >= 0 && expected >= 0 && expected == other.operation;
      if ((both_arguments || matched) && source.result == other.result) continue;
    }
    changes.push_back({fmt::format("{} {}", what, i + 1),
                       i < before.size() ? Json(a.text_of_source(before[i])) : Json(nullptr),
                       i < after.size() ? Json(b.text_of_source(after[i])) : Json(nullptr)});
  }
}

// Arguments and outputs without the names that the text gives them.
Json without_labels(const Json& list) {
  Json plain = list;
  for (Json& each : plain) each.erase("name");
  return plain;
}

double number_at(const TensorView& tensor, int64_t index) {
  switch (tensor.dtype) {
  case DType::f64: return load_at<double>(tensor.data, index);
  case DType::i64: return static_cast<double>(load_at<int64_t>(tensor.data, index));
  case DType::u64: return static_cast<double>(load_at<uint64_t>(tensor.data, index));
  case DType::i16: return load_at<int16_t>(tensor.data, index);
  case DType::u16: return load_at<uint16_t>(tensor.data, index);
  case DType::i8: return load_at<int8_t>(tensor.data, index);
  case DType::u8:
  case DType::boolean: return load_at<uint8_t>(tensor.data, index);
  case DType::bf16: {
    const uint32_t bits = static_cast<uint32_t>(load_at<uint16_t>(tensor.data, index)) << 16;
    float value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  default: return value_at(tensor, index);
  }
}

void measure(const TensorView& a, const TensorView& b, WeightDifference& difference) {
  const int64_t width = size_of(a.dtype);
  difference.elements = elements_of(a.shape);
  difference.measured = a.dtype != DType::f8_e4m3 && a.dtype != DType::f8_e5m2;
  const auto* left = static_cast<const char*>(a.data);
  const auto* right = static_cast<const char*>(b.data);
  for (int64_t i = 0; i < difference.elements; ++i) {
    if (std::memcmp(left + i * width, right + i * width, static_cast<size_t>(width)) == 0) continue;
    ++difference.differ;
    if (!difference.measured) continue;
    const double x = number_at(a, i), y = number_at(b, i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue; // zeros of two signs, NaN payloads
    double absolute = std::abs(x - y), relative = absolute / std::max(std::abs(x), std::abs(y));
    if (!std::isfinite(absolute)) absolute = relative = std::numeric_limits<double>::infinity();
    difference.absolute = std::max(difference.absolute, absolute);
    difference.relative = std::max(difference.relative, relative);
  }
}

} // namespace

std::vector<GraphDifference> graph_differences(const Json& before, const Json& after) {
  const Side a(before), b(after);
  const std::vector<int64_t> partner = match(a, b);
  using Kind = GraphDifference::Kind;
  std::vector<GraphDifference> differences;

  GraphDifference whole{Kind::changed, "graph", "", -1, -1, {}};
  for (const char* name : {"ir_version", "schema_digest", "weight_file"}) {
    if (before[name] != after[name]) whole.changes.push_back({name, before[name], after[name]});
  }
  compare_lists(without_labels(before["args"]), without_labels(after["args"]), "argument",
                whole.changes);
  compare_lists(without_labels(before["outputs"]), without_labels(after["outputs"]), "output",
                whole.changes);
  compare_values(a, b, partner, before["returns"], after["returns"], "returned value",
                 whole.changes);
  if (!whole.changes.empty()) differences.push_back(std::move(whole));

  const auto added = [&](size_t j) {
    const auto place = static_cast<int64_t>(j) + 1;
    differences.push_back({Kind::added, b.names[j], b.parameters[j], -1, place, {}});
  };
  size_t next = 0; // operation of B that has not been spoken of
  for (size_t i = 0; i < a.size(); ++i) {
    const auto place = static_cast<int64_t>(i) + 1;
    if (partner[i] < 0) {
      differences.push_back({Kind::removed, a.names[i], a.parameters[i], place, -1, {}});
      continue;
    }
    const auto j = static_cast<size_t>(partner[i]);
    while (next < j) added(next++);
    next = j + 1;
    const Json &x = before["ops"][i], &y = after["ops"][j];
    std::vector<Change> changes;
    compare_fields(x["attrs"], y["attrs"], "", changes);
    compare_values(a, b, partner, x["operands"], y["operands"], "operand", changes);
    compare_lists(x["result_types"], y["result_types"], "result type", changes);
    if (!changes.empty()) {
      differences.push_back({Kind::changed, a.names[i], a.parameters[i], place,
                             static_cast<int64_t>(j) + 1, std::move(changes)});
    }
  }
  while (next < b.size()) added(next++);
  return differences;
}

std::vector<WeightDifference> weight_differences(const SafetensorsFile& before,
                                                 const SafetensorsFile& after) {
  using Kind = WeightDifference::Kind;
  std::vector<WeightDifference> differences;
  for (const SafetensorsEntry& entry : before.entries()) {
    const TensorView& a = entry.view;
    WeightDifference difference;
    difference.key = entry.name;
    difference.before_dtype = a.dtype;
    difference.before_shape = a.shape;
    const SafetensorsEntry* other = after.find(entry.name);
    if (other == nullptr) {
      difference.kind = Kind::removed;
      differences.push_back(std::move(difference));
      continue;
    }
    const TensorView& b = other->view;
    difference.after_dtype = b.dtype;
    difference.after_shape = b.shape;
    if (a.dtype != b.dtype || a.shape != b.shape) {
      difference.kind = Kind::reshaped;
      differences.push_back(std::move(difference));
      continue;
    }
    measure(a, b, difference);
    if (difference.differ > 0) differences.push_back(std::move(difference));
  }
  for (const SafetensorsEntry& entry : after.entries()) {
    if (before.find(entry.name) != nullptr) continue;
    WeightDifference difference;
    difference.kind = Kind::added;
    difference.key = entry.name;
    difference.after_dtype = entry.view.dtype;
    difference.after_shape = entry.view.shape;
    differences.push_back(std::move(difference));
  }
  return differences;
}

} // namespace lattice::cli
