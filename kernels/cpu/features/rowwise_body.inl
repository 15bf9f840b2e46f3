// binary, activation, batch_norm, elementwise, softmax, layer_norm and rms_norm over ranges of
// rows. Not a header: see vectors_body.inl.

// f(column, vector) for every element of the rows; y may be x.
template <class F>
LATTICE_INLINE void map_rows(ConstMatrix x, Matrix y, RowRange range, F f) {
  with_element(x.dtype, [&](auto element) LATTICE_LAMBDA {
    using T = decltype(element);
    for (int64_t row = range.begin; row < range.end; ++row) {
      const T* from = x.row<T>(row);
      T* to = y.row<T>(row);
      each(y.cols, [&](int64_t c, auto count)
                       LATTICE_LAMBDA { store(to + c, f(c, load(from + c, count)), count); });
    }
  });
}

void activate_rows(ConstMatrix x, const EpilogueEntry& entry, Matrix y, RowRange range) {
  const Lanes l;
  switch (entry.activation) {
  case ActivationKind::relu:
    return map_rows(x, y, range,
                    [&](int64_t, Vec v) LATTICE_LAMBDA { return formulas::relu(l, v); });
  case ActivationKind::sigmoid:
    return map_rows(x, y, range,
                    [&](int64_t, Vec v) LATTICE_LAMBDA { return formulas::sigmoid(l, v); });
  case ActivationKind::silu:
    return map_rows(x, y, range,
                    [&](int64_t, Vec v) LATTICE_LAMBDA { return formulas::silu(l, v); });
  case ActivationKind::tanh:
    return map_rows(x, y, range,
                    [&](int64_t, Vec v) LATTICE_LAMBDA { return formulas::tanh(l, v); });
  case ActivationKind::leaky_relu: {
    const Vec alpha = l.set(entry.alpha);
    return map_rows(x, y, range, [&](int64_t, Vec v) LATTICE_LAMBDA {
      return formulas::leaky_relu(l, v, alpha);
    });
  }
  case ActivationKind::softplus: {
    const Vec beta = l.set(entry.beta);
    const Vec threshold = l.set(entry.threshold);
    return map_rows(x, y, range, [&](int64_t, Vec v) LATTICE_LAMBDA {
      return formulas::softplus(l, v, beta, threshold);
    });
  }
  case ActivationKind::gelu: break;
  }
  switch (entry.approximate) {
  case GeluApprox::tanh:
    return map_rows(x, y, range,
                    [&](int64_t, Vec v) LATTICE_LAMBDA { return formulas::gelu_tanh(l, v); });
  case GeluApprox::fast:
    return map_rows(x, y, range,
                    [&](int64_t, Vec v) LATTICE_LAMBDA { return formulas::gelu_fast(l, v); });
  case GeluApprox::none:
  case GeluApprox::precise: break;
  }
  map_rows(x, y, range, [&](int64_t, Vec v) LATTICE_LAMBDA { return formulas::gelu(l, v); });
}

void rowwise_rows(ConstMatrix x, const EpilogueEntry& entry, Matrix y, RowRange range) {
  if (entry.kind != EpilogueOp::Kind::batch_norm) return activate_rows(x, entry, y, range);
  const float* scale = entry.scale;
  const float* shift = entry.shift;
  // The constants are padded to whole vectors of any level.
  map_rows(x, y, range, [&](int64_t c, Vec v) LATTICE_LAMBDA {
    return Lanes().fma(v, load_whole(scale + c), load_whole(shift + c));
  });
}

void elementwise_rows(ConstMatrix x, ElementwiseKind kind, Matrix y, RowRange range) {
  if (kind == ElementwiseKind::exp) {
    return map_rows(x, y, range,
                    [&](int64_t, Vec v) LATTICE_LAMBDA { return formulas::exp(Lanes(), v); });
  }
  map_rows(x, y, range,
           [&](int64_t, Vec v) LATTICE_LAMBDA { return formulas::round_half_even(Lanes(), v); });
}

// The operand's row for each row of y in turn, or -1: ascending, so one look at the list per row.
class RowsOf {
 public:
  RowsOf(const Edges* edges, int64_t first) {
    if (edges == nullptr || edges->lists[0].identity) {
      identity_end_ =
          edges == nullptr ? std::numeric_limits<int64_t>::max() : edges->lists[0].count;
      return;
    }
    list_ = &edges->lists[0];
    at_ = std::lower_bound(list_->coarse, list_->coarse + list_->count, static_cast<Row>(first)) -
          list_->coarse;
  }
  int64_t source(int64_t row) {
    if (list_ == nullptr) return row < identity_end_ ? row : -1;
    if (at_ < list_->count && list_->coarse[at_] == row) return list_->fine[at_++];
    return -1;
  }

