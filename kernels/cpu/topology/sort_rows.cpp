// Radix sort of packed coordinates, and the tree of what is sorted. See sort_rows.h.
#include "kernels/cpu/topology/sort_rows.h"

#include <array>
#include <bit>
#include <limits>
#include <vector>

#include "base/tensor.h"
#include "kernels/cpu/topology/parallel.h"

namespace lattice::cpu {

namespace {

using Coords = std::array<int32_t, 4>;

Coords coords_at(const void* coords, int64_t row) {
  Coords value;
  std::memcpy(value.data(), static_cast<const char*>(coords) + row * 16, 16);
  return value;
}

// Smallest and largest value per column, and whether the rows ascend already.
struct Extent4 {
  Coords low{INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
  Coords high{INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
  bool ascending = true;
};

Extent4 extent_of(const void* coords, int64_t rows) {
  const Chunks chunks = Chunks::of(rows, 16384);
  std::vector<Extent4> parts(static_cast<size_t>(chunks.count));
  parallel_chunks(chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
    Extent4 part;
    Coords before = coords_at(coords, begin > 0 ? begin - 1 : 0);
    for (int64_t row = begin; row < end; ++row) {
      const Coords now = coords_at(coords, row);
      for (size_t i = 0; i < 4; ++i) {
        part.low[i] = std::min(part.low[i], now[i]);
        part.high[i] = std::max(part.high[i], now[i]);
      }
      if (part.ascending) part.ascending = before <= now;
      before = now;
    }
    parts[static_cast<size_t>(chunk)] = part;
  });
  Extent4 all;
  for (const Extent4& part : parts) {
    for (size_t i = 0; i < 4; ++i) {
      all.low[i] = std::min(all.low[i], part.low[i]);
      all.high[i] = std::max(all.high[i], part.high[i]);
    }
    all.ascending = all.ascending && part.ascending;
  }
  return all;
}

// Field widths of a packed key: batch | x | y | z, each less its smallest value.
struct Packing {
  Coords low{};
  std::array<int, 4> bits{};
  int row_bits = 0;

