// Words for weight families.
#include "base/weight_family.h"

namespace lattice {

const char* name_of(WeightFamily family) {
  switch (family) {
    case WeightFamily::conv3d: return "conv3d";
    case WeightFamily::linear: return "linear";
    case WeightFamily::embedding: return "embedding";
    case WeightFamily::channel: return "channel";
    case WeightFamily::bias: return "bias";
  }
  return "unknown";
}

}  // namespace lattice
