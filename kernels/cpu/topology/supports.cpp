// See supports.h. Each rule is one function; faults name rows by the caller's or the spec's order.
#include "kernels/cpu/topology/supports.h"

#include <limits>
#include <optional>

#include "base/tensor.h"
#include "kernels/cpu/topology/edges.h"
#include "kernels/cpu/topology/generate.h"
#include "kernels/cpu/topology/order.h"
#include "kernels/cpu/topology/parallel.h"
#include "kernels/cpu/topology/points.h"
#include "kernels/cpu/topology/sort_rows.h"

namespace lattice::cpu {

namespace {

// The logical coordinates whose physical ones fit int32.
struct Range {
  int64_t low, high;
  explicit Range(int64_t stride) {
    low = -(int64_t{1} << 31) / stride; // toward zero: up
    high = INT32_MAX / stride;
  }
};

int64_t lowest_image(const Spread& axis, const FloorDivision& divide, int64_t value) {
  return divide(value) * axis.factor + axis.first;
}
int64_t highest_image(const Spread& axis, const FloorDivision& divide, int64_t value) {
  return lowest_image(axis, divide, value) + (axis.count - 1) * axis.step;
}

std::array<Spread, 3> floor_axes(const Support& support) {
  std::array<Spread, 3> axes;
  for (size_t i = 0; i < 3; ++i) axes[i].divisor = support.kernel_stride[i];
  return axes;
}

std::array<Spread, 3> transposed_axes(const Support& support) {
  std::array<Spread, 3> axes;
  for (size_t i = 0; i < 3; ++i) {
    axes[i] = {1, support.kernel_stride[i], -support.padding[i], support.dilation[i],
               support.kernel_size[i]};
  }
  return axes;
}

} // namespace

Status SupportBuilder::build(SupportId id) {
  Status status;
  switch (rule(id).rule) {
  case SupportRule::made: status = make(id); break;
  case SupportRule::floor: status = floor(id); break;
  case SupportRule::transposed: status = transpose(id); break;
  case SupportRule::joined: status = join(id); break;
  case SupportRule::voxels: status = voxelize(id); break;
  }
  LATTICE_CHECK(std::move(status));
  if (rule(id).row_order_used) {
    LATTICE_TRY([[maybe_unused]] const auto order, order_of(id));
  }
  return {};
}

const Array<Row>* SupportBuilder::parents(SupportId fine, SupportId coarse) const {
  const auto found = parents_.find(coarse);
  return found != parents_.end() && rule(coarse).from == fine ? &found->second : nullptr;
}

// The budget has counted the tree already.
void SupportBuilder::keep(SupportId id, RowTree tree, int64_t capacity) {
  auto support = std::make_shared<SupportData>();
  topology_.bytes += tree.bytes();
  support->tree = std::move(tree);
  support->stride = rule(id).stride;
  support->capacity = capacity < 0 ? support->rows() : capacity;
  topology_.supports[static_cast<size_t>(id)] = std::move(support);
}

// -----------------------------------------------------------------------------------------------
// made

Result<int64_t> SupportBuilder::active_of(const IntSource& source, int64_t rows,
                                          const Location& where) const {
  int64_t active = rows;
  if (source.kind == IntSource::Kind::argument) {
    active = load_at<int32_t>(inputs_.arguments[static_cast<size_t>(source.id)].data, 0);
  } else if (source.kind == IntSource::Kind::count) {
    active = data(source.id).rows();
  }
  if (active < 0 || active > rows) {
    return tl::make_unexpected(faults::active_out_of_range(active, rows, where));
  }
  return active;
}

Result<SupportBuilder::Given> SupportBuilder::given_coords(const IntSource& source,
                                                           const Location& where) {
  Given given;
  if (source.kind == IntSource::Kind::argument) {
    const TensorView& view = inputs_.arguments[static_cast<size_t>(source.id)];
    given.coords = view.data;
    given.rows = view.shape[0];
    return given;
  }
  given.rows = data(source.id).rows();
  LATTICE_CHECK(scratch_.take(given.rows * 16, "coordinates of a support", where));
  given.owned = Array<int32_t>(given.rows * 4);
  LATTICE_TRY(const auto order, order_of(source.id));
  write_coords(data(source.id), order.get(), given.owned.data());
  given.coords = given.owned.data();
  return given;
}

// Physical coordinates divided by the stride; the first row that is negative in batch or does not
// divide is an error.
Result<Array<int32_t>> SupportBuilder::logical_rows(const Support& support, const void* coords,
                                                    int64_t rows, Taken& scratch) {
  LATTICE_CHECK(scratch.take(rows * 16, "coordinates of a support", support.where));
  Array<int32_t> logical(rows * 4, budget_.pool());
  const Chunks chunks = Chunks::of(rows, 8192);
  std::vector<std::optional<Error>> errors(static_cast<size_t>(chunks.count));
  parallel_chunks(chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
    const FloorDivision divide[3] = {FloorDivision(support.stride[0]),
                                     FloorDivision(support.stride[1]),
                                     FloorDivision(support.stride[2])};
    for (int64_t row = begin; row < end; ++row) {
      int32_t physical[4];
      std::memcpy(physical, static_cast<const char*>(coords) + row * 16, 16);
      auto& error = errors[static_cast<size_t>(chunk)];
      logical[row * 4] = physical[0];
      if (physical[0] < 0) {
        error = faults::negative_batch(row, physical[0], support.where);
        return;
      }
      for (int axis = 0; axis < 3; ++axis) {
        const int64_t value = divide[axis](physical[axis + 1]);
        if (value * support.stride[static_cast<size_t>(axis)] != physical[axis + 1] &&
            !inputs_.trusted) {
          error = faults::not_divisible(row, physical, support.stride, axis, support.where);
          return;
        }
        logical[row * 4 + 1 + axis] = static_cast<int32_t>(value);
      }
    }
  });
  for (auto& error : errors) {
    if (error) return tl::make_unexpected(*std::move(error));
  }
  return logical;
}

