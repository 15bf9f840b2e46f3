// Relations by merging. See edges.h.
#include "kernels/cpu/topology/edges.h"

#include <array>
#include <string>
#include <vector>

#include "base/checked.h"
#include "kernels/cpu/topology/generate.h"
#include "kernels/cpu/topology/line_table.h"
#include "kernels/cpu/topology/matches.h"
#include "kernels/cpu/topology/parallel.h"

namespace lattice::cpu {

bool Geometry::mirrored() const {
  for (size_t i = 0; i < 3; ++i) {
    if (size[i] % 2 == 0 || stride[i] != 1 || base[i] != -(size[i] - 1) / 2 * dilation[i]) {
      return false;
    }
  }
  return true;
}

bool Geometry::cells() const {
  for (size_t i = 0; i < 3; ++i) {
    if (size[i] != stride[i] || base[i] != 0) return false;
    if (size[i] > 1 && dilation[i] != 1) return false;
  }
  return true;
}

namespace {

// Offsets offset .. offset + count - 1 of one axis, kernel indices from `index` on.
struct Window {
  int64_t offset = 0;
  int64_t count = 0;
  int64_t index = 0;
};

// The kernel indices first .. size-1 of one axis as windows without gaps.
class Windows {
 public:
  Windows(const Geometry& geometry, size_t axis)
      : base_(geometry.base[axis]), dilation_(geometry.dilation[axis]), size_(geometry.size[axis]) {
  }

  int64_t size() const { return size_; }
  // visit(Window) for the indices begin .. end-1.
  template <class Visit>
  void for_each(int64_t begin, int64_t end, Visit&& visit) const {
    if (begin >= end) return;
    if (dilation_ == 1) return visit(Window{offset(begin), end - begin, begin});
    for (int64_t index = begin; index < end; ++index) {
      const Window window{offset(index), 1, index};
      if (window.offset > farthest) return; // and so are all that follow
      visit(window);
    }
  }

 private:
  // Beyond this no coordinate times a stride meets an int32, and below it no sum leaves int64.
  static constexpr int64_t farthest = int64_t{1} << 62;
  int64_t offset(int64_t index) const {
    int64_t product = 0, sum = 0;
    if (__builtin_mul_overflow(index, dilation_, &product) ||
        __builtin_add_overflow(base_, product, &sum)) {
      return INT64_MAX / 2 + farthest / 2;
    }
    return sum;
  }

  int64_t base_, dilation_, size_;
};

bool is_int32(int64_t value) { return value == static_cast<int32_t>(value); }

// First of the ascending at .. end that is not less than `wanted`: a few steps, then doubling ones.
template <class T, class Wanted>
const T* advance(const T* at, const T* end, const Wanted& wanted) {
  for (int step = 0; step < 8; ++step, ++at) {
    if (at == end || !(*at < wanted)) return at;
  }
  int64_t stride = 8;
  while (end - at > stride && at[stride] < wanted) {
    at += stride;
    stride *= 2;
  }
  return std::lower_bound(at, std::min(end, at + stride + 1), wanted);
}

// Finds the matches of the coarse columns of one chunk.
//
// Scans are thin: most columns hold one row or two, and which neighbours a column has is nearly
// random. What costs is therefore not the work but branches that no processor can predict, so the
// usual way has none: tables for the fine line at hand, column pairs gathered first, and a look at
// every cell of the window for each row. Long lines and wide windows are merged.
template <class Out>
class Walk {
 public:
  Walk(const RowTree& fine, const RowTree& coarse, const Geometry& geometry, Out& out)
      : fine_(fine), coarse_(coarse), geometry_(geometry), x_(geometry, 0), y_(geometry, 1),
        z_(geometry, 2), out_(out) {}

  // Kernel rows after the centre only, if `upper_half`: larger x; or equal x and larger y; or equal
  // x and y and larger z.
  void columns(int64_t begin, int64_t end, bool upper_half) {
    if (begin >= end) return;
    begin_ = begin;
    end_ = end;
    upper_half_ = upper_half;
    x_.for_each(upper_half ? x_.size() / 2 : 0, x_.size(), [&](const Window& x) {
      for (int64_t i = 0; i < x.count; i += tables) {
        lines({x.offset + i, std::min(tables, x.count - i), x.index + i});
      }
    });
  }

