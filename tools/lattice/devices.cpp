// `lattice devices`: lists what a program can be loaded for on this machine.
#include <fmt/format.h>

#include "lattice/lattice.hpp"
#include "tools/lattice/command.h"
#include "tools/lattice/console.h"

namespace lattice::cli {
namespace {

Result<int> list_devices(bool json) {
  std::string text;
  Json list = Json::array();
  for (const DeviceInfo& device : devices()) {
    text += fmt::format("{:<12}{}\n", device.name, device.description);
    list.push_back({{"name", device.name}, {"description", device.description}});
  }
  if (json) {
    LATTICE_CHECK(print_json({{"ok", true}, {"devices", std::move(list)}}));
  } else {
    LATTICE_CHECK(print(text));
  }
  return exit_ok;
}

} // namespace

Command add_devices(CLI::App& root) {
  auto json = std::make_shared<bool>(false);
  CLI::App* app = root.add_subcommand("devices", "List the devices of this machine");
  add_json(*app, *json);
  app->footer(R"(Examples:
  lattice devices                       names for --device
  lattice run net --inputs in.safetensors --device reference)");
  return {app, json, [json] { return list_devices(*json); }};
}

} // namespace lattice::cli