Status SupportBuilder::make(SupportId id) {
  const Support& support = rule(id);
  LATTICE_TRY(const Given given, given_coords(support.coords, support.where));
  LATTICE_TRY(const int64_t active, active_of(support.active, given.rows, support.where));
  Taken scratch(budget_);
  const void* coords = given.coords;
  Array<int32_t> logical;
  const bool strided = support.stride != Triple{1, 1, 1};
  if (strided) {
    LATTICE_TRY(logical, logical_rows(support, coords, active, scratch));
    coords = logical.data();
  }
  LATTICE_TRY(SortedRows sorted, sort_rows(coords, active, budget_, support.where));
  if (active > 0 && sorted.tree.line[0].batch < 0) {
    for (int64_t row = 0;; ++row) {
      const int32_t batch = load_at<int32_t>(coords, row * 4);
      if (batch < 0) return tl::make_unexpected(faults::negative_batch(row, batch, support.where));
    }
  }
  if (const Repeated repeated = find_repeated(sorted); repeated.row >= 0) {
    if (!inputs_.trusted) {
      int32_t row[4];
      std::memcpy(row, static_cast<const char*>(given.coords) + repeated.row * 16, 16);
      return tl::make_unexpected(
          faults::duplicate_rows(repeated.first, repeated.row, row, support.where));
    }
    sorted.tree.repeats = true;
  }
  auto order = std::make_shared<Order>();
  order->identity = !sorted.moved;
  order->caller_of_inner = std::move(sorted.given_of_inner);
  topology_.bytes += order->caller_of_inner.bytes();
  topology_.orders[static_cast<size_t>(id)] = std::move(order);
  keep(id, std::move(sorted.tree), given.rows);
  return {};
}

// ------------------------------------------------------------------------------------------
// generated