 private:
  const EdgeList* list_ = nullptr;
  int64_t at_ = 0;
  int64_t identity_end_ = 0;
};

template <class F>
LATTICE_INLINE void combine_rows(ConstMatrix lhs, RowsOf lhs_rows, float lhs_fill, ConstMatrix rhs,
                                 RowsOf rhs_rows, float rhs_fill, Matrix y, RowRange range, F f) {
  with_element(y.dtype, [&](auto element) LATTICE_LAMBDA {
    using T = decltype(element);
    for (int64_t row = range.begin; row < range.end; ++row) {
      const int64_t a = lhs_rows.source(row);
      const int64_t b = rhs_rows.source(row);
      const T* from_a = lhs.row<T>(std::max<int64_t>(a, 0));
      const T* from_b = rhs.row<T>(std::max<int64_t>(b, 0));
      T* to = y.row<T>(row);
      if (a >= 0 && b >= 0) {
        each(y.cols, [&](int64_t c, auto count) LATTICE_LAMBDA {
          store(to + c, f(load(from_a + c, count), load(from_b + c, count)), count);
        });
      } else if (a >= 0) {
        const Vec fill = Lanes().set(rhs_fill);
        each(y.cols, [&](int64_t c, auto count) LATTICE_LAMBDA {
          store(to + c, f(load(from_a + c, count), fill), count);
        });
      } else if (b >= 0) {
        const Vec fill = Lanes().set(lhs_fill);
        each(y.cols, [&](int64_t c, auto count) LATTICE_LAMBDA {
          store(to + c, f(fill, load(from_b + c, count)), count);
        });
      } else {
        const Vec both = f(Lanes().set(lhs_fill), Lanes().set(rhs_fill));
        each(y.cols, [&](int64_t c, auto count) LATTICE_LAMBDA { store(to + c, both, count); });
      }
    }
  });
}

void binary_rows(ConstMatrix lhs, const Edges* lhs_edges, float lhs_fill, ConstMatrix rhs,
                 const Edges* rhs_edges, float rhs_fill, BinaryOp op, Matrix y, RowRange range) {
  const RowsOf a(lhs_edges, range.begin);
  const RowsOf b(rhs_edges, range.begin);
  const auto combine = [&](auto f) LATTICE_LAMBDA {
    combine_rows(lhs, a, lhs_fill, rhs, b, rhs_fill, y, range, f);
  };
  switch (op) {
  case BinaryOp::add: return combine([](Vec p, Vec q) LATTICE_LAMBDA { return p + q; });
  case BinaryOp::sub: return combine([](Vec p, Vec q) LATTICE_LAMBDA { return p - q; });
  case BinaryOp::mul: return combine([](Vec p, Vec q) LATTICE_LAMBDA { return p * q; });
  case BinaryOp::maximum:
    return combine([](Vec p, Vec q) LATTICE_LAMBDA { return formulas::maximum(Lanes(), p, q); });
  case BinaryOp::minimum:
    return combine([](Vec p, Vec q) LATTICE_LAMBDA { return formulas::minimum(Lanes(), p, q); });
  }
}

// Sixteen lanes at every vector width (docs/numerics.md): channel c goes to lane c mod 16, then the
// lanes are folded in halves. f(lane so far, element) gives the new lane.
constexpr int64_t sum_lanes = 16;
constexpr int64_t sum_vectors = sum_lanes / lanes;

template <class T, class F>
LATTICE_INLINE float row_sum(const T* row, int64_t n, F f) {
  Vec sum[sum_vectors];
  for (Vec& lane : sum) lane = Lanes().set(0.0f);
  int64_t c = 0;
  for (; c + sum_lanes <= n; c += sum_lanes) {
    for (int64_t v = 0; v < sum_vectors; ++v)
      sum[v] = f(sum[v], load(row + c + v * lanes, Whole{}), Whole{});
  }
  for (int64_t v = 0; v < sum_vectors && c < n; ++v, c += lanes) {
    const int64_t left = std::min<int64_t>(lanes, n - c);
    sum[v] = f(sum[v], load(row + c, left), left);
  }
  alignas(64) float folded[sum_lanes];
  for (int64_t v = 0; v < sum_vectors; ++v) store_whole(folded + v * lanes, sum[v]);
  for (int64_t half = sum_lanes / 2; half > 0; half /= 2) {
    for (int64_t i = 0; i < half; ++i) folded[i] = folded[i] + folded[i + half];
  }
  return folded[0];
}