 private:
  static constexpr int64_t tables = 8;  // fine lines that are kept as tables
  static constexpr int64_t batch = 128; // coarse columns that are looked up at a time

  // A column of the coarse tree and one of the fine line at hand, counted from 1.
  struct ColumnPair {
    Row coarse;
    Row fine;
  };
  struct Slot {
    int64_t line = -1; // that the table holds
    bool usable = false;
    LineTable table;
  };

  // All coarse lines against the fine lines that one window of x reaches.
  void lines(const Window& x) {
    x_count_ = x.count;
    for (Slot& slot : slots_) slot.line = -1;
    std::array<const LineKey*, tables> target;
    target.fill(fine_.line.data());
    const LineKey* const target_end = fine_.line.data() + fine_.lines();
    int64_t line = coarse_.line_of_column(begin_);
    for (int64_t column = begin_; column < end_; ++line) {
      if (out_.refused()) return;
      const int64_t last = std::min<int64_t>(end_, coarse_.line_begin[line + 1]);
      for (int64_t i = 0; i < x.count; ++i) {
        const int64_t at = coarse_.line[line].x * geometry_.stride[0] + x.offset + i;
        if (!is_int32(at)) continue;
        const LineKey wanted{coarse_.line[line].batch, static_cast<int32_t>(at)};
        const LineKey*& found = target[static_cast<size_t>(i)];
        found = advance(found, target_end, wanted);
        if (found != target_end && *found == wanted) {
          lines_match(column, last, found - fine_.line.data(), x.index + i);
        }
      }
      column = last;
    }
  }

  // The coarse columns begin .. end-1 against one fine line: all y and z.
  void lines_match(int64_t begin, int64_t end, int64_t fine_line, int64_t x_index) {
    const bool middle = upper_half_ && x_index == x_.size() / 2;
    const int64_t y_middle = y_.size() / 2, z_middle = z_.size() / 2;
    const int64_t row = x_index * y_.size();
    y_.for_each(middle ? y_middle + 1 : 0, y_.size(), [&](const Window& y) {
      z_.for_each(0, z_.size(), [&](const Window& z) {
        columns_match(begin, end, fine_line, y, z, (row + y.index) * z_.size() + z.index);
      });
    });
    if (!middle) return;
    z_.for_each(z_middle + 1, z_.size(), [&](const Window& z) {
      same_columns(begin, end, z, (row + y_middle) * z_.size() + z.index);
    });
  }

  // `kernel_row` is that of the first y and z of the windows.
  void columns_match(int64_t begin, int64_t end, int64_t fine_line, const Window& y,
                     const Window& z, int64_t kernel_row) {
    const int64_t first = fine_.line_begin[fine_line], last = fine_.line_begin[fine_line + 1];
    if (y.count <= LineTable::widest && z.count <= LineTable::widest &&
        last - first <= (end - begin) * 8 + 8 && !fine_.repeats && !coarse_.repeats) {
      Slot& slot = slots_[static_cast<size_t>(fine_line % x_count_)];
      if (slot.line != fine_line) {
        slot.line = fine_line;
        slot.usable = slot.table.fill(fine_, first, last, std::min(z_.size(), LineTable::widest));
      }
      if (slot.usable) return look_up_columns(slot.table, begin, end, y, z, kernel_row);
    }
    merge_columns(begin, end, first, last, y, z, kernel_row);
  }

  // Columns against themselves, higher z only.
  void same_columns(int64_t begin, int64_t end, const Window& z, int64_t kernel_row) {
    for (int64_t column = begin; column < end; ++column) {
      if (coarse_.column_begin[column + 1] - coarse_.column_begin[column] > 1) {
        merge_rows(column, column, z, kernel_row);
      }
    }
  }