// A generated row that leaves int32 is an error that names the first row, in the spec's order, it
// comes from.
Status SupportBuilder::check_generated(const Support& support, const std::array<Spread, 3>& axes) {
  const SupportData& from = data(support.from);
  const FloorDivision divide[3] = {FloorDivision(axes[0].divisor), FloorDivision(axes[1].divisor),
                                   FloorDivision(axes[2].divisor)};
  const Range range[3] = {Range(support.stride[0]), Range(support.stride[1]),
                          Range(support.stride[2])};
  const auto leaves = [&](size_t axis, int64_t value) {
    return lowest_image(axes[axis], divide[axis], value) < range[axis].low ||
           highest_image(axes[axis], divide[axis], value) > range[axis].high;
  };
  bool any = false;
  for (const LineKey& line : from.tree.line.span()) any = any || leaves(0, line.x);
  const auto [low_y, high_y] = std::minmax_element(from.tree.column_y.data(),
                                                   from.tree.column_y.data() + from.tree.columns());
  const auto [low_z, high_z] =
      std::minmax_element(from.tree.z.data(), from.tree.z.data() + from.tree.rows());
  if (from.rows() == 0) return {};
  any = any || leaves(1, *low_y) || leaves(1, *high_y) || leaves(2, *low_z) || leaves(2, *high_z);
  if (!any) return {};

  LATTICE_TRY(const auto order, order_of(support.from));
  Row first = 0;
  std::array<int32_t, 4> row{};
  bool found = false;
  from.tree.for_rows(0, from.rows(),
                     [&](int64_t inner, int32_t b, int32_t x, int32_t y, int32_t z) {
                       if (!leaves(0, x) && !leaves(1, y) && !leaves(2, z)) return;
                       if (found && order->caller(inner) > first) return;
                       found = true;
                       first = order->caller(inner);
                       row = {b, x, y, z};
                     });
  // The axis is that of the first kernel row that leaves: z runs fastest, so an axis that leaves at
  // index 0 does so in kernel row 0, and otherwise z is met first, then y, then x.
  const auto lowest_leaves = [&](size_t axis) {
    const int64_t image = lowest_image(axes[axis], divide[axis], row[axis + 1]);
    return image < range[axis].low || image > range[axis].high;
  };
  int axis = lowest_leaves(0)    ? 0
             : lowest_leaves(1)  ? 1
             : lowest_leaves(2)  ? 2
             : leaves(2, row[3]) ? 2
             : leaves(1, row[2]) ? 1
                                 : 0;
  for (size_t i = 0; i < 3; ++i) {
    row[i + 1] = static_cast<int32_t>(row[i + 1] * from.stride[i]);
  }
  return tl::make_unexpected(faults::leaves_int32(first, row.data(), axis, support.where));
}

Status SupportBuilder::floor(SupportId id) {
  const Support& support = rule(id);
  const auto axes = floor_axes(support);
  LATTICE_CHECK(check_generated(support, axes));
  const SupportData& from = data(support.from);
  LATTICE_CHECK(scratch_.take(from.rows() * 4, "a generated support", support.where));
  Array<Row> parent(from.rows(), budget_.pool());
  LATTICE_TRY(RowTree tree, generate_rows({&from.tree}, axes, &parent, budget_, support.where));
  keep(id, std::move(tree), -1);
  parents_[id] = std::move(parent);
  return {};
}

Status SupportBuilder::transpose(SupportId id) {
  const Support& support = rule(id);
  const auto axes = transposed_axes(support);
  LATTICE_CHECK(check_generated(support, axes));
  LATTICE_TRY(RowTree tree,
              generate_rows({&data(support.from).tree}, axes, nullptr, budget_, support.where));
  keep(id, std::move(tree), -1);
  return {};
}

Status SupportBuilder::join(SupportId id) {
  const Support& support = rule(id);
  const RowTree& lhs = data(support.from).tree;
  const RowTree& rhs = data(support.other).tree;
  if (support.join != Join::inner) {
    LATTICE_TRY(RowTree tree, generate_rows({&lhs, &rhs}, {}, nullptr, budget_, support.where));
    keep(id, std::move(tree), -1);
    return {};
  }
  LATTICE_TRY(const Edges edges, find_edges(lhs, rhs, false, {}, budget_, support.where));
  LATTICE_TRY(RowTree tree,
              subset_of(lhs, edges.lists[0].fine, edges.lists[0].count, budget_, support.where));
  budget_.give_back(edges.bytes);
  keep(id, std::move(tree), -1);
  return {};
}

// ---------------------------------------------------------------------------------------------
// points

Result<TensorView> SupportBuilder::points(ValueId id, const IntSource& batch_indices,
                                          int64_t& active, const IntSource& active_source,
                                          const void*& batches, const Location& where) const {
  const Value& value = plan_.values[static_cast<size_t>(id)];
  TensorView view = value.argument != no_id ? inputs_.arguments[static_cast<size_t>(value.argument)]
                                            : points_of_(id);
  const TensorView& indices = inputs_.arguments[static_cast<size_t>(batch_indices.id)];
  if (indices.shape[0] != view.shape[0]) {
    return fail(Code::input,
                "batch indices: found " + std::to_string(indices.shape[0]) + " rows, expected " +
                    std::to_string(view.shape[0]) + " (the points)",
                where);
  }
  batches = indices.data;
  LATTICE_TRY(active, active_of(active_source, view.shape[0], where));
  return view;
}

