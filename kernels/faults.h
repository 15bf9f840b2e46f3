// Errors that depend on the values of inputs, worded once so that every device says the same thing.
// Where several rows are at fault, the one that comes first in the caller's order is named.
#pragma once

#include "base/status.h"
#include "lattice/tensor.hpp"

namespace lattice::faults {

// `row` and `first` count the caller's rows from 0; coordinates are physical (batch, x, y, z).
Error active_out_of_range(int64_t active, int64_t rows, const Location& where);
Error not_divisible(int64_t row, const int32_t* coords, Triple stride, int axis, const Location& where);
Error duplicate_rows(int64_t first, int64_t row, const int32_t* coords, const Location& where);
Error negative_batch(int64_t row, int32_t batch, const Location& where);
// A row of a generated support leaves int32. `coords` is the physical row it came from.
Error leaves_int32(int64_t row, const int32_t* coords, int axis, const Location& where);
Error point_not_finite(int64_t row, int axis, float value, const Location& where);
Error voxel_leaves_int32(int64_t row, int axis, float value, const Location& where);
Error batch_out_of_range(int64_t row, int32_t batch, int64_t batch_size, const Location& where);
Error empty_batch_has_no_maximum(int64_t batch, const Location& where);
Error embedding_out_of_range(int64_t row, int32_t index, int64_t entries, const Location& where);
Error memory_limit(int64_t wanted, int64_t limit, const std::string& what, const Location& where);
Error out_of_memory(int64_t wanted, const std::string& what);
Error too_many_rows(int64_t rows, int64_t limit, const Location& where);

}  // namespace lattice::faults
