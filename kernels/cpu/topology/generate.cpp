// Generated supports. One way serves all rules: an output line collects the input lines that reach
// it, an output column the input columns, and the z of a column are the union of what those columns
// give.
#include "kernels/cpu/topology/generate.h"

#include <limits>
#include <tuple>

#include "base/checked.h"
#include "kernels/cpu/topology/dense_line.h"
#include "kernels/cpu/topology/parallel.h"

namespace lattice::cpu {

namespace {

// An input column that reaches an output column, as one word that sorts by y: y | source | column.
using ColumnWord = uint64_t;
ColumnWord column_word(int64_t y, uint32_t source, int64_t column) {
  const uint64_t biased = static_cast<uint32_t>(static_cast<int32_t>(y)) ^ 0x80000000u;
  return biased << 32 | static_cast<uint64_t>(source) << 31 | static_cast<uint64_t>(column);
}
int32_t y_of(ColumnWord word) {
  return static_cast<int32_t>(static_cast<uint32_t>(word >> 32) ^ 0x80000000u);
}
uint32_t source_of(ColumnWord word) { return static_cast<uint32_t>(word >> 31) & 1u; }
int64_t column_of(ColumnWord word) { return static_cast<int64_t>(word & 0x7fffffffu); }

class PieceMaker {
 public:
  PieceMaker(const std::vector<const RowTree*>& sources, const std::array<Spread, 3>& axes,
             Array<Row>* parent, Taken& scratch, const Location& where)
      : sources_(sources), y_(axes[1]), z_(axes[2]), divide_y_(y_.divisor), divide_z_(z_.divisor),
        parent_(parent), dense_(sources, axes, parent), scratch_(scratch), where_(where) {}

  // All rows of one output line, reached by `reaches`.
  Status line(const Reach* reaches, size_t count, Piece& piece) {
    piece.line.push_back(reaches->line);
    piece.line_begin.push_back(static_cast<Row>(piece.column_y.size()));
    if (dense_.fits(reaches, count)) return dense_.append(reaches, count, piece, scratch_, where_);
    LATTICE_CHECK(collect_columns(reaches, count));
    for (size_t begin = 0, end = 0; begin < words_.size(); begin = end) {
      const uint64_t y = words_[begin] >> 32;
      while (end < words_.size() && words_[end] >> 32 == y) ++end;
      piece.column_y.push_back(y_of(words_[begin]));
      piece.column_begin.push_back(static_cast<Row>(piece.rows));
      LATTICE_CHECK(column(words_.data() + begin, end - begin, piece));
    }
    return {};
  }

 private:
  // Each pair (input line, y index) gives columns in ascending y; those runs are merged into
  // words_.
  Status collect_columns(const Reach* reaches, size_t count) {
    int64_t wanted = 0;
    for (size_t i = 0; i < count; ++i) {
      const RowTree& tree = *sources_[reaches[i].source];
      wanted += tree.line_begin[int64_t{reaches[i].from} + 1] - tree.line_begin[reaches[i].from];
    }
    const auto bytes = checked_mul(wanted, y_.count * 16);
    if (!bytes) return tl::make_unexpected(faults::too_many_rows(INT64_MAX, INT32_MAX, where_));
    if (*bytes > words_bytes_) {
      LATTICE_CHECK(scratch_.take(*bytes - words_bytes_, "a generated support", where_));
      words_bytes_ = *bytes;
    }
    words_.clear();
    runs_.assign(1, 0);
    for (size_t i = 0; i < count; ++i) {
      const RowTree& tree = *sources_[reaches[i].source];
      const int64_t begin = tree.line_begin[reaches[i].from];
      const int64_t end = tree.line_begin[int64_t{reaches[i].from} + 1];
      for (int64_t index = 0; index < y_.count; ++index) {
        const int64_t shift = y_.first + index * y_.step;
        for (int64_t column = begin; column < end; ++column) {
          const int64_t y = divide_y_(tree.column_y[column]) * y_.factor + shift;
          words_.push_back(column_word(y, reaches[i].source, column));
        }
        runs_.push_back(words_.size());
      }
    }
    while (runs_.size() > 2) merge_runs();
    return {};
  }