  void look_up_columns(const LineTable& table, int64_t begin, int64_t end, const Window& y,
                       const Window& z, int64_t kernel_row) {
    while (begin < end) {
      const int64_t stop = std::min(end, begin + batch);
      // Windows of any width in parts of at most three, the commonest.
      for (int64_t i = 0; i < y.count; i += 3) {
        const int64_t row = kernel_row + i * z_.size();
        switch (y.count - i) {
        case 1: gather<1>(table, begin, stop, y.offset + i, z, row); break;
        case 2: gather<2>(table, begin, stop, y.offset + i, z, row); break;
        default: gather<3>(table, begin, stop, y.offset + i, z, row); break;
        }
      }
      begin = stop;
    }
  }

  // The pairs of columns with y offsets y_offset .. y_offset + count - 1, then their rows.
  template <int count>
  void gather(const LineTable& table, int64_t begin, int64_t end, int64_t y_offset, const Window& z,
              int64_t kernel_row) {
    ColumnPair pairs[count][batch + 1];
    ColumnPair* next[count];
    for (int i = 0; i < count; ++i) next[i] = pairs[i];
    const int32_t* const column_y = coarse_.column_y.data();
    const int64_t stride = geometry_.stride[1];
    for (int64_t column = begin; column < end; ++column) {
      const Row* const found = table.columns_from(column_y[column] * stride + y_offset);
#pragma GCC unroll 3
      for (int i = 0; i < count; ++i) {
        *next[i] = {static_cast<Row>(column), found[i]};
        next[i] += found[i] != 0;
      }
    }
    for (int i = 0; i < count; ++i) {
      int64_t offset = z.offset, row = kernel_row + i * z_.size();
      for (int64_t left = z.count; left > 0; left -= 3, offset += 3, row += 3) {
        switch (left) {
        case 1: match_pairs<1>(table, pairs[i], next[i], offset, row); break;
        case 2: match_pairs<2>(table, pairs[i], next[i], offset, row); break;
        default: match_pairs<3>(table, pairs[i], next[i], offset, row); break;
        }
      }
    }
  }

  // z offsets offset .. offset + count - 1, kernel rows from `kernel_row` on.
  template <int count>
  void match_pairs(const LineTable& table, const ColumnPair* pair, const ColumnPair* end,
                   int64_t offset, int64_t kernel_row) {
    const Row* const coarse_begin = coarse_.column_begin.data();
    const int32_t* const coarse_z = coarse_.z.data();
    const int64_t stride = geometry_.stride[2];
    const LineTable::Columns columns =
        table.columns(); // a copy: what is written cannot be part of it
    auto out = out_.template appender<count>(kernel_row);
    for (; pair != end; ++pair) {
      const LineTable::Column& column = columns.column[pair->fine];
      const int64_t low = offset - column.low, range = column.range;
      const Row* const cells = columns.cells + column.at;
      const int64_t last = coarse_begin[pair->coarse + 1];
      for (int64_t row = coarse_begin[pair->coarse]; row < last; ++row) {
        const int64_t z = coarse_z[row] * stride + low;
        out.put(static_cast<Row>(row), cells + std::min(std::max(z, -columns.pad), range));
      }
    }
    out_.done(out);
  }

  // Columns first .. last-1 of the fine line, without the table.
  void merge_columns(int64_t begin, int64_t end, int64_t first, int64_t last, const Window& y,
                     const Window& z, int64_t kernel_row) {
    const int32_t* const all = fine_.column_y.data();
    const int32_t* at = all + first;
    const int32_t* const stop = all + last;
    for (int64_t column = begin; column < end; ++column) {
      const int64_t low = coarse_.column_y[column] * geometry_.stride[1] + y.offset;
      const int64_t high = low + y.count - 1;
      at = advance(at, stop, low);
      for (const int32_t* found = at; found != stop && *found <= high; ++found) {
        merge_rows(column, found - all, z, kernel_row + (*found - low) * z_.size());
      }
    }
  }

