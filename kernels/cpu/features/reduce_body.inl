// pool, trilinear_upsample, global_pool, voxelize and devoxelize over ranges of rows. Not a header:
// see vectors_body.inl. Sums are kept in f32 on the stack, a tile of rows and columns at a time.

constexpr int64_t tile_rows = 128;

struct alignas(64) Tile {
  float at[tile_rows][tile_cols];

  void clear(int64_t rows) { std::memset(at, 0, static_cast<size_t>(rows) * sizeof(at[0])); }
};

// visit(output row - range.begin, input row) for the edges of one kernel row into `range`.
template <class Visit>
LATTICE_INLINE void visit_edges(const EdgeList& list, Direction direction, RowRange range,
                                Visit visit) {
  if (list.identity) {
    for (int64_t row = range.begin; row < std::min(range.end, list.count); ++row)
      visit(row - range.begin, row);
    return;
  }
  const Row* out = direction == Direction::forward ? list.coarse : list.fine;
  const Row* in = direction == Direction::forward ? list.fine : list.coarse;
  const Row* at = std::lower_bound(out, out + list.count, static_cast<Row>(range.begin));
  for (int64_t i = at - out; i < list.count && out[i] < range.end; ++i)
    visit(out[i] - range.begin, in[i]);
}

// tile(rows, first column, columns) for every tile of `range`.
template <class Visit>
LATTICE_INLINE void visit_tiles(RowRange range, int64_t cols, Visit visit) {
  for (int64_t first = range.begin; first < range.end; first += tile_rows) {
    const RowRange rows{first, std::min(range.end, first + tile_rows)};
    for (int64_t col = 0; col < cols; col += tile_cols)
      visit(rows, col, std::min(tile_cols, cols - col));
  }
}

template <class T>
LATTICE_INLINE void add_row(float* sum, const T* from, int64_t n) {
  each(n, [&](int64_t c, auto count) LATTICE_LAMBDA {
    store_whole(sum + c, load_whole(sum + c) + load(from + c, count));
  });
}

template <class T>
LATTICE_INLINE void copy_row(float* to, const T* from, int64_t n) {
  each(n,
       [&](int64_t c, auto count) LATTICE_LAMBDA { store_whole(to + c, load(from + c, count)); });
}

template <class T>
LATTICE_INLINE void maximum_row(float* largest, const T* from, int64_t n) {
  each(n, [&](int64_t c, auto count) LATTICE_LAMBDA {
    store_whole(largest + c,
                formulas::maximum(Lanes(), load_whole(largest + c), load(from + c, count)));
  });
}

template <class T>
LATTICE_INLINE void fma_row(float* sum, float weight, const T* from, int64_t n) {
  const Vec w = Lanes().set(weight);
  each(n, [&](int64_t c, auto count) LATTICE_LAMBDA {
    store_whole(sum + c, Lanes().fma(w, load(from + c, count), load_whole(sum + c)));
  });
}

template <class T>
LATTICE_INLINE void store_row(const float* from, T* to, int64_t n) {
  each(n,
       [&](int64_t c, auto count) LATTICE_LAMBDA { store(to + c, load_whole(from + c), count); });
}

template <class T>
LATTICE_INLINE void store_quotient(const float* from, float by, T* to, int64_t n) {
  const Vec divisor = Lanes().set(by);
  each(n, [&](int64_t c, auto count)
              LATTICE_LAMBDA { store(to + c, load_whole(from + c) / divisor, count); });
}

void pool_rows(ConstMatrix x, const Edges& edges, Direction direction, PoolMode mode, Matrix y,
               RowRange range) {
  with_element(x.dtype, [&](auto element) LATTICE_LAMBDA {
    using T = decltype(element);
    Tile tile;
    int64_t reached[tile_rows];
    visit_tiles(range, y.cols, [&](RowRange rows, int64_t col, int64_t n) LATTICE_LAMBDA {
      const int64_t count = rows.end - rows.begin;
      tile.clear(count);
      std::fill_n(reached, count, 0);
      for (const EdgeList& list : edges.lists) {
        visit_edges(list, direction, rows, [&](int64_t row, int64_t neighbour) LATTICE_LAMBDA {
          const T* from = x.row<T>(neighbour) + col;
          if (mode != PoolMode::max) {
            add_row(tile.at[row], from, n);
          } else if (reached[row] == 0) {
            copy_row(tile.at[row], from, n);
          } else {
            maximum_row(tile.at[row], from, n);
          }
          ++reached[row];
        });
      }
      for (int64_t row = 0; row < count; ++row) {
        T* to = y.row<T>(rows.begin + row) + col;
        if (mode == PoolMode::avg && reached[row] > 0) {
          store_quotient(tile.at[row], static_cast<float>(reached[row]), to, n);
        } else {
          store_row(tile.at[row], to, n);
        }
      }
    });
  });
}

