// The kernels themselves, over the vectors of one SIMD level. Not a header: it has no guard and is included
// inside a namespace that defines Vec, lanes, the few operations below on them, and LATTICE_LAMBDA.
//
// Needed: zero, load (aligned), load_any, store (aligned), store_any, broadcast, add, mul, fma, div, sqrt,
// relu, load_part, store_part (the first n floats), load_f16, load_f16_part, store_f16, store_f16_part,
// accumulate (fma in place), has_memory_fma, accumulate_element (the same with an element in memory),
// rounded_to_f16, widen_part (n halves to floats, n below a vector), activate (activation.h).

// f(0), f(1), ... f(count - 1) with constants, so that arrays of vectors stay in registers.
template <int... index, class F>
LATTICE_INLINE void each_of(std::integer_sequence<int, index...>, F&& f) {
  (f(std::integral_constant<int, index>{}), ...);
}
template <int count, class F>
LATTICE_INLINE void unrolled(F&& f) {
  each_of(std::make_integer_sequence<int, count>{}, f);
}

// ------------------------------------------------------------------------------------ products of pairs

inline constexpr int64_t channels_a_line = 16;

// Rows of a list lie apart, which the hardware of processors without AVX-512 does not foresee: there the rows of
// the next group are asked for a line at a time beside the arithmetic, as many at once would hold it up. With
// 16 lanes wide layers lose 3 to 8 % by it: lines on their way from afar take the places that weights from the second
// level of cache need.
inline constexpr bool ask_for_rows = lanes < 16;

// A group's share, with `later` groups of the run after it.
LATTICE_INLINE void ask_ahead(const Ahead& ahead, int64_t later) {
  const uintptr_t at = ahead.at + static_cast<uintptr_t>(later * ahead.lines * Ahead::line);
  for (int64_t i = 0; i < ahead.lines; ++i)
    __builtin_prefetch(reinterpret_cast<const void*>(at + static_cast<uintptr_t>(i * Ahead::line)));
}

// Rows of x of the pairs at, at + 1, ...
template <int rows>
LATTICE_INLINE void find_rows(const PairRun& run, int64_t at, const float* (&x)[rows]) {
  if (run.in != nullptr) {
    const Row* const in = run.in + at;
    const int64_t base = run.in_first * run.x_pitch; // maybe negative: no row by itself
    unrolled<rows>([&](auto r) LATTICE_LAMBDA { x[r] = run.x + (base + int64_t{in[r]} * run.x_pitch); });
  } else {
    const float* const first = run.x + (run.in_first + at) * run.x_pitch;
    unrolled<rows>([&](auto r) LATTICE_LAMBDA { x[r] = first + r * run.x_pitch; });
  }
}

// total[out] += part for the pairs at, at + 1, ...
template <int rows, int vectors>
LATTICE_INLINE void add_to_totals(const PairRun& run, int64_t at, const Vec (&part)[rows * vectors]) {
  float* total[rows];
  if (run.out != nullptr) {
    const int64_t base = run.out_first * run.total_pitch;
    unrolled<rows>([&](auto r) LATTICE_LAMBDA {
      total[r] = run.total + (base + int64_t{run.out[at + r]} * run.total_pitch);
    });
  } else {
    float* first = run.total + (run.out_first + at) * run.total_pitch;
    unrolled<rows>([&](auto r) LATTICE_LAMBDA { total[r] = first + r * run.total_pitch; });
  }
  if (run.store) {
    unrolled<rows * vectors>([&](auto i) LATTICE_LAMBDA {
      store(total[i / vectors] + i % vectors * lanes, part[i]);
    });
  } else {
    unrolled<rows * vectors>([&](auto i) LATTICE_LAMBDA {
      float* to = total[i / vectors] + i % vectors * lanes;
      store(to, add(load(to), part[i]));
    });
  }
}

