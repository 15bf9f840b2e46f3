// `lattice make`: writes a known network with seeded random weights as an artifact.
// The networks and their weights are those of author/; this names them and checks the words.
#include <algorithm>
#include <cctype>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "author/networks.h"
#include "lattice/lattice.hpp"
#include "tools/lattice/command.h"
#include "tools/lattice/console.h"

namespace lattice::cli {
namespace {

struct Options {
  std::string network;
  bool list = false;
  std::string out;
  uint64_t seed = 1;
  std::string dtype = "f32";
  std::string packing = "dense";
  int64_t group = 32;
};

// "MinkUNet-42" and "minkunet42" are one network.
std::string plain(const std::string& name) {
  std::string letters;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return letters;
}

Result<int> list_networks(bool json) {
  std::string text;
  Json list = Json::array();
  for (const author::NetworkInfo& network : author::networks()) {
    text +=
        fmt::format("{:<12} {}\n{:<12} channels {}; voxels of {} m\n", network.name,
                    network.description, "", network.features, fmt::join(network.voxel_size, ","));
    list.push_back({{"name", network.name},
                    {"description", network.description},
                    {"input_channels", network.input_channels},
                    {"features", network.features},
                    {"voxel_size", network.voxel_size}});
  }
  if (json) {
    LATTICE_CHECK(print_json({{"ok", true}, {"networks", std::move(list)}}));
  } else {
    LATTICE_CHECK(print(text));
  }
  return exit_ok;
}

Result<int> make(const Options& options, bool json) {
  if (options.list) return list_networks(json);
  if (options.network.empty() || options.out.empty())
    return fail(Code::usage, "expected lattice make NETWORK --out DIR, or lattice make --list");
  std::string name, known;
  for (const author::NetworkInfo& network : author::networks()) {
    if (plain(std::string(network.name)) == plain(options.network)) name = network.name;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", network.name);
  }
  if (name.empty())
    return fail(Code::usage,
                fmt::format("there is no network {}; there are {}", options.network, known));

  author::NetworkOptions network;
  network.seed = options.seed;
  network.dtype = options.dtype == "f16" ? DType::f16 : DType::f32;
  network.bits = options.packing == "int8" ? 8 : options.packing == "int4" ? 4 : 0;
  network.group_size = options.group;
  LATTICE_TRY(const author::GraphBuilder builder, author::make_network(name, network));
  LATTICE_CHECK(builder.write(options.out));
  if (json) {
    LATTICE_CHECK(print_json({{"ok", true},
                              {"network", name},
                              {"artifact", options.out},
                              {"seed", options.seed},
                              {"dtype", options.dtype},
                              {"packing", options.packing},
                              {"parameters", builder.parameters()},
                              {"operations", builder.operations().size()}}));
  } else {
    LATTICE_CHECK(print(fmt::format("{}: {}, {} parameters, {} operations\n", options.out, name,
                                    grouped(builder.parameters()),
                                    grouped(static_cast<int64_t>(builder.operations().size())))));
  }
  return exit_ok;
}

} // namespace

Command add_make(CLI::App& root) {
  auto options = std::make_shared<Options>();
  auto json = std::make_shared<bool>(false);
  CLI::App* app = root.add_subcommand("make", "Write a known network, random weights");
  app->add_option("NETWORK", options->network,
                  "Its name, as --list prints it; case does not matter")
      ->type_name("");
  app->add_flag("--list", options->list, "List the networks");
  app->add_option("--out", options->out, "Directory to write, made if missing")->type_name("DIR");
  app->add_option("--seed", options->seed, "Of the random weights: the same seed, the same bytes")
      ->type_name("N")
      ->capture_default_str();
  app->add_option("--dtype", options->dtype, "Of weights and features")
      ->type_name("TYPE")
      ->check(CLI::IsMember({"f32", "f16"}))
      ->capture_default_str();
  app->add_option("--packing", options->packing, "Of convolution and linear weights")
      ->type_name("CODES")
      ->check(CLI::IsMember({"dense", "int8", "int4"}))
      ->capture_default_str();
  app->add_option("--group", options->group, "Input channels that share a scale, if packed")
      ->type_name("N")
      ->check(CLI::IsMember({32, 64, 128}))
      ->capture_default_str();
  add_json(*app, *json);
  app->footer(R"(Examples:
  lattice make --list                     names, channels, sizes of voxels
  lattice make MinkUNet42 --out net       an artifact to try things on
  lattice make Tiny --out tiny --dtype f16 --seed 7
  lattice make SpUNet34 --out small --packing int4 --group 64

Labels of a network with random weights mean nothing; sizes and times are real.)");
  return {app, json, [options, json] { return make(*options, *json); }};
}

} // namespace lattice::cli