  // The rows of one coarse column against one fine column.
  void merge_rows(int64_t coarse_column, int64_t fine_column, const Window& z, int64_t kernel_row) {
    const int64_t begin = coarse_.column_begin[coarse_column];
    auto&& out = out_.writer();
    const int64_t end = coarse_.column_begin[coarse_column + 1];
    const int32_t* const all = fine_.z.data();
    const int32_t* at = all + fine_.column_begin[fine_column];
    const int32_t* const stop = all + fine_.column_begin[fine_column + 1];
    for (int64_t row = begin; row < end; ++row) {
      // A repeated row keeps no edges: otherwise m equal rows would have m * m.
      if (row > begin && coarse_.z[row] == coarse_.z[row - 1]) continue;
      const int64_t low = coarse_.z[row] * geometry_.stride[2] + z.offset;
      const int64_t high = low + z.count - 1;
      at = advance(at, stop, low);
      for (const int32_t* found = at; found != stop && *found <= high; ++found) {
        if (found != at && *found == found[-1]) continue;
        out.template put<0>(true, row, found - all, kernel_row, *found - low);
      }
    }
  }

  const RowTree& fine_;
  const RowTree& coarse_;
  const Geometry& geometry_;
  Windows x_, y_, z_;
  Out& out_;
  int64_t begin_ = 0, end_ = 0; // the coarse columns of this chunk
  bool upper_half_ = false;
  // Fine lines of x_count_ successive x at most are in use at a time; coarse lines one after
  // another share them.
  int64_t x_count_ = 1;
  std::array<Slot, tables> slots_;
};

// The lower half of a mirrored relation shares the lists of the upper half, the columns exchanged.
void mirror(Edges& edges, int64_t rows) {
  const size_t last = edges.lists.size() - 1;
  const size_t centre = last / 2;
  edges.lists[centre] = {nullptr, nullptr, rows, true};
  for (size_t r = 0; r < centre; ++r) {
    const EdgeList& other = edges.lists[last - r];
    edges.lists[r] = {other.coarse, other.fine, other.count, false};
  }
}

Result<int64_t> kernel_rows_of(const Geometry& geometry, const Location& where) {
  constexpr int64_t most = int64_t{1} << 24;
  const auto rows = checked_product(geometry.size);
  if (!rows || *rows > most) {
    return fail(Code::unsupported,
                "a kernel of size " + text_of(geometry.size) + " has more than " +
                    std::to_string(most) + " rows, the most that are supported",
                where);
  }
  return *rows;
}

} // namespace

Result<Edges> find_edges(const RowTree& fine, const RowTree& coarse, bool same,
                         const Geometry& geometry, Budget& budget, const Location& where) {
  LATTICE_TRY(const int64_t kernel_rows, kernel_rows_of(geometry, where));
  const bool half = same && geometry.mirrored();
  Edges edges;
  if (half && kernel_rows == 1) {
    edges.lists.resize(1);
  } else {
    // Few chunks when there are many lists: each chunk counts every list.
    const int64_t most = std::clamp<int64_t>(coarse.rows() * 8 / kernel_rows, 1, 256);
    const int64_t grain = std::max<int64_t>(1, coarse.columns() * 4096 / (coarse.rows() + 1));
    const Chunks chunks = Chunks::of(coarse.columns(), grain, most);
    Taken scratch(budget);
    const auto each_list = static_cast<int64_t>(sizeof(EdgeList) + 16 * chunks.count);
    LATTICE_CHECK(scratch.take(kernel_rows * each_list, "a relation", where));
    std::vector<GroupedMatches> found(static_cast<size_t>(chunks.count));
    parallel_chunks(chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
      GroupedMatches& matches = found[static_cast<size_t>(chunk)];
      const auto walk = [&](auto&& out) {
        Walk(fine, coarse, geometry, out).columns(begin, end, half);
        matches = std::move(out).grouped();
      };
      const int64_t rows = coarse.column_begin[end] - coarse.column_begin[begin];
      if (MatchBuckets::fits(rows, kernel_rows)) {
        walk(MatchBuckets(rows, kernel_rows, scratch, where));
      } else {
        walk(MatchStream(kernel_rows, scratch, where));
      }
    });
    LATTICE_TRY(edges, edges_from(found, kernel_rows, budget, where));
  }
  if (half) mirror(edges, coarse.rows());
  edges.fine_rows = fine.rows();
  edges.coarse_rows = coarse.rows();
  return edges;
}

