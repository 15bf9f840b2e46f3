// keep_topology NETWORK: coordinates that stay while features change, as with a fixed grid or
// several feature sets of one scan. The topology is built once; each run gives features alone.
#include <cstdio>

#include "lattice/lattice.hpp"

int main(int argc, char** argv) try {
  if (argc != 2) return std::fprintf(stderr, "usage: keep_topology NETWORK\n"), 64;
  const auto program = lattice::Program::load(argv[1]);
  const lattice::Signature& signature = program.signature();
  const auto first = static_cast<size_t>(signature.groups.at(0).first);
  const lattice::ArgumentInfo& argument =
      signature.arguments.at(first + 1); // after the coordinates: the features

  std::vector<int32_t> coords;
  for (int32_t x = 0; x < 60; ++x) {
    for (int32_t y = 0; y < 60; ++y) coords.insert(coords.end(), {0, x, y, (x * x + 3 * y) % 9});
  }
  const auto rows = static_cast<int64_t>(coords.size() / 4);
  const int64_t channels = argument.shape.at(1);
  std::vector<float> features(static_cast<size_t>(rows * channels), 0.5F);
  const lattice::TensorView view{lattice::DType::f32, {rows, channels}, features.data()};

  const lattice::Topology topology =
      program.prepare({lattice::SparseView{{lattice::DType::i32, {rows, 4}, coords.data()}, view}});
  coords.clear(); // the topology owns all it needs
  std::printf("topology of %lld voxels: %.2f MB\n", static_cast<long long>(topology.rows()),
              static_cast<double>(topology.bytes()) / 1e6);

  lattice::Session session(program);
  for (int turn = 0; turn < 3; ++turn) {
    for (float& value : features) value = value * 0.9F + 0.1F;
    const auto outputs = session.run(topology, {{argument.name, view}});
    std::printf("run %d: topology %.2f ms, features %.2f ms, first value %.4f\n", turn,
                session.report().topology_ms, session.report().features_ms,
                static_cast<double>(outputs.at(0).sparse().features.as<float>()[0]));
  }
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}
