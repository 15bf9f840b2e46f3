// U-Nets for segmentation: MinkUNet42, MinkUNet18, SpUNet34 and the small one. Encoder and decoder
// differ in numbers only; what the numbers are is at the end.
#include <array>
#include <vector>

#include <fmt/format.h>

#include "author/layers.h"

namespace lattice::author {
namespace {

struct UNet {
  Scene scene;
  int64_t inputs;
  double power;              // mean square of the input features
  std::vector<int64_t> stem; // kernel sizes of the stem's convolutions
  int64_t stem_channels;
  int64_t stem_blocks;
  std::vector<int64_t> encoder, encoder_blocks;
  std::vector<int64_t> decoder, decoder_blocks;
  bool down_changes_channels; // the strided convolution goes to the new channels, not the block
                              // after it
  int64_t classes;
  bool linear_head; // else a 1x1x1 convolution
};

Result<Flow> conv_norm_relu(Layers& net, const std::string& norm, Result<Flow> convolution) {
  LATTICE_TRY(Flow x, std::move(convolution));
  LATTICE_TRY(x, net.batch_norm(norm, x));
  return net.relu(x);
}

Result<Flow> blocks(Layers& net, const std::string& stage, Flow x, int64_t channels,
                    int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    LATTICE_TRY(x, net.block(fmt::format("{}.block{}", stage, i), x, channels));
  }
  return x;
}

Result<GraphBuilder> make_unet(const UNet& unet, const NetworkOptions& options) {
  Layers net(options, 1e-5f, unet.scene);
  LATTICE_TRY(Flow x, net.input(unet.inputs, unet.power));
  for (size_t i = 0; i < unet.stem.size(); ++i) {
    LATTICE_TRY(x, conv_norm_relu(net, fmt::format("stem.bn{}", i + 1),
                                  net.subm(fmt::format("stem.conv{}", i + 1), x, unet.stem_channels,
                                           unet.stem[i])));
  }
  LATTICE_TRY(x, blocks(net, "stem", x, unet.stem_channels, unet.stem_blocks));

  std::vector<Flow> skips{x};
  int64_t channels = unet.stem_channels;
  for (size_t level = 0; level < unet.encoder.size(); ++level) {
    const std::string stage = fmt::format("enc{}", level + 1);
    const int64_t next = unet.encoder[level];
    LATTICE_TRY(x, conv_norm_relu(net, stage + ".down.bn",
                                  net.down(stage + ".down.conv", x,
                                           unet.down_changes_channels ? next : channels, {2, 2, 2},
                                           {2, 2, 2})));
    LATTICE_TRY(x, blocks(net, stage, x, next, unet.encoder_blocks[level]));
    skips.push_back(x);
    channels = next;
  }
  skips.pop_back();
  for (size_t level = 0; level < unet.decoder.size(); ++level) {
    const std::string stage = fmt::format("dec{}", level + 1);
    const Flow skip = skips.back();
    skips.pop_back();
    LATTICE_TRY(x, conv_norm_relu(net, stage + ".up.bn",
                                  net.up(stage + ".up.conv", x, skip, unet.decoder[level])));
    LATTICE_TRY(x, net.cat(x, skip));
    LATTICE_TRY(x, blocks(net, stage, x, unet.decoder[level], unet.decoder_blocks[level]));
  }
  LATTICE_TRY(x, unet.linear_head ? net.linear("head", x, unet.classes)
                                  : net.pointwise_bias("head", x, unet.classes));
  LATTICE_CHECK(net.builder().output("logits", x.value));
  return net.take();
}

} // namespace

Result<GraphBuilder> make_minkunet42(const NetworkOptions& options) {
  return make_unet({.scene = Scene::sweep,
                    .inputs = 4,
                    .power = 200, // coordinates in metres
                    .stem = {3, 3},
                    .stem_channels = 32,
                    .stem_blocks = 0,
                    .encoder = {32, 64, 128, 256},
                    .encoder_blocks = {2, 2, 2, 2},
                    .decoder = {256, 128, 96, 96},
                    .decoder_blocks = {2, 2, 2, 2},
                    .down_changes_channels = false,
                    .classes = 19,
                    .linear_head = true},
                   options);
}

Result<GraphBuilder> make_minkunet18(const NetworkOptions& options) {
  return make_unet({.scene = Scene::surface,
                    .inputs = 3,
                    .power = 4,
                    .stem = {5},
                    .stem_channels = 32,
                    .stem_blocks = 0,
                    .encoder = {32, 64, 128, 256},
                    .encoder_blocks = {2, 2, 2, 2},
                    .decoder = {256, 128, 96, 96},
                    .decoder_blocks = {2, 2, 2, 2},
                    .down_changes_channels = false,
                    .classes = 20,
                    .linear_head = false},
                   options);
}

Result<GraphBuilder> make_spunet34(const NetworkOptions& options) {
  return make_unet({.scene = Scene::surface,
                    .inputs = 6,
                    .power = 4,
                    .stem = {5},
                    .stem_channels = 32,
                    .stem_blocks = 0,
                    .encoder = {32, 64, 128, 256},
                    .encoder_blocks = {2, 3, 4, 6},
                    .decoder = {256, 128, 96, 96},
                    .decoder_blocks = {2, 2, 2, 2},
                    .down_changes_channels = true,
                    .classes = 20,
                    .linear_head = false},
                   options);
}

Result<GraphBuilder> make_tiny(const NetworkOptions& options) {
  return make_unet({.scene = Scene::sweep,
                    .inputs = 4,
                    .power = 200,
                    .stem = {3},
                    .stem_channels = 16,
                    .stem_blocks = 1,
                    .encoder = {32, 64},
                    .encoder_blocks = {1, 1},
                    .decoder = {32, 16},
                    .decoder_blocks = {1, 1},
                    .down_changes_channels = true,
                    .classes = 19,
                    .linear_head = true},
                   options);
}

} // namespace lattice::author