  // Halves the number of runs.
  void merge_runs() {
    spare_.resize(words_.size());
    merged_runs_.assign(1, 0);
    for (size_t run = 0; run + 1 < runs_.size(); run += 2) {
      const size_t last = std::min(run + 2, runs_.size() - 1);
      const uint64_t *a = words_.data() + runs_[run], *a_end = words_.data() + runs_[run + 1];
      const uint64_t *b = a_end, *b_end = words_.data() + runs_[last];
      uint64_t* out = spare_.data() + runs_[run];
      while (a != a_end && b != b_end) {
        const uint64_t left = *a, right = *b;
        const bool take_left = left <= right;
        *out++ = take_left ? left : right;
        a += take_left;
        b += !take_left;
      }
      out = std::copy(a, a_end, out);
      std::copy(b, b_end, out);
      merged_runs_.push_back(runs_[last]);
    }
    words_.swap(spare_);
    runs_.swap(merged_runs_);
  }

  Status column(const ColumnWord* words, size_t count, Piece& piece) {
    int64_t low = INT64_MAX, high = INT64_MIN, rows = 0;
    for (size_t i = 0; i < count; ++i) {
      const RowTree& tree = *sources_[source_of(words[i])];
      const int64_t column = column_of(words[i]);
      const int64_t begin = tree.column_begin[column], end = tree.column_begin[column + 1];
      low = std::min(low, divide_z_(tree.z[begin]));
      high = std::max(high, divide_z_(tree.z[end - 1]));
      rows += end - begin;
    }
    low = low * z_.factor + z_.first;
    high = high * z_.factor + z_.first + (z_.count - 1) * z_.step;
    const auto images = checked_mul(rows, z_.count);
    if (images && (high - low) / 64 <= *images + 16) {
      return bitmap_column(words, count, low, (high - low) / 64 + 1, piece);
    }
    return sparse_column(words, count, images, piece);
  }

  // visit(source row, z) for every image in an output column.
  template <class Visit>
  void for_images(const ColumnWord* words, size_t count, Visit&& visit) {
    for (size_t i = 0; i < count; ++i) {
      const RowTree& tree = *sources_[source_of(words[i])];
      const int64_t column = column_of(words[i]);
      const int64_t begin = tree.column_begin[column], end = tree.column_begin[column + 1];
      for (int64_t row = begin; row < end; ++row) {
        int64_t z = divide_z_(tree.z[row]) * z_.factor + z_.first;
        for (int64_t index = 0; index < z_.count; ++index, z += z_.step) visit(row, z);
      }
    }
  }

  Status bitmap_column(const ColumnWord* words, size_t count, int64_t low, int64_t size,
                       Piece& piece) {
    bitmap_.assign(static_cast<size_t>(size), 0);
    for_images(words, count, [&](int64_t, int64_t z) {
      bitmap_[static_cast<size_t>((z - low) / 64)] |= uint64_t{1} << ((z - low) % 64);
    });
    before_.resize(bitmap_.size());
    Row total = 0;
    for (size_t i = 0; i < bitmap_.size(); ++i) {
      before_[i] = total;
      total += static_cast<Row>(bits_set(bitmap_[i]));
    }
    if (parent_ != nullptr) {
      for_images(words, count, [&](int64_t row, int64_t z) {
        const size_t word = static_cast<size_t>((z - low) / 64);
        const uint64_t below = (uint64_t{1} << ((z - low) % 64)) - 1;
        const Row rank = before_[word] + static_cast<Row>(bits_set(bitmap_[word] & below));
        (*parent_)[row] = static_cast<Row>(piece.rows) + rank;
      });
    }
    LATTICE_CHECK(piece.grow(total, scratch_, where_));
    for (size_t i = 0; i < bitmap_.size(); ++i) {
      piece.append_bits(bitmap_[i], low + static_cast<int64_t>(i) * 64);
    }
    return {};
  }

  // Far-apart z: gathered, sorted, made distinct.
  Status sparse_column(const ColumnWord* words, size_t count, std::optional<int64_t> images,
                       Piece& piece) {
    if (!images) {
      return tl::make_unexpected(faults::too_many_rows(INT64_MAX, INT32_MAX, where_));
    }
    LATTICE_CHECK(piece.grow(*images, scratch_, where_));
    int32_t* first = piece.z.data() + piece.rows;
    int32_t* last = first;
    for_images(words, count, [&](int64_t, int64_t z) { *last++ = static_cast<int32_t>(z); });
    std::sort(first, last);
    last = std::unique(first, last);
    if (parent_ != nullptr) {
      for_images(words, count, [&](int64_t row, int64_t z) {
        const int32_t* at = std::lower_bound(first, last, static_cast<int32_t>(z));
        (*parent_)[row] = static_cast<Row>(piece.rows + (at - first));
      });
    }
    piece.rows += last - first;
    return {};
  }

