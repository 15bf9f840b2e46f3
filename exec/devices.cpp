// The table of devices. A new device is a line here, a file in exec/ and a folder of kernels.
#include <fmt/format.h>

#include "exec/concurrency.h"
#include "exec/devices.h"
#include "kernels/cpu/matmul/simd.h"

namespace lattice {

namespace {

struct DeviceRow {
  const char* name;
  Result<std::unique_ptr<DeviceProgram>> (*make)(std::shared_ptr<const Plan>, const LoadOptions&);
  std::string (*describe)();
};

const DeviceRow table[] = {
    {"cpu", make_cpu_program,
     [] { return fmt::format("{}, {} threads", cpu::name_of(cpu::best_simd_level()), usable_threads()); }},
    {"reference",
     [](std::shared_ptr<const Plan> plan, const LoadOptions&) { return make_reference_program(std::move(plan)); },
     [] { return std::string("plain loops in the order of the definition, 1 thread, for checking"); }},
};

}  // namespace

Result<std::unique_ptr<DeviceProgram>> make_device_program(std::shared_ptr<const Plan> plan,
                                                           const LoadOptions& options) {
  std::string known;
  for (const DeviceRow& row : table) {
    if (options.device == row.name) return row.make(std::move(plan), options);
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  return fail(Code::device, fmt::format("device \"{}\" is not known, there are: {}", options.device, known));
}

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> list;
  for (const DeviceRow& row : table) list.push_back({row.name, row.describe()});
  return list;
}

}  // namespace lattice