namespace {

// The kernel row of the fine rows begin .. end-1: where each lies in its cell.
void rows_in_cells(const RowTree& fine, const Triple& stride, int64_t begin, int64_t end,
                   Array<Row>& kernel_row) {
  const FloorDivision cell_x(stride[0]), cell_y(stride[1]), cell_z(stride[2]);
  if (begin == end) return;
  int64_t column = fine.column_of_row(begin);
  int64_t line = fine.line_of_column(column);
  for (int64_t row = begin; row < end; ++line) {
    const int64_t x = fine.line[line].x;
    const int64_t of_x = (x - cell_x(x) * stride[0]) * stride[1];
    for (; row < end && column < fine.line_begin[line + 1]; ++column) {
      const int64_t y = fine.column_y[column];
      const int64_t of_y = (of_x + y - cell_y(y) * stride[1]) * stride[2];
      const int64_t last = std::min<int64_t>(end, fine.column_begin[column + 1]);
      for (; row < last; ++row) {
        const int64_t z = fine.z[row];
        kernel_row[row] = static_cast<Row>(of_y + z - cell_z(z) * stride[2]);
      }
    }
  }
}

} // namespace

Result<Edges> cell_edges(const RowTree& fine, int64_t coarse_rows, const Row* coarse_of_fine,
                         const Triple& stride, Budget& budget, const Location& where) {
  LATTICE_TRY(const int64_t kernel_rows, kernel_rows_of({.size = stride}, where));
  const int64_t rows = fine.rows();
  const int64_t most = std::clamp<int64_t>(rows * 8 / kernel_rows, 1, 256);
  const Chunks chunks = Chunks::of(rows, 8192, most);
  Taken scratch(budget);
  LATTICE_CHECK(scratch.take(rows * 4, "a relation", where));
  Array<Row> kernel_row(rows, budget.pool());
  std::vector<int64_t> place(static_cast<size_t>(chunks.count * kernel_rows));
  parallel_chunks(chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
    rows_in_cells(fine, stride, begin, end, kernel_row);
    int64_t* counts = place.data() + chunk * kernel_rows;
    for (int64_t row = begin; row < end; ++row) ++counts[kernel_row[row]];
  });
  LATTICE_TRY(std::shared_ptr<Row[]> storage, edge_storage(rows, kernel_rows, budget, where));
  Row* const fine_rows = storage.get();
  Row* const coarse = fine_rows + rows;
  Edges edges;
  edges.fine_rows = rows;
  edges.coarse_rows = coarse_rows;
  edges.lists.resize(static_cast<size_t>(kernel_rows));
  int64_t next = 0;
  for (int64_t r = 0; r < kernel_rows; ++r) {
    EdgeList& list = edges.lists[static_cast<size_t>(r)];
    list.fine = fine_rows + next;
    list.coarse = coarse + next;
    const int64_t first = next;
    for (int64_t chunk = 0; chunk < chunks.count; ++chunk) {
      int64_t& at = place[static_cast<size_t>(chunk * kernel_rows + r)];
      const int64_t count = at;
      at = next;
      next += count;
    }
    list.count = next - first;
  }
  parallel_chunks(chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
    int64_t* at = place.data() + chunk * kernel_rows;
    for (int64_t row = begin; row < end; ++row) {
      const int64_t position = at[kernel_row[row]]++;
      fine_rows[position] = static_cast<Row>(row);
      coarse[position] = coarse_of_fine[row];
    }
  });
  edges.bytes = rows * 2 * static_cast<int64_t>(sizeof(Row)) +
                kernel_rows * static_cast<int64_t>(sizeof(EdgeList));
  edges.storage.push_back(std::move(storage));
  return edges;
}

} // namespace lattice::cpu