Status SupportBuilder::voxelize(SupportId id) {
  const Support& support = rule(id);
  PointCloud cloud;
  cloud.voxel_size = support.voxel_size;
  cloud.origin = support.origin;
  LATTICE_TRY(cloud.points, points(support.points, support.batch_indices, cloud.active,
                                   support.active, cloud.batch_indices, support.where));
  LATTICE_TRY(Array<int32_t> coords,
              voxels_of_points(cloud, support.stride, budget_, support.where));
  LATTICE_TRY(SortedRows sorted, sort_rows(coords.data(), cloud.active, budget_, support.where));
  budget_.give_back(coords.bytes());
  coords = {};

  // Equal rows of the sorted points are one voxel.
  const RowTree& all = sorted.tree;
  LATTICE_CHECK(budget_.take(cloud.active * 12 + 4, "points of voxels", support.where));
  Array<Row> distinct(cloud.active);
  int64_t voxels = 0;
  for (int64_t column = 0; column < all.columns(); ++column) {
    const int64_t begin = all.column_begin[column];
    for (int64_t i = begin; i < all.column_begin[column + 1]; ++i) {
      if (i == begin || all.z[i] != all.z[i - 1]) distinct[voxels++] = static_cast<Row>(i);
    }
  }
  LATTICE_TRY(RowTree tree, subset_of(all, distinct.data(), voxels, budget_, support.where));
  auto point_rows = std::make_shared<PointRows>();
  point_rows->begin = Array<Row>(voxels + 1);
  std::copy_n(distinct.data(), voxels, point_rows->begin.data());
  point_rows->begin[voxels] = static_cast<Row>(cloud.active);
  if (sorted.moved) {
    point_rows->point = std::move(sorted.given_of_inner);
    budget_.give_back(cloud.active * 4);
  } else {
    point_rows->point = Array<Row>(cloud.active);
    for (int64_t i = 0; i < cloud.active; ++i) point_rows->point[i] = static_cast<Row>(i);
  }
  budget_.give_back(all.bytes() + (cloud.active - voxels) * 4);

  // First occurrence: the voxel of each point in turn.
  std::fill_n(distinct.data(), distinct.size(), FirstOccurrence::unset);
  for (int64_t voxel = 0; voxel < voxels; ++voxel) {
    distinct[point_rows->point[point_rows->begin[voxel]]] = static_cast<Row>(voxel);
  }
  FirstOccurrence numbers(voxels);
  numbers.walk(Order{}, distinct);
  auto order = std::make_shared<Order>(std::move(numbers).finish());
  budget_.give_back(cloud.active * 4);
  LATTICE_CHECK(budget_.take(order->caller_of_inner.bytes(), "points of voxels", support.where));
  topology_.bytes +=
      order->caller_of_inner.bytes() + point_rows->begin.bytes() + point_rows->point.bytes();
  topology_.orders[static_cast<size_t>(id)] = std::move(order);
  topology_.point_rows[static_cast<size_t>(id)] = std::move(point_rows);
  keep(id, std::move(tree), -1);
  return {};
}

Result<std::shared_ptr<const PointMapData>> SupportBuilder::point_map(const PointMap& map) {
  PointCloud cloud;
  cloud.voxel_size = map.voxel_size;
  cloud.origin = map.origin;
  LATTICE_TRY(cloud.points, points(map.points, map.batch_indices, cloud.active, map.active,
                                   cloud.batch_indices, map.where));
  LATTICE_TRY(PointMapData found,
              map_points(cloud, map.interpolation, data(map.voxels).tree, budget_, map.where));
  topology_.bytes += found.row.bytes() + found.weight.bytes();
  return std::make_shared<const PointMapData>(std::move(found));
}

