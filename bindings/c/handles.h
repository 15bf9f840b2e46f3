// What is behind the opaque handles of lattice.h.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "lattice/lattice.h"
#include "lattice/lattice.hpp"

struct lattice_error {
  lattice::Error error;
};
struct lattice_text {
  std::string text;
};
struct lattice_program {
  lattice::Program program;
  std::vector<std::string> topology_inputs;
};
struct lattice_topology {
  lattice::Topology topology;
};
struct lattice_session {
  lattice::Session session;
};
struct lattice_outputs {
  lattice::Outputs outputs;
};
struct lattice_stop {
  std::atomic<bool> requested{false};
};

namespace lattice::c {

// The devices, asked once: their strings live as long as the process.
inline const std::vector<DeviceInfo>& device_list() {
  static const std::vector<DeviceInfo> list = [] {
    try {
      return devices();
    } catch (...) {
      return std::vector<DeviceInfo>();
    }
  }();
  return list;
}

} // namespace lattice::c
