// How an operation's stride changes the stride of a sparse value (spec 4).
#pragma once

#include <string_view>

#include "base/status.h"
#include "lattice/tensor.hpp"

namespace lattice::author {

// value * by, for forward operations.
Result<Triple> coarser(std::string_view op, const Triple& value, const Triple& by);
// value / by, which must be exact, for transposed ones.
Result<Triple> finer(std::string_view op, const Triple& value, const Triple& by);

} // namespace lattice::author
