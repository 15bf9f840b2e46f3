// Extents and size checks of sizes.h.
#include "exec/sizes.h"

#include <fmt/format.h>

namespace lattice {

int64_t size_of(const Extent& extent, const BoundInputs& inputs, const Counts& counts) {
  switch (extent.kind) {
  case Extent::Kind::fixed: return extent.value;
  case Extent::Kind::argument:
    return inputs.arguments[static_cast<size_t>(extent.value)]
        .shape[static_cast<size_t>(extent.axis)];
  case Extent::Kind::support: return counts.support(static_cast<SupportId>(extent.value));
  case Extent::Kind::batches: return counts.batches(static_cast<BatchesId>(extent.value));
  }
  return 0;
}

Shape shape_of(const Value& value, const BoundInputs& inputs, const Counts& counts) {
  Shape shape;
  for (const Extent& extent : value.shape) shape.push_back(size_of(extent, inputs, counts));
  return shape;
}

namespace {
// A topology is prepared without the arguments that only features read; their sizes are checked in the run.
bool is_known(const Extent& extent, const BoundInputs& inputs) {
  return extent.kind != Extent::Kind::argument || inputs.present[static_cast<size_t>(extent.value)];
}
}  // namespace

Status check_sizes(const Plan& plan, int32_t phase, const BoundInputs& inputs,
                   const Counts& counts) {
  for (const SizeCheck& check : plan.checks) {
    if (check.phase != phase) continue;
    const auto known = [&](const Extent& extent) { return is_known(extent, inputs); };
    if (!known(check.found) || !known(check.expected) || !known(check.or_expected)) continue;
    const int64_t found = size_of(check.found, inputs, counts);
    const int64_t expected = size_of(check.expected, inputs, counts);
    const int64_t other = size_of(check.or_expected, inputs, counts);
    if (found == expected || found == other) continue;
    const std::string alternative = other == expected ? "" : fmt::format(" or {}", other);
    return fail(
        Code::input,
        fmt::format("{}: found {}, expected {}{}", check.what, found, expected, alternative),
        check.where);
  }
  return {};
}

} // namespace lattice
