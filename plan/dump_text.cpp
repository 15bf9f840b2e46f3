// The plan as text: signature, parameters, topology, steps, unused weights. Fits 80 columns where it can.
#include <fmt/format.h>

#include "base/tensor.h"
#include "plan/describe.h"
#include "plan/dump.h"
#include "plan/names.h"

namespace lattice {

namespace {

std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (int64_t at = static_cast<int64_t>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<size_t>(at), ",");
  return digits;
}

std::string operands(const Step& step) {
  std::string text;
  visit_inputs(step, [&](ValueId value) { text += fmt::format("{}v{}", text.empty() ? "" : ", ", value); });
  for (const RelationUse& use : relations_of(step)) {
    text += fmt::format("{}r{}{}", text.empty() ? "" : ", ", use.id, use.direction == Direction::transposed ? "^T" : "");
  }
  return text;
}

// A line with the place it comes from, which gets a line of its own where 80 columns do not hold both.
std::string placed(const std::string& line, const Location& where) {
  const std::string place = text_of(where);
  return "\n  " + line + (line.size() + place.size() + 4 > 80 ? "\n         " : "  ") + place;
}

}  // namespace

std::string dump_text(const Plan& plan) {
  std::string text = text_of(plan.signature);
  int64_t parameters = 0, bytes = 0;
  for (const Weight& weight : plan.weights) {
    parameters += parameters_of(weight);
    bytes += bytes_of(weight);
  }
  text += fmt::format("\n\ncontract: {}\ndigest: {}", plan.signature.contract.empty() ? "unknown" : plan.signature.contract,
                      plan.signature.schema_digest);
  text += fmt::format("\nparameters: {} in {} weights, {} bytes", grouped(parameters), plan.weights.size(), grouped(bytes));
  text += "\n\ntopology:";
  for (const TopologyStep& step : plan.topology) {
    const auto id = static_cast<size_t>(step.id);
    switch (step.kind) {
      case TopologyStep::Kind::support: {
        const Support& support = plan.supports[id];
        text += placed(fmt::format("s{:<3} {}; stride {}", id, describe(support, plan), text_of(support.stride)),
                       support.where);
        break;
      }
      case TopologyStep::Kind::relation: {
        text += placed(fmt::format("r{:<3} {}", id, describe(plan.relations[id])), plan.relations[id].where);
        break;
      }
      case TopologyStep::Kind::point_map: {
        const PointMap& map = plan.point_maps[id];
        text += placed(fmt::format("p{:<3} {} voxels of s{} for the points v{}", id, name_of(map.interpolation), map.voxels,
                                   map.points),
                       map.where);
        break;
      }
      case TopologyStep::Kind::batches: {
        text += placed(fmt::format("b{:<3} batches of s{}", id, plan.batches[id].support), plan.batches[id].where);
        break;
      }
    }
  }
  text += "\n\nsteps:";
  for (const Step& step : plan.steps) {
    const ValueId y = output_of(step);
    text += placed(fmt::format("v{:<3} {} ({}) : {}", y, step.name, operands(step),
                               describe_shape(plan.values[static_cast<size_t>(y)], plan)),
                   step.where);
    for (const WeightId id : weights_of(step)) {
      const Weight& weight = plan.weights[static_cast<size_t>(id)];
      text += fmt::format("\n         {} {} {}", name_of(weight.family), weight.storage_key, describe(weight));
    }
  }
  if (plan.phases > 1) text += fmt::format("\n\ntopology phases: {}", plan.phases);
  text += fmt::format("\n\nunused weights: {}", plan.unused_weights.empty() ? "none" : fmt::format("{}", fmt::join(plan.unused_weights, ", ")));
  return text + "\n";
}

}  // namespace lattice
