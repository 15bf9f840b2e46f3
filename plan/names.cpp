// The words of names.h, each table in the order of its enum.
#include "plan/names.h"

namespace lattice {

namespace {
template <size_t n, class Enum>
const char* word(const char* const (&words)[n], Enum value) {
  const auto index = static_cast<size_t>(value);
  return index < n ? words[index] : "unknown";
}
}  // namespace

const char* name_of(SupportRule rule) {
  static const char* const words[] = {"made", "floor", "transposed", "joined", "voxels"};
  return word(words, rule);
}
const char* name_of(Join join) {
  static const char* const words[] = {"inner", "left", "right", "outer"};
  return word(words, join);
}
const char* name_of(BinaryOp op) {
  static const char* const words[] = {"add", "sub", "mul", "maximum", "minimum"};
  return word(words, op);
}
const char* name_of(PoolMode mode) {
  static const char* const words[] = {"sum", "max", "avg"};
  return word(words, mode);
}
const char* name_of(VoxelReduction reduction) {
  static const char* const words[] = {"sum", "mean"};
  return word(words, reduction);
}
const char* name_of(PointInterpolation interpolation) {
  static const char* const words[] = {"nearest", "linear"};
  return word(words, interpolation);
}
const char* name_of(ActivationKind kind) {
  static const char* const words[] = {"relu", "sigmoid", "gelu", "silu", "leaky_relu", "tanh", "softplus"};
  return word(words, kind);
}
const char* name_of(GeluApprox approximate) {
  static const char* const words[] = {"none", "precise", "tanh", "fast"};
  return word(words, approximate);
}
const char* name_of(Direction direction) {
  static const char* const words[] = {"forward", "transposed"};
  return word(words, direction);
}

}  // namespace lattice
