// A stranger's program: loads the network that is its argument, runs two voxels, and catches an
// error by its type.
#include <cstdio>

#include <lattice/lattice.hpp>

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  const auto program = lattice::Program::load(argv[1]);
  const std::vector<int32_t> coords = {0, 10, -3, 7, 0, 11, -3, 7};
  const std::vector<float> features(2 * 4, 1.0F);
  const lattice::SparseView voxels{{lattice::DType::i32, {2, 4}, coords.data()},
                                   {lattice::DType::f32, {2, 4}, features.data()}};
  lattice::Session session(program);
  const auto outputs = session.run({voxels});
  if (outputs.size() != 1 || outputs[0].sparse().features.shape.at(0) != 2) return 1;
  if (program.signature().argument_named("no such argument") != -1 || lattice::devices().empty())
    return 2;
  if (lattice::text_of(program.signature()).empty() || lattice::size_of(lattice::DType::f32) != 4)
    return 3;
  try {
    lattice::Program::load("/nowhere/at all");
  } catch (const lattice::Error& error) {
    std::printf("%s %s: %s\n", lattice::version(), lattice::name_of(error.code()), error.what());
    const lattice::Error own(lattice::Code::usage, "mine");
    return error.code() == lattice::Code::io && own.text() == "mine" ? 0 : 4;
  }
  return 5;
}