  const std::vector<const RowTree*>& sources_;
  Spread y_, z_;
  FloorDivision divide_y_, divide_z_;
  Array<Row>* parent_;
  DenseLine dense_;
  Taken& scratch_;
  const Location& where_;
  std::vector<ColumnWord> words_, spare_;
  int64_t words_bytes_ = 0; // of both, as far as counted
  std::vector<size_t> runs_, merged_runs_;
  std::vector<uint64_t> bitmap_;
  std::vector<Row> before_;
};

// Every (output line, input line) pair, in ascending output lines.
Result<std::vector<Reach>> collect_lines(const std::vector<const RowTree*>& sources,
                                         const Spread& axis, Taken& scratch,
                                         const Location& where) {
  int64_t lines = 0;
  for (const RowTree* tree : sources) lines += tree->lines();
  const auto count = checked_mul(lines, axis.count);
  const auto bytes = count ? checked_mul(*count, sizeof(Reach)) : std::nullopt;
  if (!bytes) return tl::make_unexpected(faults::too_many_rows(INT64_MAX, INT32_MAX, where));
  LATTICE_CHECK(scratch.take(*bytes, "a generated support", where));
  std::vector<Reach> reaches;
  reaches.reserve(static_cast<size_t>(*count));
  const FloorDivision divide(axis.divisor);
  for (size_t source = 0; source < sources.size(); ++source) {
    const RowTree& tree = *sources[source];
    for (int64_t line = 0; line < tree.lines(); ++line) {
      int64_t x = divide(tree.line[line].x) * axis.factor + axis.first;
      for (int64_t index = 0; index < axis.count; ++index, x += axis.step) {
        reaches.push_back({{tree.line[line].batch, static_cast<int32_t>(x)},
                           static_cast<uint32_t>(source),
                           static_cast<Row>(line)});
      }
    }
  }
  const auto before = [](const Reach& a, const Reach& b) {
    return std::tie(a.line, a.source, a.from) < std::tie(b.line, b.source, b.from);
  };
  if (!std::is_sorted(reaches.begin(), reaches.end(), before)) {
    std::sort(reaches.begin(), reaches.end(), before);
  }
  return reaches;
}

// Puts the pieces behind one another.
Result<RowTree> join_pieces(std::vector<Piece>& pieces, Budget& budget, const Location& where,
                            std::vector<int64_t>& first_row) {
  int64_t lines = 0, columns = 0, rows = 0;
  for (Piece& piece : pieces) {
    if (!piece.status) return tl::make_unexpected(std::move(piece.status).error());
    first_row.push_back(rows);
    lines += static_cast<int64_t>(piece.line.size());
    columns += static_cast<int64_t>(piece.column_y.size());
    rows += piece.rows;
  }
  if (rows > std::numeric_limits<int32_t>::max()) {
    return tl::make_unexpected(
        faults::too_many_rows(rows, std::numeric_limits<int32_t>::max(), where));
  }
  LATTICE_CHECK(budget.take(lines * 12 + columns * 8 + rows * 4 + 8, "a generated support", where));
  RowTree tree = RowTree::sized(lines, columns, rows, budget.pool());
  std::vector<int64_t> first_line, first_column;
  lines = columns = 0;
  for (const Piece& piece : pieces) {
    first_line.push_back(lines);
    first_column.push_back(columns);
    lines += static_cast<int64_t>(piece.line.size());
    columns += static_cast<int64_t>(piece.column_y.size());
  }
  parallel_tasks(static_cast<int64_t>(pieces.size()), [&](int64_t at) {
    const size_t i = static_cast<size_t>(at);
    const Piece& piece = pieces[i];
    std::copy(piece.line.begin(), piece.line.end(), tree.line.data() + first_line[i]);
    std::copy(piece.column_y.begin(), piece.column_y.end(), tree.column_y.data() + first_column[i]);
    std::copy_n(piece.z.data(), piece.rows, tree.z.data() + first_row[i]);
    const auto shifted = [](const std::vector<Row>& from, int64_t by, Row* to) {
      for (const Row value : from) *to++ = static_cast<Row>(value + by);
    };
    shifted(piece.line_begin, first_column[i], tree.line_begin.data() + first_line[i]);
    shifted(piece.column_begin, first_row[i], tree.column_begin.data() + first_column[i]);
  });
  return tree;
}

} // namespace

Result<RowTree> generate_rows(const std::vector<const RowTree*>& sources,
                              const std::array<Spread, 3>& axes, Array<Row>* parent, Budget& budget,
                              const Location& where) {
  Taken scratch(budget);
  LATTICE_TRY(const std::vector<Reach> reaches, collect_lines(sources, axes[0], scratch, where));
  int64_t rows = 0;
  for (const RowTree* tree : sources) rows += tree->rows();
  if (rows == 0) return RowTree::sized(0, 0, 0, budget.pool());

  // Chunks of whole output lines.
  const int64_t count = static_cast<int64_t>(reaches.size());
  const Chunks chunks = Chunks::of(count, std::max<int64_t>(1, count * 4096 / rows));
  const auto line_start = [&](int64_t at) {
    const auto starts = [&](size_t i) {
      return i == 0 || i == reaches.size() || reaches[i].line != reaches[i - 1].line;
    };
    while (!starts(static_cast<size_t>(at))) ++at;
    return static_cast<size_t>(at);
  };
  std::vector<Piece> pieces(static_cast<size_t>(chunks.count));
  parallel_chunks(chunks, [&](int64_t chunk, int64_t first, int64_t last) {
    Piece& piece = pieces[static_cast<size_t>(chunk)];
    PieceMaker maker(sources, axes, parent, scratch, where);
    const size_t end = line_start(last);
    for (size_t begin = line_start(first), next = begin; begin < end; begin = next) {
      while (next < reaches.size() && reaches[next].line == reaches[begin].line) ++next;
      piece.status = maker.line(reaches.data() + begin, next - begin, piece);
      if (!piece.status) return;
    }
  });

  std::vector<int64_t> first_row;
  LATTICE_TRY(RowTree tree, join_pieces(pieces, budget, where, first_row));
  if (parent != nullptr) {
    const RowTree& source = *sources[0];
    const auto first_source_row = [&](size_t reach) -> int64_t {
      const int64_t line = static_cast<int64_t>(reach); // one reach a line, in order
      return source.column_begin[source.line_begin[line]];
    };
    parallel_chunks(chunks, [&](int64_t chunk, int64_t first, int64_t last) {
      const Row base = static_cast<Row>(first_row[static_cast<size_t>(chunk)]);
      const int64_t end = first_source_row(line_start(last));
      for (int64_t row = first_source_row(line_start(first)); row < end; ++row) {
        (*parent)[row] += base;
      }
    });
  }
  return tree;
}

Result<RowTree> subset_of(const RowTree& tree, const Row* rows, int64_t count, Budget& budget,
                          const Location& where) {
  int64_t lines = 0, columns = 0;
  // Walks the wanted rows with the column and line each stands in.
  const auto walk = [&](auto&& visit) {
    int64_t line = 0, column = 0, last_line = -1, last_column = -1;
    for (int64_t i = 0; i < count; ++i) {
      while (tree.column_begin[column + 1] <= rows[i]) ++column;
      while (int64_t{tree.line_begin[line + 1]} <= column) ++line;
      visit(i, line, line != last_line, column, column != last_column);
      last_line = line;
      last_column = column;
    }
  };
  walk([&](int64_t, int64_t, bool new_line, int64_t, bool new_column) {
    lines += new_line;
    columns += new_column;
  });
  LATTICE_CHECK(
      budget.take(lines * 12 + columns * 8 + count * 4 + 8, "a generated support", where));
  RowTree result = RowTree::sized(lines, columns, count, budget.pool());
  lines = columns = 0;
  walk([&](int64_t i, int64_t line, bool new_line, int64_t column, bool new_column) {
    if (new_line) {
      result.line[lines] = tree.line[line];
      result.line_begin[lines++] = static_cast<Row>(columns);
    }
    if (new_column) {
      result.column_y[columns] = tree.column_y[column];
      result.column_begin[columns++] = static_cast<Row>(i);
    }
    result.z[i] = tree.z[rows[i]];
  });
  return result;
}

} // namespace lattice::cpu