void layer_norm_rows(ConstMatrix x, const float* scale, const float* bias, float eps, Matrix y,
                     RowRange range) {
  const float channels = static_cast<float>(x.cols);
  with_element(x.dtype, [&](auto element) LATTICE_LAMBDA {
    using T = decltype(element);
    for (int64_t row = range.begin; row < range.end; ++row) {
      const T* from = x.row<T>(row);
      const float total =
          row_sum(from, x.cols, [](Vec lane, Vec v, auto) LATTICE_LAMBDA { return lane + v; });
      const Vec mean = Lanes().set(total / channels);
      const float squares = row_sum(from, x.cols, [&](Vec lane, Vec v, auto count) LATTICE_LAMBDA {
        const Vec d = first(v - mean, count);
        return Lanes().fma(d, d, lane);
      });
      const Vec deviation = Lanes().set(std::sqrt(squares / channels + eps));
      T* to = y.row<T>(row);
      each(y.cols, [&](int64_t c, auto count) LATTICE_LAMBDA {
        const Vec v = (load(from + c, count) - mean) / deviation;
        store(to + c, Lanes().fma(v, load_whole(scale + c), load_whole(bias + c)), count);
      });
    }
  });
}

void rms_norm_rows(ConstMatrix x, const float* scale, float eps, Matrix y, RowRange range) {
  const float channels = static_cast<float>(x.cols);
  with_element(x.dtype, [&](auto element) LATTICE_LAMBDA {
    using T = decltype(element);
    for (int64_t row = range.begin; row < range.end; ++row) {
      const T* from = x.row<T>(row);
      const float squares = row_sum(from, x.cols, [](Vec lane, Vec v, auto) LATTICE_LAMBDA {
        return Lanes().fma(v, v, lane);
      });
      const Vec root = Lanes().set(std::sqrt(squares / channels + eps));
      T* to = y.row<T>(row);
      each(y.cols, [&](int64_t c, auto count) LATTICE_LAMBDA {
        store(to + c, load(from + c, count) / root * load_whole(scale + c), count);
      });
    }
  });
}

template <class T>
LATTICE_INLINE float row_maximum(const T* row, int64_t n) {
  const Lanes l;
  const float lowest = -std::numeric_limits<float>::infinity();
  Vec largest = l.set(lowest);
  each(n, [&](int64_t c, auto count) LATTICE_LAMBDA {
    // A part vector's idle lanes hold 0; they keep what they had.
    const Vec taken = formulas::maximum(l, largest, load(row + c, count));
    largest = keep_first(taken, largest, count);
  });
  alignas(64) float lane[lanes];
  store_whole(lane, largest);
  float result = lowest;
  for (int i = 0; i < lanes; ++i) result = math::maximum(result, lane[i]);
  return result;
}

void softmax_rows(ConstMatrix x, Matrix y, RowRange range) {
  with_element(x.dtype, [&](auto element) LATTICE_LAMBDA {
    using T = decltype(element);
    for (int64_t row = range.begin; row < range.end; ++row) {
      const T* from = x.row<T>(row);
      const Vec largest = Lanes().set(row_maximum(from, x.cols));
      const Vec sum =
          Lanes().set(row_sum(from, x.cols, [&](Vec lane, Vec v, auto count) LATTICE_LAMBDA {
            return lane + first(formulas::exp(Lanes(), v - largest), count);
          }));
      T* to = y.row<T>(row);
      each(y.cols, [&](int64_t c, auto count) LATTICE_LAMBDA {
        store(to + c, formulas::exp(Lanes(), load(from + c, count) - largest) / sum, count);
      });
    }
  });
}

void narrow_row(const float* from, uint16_t* to, int64_t count) {
  each(count,
       [&](int64_t c, auto left) LATTICE_LAMBDA { store(to + c, load(from + c, left), left); });
}

constexpr FeatureTable features{
    pool_rows,       trilinear_rows, block_of_rows, fold_block,       voxelize_rows,
    devoxelize_rows, binary_rows,    rowwise_rows,  elementwise_rows, layer_norm_rows,
    rms_norm_rows,   softmax_rows,   narrow_row,
};
