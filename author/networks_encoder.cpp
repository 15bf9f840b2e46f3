// The 3D encoder of CenterPoint, with floor support: residual blocks at strides 1, 2, 4 and 8, then
// one step along z. The bird's-eye part of the detector is no sparse network and not here.
#include <fmt/format.h>

#include "author/layers.h"

namespace lattice::author {

Result<GraphBuilder> make_centerpoint(const NetworkOptions& options) {
  Layers net(options, 1e-3f, Scene::sweep);
  LATTICE_TRY(Flow x, net.input(5, 1000)); // metres, and intensity up to 255
  const auto norm_relu = [&](const std::string& name) -> Status {
    LATTICE_TRY(x, net.batch_norm(name, x));
    LATTICE_TRY(x, net.relu(x));
    return {};
  };
  LATTICE_TRY(x, net.subm("conv_input.conv", x, 16, 3));
  LATTICE_CHECK(norm_relu("conv_input.bn"));
  int64_t channels = 16;
  for (int stage = 1; stage <= 4; ++stage) {
    if (stage > 1) {
      channels *= 2;
      LATTICE_TRY(
          x, net.down(fmt::format("conv{}.down.conv", stage), x, channels, {3, 3, 3}, {2, 2, 2}));
      LATTICE_CHECK(norm_relu(fmt::format("conv{}.down.bn", stage)));
    }
    for (int i = 0; i < 2; ++i) {
      LATTICE_TRY(x, net.block(fmt::format("conv{}.block{}", stage, i), x, channels));
    }
  }
  LATTICE_TRY(x, net.down("conv_out.conv", x, 128, {1, 1, 3}, {1, 1, 2}));
  LATTICE_CHECK(norm_relu("conv_out.bn"));
  LATTICE_CHECK(net.builder().output("encoding", x.value));
  return net.take();
}

} // namespace lattice::author