Result<std::shared_ptr<const BatchRows>> SupportBuilder::batches(const Batches& batches) {
  const SupportData& support = data(batches.support);
  const RowTree& tree = support.tree;
  auto rows = std::make_shared<BatchRows>();
  for (int64_t line = 0; line < tree.lines(); ++line) {
    const int64_t end = tree.column_begin[tree.line_begin[line + 1]];
    if (rows->ranges.empty() || rows->ranges.back().batch != tree.line[line].batch) {
      const int64_t begin = tree.column_begin[tree.line_begin[line]];
      rows->ranges.push_back({tree.line[line].batch, begin, end});
    }
    rows->ranges.back().end = end;
  }
  rows->count = batches.batch_size;
  if (batches.batch_size < 0)
    rows->count = rows->ranges.empty() ? 0 : rows->ranges.back().batch + 1;

  // Which row is named: the first, in the spec's order, with a batch index that is too large.
  int64_t first = -1;
  int32_t first_batch = 0;
  for (const BatchRows::Range& range : rows->ranges) {
    if (range.batch < rows->count) continue;
    LATTICE_TRY(const auto order, order_of(batches.support));
    for (int64_t row = range.begin; row < range.end; ++row) {
      if (first >= 0 && order->caller(row) > first) continue;
      first = order->caller(row);
      first_batch = static_cast<int32_t>(range.batch);
    }
  }
  if (first >= 0) {
    return tl::make_unexpected(
        faults::batch_out_of_range(first, first_batch, batches.batch_size, batches.where));
  }
  if (batches.empty_is_error) {
    int64_t expected = 0;
    for (const BatchRows::Range& range : rows->ranges) {
      if (range.batch != expected) break;
      ++expected;
    }
    if (expected < rows->count) {
      return tl::make_unexpected(faults::empty_batch_has_no_maximum(expected, batches.where));
    }
  }
  topology_.bytes += static_cast<int64_t>(rows->ranges.size() * sizeof(BatchRows::Range));
  return std::shared_ptr<const BatchRows>(std::move(rows));
}

// ----------------------------------------------------------------------------------------------
// order

Result<std::shared_ptr<const Order>> SupportBuilder::order_of(SupportId id) {
  std::shared_ptr<const Order>& order = topology_.orders[static_cast<size_t>(id)];
  if (order == nullptr) {
    LATTICE_CHECK(budget_.take(data(id).rows() * 4, "the order of rows", rule(id).where));
    LATTICE_TRY(Order found, generated_order(id));
    topology_.bytes += data(id).rows() * 4;
    order = std::make_shared<const Order>(std::move(found));
  }
  return order;
}

// The row of `to` that each row of `from` has, by coordinate.
Result<Array<Row>> SupportBuilder::aligned(SupportId from, SupportId to) {
  LATTICE_TRY(const Edges edges,
              find_edges(data(from).tree, data(to).tree, from == to, {}, budget_, rule(to).where));
  budget_.give_back(edges.bytes);
  return coarse_of_fine(edges);
}

Result<Order> SupportBuilder::generated_order(SupportId id) {
  const Support& support = rule(id);
  LATTICE_TRY(const auto from, order_of(support.from));
  FirstOccurrence numbers(data(id).rows());
  if (support.rule == SupportRule::transposed) {
    const Geometry geometry{support.kernel_size,
                            support.kernel_stride,
                            support.dilation,
                            {-support.padding[0], -support.padding[1], -support.padding[2]}};
    LATTICE_TRY(const Edges edges,
                find_edges(data(id).tree, data(support.from).tree, id == support.from, geometry,
                           budget_, support.where));
    budget_.give_back(edges.bytes);
    return order_of_reach(edges, *from);
  }
  if (support.rule == SupportRule::floor) {
    if (const Array<Row>* parent = parents(support.from, id)) {
      numbers.walk(*from, *parent);
      return std::move(numbers).finish();
    }
    const Geometry geometry{.size = support.kernel_stride, .stride = support.kernel_stride};
    LATTICE_TRY(const Edges edges, find_edges(data(support.from).tree, data(id).tree, false,
                                              geometry, budget_, support.where));
    budget_.give_back(edges.bytes);
    numbers.walk(*from, coarse_of_fine(edges));
    return std::move(numbers).finish();
  }
  LATTICE_TRY(const Array<Row> lhs, aligned(support.from, id));
  numbers.walk(*from, lhs);
  if (support.join == Join::outer) {
    LATTICE_TRY(const auto other, order_of(support.other));
    LATTICE_TRY(const Array<Row> rhs, aligned(support.other, id));
    numbers.walk(*other, rhs);
  }
  return std::move(numbers).finish();
}

} // namespace lattice::cpu
