// many_threads NETWORK [THREADS]: one Program run from several threads at once, a Session for each.
// Every thread has a scan of its own; afterwards all of them are run again on one thread, and the
// bits must be the same.
#include <cstdio>
#include <cstring>
#include <thread>

#include "lattice/lattice.hpp"

namespace {

// A bumpy floor of voxels, different for each seed.
struct Scan {
  std::vector<int32_t> coords;
  std::vector<float> features;

  explicit Scan(int32_t seed, int64_t channels) {
    for (int32_t x = 0; x < 40; ++x) {
      for (int32_t y = 0; y < 40; ++y) {
        coords.insert(coords.end(), {0, x - 20, y - 20, (x * (seed + 1) + y * y) % 7});
        for (int64_t channel = 0; channel < channels; ++channel)
          features.push_back(static_cast<float>((x * 31 + y * 17 + seed + channel) % 100) / 50.0F -
                             1.0F);
      }
    }
  }
  lattice::SparseView view() const {
    const auto rows = static_cast<int64_t>(coords.size() / 4);
    const auto channels = static_cast<int64_t>(features.size()) / rows;
    return {{lattice::DType::i32, {rows, 4}, coords.data()},
            {lattice::DType::f32, {rows, channels}, features.data()}};
  }
};

bool same(const lattice::Tensor& a, const lattice::Tensor& b) {
  return a.shape == b.shape &&
         std::memcmp(a.data(), b.data(),
                     static_cast<size_t>(a.shape[0] * a.shape[1]) * sizeof(float)) == 0;
}

} // namespace

int main(int argc, char** argv) try {
  if (argc < 2) return std::fprintf(stderr, "usage: many_threads NETWORK [THREADS]\n"), 64;
  const size_t count = argc > 2 ? std::stoul(argv[2]) : 4;
  const auto program = lattice::Program::load(argv[1]);
  const lattice::Signature& signature = program.signature();
  const auto features = static_cast<size_t>(signature.groups.at(0).first + 1);
  const int64_t channels = signature.arguments.at(features).shape.at(1);

  // One thread each: the callers are the parallelism.
  lattice::RunOptions options;
  options.threads = 1;
  std::vector<lattice::Result<lattice::Outputs>> results(count);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      lattice::Session session(program);
      const Scan scan(static_cast<int32_t>(i), channels);
      for (int turn = 0; turn < 3; ++turn) results[i] = session.try_run({scan.view()}, options);
    });
  }
  for (std::thread& thread : threads) thread.join();

  lattice::Session session(program);
  for (size_t i = 0; i < count; ++i) {
    if (!results[i]) throw results[i].error();
    const Scan scan(static_cast<int32_t>(i), channels);
    const auto again = session.run({scan.view()});
    if (!same(again.at(0).sparse().features, results[i]->at(0).sparse().features))
      return std::fprintf(stderr, "scan %zu differs\n", i), 1;
  }
  std::printf("%zu threads, the same bits as one\n", count);
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}