// `groups` groups of `rows` pairs each, from pair `at` on; `later` groups of the run follow them. The loop over
// channels is not unrolled: its three counting instructions are hidden behind the sums, and the compiler keeps every
// sum in its register.
template <int rows, int vectors>
LATTICE_NOINLINE void run_groups(const PairRun& run, int64_t at, int64_t groups, int64_t later) {
  if (groups <= 0) return;
  const int64_t cin = run.cin;
  const float* x[rows];
  find_rows<rows>(run, at, x);
  for (;; at += rows) {
    const float* soon[rows];
    unrolled<rows>([&](auto r) LATTICE_LAMBDA { soon[r] = x[r]; });
    if (groups > 1) find_rows<rows>(run, at + rows, soon);
    ask_ahead(run.weights_ahead, later + groups - 1);
    ask_ahead(run.y_ahead, later + groups - 1);
    ask_ahead(run.residual_ahead, later + groups - 1);
    Vec part[rows * vectors];
    unrolled<rows * vectors>([&](auto i) LATTICE_LAMBDA { part[i] = zero(); });
    const float* w = run.w;
    // One input channel. Whichever is fewer stays in registers: the weights or the elements of x.
    const auto channel = [&](int64_t c) LATTICE_LAMBDA {
      if constexpr (vectors <= rows) {
        Vec weight[vectors];
        unrolled<vectors>([&](auto v) LATTICE_LAMBDA { weight[v] = load(w + v * lanes); });
        unrolled<rows>([&](auto r) LATTICE_LAMBDA {
          const Vec element = broadcast(x[r] + c);
          unrolled<vectors>([&](auto v) LATTICE_LAMBDA {
            accumulate(part[r * vectors + v], element, weight[v]);
          });
        });
      } else {
        Vec element[rows];
        unrolled<rows>([&](auto r) LATTICE_LAMBDA { element[r] = broadcast(x[r] + c); });
        unrolled<vectors>([&](auto v) LATTICE_LAMBDA {
          const Vec weight = load(w + v * lanes);
          unrolled<rows>([&](auto r) LATTICE_LAMBDA {
            accumulate(part[r * vectors + v], element[r], weight);
          });
        });
      }
      w += vectors * lanes;
    };
    int64_t c = 0;
    while (c + channels_a_line <= cin) {
      if constexpr (ask_for_rows)
        unrolled<rows>([&](auto r) LATTICE_LAMBDA { __builtin_prefetch(soon[r] + c); });
      for (const int64_t end = c + channels_a_line; c < end; ++c) channel(c);
    }
    for (; c < cin; ++c) channel(c);
    add_to_totals<rows, vectors>(run, at, part);
    if (--groups == 0) return;
    unrolled<rows>([&](auto r) LATTICE_LAMBDA { x[r] = soon[r]; });
  }
}

// As run_groups for one vector of output channels and as many input channels as it has lanes: all weights stay in
// registers for the whole list, and each element of x is read by the fma itself.
template <int rows>
LATTICE_NOINLINE void run_groups_kept(const PairRun& run, int64_t at, int64_t groups, int64_t later) {
  if (groups <= 0) return;
  Vec weight[lanes];
  unrolled<lanes>([&](auto c) LATTICE_LAMBDA { weight[c] = load(run.w + c * lanes); });
  for (;; at += rows) {
    const float* x[rows];
    find_rows<rows>(run, at, x);
    ask_ahead(run.y_ahead, later + groups - 1);
    ask_ahead(run.residual_ahead, later + groups - 1);
    Vec part[rows];
    unrolled<rows>([&](auto r) LATTICE_LAMBDA { part[r] = zero(); });
    unrolled<lanes * rows>([&](auto i) LATTICE_LAMBDA {
      accumulate_element(part[i % rows], x[i % rows] + i / rows, weight[i / rows]);
    });
    add_to_totals<rows, 1>(run, at, part);
    if (--groups == 0) return;
  }
}

