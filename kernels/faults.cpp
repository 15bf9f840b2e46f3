// Wording of faults.h.
#include "kernels/faults.h"

#include <fmt/format.h>

namespace lattice::faults {

namespace {
const char* const axis_names = "xyz";

std::string row_text(const int32_t* coords) {
  return fmt::format("({}, {}, {}, {})", coords[0], coords[1], coords[2], coords[3]);
}
}  // namespace

Error active_out_of_range(int64_t active, int64_t rows, const Location& where) {
  return {Code::input, fmt::format("active rows: found {}, expected 0 to {} (the rows given)", active, rows), where};
}

Error not_divisible(int64_t row, const int32_t* coords, Triple stride, int axis, const Location& where) {
  return {Code::input,
          fmt::format("coordinates: row {} is {}, whose {} is not divisible by the stride {}; coordinates are physical",
                      row, row_text(coords), axis_names[axis], text_of(stride)),
          where};
}

Error duplicate_rows(int64_t first, int64_t row, const int32_t* coords, const Location& where) {
  return {Code::input,
          fmt::format("coordinates: rows {} and {} are both {}; active rows must be distinct", first, row, row_text(coords)),
          where};
}

Error negative_batch(int64_t row, int32_t batch, const Location& where) {
  return {Code::input,
          fmt::format("batch index: row {} has {}, expected 0 or more; rows are (batch, x, y, z)", row, batch), where};
}

Error leaves_int32(int64_t row, const int32_t* coords, int axis, const Location& where) {
  return {Code::input,
          fmt::format("generated rows: from input row {} {} a row is generated whose {} leaves int32", row,
                      row_text(coords), axis_names[axis]),
          where};
}

Error point_not_finite(int64_t row, int axis, float value, const Location& where) {
  return {Code::input, fmt::format("points: row {} has {} = {}, expected a finite value", row, axis_names[axis], value), where};
}

Error voxel_leaves_int32(int64_t row, int axis, float value, const Location& where) {
  return {Code::input,
          fmt::format("points: row {} has {} = {}, whose voxel leaves int32 (too far from the origin for this voxel size)",
                      row, axis_names[axis], value),
          where};
}

Error batch_out_of_range(int64_t row, int32_t batch, int64_t batch_size, const Location& where) {
  return {Code::input, fmt::format("batch index: row {} has {}, expected less than batch_size {}", row, batch, batch_size), where};
}

Error empty_batch_has_no_maximum(int64_t batch, const Location& where) {
  return {Code::input, fmt::format("global_pool: batch {} has no rows, and max over no rows has no value", batch), where};
}

Error embedding_out_of_range(int64_t row, int32_t index, int64_t entries, const Location& where) {
  return {Code::input,
          fmt::format("embedding_lookup: row {} has index {}, expected 0 to {}", row, index, entries - 1), where};
}

Error memory_limit(int64_t wanted, int64_t limit, const std::string& what, const Location& where) {
  return {Code::memory, fmt::format("memory limit: {} would bring the run to {} bytes, allowed are {}", what, wanted, limit), where};
}

Error out_of_memory(int64_t wanted, const std::string& what) {
  return {Code::memory, fmt::format("out of memory: the system refused {} bytes for {}", wanted, what), {}};
}

Error too_many_rows(int64_t rows, int64_t limit, const Location& where) {
  return {Code::unsupported, fmt::format("{} rows in one support, at most {} are supported", rows, limit), where};
}

}  // namespace lattice::faults
