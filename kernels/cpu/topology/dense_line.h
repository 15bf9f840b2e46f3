// An output line whose y and z lie close together, as those of scans do: one bit for every place it
// could have a row at. Not for lines that reach far: those are merged in generate.cpp.
#pragma once

#include <array>

#include "kernels/cpu/topology/generate.h"
#include "kernels/cpu/topology/piece.h"

namespace lattice::cpu {

class DenseLine {
 public:
  DenseLine(const std::vector<const RowTree*>& sources, const std::array<Spread, 3>& axes,
            Array<Row>* parent)
      : sources_(sources), y_(axes[1]), z_(axes[2]), divide_y_(y_.divisor), divide_z_(z_.divisor),
        parent_(parent) {}

  // Whether the line that `reaches` make is close enough; measures it for `append`.
  bool fits(const Reach* reaches, size_t count) {
    int64_t y_low = INT64_MAX, y_high = INT64_MIN;
    int32_t z_low = INT32_MAX, z_high = INT32_MIN;
    for (size_t i = 0; i < count; ++i) {
      const RowTree& tree = *sources_[reaches[i].source];
      const int64_t begin = tree.line_begin[reaches[i].from];
      const int64_t end = tree.line_begin[int64_t{reaches[i].from} + 1];
      y_low = std::min<int64_t>(y_low, tree.column_y[begin]);
      y_high = std::max<int64_t>(y_high, tree.column_y[end - 1]);
      const int32_t* const last = tree.z.data() + tree.column_begin[end];
      for (const int32_t* z = tree.z.data() + tree.column_begin[begin]; z != last; ++z) {
        z_low = std::min(z_low, *z);
        z_high = std::max(z_high, *z);
      }
    }
    low_y_ = divide_y_(y_low) * y_.factor + y_.first;
    low_z_ = divide_z_(z_low) * z_.factor + z_.first;
    const int64_t high_y = divide_y_(y_high) * y_.factor + y_.first + (y_.count - 1) * y_.step;
    const int64_t high_z = divide_z_(z_high) * z_.factor + z_.first + (z_.count - 1) * z_.step;
    span_y_ = high_y - low_y_ + 1;
    words_ = (high_z - low_z_) / 64 + 1;
    return words_ <= most_words && span_y_ <= most_places / words_;
  }

  Status append(const Reach* reaches, size_t count, Piece& piece, Taken& scratch,
                const Location& where) {
    if (static_cast<int64_t>(bits_.size()) < span_y_ * words_) {
      bits_.resize(static_cast<size_t>(span_y_ * words_), 0);
      present_.resize(bits_.size() / 64 + 1, 0);
      first_row_.resize(bits_.size());
    }
    mark(reaches, count);
    for (int64_t group = 0; group * 64 < span_y_; ++group) {
      for (uint64_t present = present_[static_cast<size_t>(group)]; present != 0;
           present &= present - 1) {
        const int64_t y = group * 64 + std::countr_zero(present);
        LATTICE_CHECK(piece.grow(words_ * 64, scratch, where));
        piece.column_y.push_back(static_cast<int32_t>(low_y_ + y));
        piece.column_begin.push_back(static_cast<Row>(piece.rows));
        first_row_[static_cast<size_t>(y)] = static_cast<Row>(piece.rows);
        for (int64_t word = 0; word < words_; ++word) {
          piece.append_bits(bits_[static_cast<size_t>(y * words_ + word)], low_z_ + word * 64);
        }
      }
    }
    if (parent_ != nullptr) find_parents(reaches, count);
    clear();
    return {};
  }

 private:
  static constexpr int64_t most_words = 4;
  static constexpr int64_t most_places = 8192;

  // visit(tree, column, place of its first image on the y axis) for every column that reaches the
  // line.
  template <class Visit>
  void for_columns(const Reach* reaches, size_t count, Visit&& visit) {
    for (size_t i = 0; i < count; ++i) {
      const RowTree& tree = *sources_[reaches[i].source];
      const int64_t end = tree.line_begin[int64_t{reaches[i].from} + 1];
      for (int64_t column = tree.line_begin[reaches[i].from]; column < end; ++column) {
        visit(tree, column, divide_y_(tree.column_y[column]) * y_.factor + y_.first - low_y_);
      }
    }
  }

  void mark(const Reach* reaches, size_t count) {
    const int64_t shift = z_.first - low_z_, factor = z_.factor, words = words_;
    const FloorDivision divide = divide_z_;
    const bool plain = words == 1 && z_.count == 1 && y_.count == 1; // floor, in most scans
    for_columns(reaches, count, [&](const RowTree& tree, int64_t column, int64_t place) {
      const int32_t* z = tree.z.data() + tree.column_begin[column];
      const int32_t* const end = tree.z.data() + tree.column_begin[column + 1];
      uint64_t bits[most_words] = {};
      if (plain) {
        uint64_t word = uint64_t{1} << (divide(*z) * factor + shift);
        while (++z != end) word |= uint64_t{1} << (divide(*z) * factor + shift);
        bits_[static_cast<size_t>(place)] |= word;
        present_[static_cast<size_t>(place >> 6)] |= uint64_t{1} << (place & 63);
        return;
      }
      for (; z != end; ++z) {
        int64_t at = divide(*z) * factor + shift;
        for (int64_t index = 0; index < z_.count; ++index, at += z_.step) {
          bits[at >> 6] |= uint64_t{1} << (at & 63);
        }
      }
      for (int64_t index = 0; index < y_.count; ++index, place += y_.step) {
        present_[static_cast<size_t>(place >> 6)] |= uint64_t{1} << (place & 63);
        uint64_t* const to = bits_.data() + place * words;
        for (int64_t word = 0; word < words; ++word) to[word] |= bits[word];
      }
    });
  }

  void find_parents(const Reach* reaches, size_t count) {
    const int64_t shift = z_.first - low_z_, factor = z_.factor, words = words_;
    const FloorDivision divide = divide_z_;
    Row* const parent = parent_->data();
    for_columns(reaches, count, [&](const RowTree& tree, int64_t column, int64_t place) {
      const uint64_t* const bits = bits_.data() + place * words;
      const Row first = first_row_[static_cast<size_t>(place)];
      const int64_t end = tree.column_begin[column + 1];
      for (int64_t row = tree.column_begin[column]; row < end; ++row) {
        const int64_t z = divide(tree.z[row]) * factor + shift;
        Row rank = bits_set(bits[z >> 6] & ((uint64_t{1} << (z & 63)) - 1));
        for (int64_t word = 0; word < z >> 6; ++word) rank += bits_set(bits[word]);
        parent[row] = first + rank;
      }
    });
  }

  void clear() {
    for (int64_t group = 0; group * 64 < span_y_; ++group) {
      for (uint64_t& present = present_[static_cast<size_t>(group)]; present != 0;
           present &= present - 1) {
        const int64_t y = group * 64 + std::countr_zero(present);
        std::fill_n(bits_.data() + y * words_, words_, uint64_t{0});
      }
    }
  }

  const std::vector<const RowTree*>& sources_;
  Spread y_, z_;
  FloorDivision divide_y_, divide_z_;
  Array<Row>* parent_;
  int64_t low_y_ = 0, span_y_ = 0, low_z_ = 0, words_ = 1;
  std::vector<uint64_t> bits_;    // words_ for each place on the y axis
  std::vector<uint64_t> present_; // a bit for each place: some row is there
  std::vector<Row> first_row_;    // of each place that is present
};

} // namespace lattice::cpu