template <int max_rows, int vectors>
struct GroupTable {
  using Run = void (*)(const PairRun&, int64_t, int64_t, int64_t);
  template <int... index>
  static constexpr std::array<Run, max_rows> make(std::integer_sequence<int, index...>) {
    return {&run_groups<index + 1, vectors>...};
  }
  static constexpr std::array<Run, max_rows> of_rows =
      make(std::make_integer_sequence<int, max_rows>{});
};

// The same where all weights of a list fit in registers.
template <int max_rows>
struct KeptTable {
  template <int... index>
  static constexpr auto make(std::integer_sequence<int, index...>) {
    return std::array{&run_groups_kept<index + 1>...};
  }
  static constexpr auto of_rows = make(std::make_integer_sequence<int, max_rows>{});
};

// Splits the pairs into groups of nearly equal size: 7 + 7 rather than 12 + 2.
template <int max_rows, class Table>
LATTICE_INLINE void run_with(const Table& table, const PairRun& run) {
  const int64_t groups = (run.count + max_rows - 1) / max_rows;
  const int64_t size = run.count / groups;
  const int64_t longer = run.count % groups;
  if (longer > 0) table[static_cast<size_t>(size)](run, 0, longer, groups - longer);
  table[static_cast<size_t>(size - 1)](run, longer * (size + 1), groups - longer, 0);
}

template <int max_rows, int vectors>
void run_pairs(const PairRun& run) {
  if (run.count <= 0) return;
#if !defined(LATTICE_NO_KEPT_KERNELS)
  if constexpr (has_memory_fma && vectors == 1) {
    if (run.cin == lanes) return run_with<max_rows>(KeptTable<max_rows>::of_rows, run);
  }
#endif
  run_with<max_rows>(GroupTable<max_rows, vectors>::of_rows, run);
}

constexpr PairKernel kernels[] = {
#define LATTICE_KERNEL(vectors, rows, cost, why) {LATTICE_LEVEL_NAME, vectors, rows, cost, why, &run_pairs<rows, vectors>},
#include "kernels/cpu/matmul/kernels.inc"
#undef LATTICE_KERNEL
};

template <int vectors>
LATTICE_INLINE void add_squares_from(const SquaresRun& run, int64_t first) {
  Vec squares[vectors];
  unrolled<vectors>([&](auto v) LATTICE_LAMBDA { squares[v] = load_any(run.squares + first + v * lanes); });
  const Row* const out = run.out;
  const int64_t pitch = run.pitch, count = run.count, start = run.out_first * pitch + first;
  float* const all = run.den;
  for (int64_t i = 0; i < count; ++i) {
    float* den = all + (start + (out != nullptr ? int64_t{out[i]} : i) * pitch);
    unrolled<vectors>([&](auto v) LATTICE_LAMBDA {
      store(den + v * lanes, add(load(den + v * lanes), squares[v]));
    });
  }
}

inline void add_squares(const SquaresRun& run) {
  int64_t c = 0;
  for (; c + 4 * lanes <= run.cols; c += 4 * lanes) add_squares_from<4>(run, c);
  for (; c + 2 * lanes <= run.cols; c += 2 * lanes) add_squares_from<2>(run, c);
  for (; c < run.cols; c += lanes) add_squares_from<1>(run, c);
}

// ------------------------------------------------------------------------------------- the row epilogue

// The entries that have a path of their own, in this order; anything else goes entry by entry.
struct Pattern {
  const EpilogueEntry* norm = nullptr;
  const EpilogueEntry* residual = nullptr;
  bool relu = false;
  bool fits = false;
};