  Packing(const Extent4& extent, int64_t rows) : low(extent.low) {
    for (size_t i = 0; i < 4; ++i) {
      const int64_t span = int64_t{extent.high[i]} - extent.low[i];
      bits[i] = static_cast<int>(std::bit_width(static_cast<uint64_t>(span)));
    }
    row_bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(rows - 1)));
  }
  int key_bits() const { return bits[0] + bits[1] + bits[2] + bits[3]; }
  uint64_t field(const Coords& value, size_t i) const {
    return static_cast<uint32_t>(int64_t{value[i]} - low[i]);
  }
  int32_t value(uint64_t field_bits, size_t i) const {
    return static_cast<int32_t>(static_cast<int64_t>(field_bits) + low[i]);
  }
};

constexpr uint64_t mask(int bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

// The three forms a row takes while it is sorted. `digit` reads key bits only; fields come back in
// halves: line (batch and x), y, z.
struct NarrowForm { // key and row number in one word
  using Item = uint64_t;
  const Packing& packing;
  int shift_z = packing.row_bits, shift_y = shift_z + packing.bits[3],
      shift_x = shift_y + packing.bits[2], shift_b = shift_x + packing.bits[1];
  uint64_t mask_row = mask(packing.row_bits), mask_z = mask(packing.bits[3]),
           mask_y = mask(packing.bits[2]), mask_x = mask(packing.bits[1]);

  static int first_bit(const Packing& p) { return p.row_bits; }
  Item pack(const Coords& c, int64_t row) const {
    // A shift by 64 is only asked for when the field is empty and all others fill the word.
    const uint64_t batch = packing.bits[0] == 0 ? 0 : packing.field(c, 0) << shift_b;
    const uint64_t x = packing.bits[1] == 0 ? 0 : packing.field(c, 1) << shift_x;
    const uint64_t y = packing.bits[2] == 0 ? 0 : packing.field(c, 2) << shift_y;
    const uint64_t z = packing.bits[3] == 0 ? 0 : packing.field(c, 3) << shift_z;
    return batch | x | y | z | static_cast<uint64_t>(row);
  }
  static uint64_t digit(const Item& item, int shift) { return item >> shift; }
  Row row(const Item& item) const { return static_cast<Row>(item & mask_row); }
  uint64_t line(const Item& item) const { return shift_x >= 64 ? 0 : item >> shift_x; }
  uint64_t column(const Item& item) const { return shift_y >= 64 ? 0 : item >> shift_y; }
  int32_t batch(const Item& item) const {
    return packing.value(shift_b >= 64 ? 0 : item >> shift_b, 0);
  }
  int32_t x(const Item& item) const { return packing.value(line(item) & mask_x, 1); }
  int32_t y(const Item& item) const { return packing.value(column(item) & mask_y, 2); }
  int32_t z(const Item& item) const {
    return packing.value(shift_z >= 64 ? 0 : (item >> shift_z) & mask_z, 3);
  }
};

struct WideItem { // fields left at full width: (batch, x) and (y, z), 32 bits each
  uint64_t high, low;
  Row number;
};

struct WideForm {
  using Item = WideItem;
  const Packing& packing;

  static int first_bit(const Packing&) { return 0; }
  Item pack(const Coords& c, int64_t row) const {
    return {packing.field(c, 0) << 32 | packing.field(c, 1),
            packing.field(c, 2) << 32 | packing.field(c, 3), static_cast<Row>(row)};
  }
  static uint64_t digit(const Item& item, int shift) {
    if (shift >= 64) return item.high >> (shift - 64);
    return shift == 0 ? item.low : item.low >> shift | item.high << (64 - shift);
  }
  Row row(const Item& item) const { return item.number; }
  uint64_t line(const Item& item) const { return item.high; }
  // Only compared beside equal lines.
  uint64_t column(const Item& item) const { return item.low >> 32; }
  int32_t batch(const Item& item) const { return packing.value(item.high >> 32, 0); }
  int32_t x(const Item& item) const { return packing.value(item.high & 0xffffffffu, 1); }
  int32_t y(const Item& item) const { return packing.value(item.low >> 32, 2); }
  int32_t z(const Item& item) const { return packing.value(item.low & 0xffffffffu, 3); }
};

// Rows that ascend as given: read where they are.
struct GivenForm {
  const void* coords;

  Coords at(int64_t row) const { return coords_at(coords, row); }
};

// Stable LSD radix sort by `bits` key bits from `first_bit` on; passes whose digit is the same
// everywhere are skipped. The result is in `items`; `spare` is as large.
template <class Form>
void radix_sort(Array<typename Form::Item>& items, Array<typename Form::Item>& spare, int first_bit,
                int bits) {
  if (bits == 0) return;
  const int64_t rows = items.size();
  const int widest = rows < 4096 ? 8 : 11;
  const int passes = (bits + widest - 1) / widest;
  const int width = (bits + passes - 1) / passes;
  const int64_t buckets = int64_t{1} << width;
  const uint64_t digit_mask = mask(width);
  const Chunks chunks = Chunks::of(rows, 32768, 64);
  std::vector<Row> places(static_cast<size_t>(chunks.count * buckets));
  for (int pass = 0; pass < passes; ++pass) {
    const int shift = first_bit + pass * width;
    std::fill(places.begin(), places.end(), Row{0});
    parallel_chunks(chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
      Row* counts = places.data() + chunk * buckets;
      for (int64_t i = begin; i < end; ++i) ++counts[Form::digit(items[i], shift) & digit_mask];
    });
    Row next = 0;
    bool constant = false;
    for (int64_t bucket = 0; bucket < buckets; ++bucket) {
      const Row before = next;
      for (int64_t chunk = 0; chunk < chunks.count; ++chunk) {
        Row& place = places[static_cast<size_t>(chunk * buckets + bucket)];
        const Row count = place;
        place = next;
        next += count;
      }
      constant = constant || int64_t{next - before} == rows;
    }
    if (constant) continue;
    parallel_chunks(chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
      Row* place = places.data() + chunk * buckets;
      for (int64_t i = begin; i < end; ++i) {
        spare[place[Form::digit(items[i], shift) & digit_mask]++] = items[i];
      }
    });
    std::swap(items, spare);
  }
}

// The tree of `rows` sorted items. is_column(i): row i > 0 begins a column; is_line(i) likewise;
// x_of(i), ... give the coordinates.
template <class Source>
Result<RowTree> make_tree(const Source& source, int64_t rows, Budget& budget,
                          const Location& where) {
  const Chunks chunks = Chunks::of(rows, 16384);
  struct Counts {
    int64_t lines = 0, columns = 0;
  };
  std::vector<Counts> before(static_cast<size_t>(chunks.count) + 1);
  parallel_chunks(chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
    Counts counts;
    for (int64_t i = begin; i < end; ++i) {
      const bool line = i == 0 || source.begins_line(i);
      counts.lines += line;
      counts.columns += line || source.begins_column(i);
    }
    before[static_cast<size_t>(chunk) + 1] = counts;
  });
  for (size_t chunk = 1; chunk < before.size(); ++chunk) {
    before[chunk].lines += before[chunk - 1].lines;
    before[chunk].columns += before[chunk - 1].columns;
  }
  const Counts total = before.back();
  LATTICE_CHECK(
      budget.take(total.lines * 12 + total.columns * 8 + rows * 4 + 8, "a support", where));
  RowTree tree = RowTree::sized(total.lines, total.columns, rows, budget.pool());
  parallel_chunks(chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
    int64_t line = before[static_cast<size_t>(chunk)].lines;
    int64_t column = before[static_cast<size_t>(chunk)].columns;
    // Rows before the chunk's first column belong to a column that the chunk before has begun.
    for (; begin < end && !(begin == 0 || source.begins_line(begin) || source.begins_column(begin));
         ++begin) {
      tree.z[begin] = source.z(begin);
    }
    Row first = 0;
    for (int64_t i = begin; i < end; ++i) {
      const bool new_line = i == 0 || source.begins_line(i);
      const bool new_column = new_line || source.begins_column(i);
      tree.z[i] = source.z(i);
      if (new_line) {
        tree.line[line] = {source.batch(i), source.x(i)};
        tree.line_begin[line++] = static_cast<Row>(column);
      }
      // Written for every row rather than once a column: cheaper than a branch that is hard to
      // predict.
      column += new_column;
      first = new_column ? static_cast<Row>(i) : first;
      tree.column_y[column - 1] = source.y(i);
      tree.column_begin[column - 1] = first;
    }
  });
  return tree;
}

