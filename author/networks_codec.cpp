// A small codec for occupancy and attributes: normalized convolutions down to a rounded code,
// generative and normalized transposed ones back up. The entropy coder is not part of it.
#include <string>

#include "author/layers.h"

namespace lattice::author {
namespace {

constexpr int64_t inputs = 4, width = 16, code_channels = 8;
constexpr Triple twice{2, 2, 2};

} // namespace

Result<GraphBuilder> make_codec(const NetworkOptions& options) {
  Layers net(options, 1e-5f, Scene::sweep);
  GraphBuilder& graph = net.builder();
  LATTICE_TRY(const Flow x, net.input(inputs, 200));
  // A weight (packed only where the format packs) and its bias. Normalized convolutions take any
  // scale.
  struct Parameters {
    Value weight, bias;
  };
  const auto parameters = [&](const std::string& name, int64_t from, int64_t to, Triple size,
                              double edges, bool packable) -> Result<Parameters> {
    LATTICE_TRY(const Value weight,
                net.conv_weight(name + ".weight", to, size, from, edges, packable));
    LATTICE_TRY(const Value bias, net.bias(name + ".bias", to));
    return Parameters{weight, bias};
  };

  // Analysis: strides 1, 2, 4.
  LATTICE_TRY(const auto first, parameters("analysis.conv1", inputs, width, {3, 3, 3}, 7, false));
  LATTICE_TRY(Value y,
              graph.normalized_subm_conv3d(x.value, first.weight, first.bias, {1, 1, 1}, 1e-6f));
  LATTICE_TRY(y, graph.activation(y, "leaky_relu"));
  LATTICE_TRY(const auto down1, parameters("analysis.down1", width, 2 * width, twice, 2, true));
  LATTICE_TRY(y, graph.conv3d(y, down1.weight, down1.bias, twice));
  LATTICE_TRY(const Value fine, graph.activation(y, "leaky_relu"));
  LATTICE_TRY(const auto down2,
              parameters("analysis.down2", 2 * width, code_channels, twice, 2, true));
  LATTICE_TRY(y, graph.conv3d(fine, down2.weight, down2.bias, twice));
  LATTICE_TRY(const Value code, graph.elementwise(y, "round"));
  LATTICE_CHECK(graph.output("code", code));

  // Synthesis of occupancy: every child of every code voxel, with a probability.
  LATTICE_TRY(const auto up1,
              parameters("occupancy.up1", code_channels, 2 * width, twice, 1, true));
  LATTICE_TRY(Value grown, graph.generative_conv_transpose3d(code, up1.weight, up1.bias, twice));
  LATTICE_TRY(grown, graph.activation(grown, "leaky_relu"));
  LATTICE_TRY(const auto up2, parameters("occupancy.up2", 2 * width, width, twice, 1, false));
  LATTICE_TRY(grown, graph.normalized_generative_conv_transpose3d(grown, up2.weight, up2.bias,
                                                                  twice, 1e-6f));
  LATTICE_TRY(grown, graph.activation(grown, "leaky_relu"));
  LATTICE_TRY(const Flow logit, net.pointwise_bias("occupancy.head", {grown, 1}, 1));
  LATTICE_TRY(const Value probability, graph.activation(logit.value, "sigmoid"));
  LATTICE_CHECK(graph.output("occupancy", probability));

  // Synthesis of attributes on rows that are known.
  LATTICE_TRY(const auto back1,
              parameters("attributes.up1", code_channels, 2 * width, twice, 1, false));
  LATTICE_TRY(Value known,
              graph.target_normalized_conv_transpose3d(code, fine, back1.weight, back1.bias, twice,
                                                       {0, 0, 0}, {1, 1, 1}, 1e-6f));
  LATTICE_TRY(known, graph.activation(known, "leaky_relu"));
  LATTICE_TRY(const auto back2, parameters("attributes.up2", 2 * width, inputs, twice, 1, true));
  LATTICE_TRY(known,
              graph.target_conv_transpose3d(known, x.value, back2.weight, back2.bias, twice));
  LATTICE_CHECK(graph.output("attributes", known));
  return net.take();
}

} // namespace lattice::author
