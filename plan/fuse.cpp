// Fusion of row-wise steps into products; see fuse.h.
#include "plan/fuse.h"

#include <algorithm>
#include <optional>

namespace lattice {

namespace {

size_t at(int32_t id) { return static_cast<size_t>(id); }

class Fuser {
 public:
  explicit Fuser(const Plan& plan) : plan_(plan), uses_(plan.values.size(), 0), maker_(plan.values.size()) {
    for (const Step& step : plan.steps) visit_inputs(step, [&](ValueId value) { ++uses_[at(value)]; });
    for (const Support& support : plan.supports) use(support.points);
    for (const PointMap& map : plan.point_maps) use(map.points);
    for (const PlanOutput& output : plan.outputs) use(output.value);
  }

  Plan run() {
    for (const Step& step : plan_.steps) place(step);
    Plan fused = plan_;
    fused.steps.clear();
    for (std::optional<Step>& step : steps_) {
      if (step) fused.steps.push_back(*std::move(step));
    }
    return fused;
  }

 private:
  void use(ValueId value) {
    if (value != no_id) ++uses_[at(value)];
  }

  void place(const Step& step) {
    if (const auto* rowwise = std::get_if<RowwiseOp>(&step.op)) {
      if (Step* host = product_of(rowwise->x, step)) {
        append(*host, rowwise->op, step);
        set_maker(rowwise->y, *maker_[at(rowwise->x)]);
        return;
      }
    } else if (const auto* sum = std::get_if<Binary>(&step.op)) {
      if (place_residual(*sum, step)) return;
    }
    steps_.push_back(step);
    set_maker(output_of(step), steps_.size() - 1);
  }

  // The later of the two sides hosts the sum if it can; else the earlier, moved behind the later.
  bool place_residual(const Binary& sum, const Step& step) {
    if (sum.op != BinaryOp::add || sum.lhs_relation.id != no_id || sum.rhs_relation.id != no_id) return false;
    if (sum.lhs == sum.rhs) return false;
    const auto made_at = [&](ValueId value) { return maker_[at(value)].value_or(0); };
    const bool rhs_later = made_at(sum.rhs) >= made_at(sum.lhs);
    for (const bool rhs_hosts : {rhs_later, !rhs_later}) {
      const ValueId inner = rhs_hosts ? sum.rhs : sum.lhs;
      Step* host = product_of(inner, step);
      if (host == nullptr) continue;
      EpilogueOp entry;
      entry.kind = EpilogueOp::Kind::residual;
      entry.residual = rhs_hosts ? sum.lhs : sum.rhs;
      entry.residual_first = rhs_hosts;
      entry.where = step.where;
      append(*host, entry, step);
      // Behind everything so far: the other side is there, and nothing else reads the host's value.
      const size_t index = *maker_[at(inner)];
      if (index + 1 != steps_.size()) {
        steps_.push_back(std::move(steps_[index]));
        steps_[index].reset();
      }
      set_maker(sum.y, steps_.size() - 1);
      return true;
    }
    return false;
  }

  void set_maker(ValueId value, size_t index) { maker_[at(value)] = index; }

  // The product that makes `value`, if `step` alone reads it and both run in one phase.
  Step* product_of(ValueId value, const Step& step) {
    if (uses_[at(value)] != 1 || !maker_[at(value)]) return nullptr;
    Step& maker = *steps_[*maker_[at(value)]];
    const bool product = std::holds_alternative<RelationMatmul>(maker.op) || std::holds_alternative<RowsMatmul>(maker.op);
    return product && maker.phase == step.phase ? &maker : nullptr;
  }

  static void append(Step& host, const EpilogueOp& entry, const Step& step) {
    host.name += "+" + step.name;
    const ValueId y = output_of(step);
    if (auto* relation = std::get_if<RelationMatmul>(&host.op)) {
      relation->epilogue.push_back(entry);
      relation->y = y;
    } else {
      auto& rows = std::get<RowsMatmul>(host.op);
      rows.epilogue.push_back(entry);
      rows.y = y;
    }
  }

  const Plan& plan_;
  std::vector<int32_t> uses_;
  std::vector<std::optional<size_t>> maker_;  // by value: index into steps_
  std::vector<std::optional<Step>> steps_;
};

}  // namespace

Plan fuse(const Plan& plan) { return Fuser(plan).run(); }

}  // namespace lattice