template <class Form>
struct ItemSource {
  const Form& form;
  const Array<typename Form::Item>& items;

  bool begins_line(int64_t i) const { return form.line(items[i]) != form.line(items[i - 1]); }
  bool begins_column(int64_t i) const { return form.column(items[i]) != form.column(items[i - 1]); }
  int32_t batch(int64_t i) const { return form.batch(items[i]); }
  int32_t x(int64_t i) const { return form.x(items[i]); }
  int32_t y(int64_t i) const { return form.y(items[i]); }
  int32_t z(int64_t i) const { return form.z(items[i]); }
};

struct GivenSource {
  const void* coords;

  bool begins_line(int64_t i) const {
    const Coords now = coords_at(coords, i), before = coords_at(coords, i - 1);
    return now[0] != before[0] || now[1] != before[1];
  }
  bool begins_column(int64_t i) const {
    return coords_at(coords, i)[2] != coords_at(coords, i - 1)[2];
  }
  int32_t batch(int64_t i) const { return coords_at(coords, i)[0]; }
  int32_t x(int64_t i) const { return coords_at(coords, i)[1]; }
  int32_t y(int64_t i) const { return coords_at(coords, i)[2]; }
  int32_t z(int64_t i) const { return coords_at(coords, i)[3]; }
};

template <class Form>
Result<SortedRows> sort_as(const Form& form, const void* coords, int64_t rows, int key_bits,
                           Budget& budget, const Location& where) {
  using Item = typename Form::Item;
  Taken scratch(budget);
  LATTICE_CHECK(
      scratch.take(2 * rows * static_cast<int64_t>(sizeof(Item)), "sorting a support", where));
  Array<Item> items(rows, budget.pool()), spare(rows, budget.pool());
  parallel_chunks(Chunks::of(rows, 16384), [&](int64_t, int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) items[row] = form.pack(coords_at(coords, row), row);
  });
  radix_sort<Form>(items, spare, form.first_bit(form.packing), key_bits);
  spare = {};

  SortedRows sorted;
  LATTICE_TRY(sorted.tree, make_tree(ItemSource<Form>{form, items}, rows, budget, where));
  LATTICE_CHECK(budget.take(rows * 4, "a support", where));
  sorted.given_of_inner = Array<Row>(rows, budget.pool());
  sorted.moved = true;
  parallel_chunks(Chunks::of(rows, 16384), [&](int64_t, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) sorted.given_of_inner[i] = form.row(items[i]);
  });
  return sorted;
}

} // namespace

Result<SortedRows> sort_rows(const void* coords, int64_t rows, Budget& budget,
                             const Location& where) {
  if (rows > std::numeric_limits<int32_t>::max()) {
    return tl::make_unexpected(
        faults::too_many_rows(rows, std::numeric_limits<int32_t>::max(), where));
  }
  SortedRows sorted;
  if (rows == 0) {
    sorted.tree = RowTree::sized(0, 0, 0, budget.pool());
    return sorted;
  }
  const Extent4 extent = extent_of(coords, rows);
  if (extent.ascending) {
    LATTICE_TRY(sorted.tree, make_tree(GivenSource{coords}, rows, budget, where));
    return sorted;
  }
  const Packing packing(extent, rows);
  if (packing.key_bits() + packing.row_bits <= 64) {
    return sort_as(NarrowForm{packing}, coords, rows, packing.key_bits(), budget, where);
  }
  return sort_as(WideForm{packing}, coords, rows, 128, budget, where);
}

Repeated find_repeated(const SortedRows& sorted) {
  const RowTree& tree = sorted.tree;
  const Chunks chunks = Chunks::of(tree.columns(), 16384);
  std::vector<Repeated> parts(static_cast<size_t>(chunks.count));
  parallel_chunks(chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
    Repeated& part = parts[static_cast<size_t>(chunk)];
    for (int64_t column = begin; column < end; ++column) {
      for (int64_t i = int64_t{tree.column_begin[column]} + 1; i < tree.column_begin[column + 1];
           ++i) {
        if (tree.z[i] != tree.z[i - 1]) continue;
        const int64_t row = sorted.moved ? int64_t{sorted.given_of_inner[i]} : i;
        if (part.row >= 0 && row >= part.row) continue;
        int64_t first = i - 1;
        while (first > tree.column_begin[column] && tree.z[first - 1] == tree.z[i]) --first;
        part.row = row;
        part.first = sorted.moved ? int64_t{sorted.given_of_inner[first]} : first;
      }
    }
  });
  Repeated all;
  for (const Repeated& part : parts) {
    if (part.row >= 0 && (all.row < 0 || part.row < all.row)) all = part;
  }
  return all;
}

} // namespace lattice::cpu
