// The families of weights, as the dialect names them.
#pragma once

#include <cstdint>

namespace lattice {

enum class WeightFamily : uint8_t { conv3d, linear, embedding, channel, bias };

const char* name_of(WeightFamily family);

}  // namespace lattice