// 1 - |index - (s - 1)| / s
inline float axis_weight(int64_t index, int64_t s) {
  const int64_t distance = index < s - 1 ? s - 1 - index : index - (s - 1);
  return 1.0f - static_cast<float>(distance) / static_cast<float>(s);
}

void trilinear_rows(ConstMatrix x, const Edges& edges, Triple scale, Matrix y, RowRange range) {
  const int64_t size_y = 2 * scale[1] - 1;
  const int64_t size_z = 2 * scale[2] - 1;
  with_element(x.dtype, [&](auto element) LATTICE_LAMBDA {
    using T = decltype(element);
    Tile num;
    float den[tile_rows];
    visit_tiles(range, y.cols, [&](RowRange rows, int64_t col, int64_t n) LATTICE_LAMBDA {
      const int64_t count = rows.end - rows.begin;
      num.clear(count);
      std::fill_n(den, count, 0.0f);
      for (int64_t r = 0; r < static_cast<int64_t>(edges.lists.size()); ++r) {
        const float wx = axis_weight(r / size_z / size_y, scale[0]);
        const float wy = axis_weight(r / size_z % size_y, scale[1]);
        const float w = (wx * wy) * axis_weight(r % size_z, scale[2]);
        const EdgeList& list = edges.lists[static_cast<size_t>(r)];
        visit_edges(list, Direction::transposed, rows,
                    [&](int64_t row, int64_t neighbour) LATTICE_LAMBDA {
                      fma_row(num.at[row], w, x.row<T>(neighbour) + col, n);
                      den[row] = den[row] + w;
                    });
      }
      for (int64_t row = 0; row < count; ++row) {
        T* to = y.row<T>(rows.begin + row) + col;
        if (den[row] > 0.0f) {
          store_quotient(num.at[row], den[row], to, n);
        } else {
          store_row(num.at[row], to, n); // all zeros
        }
      }
    });
  });
}

void block_of_rows(ConstMatrix x, RowRange range, int64_t first_col, int64_t cols, bool maximum,
                   float* out) {
  with_element(x.dtype, [&](auto element) LATTICE_LAMBDA {
    using T = decltype(element);
    alignas(64) float block[tile_cols] = {};
    int64_t row = range.begin;
    if (maximum) copy_row(block, x.row<T>(row++) + first_col, cols);
    for (; row < range.end; ++row) {
      const T* from = x.row<T>(row) + first_col;
      if (maximum) {
        maximum_row(block, from, cols);
      } else {
        add_row(block, from, cols);
      }
    }
    store_row(block, out, cols);
  });
}

void fold_block(const float* part, int64_t cols, bool maximum, float* out) {
  each(cols, [&](int64_t c, auto count) LATTICE_LAMBDA {
    const Vec a = load(out + c, count);
    const Vec b = load(part + c, count);
    store(out + c, maximum ? formulas::maximum(Lanes(), a, b) : a + b, count);
  });
}

void voxelize_rows(ConstMatrix x, const PointRows& points, VoxelReduction reduction, Matrix y,
                   RowRange range) {
  with_element(x.dtype, [&](auto from_element) LATTICE_LAMBDA {
    with_element(y.dtype, [&](auto to_element) LATTICE_LAMBDA {
      using From = decltype(from_element);
      using To = decltype(to_element);
      for (int64_t row = range.begin; row < range.end; ++row) {
        const int64_t begin = points.begin[row];
        const int64_t end = points.begin[row + 1];
        for (int64_t col = 0; col < y.cols; col += tile_cols) {
          const int64_t n = std::min(tile_cols, y.cols - col);
          alignas(64) float sum[tile_cols] = {};
          for (int64_t i = begin; i < end; ++i) add_row(sum, x.row<From>(points.point[i]) + col, n);
          To* to = y.row<To>(row) + col;
          if (reduction == VoxelReduction::mean) {
            store_quotient(sum, static_cast<float>(end - begin), to, n);
          } else {
            store_row(sum, to, n);
          }
        }
      }
    });
  });
}

void devoxelize_rows(ConstMatrix x, const PointMapData& map, Matrix y, RowRange range) {
  with_element(x.dtype, [&](auto from_element) LATTICE_LAMBDA {
    with_element(y.dtype, [&](auto to_element) LATTICE_LAMBDA {
      using From = decltype(from_element);
      using To = decltype(to_element);
      for (int64_t row = range.begin; row < range.end; ++row) {
        for (int64_t col = 0; col < y.cols; col += tile_cols) {
          const int64_t n = std::min(tile_cols, y.cols - col);
          alignas(64) float sum[tile_cols] = {};
          for (int64_t slot = row * map.slots; slot < (row + 1) * map.slots; ++slot) {
            const int32_t voxel = map.row[slot];
            if (voxel < 0) continue;
            const From* from = x.row<From>(voxel) + col;
            if (map.slots == 1) {
              copy_row(sum, from, n);
            } else {
              fma_row(sum, map.weight[slot], from, n);
            }
          }
          store_row(sum, y.row<To>(row) + col, n);
        }
      }
    });
  });
}
