// Results against expected ones, element by element; see compare.h for the rules.
#include "tools/lattice/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/lattice/console.h"
#include "tools/lattice/values.h"

namespace lattice::cli {
namespace {

using Coordinate = std::array<int32_t, 4>; // batch, x, y, z

std::string text_of_row(const Coordinate& row) { return fmt::format("({})", fmt::join(row, ", ")); }

// How far an element is over its tolerance; 0 or less passes.
double excess(double got, double expected, const Tolerance& tolerance) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (std::isnan(got) && std::isnan(expected)) return -infinity;
  if (!std::isfinite(got) || !std::isfinite(expected))
    return got == expected ? -infinity : infinity;
  return std::abs(got - expected) - (tolerance.absolute + tolerance.relative * std::abs(expected));
}

// Collects the elements of one tensor.
class Tally {
 public:
  Tally(Comparison& comparison, const Tolerance& tolerance)
      : comparison_(comparison), tolerance_(tolerance) {}

  // `place` makes the WorstElement's place, asked for only when this element is the worst so far.
  template <class Place>
  void add(double got, double expected, bool exact, Place place) {
    ++total_;
    if (std::isfinite(got) && std::isfinite(expected)) {
      comparison_.largest_difference =
          std::max(comparison_.largest_difference, std::abs(got - expected));
    }
    const double by = excess(got, expected, exact ? Tolerance{0, 0} : tolerance_);
    if (by <= 0) return;
    ++over_;
    if (worst_ && by <= worst_by_) return;
    worst_by_ = by;
    worst_ = place();
    worst_->got = got;
    worst_->expected = expected;
  }

  void finish(const std::string& key) {
    comparison_.values += total_;
    if (over_ == 0) return;
    comparison_.mismatches.push_back(
        {key, fmt::format("{} of {} elements over the tolerance", grouped(over_), grouped(total_)),
         worst_, over_, total_});
  }

 private:
  Comparison& comparison_;
  const Tolerance& tolerance_;
  int64_t total_ = 0;
  int64_t over_ = 0;
  double worst_by_ = 0;
  std::optional<WorstElement> worst_;
};

std::vector<int64_t> index_of(int64_t element, const Shape& shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = element % shape[axis];
    element /= shape[axis];
  }
  return index;
}

// Float tensors may be stored in either float type; anything else must have the very type.
bool comparable(DType got, DType expected) {
  return got == expected || (is_float(got) && is_float(expected));
}

std::string described(const TensorView& tensor) {
  return fmt::format("{} of {}", text_of(tensor.shape), name_of(tensor.dtype));
}

void compare_dense(const std::string& key, const TensorView& got, const TensorView& expected,
                   const Tolerance& tolerance, Comparison& comparison) {
  if (got.shape != expected.shape || !comparable(got.dtype, expected.dtype)) {
    comparison.mismatches.push_back(
        {key, fmt::format("{}, expected {}", described(got), described(expected)), {}});
    return;
  }
  Tally tally(comparison, tolerance);
  const int64_t count = elements_of(got.shape);
  for (int64_t i = 0; i < count; ++i) {
    tally.add(value_at(got, i), value_at(expected, i), !is_float(got.dtype), [&] {
      return WorstElement{index_of(i, got.shape), {}};
    });
  }
  tally.finish(key);
}

// Rows of (N, 4) i32 coordinates and their order by coordinate.
struct SortedRows {
  std::vector<Coordinate> rows;
  std::vector<int64_t> order;

  SortedRows(const TensorView& coords, int64_t count)
      : rows(static_cast<size_t>(count)), order(rows.size()) {
    for (size_t row = 0; row < rows.size(); ++row) {
      for (size_t axis = 0; axis < 4; ++axis)
        rows[row][axis] = load_at<int32_t>(coords.data, static_cast<int64_t>(row * 4 + axis));
    }
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return at(a) < at(b); });
  }

  const Coordinate& at(int64_t row) const { return rows[static_cast<size_t>(row)]; }
};

// Calls missing(row of expected), extra(row of got) and both(got, expected) as the sorted rows
// meet.
template <class Missing, class Extra, class Both>
void merge(const SortedRows& got, const SortedRows& expected, Missing missing, Extra extra,
           Both both) {
  size_t g = 0, e = 0;
  while (g < got.order.size() || e < expected.order.size()) {
    const bool got_ends = g == got.order.size(), expected_ends = e == expected.order.size();
    if (got_ends || (!expected_ends && expected.at(expected.order[e]) < got.at(got.order[g]))) {
      missing(expected.order[e++]);
    } else if (expected_ends || got.at(got.order[g]) < expected.at(expected.order[e])) {
      extra(got.order[g++]);
    } else {
      both(got.order[g++], expected.order[e++]);
    }
  }
}

