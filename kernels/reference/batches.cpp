// The rows of each batch for global_pool, in ascending (x, y, z), whatever order they came in (spec
// 5).
#include <algorithm>
#include <numeric>

#include "kernels/faults.h"
#include "kernels/reference/topology.h"

namespace lattice::reference {

Result<int64_t> batch_count(const Batches& definition, const SupportTable& support) {
  int64_t largest = -1;
  for (int64_t row = 0; row < support.count(); ++row) {
    const int32_t batch = support.rows[static_cast<size_t>(row)][0];
    if (definition.batch_size >= 0 && batch >= definition.batch_size) {
      return tl::make_unexpected(
          faults::batch_out_of_range(row, batch, definition.batch_size, definition.where));
    }
    largest = std::max<int64_t>(largest, batch);
  }
  return definition.batch_size >= 0 ? definition.batch_size : largest + 1;
}

Result<BatchTable> batch_table(const Batches& definition, const SupportTable& support) {
  LATTICE_TRY(const int64_t count, batch_count(definition, support));
  BatchTable table;
  table.begin.assign(static_cast<size_t>(count) + 1, 0);
  for (const Coord& coord : support.rows) ++table.begin[static_cast<size_t>(coord[0]) + 1];
  if (definition.empty_is_error) {
    for (int64_t batch = 0; batch < count; ++batch) {
      if (table.begin[static_cast<size_t>(batch) + 1] == 0) {
        return tl::make_unexpected(faults::empty_batch_has_no_maximum(batch, definition.where));
      }
    }
  }
  std::partial_sum(table.begin.begin(), table.begin.end(), table.begin.begin());
  table.order.resize(support.rows.size());
  std::iota(table.order.begin(), table.order.end(), 0);
  // Coordinates compare as (batch, x, y, z): one sort puts the batches one after another.
  std::sort(table.order.begin(), table.order.end(), [&](int32_t a, int32_t b) {
    return support.rows[static_cast<size_t>(a)] < support.rows[static_cast<size_t>(b)];
  });
  return table;
}

} // namespace lattice::reference
