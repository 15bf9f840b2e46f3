// The steps of a plan as a graph for dot: boxes for steps, ellipses for inputs and outputs.
#include <fmt/format.h>

#include "plan/describe.h"
#include "plan/dump.h"

namespace lattice {

namespace {

std::string quoted(const std::string& text) {
  std::string safe = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') safe += '\\';
    if (c == '\n') {
      safe += "\\n";
    } else {
      safe += c;
    }
  }
  return safe + "\"";
}

}  // namespace

std::string dump_dot(const Plan& plan) {
  std::string text = "digraph plan {\n  rankdir = TB;\n  node [shape = box, fontname = \"sans-serif\", fontsize = 10];\n";
  for (size_t i = 0; i < plan.values.size(); ++i) {
    const Value& value = plan.values[i];
    if (value.argument == no_id) continue;
    const std::string& name = plan.signature.arguments[static_cast<size_t>(value.argument)].name;
    text += fmt::format("  v{} [shape = ellipse, label = {}];\n", i, quoted(name + "\n" + describe_shape(value, plan)));
  }
  for (const Step& step : plan.steps) {
    const ValueId y = output_of(step);
    std::string label = step.name;
    if (!step.parameter.empty()) label += "\n" + step.parameter;
    label += "\n" + describe_shape(plan.values[static_cast<size_t>(y)], plan);
    text += fmt::format("  v{} [label = {}];\n", y, quoted(label));
    visit_inputs(step, [&](ValueId x) { text += fmt::format("  v{} -> v{};\n", x, y); });
  }
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    if (plan.outputs[i].value == no_id) continue;
    text += fmt::format("  out{} [shape = ellipse, label = {}];\n  v{} -> out{};\n", i,
                        quoted(plan.signature.outputs[i].name), plan.outputs[i].value, i);
  }
  return text + "}\n";
}

}  // namespace lattice