void compare_sparse(const std::string& name, const SparseTensor& got, const TensorView& coords,
                    const TensorView& features, const TensorView& active,
                    const Tolerance& tolerance, Comparison& comparison) {
  const auto differ = [&](const char* part, std::string message) {
    comparison.mismatches.push_back({name + part, std::move(message), {}});
  };
  if (coords.dtype != DType::i32 || coords.shape.size() != 2 || coords.shape[1] != 4) {
    return differ(".coords",
                  fmt::format("the file holds {}, which are no coordinates: (n, 4) of i32",
                              described(coords)));
  }
  if (active.dtype != DType::i32 || elements_of(active.shape) != 1) {
    return differ(".active", fmt::format("the file holds {}, which is no count of rows: (1) of i32",
                                         described(active)));
  }
  const int64_t count = load_at<int32_t>(active.data, 0);
  if (count < 0 || count > coords.shape[0]) {
    return differ(".active", fmt::format("the file holds {} for {} rows", count, coords.shape[0]));
  }
  const int64_t channels = got.features.shape[1];
  if (features.shape.size() != 2 || features.shape[0] != coords.shape[0] ||
      features.shape[1] != channels || !comparable(got.features.dtype, features.dtype)) {
    return differ(".features", fmt::format("{}, expected {}", described(got.features.view()),
                                           described(features)));
  }
  if (got.coords.shape[0] != count) {
    differ(".active",
           fmt::format("{} rows, expected {}", grouped(got.coords.shape[0]), grouped(count)));
  }

  const SortedRows got_rows(got.coords.view(), got.coords.shape[0]);
  const SortedRows expected_rows(coords, count);
  std::vector<int64_t> missing, extra;
  Tally tally(comparison, tolerance);
  const TensorView got_features = got.features.view();
  merge(
      got_rows, expected_rows, [&](int64_t row) { missing.push_back(row); },
      [&](int64_t row) { extra.push_back(row); },
      [&](int64_t g, int64_t e) {
        for (int64_t channel = 0; channel < channels; ++channel) {
          tally.add(value_at(got_features, g * channels + channel),
                    value_at(features, e * channels + channel), false, [&] {
                      return WorstElement{{channel}, got_rows.at(g)};
                    });
        }
      });
  if (!missing.empty() || !extra.empty()) {
    std::string message;
    if (!missing.empty()) {
      message = fmt::format("{} expected rows are missing, the first is {}",
                            grouped(static_cast<int64_t>(missing.size())),
                            text_of_row(expected_rows.at(missing.front())));
    }
    if (!extra.empty()) {
      message += fmt::format(
          "{}{} rows are not expected, the first is {}", message.empty() ? "" : "; ",
          grouped(static_cast<int64_t>(extra.size())), text_of_row(got_rows.at(extra.front())));
    }
    differ(".coords", std::move(message));
  }
  tally.finish(name + ".features");
}

} // namespace

Comparison compare(const Outputs& outputs, const SafetensorsFile& expected,
                   const Tolerance& tolerance) {
  Comparison comparison;
  std::unordered_set<std::string> known;
  const auto find = [&](const std::string& key) -> const TensorView* {
    known.insert(key);
    const SafetensorsEntry* entry = expected.find(key);
    if (entry == nullptr)
      comparison.mismatches.push_back({key, "the expected file has no such tensor", {}});
    return entry == nullptr ? nullptr : &entry->view;
  };
  for (const Output& output : outputs) {
    if (output.is_sparse()) {
      const TensorView* coords = find(output.name + ".coords");
      const TensorView* features = find(output.name + ".features");
      const TensorView* active = find(output.name + ".active");
      if (coords != nullptr && features != nullptr && active != nullptr) {
        compare_sparse(output.name, output.sparse(), *coords, *features, *active, tolerance,
                       comparison);
      }
    } else if (const TensorView* tensor = find(output.name)) {
      compare_dense(output.name, output.tensor().view(), *tensor, tolerance, comparison);
    }
  }
  for (const SafetensorsEntry& entry : expected.entries()) {
    if (!known.contains(entry.name)) {
      comparison.mismatches.push_back(
          {entry.name, "the expected file holds it, but the graph has no such output", {}});
    }
  }
  return comparison;
}

std::string text_of(const Mismatch& mismatch) {
  std::string text = fmt::format("{}: {}", mismatch.key, mismatch.message);
  if (!mismatch.worst) return text;
  const WorstElement& worst = *mismatch.worst;
  const std::string place = worst.coordinate
                                ? fmt::format("channel {} of voxel {}", worst.index.front(),
                                              text_of_row(*worst.coordinate))
                                : fmt::format("element ({})", fmt::join(worst.index, ", "));
  return fmt::format("{}; worst: {} is {:.9g}, expected {:.9g}", text, place, worst.got,
                     worst.expected);
}

} // namespace lattice::cli
