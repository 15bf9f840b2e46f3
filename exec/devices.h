// Makes a device program by the device's name.
#pragma once

#include "exec/device.h"

namespace lattice {

// Code::device when there is no such device; nothing is tried in its place.
Result<std::unique_ptr<DeviceProgram>> make_device_program(std::shared_ptr<const Plan> plan, const LoadOptions& options);

}  // namespace lattice
