// The plan as one JSON object, for scripts.
#include <nlohmann/json.hpp>

#include "base/tensor.h"
#include "plan/describe.h"
#include "plan/dump.h"
#include "plan/names.h"

namespace lattice {

namespace {

using nlohmann::json;

json place(const Location& where) { return {{"file", where.file}, {"line", where.line}, {"column", where.column}}; }

json arguments(const Signature& signature) {
  json list = json::array();
  for (const ArgumentInfo& argument : signature.arguments) {
    json entry = {{"name", argument.name}, {"role", name_of(argument.role)}, {"dtype", name_of(argument.dtype)},
                  {"shape", argument.shape}};
    if (argument.group >= 0) {
      const SparseGroup& group = signature.groups[static_cast<size_t>(argument.group)];
      entry["group"] = group.name;
      entry["stride"] = group.stride;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

json outputs(const Signature& signature) {
  json list = json::array();
  for (const OutputInfo& output : signature.outputs) {
    json entry = {{"name", output.name}, {"role", name_of(output.role)}, {"dtype", name_of(output.dtype)},
                  {"shape", output.shape}};
    if (output.role == Role::sparse_tensor) entry["stride"] = output.stride;
    list.push_back(std::move(entry));
  }
  return list;
}

json topology(const Plan& plan) {
  json list = json::array();
  for (const TopologyStep& step : plan.topology) {
    const auto id = static_cast<size_t>(step.id);
    json entry = {{"id", step.id}};
    switch (step.kind) {
      case TopologyStep::Kind::support: {
        const Support& support = plan.supports[id];
        entry.update({{"kind", "support"}, {"rule", name_of(support.rule)}, {"text", describe(support, plan)},
                      {"stride", support.stride}, {"phase", support.phase}, {"where", place(support.where)}});
        break;
      }
      case TopologyStep::Kind::relation: {
        const Relation& relation = plan.relations[id];
        entry.update({{"kind", "relation"}, {"fine", relation.fine}, {"coarse", relation.coarse},
                      {"kernel_size", relation.size}, {"stride", relation.stride}, {"dilation", relation.dilation},
                      {"base", relation.base}, {"phase", relation.phase}, {"where", place(relation.where)}});
        break;
      }
      case TopologyStep::Kind::point_map: {
        const PointMap& map = plan.point_maps[id];
        entry.update({{"kind", "point_map"}, {"voxels", map.voxels}, {"points", map.points},
                      {"interpolation", name_of(map.interpolation)}, {"phase", map.phase}, {"where", place(map.where)}});
        break;
      }
      case TopologyStep::Kind::batches: {
        const Batches& batches = plan.batches[id];
        entry.update({{"kind", "batches"}, {"support", batches.support}, {"batch_size", batches.batch_size},
                      {"phase", batches.phase}, {"where", place(batches.where)}});
        break;
      }
    }
    list.push_back(std::move(entry));
  }
  return list;
}

json steps(const Plan& plan) {
  json list = json::array();
  for (const Step& step : plan.steps) {
    const ValueId y = output_of(step);
    const Value& value = plan.values[static_cast<size_t>(y)];
    json entry = {{"name", step.name}, {"parameter", step.parameter}, {"output", y}, {"dtype", name_of(value.dtype)},
                  {"phase", step.phase}, {"where", place(step.where)}};
    entry["shape"] = json::array();
    for (const Extent& extent : value.shape) entry["shape"].push_back(describe(extent, plan));
    entry["inputs"] = json::array();
    visit_inputs(step, [&](ValueId input) { entry["inputs"].push_back(input); });
    entry["relations"] = json::array();
    for (const RelationUse& use : relations_of(step)) {
      entry["relations"].push_back({{"id", use.id}, {"direction", name_of(use.direction)}});
    }
    entry["weights"] = json::array();
    for (const WeightId id : weights_of(step)) entry["weights"].push_back(plan.weights[static_cast<size_t>(id)].storage_key);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

std::string dump_json(const Plan& plan) {
  json weights = json::array();
  int64_t parameters = 0, bytes = 0;
  for (const Weight& weight : plan.weights) {
    parameters += parameters_of(weight);
    bytes += bytes_of(weight);
    json entry = {{"key", weight.storage_key}, {"family", name_of(weight.family)}, {"shape", weight.data.shape},
                  {"dtype", name_of(weight.dtype)}, {"bytes", bytes_of(weight)}, {"where", place(weight.where)}};
    if (weight.bits != 0) entry["packing"] = {{"bits", weight.bits}, {"group_size", weight.group_size}};
    weights.push_back(std::move(entry));
  }
  const json whole = {{"schema_digest", plan.signature.schema_digest},
                      {"contract", plan.signature.contract},
                      {"inputs", arguments(plan.signature)},
                      {"outputs", outputs(plan.signature)},
                      {"parameters", parameters},
                      {"weight_bytes", bytes},
                      {"weights", std::move(weights)},
                      {"unused_weights", plan.unused_weights},
                      {"phases", plan.phases},
                      {"topology", topology(plan)},
                      {"steps", steps(plan)}};
  return whole.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace lattice