inline Pattern pattern_of(std::span<const EpilogueEntry> entries) {
  Pattern pattern;
  size_t at = 0;
  if (at < entries.size() && entries[at].kind == EpilogueOp::Kind::batch_norm)
    pattern.norm = &entries[at++];
  if (at < entries.size() && entries[at].kind == EpilogueOp::Kind::residual)
    pattern.residual = &entries[at++];
  if (at < entries.size() && entries[at].kind == EpilogueOp::Kind::activation &&
      entries[at].activation == ActivationKind::relu) {
    pattern.relu = true;
    ++at;
  }
  pattern.fits = at == entries.size();
  return pattern;
}

template <class T>
LATTICE_INLINE Vec load_values(const T* from, int64_t count) {
  if constexpr (std::is_same_v<T, float>) {
    return count >= lanes ? load_any(from) : load_part(from, count);
  } else {
    return count >= lanes ? load_f16(from) : load_f16_part(from, count);
  }
}

template <class T>
LATTICE_INLINE void store_values(T* to, Vec x, int64_t count) {
  if constexpr (std::is_same_v<T, float>) {
    count >= lanes ? store_any(to, x) : store_part(to, x, count);
  } else {
    count >= lanes ? store_f16(to, x) : store_f16_part(to, x, count);
  }
}

// After each operation an f16 value is what memory would hold.
template <class T>
LATTICE_INLINE Vec settled(Vec x) {
  if constexpr (std::is_same_v<T, float>) {
    return x;
  } else {
    return rounded_to_f16(x);
  }
}

// Adding to +0 is what the first edge of a row does to its part (-0 becomes +0); where kernels stored the part
// itself it happens here, and to totals it does nothing. A normalized product has it behind it, and a quotient may be
// -0 for good: -0 changes nothing.
LATTICE_INLINE Vec first_term(const FinishRun& run) {
  const float term = run.den != nullptr ? -0.0f : 0.0f;
  return broadcast(&term);
}

// bias, then batch norm, residual and relu as the flags say: one pass from totals to y, over `rows` rows at a time, so
// that what belongs to a channel is loaded once for them.
template <class T, bool has_bias, bool has_norm, bool has_residual, bool has_relu, int rows>
LATTICE_INLINE void finish_some(const FinishRun& run, const Pattern& pattern, int64_t row) {
  const float* const bias = run.epilogue->bias;
  const float* const scale = has_norm ? pattern.norm->scale : nullptr;
  const float* const shift = has_norm ? pattern.norm->shift : nullptr;
  const Vec start = first_term(run);
  const float* const total = run.total + row * run.total_pitch;
  const int64_t total_pitch = run.total_pitch, y_pitch = run.y.pitch, cols = run.cols;
  T* const y = run.y.row<T>(run.first_row + row);
  const T* const residual = has_residual ? pattern.residual->residual.row<T>(run.first_row + row) : nullptr;
  const int64_t residual_pitch = has_residual ? pattern.residual->residual.pitch : 0;
  const auto vectors_at = [&](int64_t c, int64_t count) LATTICE_LAMBDA {
    Vec b = start, s = start, t = start;
    if constexpr (has_bias) b = load(bias + c);
    if constexpr (has_norm) s = load(scale + c), t = load(shift + c);
    unrolled<rows>([&](auto r) LATTICE_LAMBDA {
      Vec value = add(start, load(total + (r * total_pitch + c)));
      if constexpr (has_bias) value = add(value, b);
      if constexpr (has_norm) value = fma(settled<T>(value), s, t);
      if constexpr (has_residual)
        value = add(settled<T>(value), load_values(residual + (r * residual_pitch + c), count));
      if constexpr (has_relu) value = relu(value); // the same before and after rounding
      store_values(y + (r * y_pitch + c), value, count);
    });
  };
  int64_t c = 0;
  for (; c + lanes <= cols; c += lanes) vectors_at(c, lanes);
  if (c < cols) vectors_at(c, cols - c);
}

