// Texts of describe.h.
#include "plan/describe.h"

#include <fmt/format.h>

#include "base/tensor.h"
#include "plan/names.h"

namespace lattice {

std::string describe(const IntSource& source, const Plan& plan) {
  switch (source.kind) {
    case IntSource::Kind::argument: return plan.signature.arguments[static_cast<size_t>(source.id)].name;
    case IntSource::Kind::coords: return fmt::format("coords of s{}", source.id);
    case IntSource::Kind::count: return fmt::format("active rows of s{}", source.id);
    case IntSource::Kind::nothing: break;
  }
  return "nothing";
}

std::string describe(const Extent& extent, const Plan& plan) {
  switch (extent.kind) {
    case Extent::Kind::fixed: return fmt::format("{}", extent.value);
    case Extent::Kind::argument:
      return fmt::format("{}[{}]", plan.signature.arguments[static_cast<size_t>(extent.value)].name, extent.axis);
    case Extent::Kind::support: return fmt::format("s{}", extent.value);
    case Extent::Kind::batches: return fmt::format("b{}", extent.value);
  }
  return "?";
}

std::string describe_shape(const Value& value, const Plan& plan) {
  std::string text;
  for (const Extent& extent : value.shape) text += (text.empty() ? "" : " x ") + describe(extent, plan);
  return text + (text.empty() ? "" : " ") + name_of(value.dtype);
}

std::string describe(const Support& support, const Plan& plan) {
  switch (support.rule) {
    case SupportRule::made:
      return fmt::format("made from {}, {} rows count", describe(support.coords, plan), describe(support.active, plan));
    case SupportRule::floor: return fmt::format("floor of s{} by {}", support.from, text_of(support.kernel_stride));
    case SupportRule::transposed:
      return fmt::format("transposed from s{}, kernel {} stride {} padding {} dilation {}", support.from,
                         text_of(support.kernel_size), text_of(support.kernel_stride), text_of(support.padding),
                         text_of(support.dilation));
    case SupportRule::joined: return fmt::format("{} join of s{} and s{}", name_of(support.join), support.from, support.other);
    case SupportRule::voxels:
      return fmt::format("voxels of v{}, size ({}, {}, {}), origin ({}, {}, {})", support.points, support.voxel_size[0],
                         support.voxel_size[1], support.voxel_size[2], support.origin[0], support.origin[1],
                         support.origin[2]);
  }
  return "unknown";
}

std::string describe(const Relation& relation) {
  std::string text = fmt::format("s{} <-> s{}, kernel {}", relation.fine, relation.coarse, text_of(relation.size));
  if (relation.stride != Triple{1, 1, 1}) text += " stride " + text_of(relation.stride);
  if (relation.dilation != Triple{1, 1, 1}) text += " dilation " + text_of(relation.dilation);
  if (relation.base != Triple{0, 0, 0}) text += " base " + text_of(relation.base);
  return text;
}

std::string describe(const Weight& weight) {
  if (weight.bits == 0) return fmt::format("{} {}", text_of(weight.data.shape), name_of(weight.dtype));
  return fmt::format("{} int{} codes, groups of {}, scales {} {}", text_of(weight.data.shape), weight.bits,
                     weight.group_size, text_of(weight.scales.shape), name_of(weight.scales.dtype));
}

int64_t parameters_of(const Weight& weight) {
  const int64_t stored = elements_of(weight.data.shape);
  return weight.bits == 0 ? stored : stored * (32 / weight.bits);
}

int64_t bytes_of(const Weight& weight) {
  const auto bytes = [](const TensorView& view) { return elements_of(view.shape) * size_of(view.dtype); };
  return bytes(weight.data) + (weight.bits == 0 ? 0 : bytes(weight.scales) + bytes(weight.biases));
}

namespace {

template <class T>
concept HasWeight = requires(const T& op) { op.weight; };
template <class T>
concept HasBias = requires(const T& op) { op.bias; };
template <class T>
concept HasScale = requires(const T& op) { op.scale + 0; };
template <class T>
concept HasRelation = requires(const T& op) { op.relation; };
template <class T>
concept HasTwoRelations = requires(const T& op) { op.lhs_relation; };

void append_entry(const EpilogueOp& entry, std::vector<WeightId>& list) {
  if (entry.kind == EpilogueOp::Kind::batch_norm) list.insert(list.end(), {entry.scale, entry.bias, entry.mean, entry.var});
}

}  // namespace

std::vector<WeightId> weights_of(const Step& step) {
  std::vector<WeightId> list;
  std::visit(
      [&](const auto& op) {
        using T = std::decay_t<decltype(op)>;
        if constexpr (HasWeight<T>) list.push_back(op.weight);
        if constexpr (HasScale<T>) list.push_back(op.scale);
        if constexpr (HasBias<T>) list.push_back(op.bias);
        if constexpr (detail::HasEpilogue<T>) {
          for (const EpilogueOp& entry : op.epilogue) append_entry(entry, list);
        }
        if constexpr (std::is_same_v<T, RowwiseOp>) append_entry(op.op, list);
      },
      step.op);
  std::erase(list, no_id);
  return list;
}

std::vector<RelationUse> relations_of(const Step& step) {
  std::vector<RelationUse> list;
  std::visit(
      [&](const auto& op) {
        using T = std::decay_t<decltype(op)>;
        if constexpr (HasRelation<T>) list.push_back(op.relation);
        if constexpr (HasTwoRelations<T>) {
          list.push_back(op.lhs_relation);
          list.push_back(op.rhs_relation);
        }
      },
      step.op);
  std::erase_if(list, [](const RelationUse& use) { return use.id == no_id; });
  return list;
}

}  // namespace lattice
