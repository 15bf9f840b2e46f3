// The list of networks that can be made by name.
#include "author/networks.h"

#include <fmt/format.h>

namespace lattice::author {
namespace {

struct Entry {
  NetworkInfo info;
  Result<GraphBuilder> (*make)(const NetworkOptions&);
};

// clang-format off
const Entry entries[] = {
    {{"minkunet42", "MinkUNet42, outdoor segmentation into 19 classes", 4, "x,y,z,i", {0.05, 0.05, 0.05}, "logits"}, make_minkunet42},
    {{"minkunet18", "MinkUNet18, indoor segmentation into 20 classes", 3, "r,g,b", {0.02, 0.02, 0.02}, "logits"}, make_minkunet18},
    {{"spunet34", "SpUNet34, indoor segmentation into 20 classes", 6, "x,y,z,r,g,b", {0.02, 0.02, 0.02}, "logits"}, make_spunet34},
    {{"centerpoint", "CenterPoint's 3D encoder, detection", 5, "x,y,z,i,one", {0.075, 0.075, 0.2}, "encoding"}, make_centerpoint},
    {{"tiny", "U-Net of 16, 32, 64 channels for low latency", 4, "x,y,z,i", {0.1, 0.1, 0.1}, "logits"}, make_tiny},
    {{"codec", "occupancy and attribute codec, generative", 4, "x,y,z,i", {0.1, 0.1, 0.1}, "attributes"}, make_codec},
};
// clang-format on

} // namespace

std::span<const NetworkInfo> networks() {
  static const auto infos = [] {
    std::vector<NetworkInfo> list;
    for (const Entry& entry : entries) list.push_back(entry.info);
    return list;
  }();
  return infos;
}

Result<GraphBuilder> make_network(std::string_view name, const NetworkOptions& options) {
  std::string known;
  for (const Entry& entry : entries) {
    if (entry.info.name == name) return entry.make(options);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", entry.info.name);
  }
  return fail(Code::usage, fmt::format("no network \"{}\", known are {}", name, known));
}

} // namespace lattice::author