template <class T, bool has_bias, bool has_norm, bool has_residual, bool has_relu>
void finish_pattern(const FinishRun& run, const Pattern& pattern) {
  int64_t row = 0;
  for (; row + 4 <= run.rows; row += 4)
    finish_some<T, has_bias, has_norm, has_residual, has_relu, 4>(run, pattern, row);
  for (; row < run.rows; ++row)
    finish_some<T, has_bias, has_norm, has_residual, has_relu, 1>(run, pattern, row);
}

// Any list of entries, one after another over a row of totals in the cache.
template <class T>
void finish_any(const FinishRun& run) {
  const int64_t whole = (run.cols + lanes - 1) / lanes * lanes;
  const Vec start = first_term(run);
  for (int64_t row = 0; row < run.rows; ++row) {
    float* total = run.total + row * run.total_pitch;
    for (int64_t c = 0; c < whole; c += lanes) {
      Vec value = add(start, load(total + c));
      if (run.epilogue->bias != nullptr) value = add(value, load(run.epilogue->bias + c));
      store(total + c, settled<T>(value));
    }
    for (const EpilogueEntry& entry : run.epilogue->entries) {
      if (entry.kind == EpilogueOp::Kind::activation) {
        activate(entry, total, whole);
        if constexpr (!std::is_same_v<T, float>)
          for (int64_t c = 0; c < whole; c += lanes) store(total + c, settled<T>(load(total + c)));
        continue;
      }
      for (int64_t c = 0; c < run.cols; c += lanes) {
        Vec value = load(total + c);
        if (entry.kind == EpilogueOp::Kind::batch_norm) {
          value = fma(value, load(entry.scale + c), load(entry.shift + c));
        } else {
          const T* residual = entry.residual.row<T>(run.first_row + row);
          value = add(value, load_values(residual + c, run.cols - c));
        }
        store(total + c, settled<T>(value));
      }
    }
    T* y = run.y.row<T>(run.first_row + row);
    for (int64_t c = 0; c < run.cols; c += lanes)
      store_values(y + c, load(total + c), run.cols - c);
  }
}

template <class T>
void finish_rows(const FinishRun& run) {
  if (run.den != nullptr) {
    const Vec eps = broadcast(&run.eps);
    for (int64_t row = 0; row < run.rows; ++row) {
      float* total = run.total + row * run.total_pitch;
      const float* den = run.den + row * run.total_pitch;
      for (int64_t c = 0; c < run.cols; c += lanes)
        store(total + c, div(add(zero(), load(total + c)), sqrt(add(load(den + c), eps))));
    }
  }
  const Pattern pattern = pattern_of(run.epilogue->entries);
  if (!pattern.fits) return finish_any<T>(run);
  const auto flag = [](bool set, auto&& then) {
    set ? then(std::true_type{}) : then(std::false_type{});
  };
  flag(run.epilogue->bias != nullptr, [&](auto bias) {
    flag(pattern.norm != nullptr, [&](auto norm) {
      flag(pattern.residual != nullptr, [&](auto residual) {
        flag(pattern.relu, [&](auto relu) {
          finish_pattern<T, bias, norm, residual, relu>(run, pattern);
        });
      });
    });
  });
}

inline void finish(const FinishRun& run) {
  run.y.dtype == DType::f16 ? finish_rows<uint16_t>(run) : finish_rows<float>(run);
}

// ------------------------------------------------------------------------------------------- f16 inputs

// What lies past `cols` in a row of `to` is never read.
inline void widen(const WidenRun& run) {
  const int64_t whole = run.cols / lanes * lanes;
  const Row* in = run.in;
  float* to = run.to;
  for (int64_t i = 0; i < run.count; ++i, to += run.pitch) {
    const int64_t row = in != nullptr ? int64_t{in[i]} : run.in_first + i;
    const uint16_t* from = run.x + row * run.x_pitch;
    for (int64_t c = 0; c < whole; c += lanes) store(to + c, load_f16(from + c));
    if (whole < run.cols) widen_part(to + whole, from + whole, run.cols - whole);
  }
}
