// Results of a run for people, scripts and files. Works on what the public interface gives.
#include "tools/lattice/results.h"

#include <vector>

#include <fmt/format.h>

#include "artifact/safetensors.h"
#include "base/tensor.h"
#include "tools/lattice/values.h"

namespace lattice::cli {
namespace {

const Tensor& values_of(const Output& output) {
  return output.is_sparse() ? output.sparse().features : output.tensor();
}

} // namespace

Status write_outputs(const std::filesystem::path& path, const Outputs& outputs) {
  std::vector<NamedTensor> tensors;
  std::vector<Tensor> counts; // keeps the memory of the active counts
  counts.reserve(outputs.size());
  for (const Output& output : outputs) {
    if (!output.is_sparse()) {
      tensors.push_back({output.name, output.tensor().view()});
      continue;
    }
    const SparseTensor& sparse = output.sparse();
    LATTICE_TRY(Tensor count, make_tensor(DType::i32, {1}));
    const auto rows = static_cast<int32_t>(sparse.coords.shape[0]);
    std::memcpy(count.storage.get(), &rows, sizeof(rows));
    counts.push_back(std::move(count));
    tensors.push_back({output.name + ".coords", sparse.coords.view()});
    tensors.push_back({output.name + ".features", sparse.features.view()});
    tensors.push_back({output.name + ".active", counts.back().view()});
  }
  return write_safetensors(path, tensors);
}

Json json_of(const Output& output) {
  const Tensor& values = values_of(output);
  const ValueRange range = range_of(values.view());
  Json object{{"name", output.name},
              {"kind", output.is_sparse() ? "sparse" : "dense"},
              {"dtype", name_of(values.dtype)},
              {"shape", values.shape}};
  if (output.is_sparse()) object["stride"] = output.sparse().stride;
  object["min"] = json_number(range.min);
  object["max"] = json_number(range.max);
  object["mean"] = json_number(range.mean);
  object["nan"] = range.nan;
  return object;
}

std::string text_of(const Output& output) {
  const Tensor& values = values_of(output);
  const ValueRange range = range_of(values.view());
  std::string text =
      fmt::format("  {}: {} {}", output.name, text_of(values.shape), name_of(values.dtype));
  if (output.is_sparse())
    text += fmt::format(", sparse, stride {}", text_of(output.sparse().stride));
  text +=
      fmt::format("\n    min {:.6g}, max {:.6g}, mean {:.6g}", range.min, range.max, range.mean);
  if (range.nan > 0) text += fmt::format(", {} NaN", grouped(range.nan));
  return text + "\n";
}

Json json_of(const RunReport& report, const std::string& device) {
  return {{"device", device},
          {"threads", report.threads},
          {"simd", report.simd},
          {"voxels", report.voxels},
          {"pairs", report.pairs},
          {"gflop", report.gflop},
          {"topology_ms", report.topology_ms},
          {"features_ms", report.features_ms},
          {"total_ms", report.total_ms},
          {"peak_bytes", report.peak_bytes},
          {"live_bytes", report.live_bytes}};
}

std::string text_of(const RunReport& report, const std::string& device) {
  return fmt::format("voxels     {}\n"
                     "pairs      {}\n"
                     "work       {:.3f} GFLOP\n"
                     "time       {:.2f} ms: topology {:.2f}, features {:.2f}\n"
                     "memory     {} at the peak, {} alive at once\n"
                     "device     {}, {} thread{}, {}\n",
                     grouped(report.voxels), grouped(report.pairs), report.gflop, report.total_ms,
                     report.topology_ms, report.features_ms, human_bytes(report.peak_bytes),
                     human_bytes(report.live_bytes), device, report.threads,
                     report.threads == 1 ? "" : "s", report.simd);
}

} // namespace lattice::cli
