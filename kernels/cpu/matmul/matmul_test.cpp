// Products against the definition, bit for bit: every SIMD level, every kernel, random shapes and
// edges.
#include "kernels/cpu/matmul/matmul.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "base/f16.h"
#include "kernels/math.h"

namespace lattice::cpu {

const SimdTable& plain16_table();

namespace {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int64_t below(int64_t count) {
    return static_cast<int64_t>(engine_() % static_cast<uint64_t>(count));
  }
  bool chance(int64_t one_in) { return below(one_in) == 0; }
  template <class T, size_t size>
  T one_of(const T (&values)[size]) {
    return values[below(static_cast<int64_t>(size))];
  }
  // Mostly in [-1, 1); now and then a zero of either sign.
  float value() {
    if (chance(16)) return chance(2) ? 0.0f : -0.0f;
    return static_cast<float>(engine_() >> 40) * 0x1p-23f - 1.0f;
  }
  std::vector<Row> ascending(int64_t from, int64_t count) {
    std::vector<Row> rows;
    for (int64_t row = 0; row < from; ++row)
      if (below(from - row) < count - static_cast<int64_t>(rows.size()))
        rows.push_back(static_cast<Row>(row));
    return rows;
  }

 private:
  std::mt19937_64 engine_;
};

// A matrix in memory with a pitch of its own; what lies between rows must stay as it is.
struct Grid {
  Grid(int64_t row_count, int64_t col_count, int64_t extra, DType type, Random& random)
      : rows(row_count), cols(col_count), pitch(col_count + extra), dtype(type),
        values(static_cast<size_t>(rows * pitch + extra + 1)) {
    for (float& v : values)
      v = type == DType::f16 ? f32_from_f16(f16_from_f32(random.value())) : random.value();
    for (const float v : values) halves.push_back(f16_from_f32(v));
    offset = extra / 2;
  }
  float at(int64_t row, int64_t col) const {
    return values[static_cast<size_t>(offset + row * pitch + col)];
  }
  Matrix matrix() {
    void* data = dtype == DType::f16 ? static_cast<void*>(halves.data() + offset)
                                     : static_cast<void*>(values.data() + offset);
    return {data, rows, cols, pitch, dtype};
  }
  int64_t rows, cols, pitch, offset = 0;
  DType dtype;
  std::vector<float> values;
  std::vector<uint16_t> halves;
};

// A weight in the artifact's storage, and what its values are.
struct TestWeight {
  Weight weight;
  std::vector<float> dense; // [out][kernel row][in]
  std::vector<uint16_t> halves;
  std::vector<uint32_t> codes;
  std::vector<float> scales, biases;
  int64_t kernel_rows, cin;
  float at(int64_t out, int64_t row, int64_t in) const {
    return dense[static_cast<size_t>((out * kernel_rows + row) * cin + in)];
  }
};

std::unique_ptr<TestWeight> make_weight(int64_t kernel_rows, int64_t cin, int64_t cout, int bits,
                                        DType dtype, Random& random) {
  auto made = std::make_unique<TestWeight>();
  TestWeight& w = *made;
  w.kernel_rows = kernel_rows;
  w.cin = cin;
  for (int64_t i = 0; i < cout * kernel_rows * cin; ++i)
    w.dense.push_back(dtype == DType::f16 ? f32_from_f16(f16_from_f32(random.value()))
                                          : random.value());
  if (bits == 0) {
    for (const float v : w.dense) w.halves.push_back(f16_from_f32(v));
    w.weight.data.dtype = dtype;
    w.weight.data.shape = kernel_rows == 1 && random.chance(2)
                              ? Shape{cout, cin}
                              : Shape{cout, 1, kernel_rows, 1, cin};
    w.weight.data.data = dtype == DType::f16 ? static_cast<const void*>(w.halves.data())
                                             : static_cast<const void*>(w.dense.data());
    return made;
  }
  const int64_t group = 32, groups = (cin + group - 1) / group, a_word = 32 / bits;
  const int64_t words = groups * group / a_word;
  w.codes.resize(static_cast<size_t>(kernel_rows * words * cout));
  for (uint32_t& code : w.codes) code = static_cast<uint32_t>(random.below(int64_t{1} << 32));
  for (int64_t i = 0; i < kernel_rows * groups * cout; ++i) {
    w.scales.push_back(random.value() * 0.01f);
    w.biases.push_back(random.value());
  }
  for (int64_t o = 0; o < cout; ++o)
    for (int64_t r = 0; r < kernel_rows; ++r)
      for (int64_t c = 0; c < cin; ++c) {
        const bool spatial = kernel_rows > 1;
        const int64_t at = spatial ? (r * words + c / a_word) * cout + o : o * words + c / a_word;
        const int64_t s = spatial ? (r * groups + c / group) * cout + o : o * groups + c / group;
        const uint32_t code =
            (w.codes[static_cast<size_t>(at)] >> (c % a_word * bits)) & (bits == 8 ? 255u : 15u);
        w.dense[static_cast<size_t>((o * kernel_rows + r) * cin + c)] =
            std::fma(w.scales[static_cast<size_t>(s)], static_cast<float>(code),
                     w.biases[static_cast<size_t>(s)]);
      }
  w.weight.bits = bits;
  w.weight.group_size = group;
  const bool spatial = kernel_rows > 1;
  w.weight.data = {DType::u32, spatial ? Shape{kernel_rows, words, cout} : Shape{1, cout, words},
                   w.codes.data()};
  const Shape scale_shape = spatial ? Shape{kernel_rows, groups, cout} : Shape{1, cout, groups};
  w.weight.scales = {DType::f32, scale_shape, w.scales.data()};
  w.weight.biases = {DType::f32, scale_shape, w.biases.data()};
  return made;
}

void add_list(Edges& edges, const std::vector<Row>& fine, const std::vector<Row>& coarse) {
  const size_t count = fine.size();
  std::shared_ptr<Row[]> memory(new Row[2 * count + 1]);
  std::copy(fine.begin(), fine.end(), memory.get());
  std::copy(coarse.begin(), coarse.end(), memory.get() + count);
  edges.lists.push_back({memory.get(), memory.get() + count, static_cast<int64_t>(count), false});
  edges.storage.push_back(std::move(memory));
}

Edges random_edges(int64_t fine, int64_t coarse, int64_t kernel_rows, Random& random) {
  Edges edges;
  edges.fine_rows = fine;
  edges.coarse_rows = coarse;
  for (int64_t r = 0; r < kernel_rows; ++r) {
    if (fine == coarse && r == kernel_rows / 2) {
      edges.lists.push_back({nullptr, nullptr, fine, true});
      continue;
    }
    const int64_t most = std::min(fine, coarse);
    const int64_t count =
        random.chance(4) ? 0 : random.below(most / (random.chance(3) ? 1 : 4) + 1);
    add_list(edges, random.ascending(fine, count), random.ascending(coarse, count));
  }
  return edges;
}

// Every fine row has one edge, or (when `holes`) at most one.
Edges one_edge_each(int64_t fine, int64_t coarse, int64_t kernel_rows, bool holes, Random& random) {
  Edges edges;
  edges.fine_rows = fine;
  edges.coarse_rows = coarse;
  std::vector<std::vector<Row>> rows(static_cast<size_t>(kernel_rows));
  for (int64_t row = 0; row < fine; ++row) {
    if (holes && random.chance(3)) continue;
    for (int64_t tries = 0; tries < 64; ++tries) {
      auto& list = rows[static_cast<size_t>(random.below(kernel_rows))];
      if (static_cast<int64_t>(list.size()) == coarse) continue;
      list.push_back(static_cast<Row>(row));
      break;
    }
  }
  for (const auto& list : rows)
    add_list(edges, list, random.ascending(coarse, static_cast<int64_t>(list.size())));
  return edges;
}

float settled(float value, DType dtype) {
  return dtype == DType::f16 ? f32_from_f16(f16_from_f32(value)) : value;
}

float activated(float x, const EpilogueEntry& e) {
  switch (e.activation) {
  case ActivationKind::relu: return math::relu(x);
  case ActivationKind::sigmoid: return math::sigmoid(x);
  case ActivationKind::silu: return math::silu(x);
  case ActivationKind::tanh: return math::tanh(x);
  case ActivationKind::leaky_relu: return math::leaky_relu(x, e.alpha);
  case ActivationKind::softplus: return math::softplus(x, e.beta, e.threshold);
  case ActivationKind::gelu: break;
  }
  if (e.approximate == GeluApprox::tanh) return math::gelu_tanh(x);
  if (e.approximate == GeluApprox::fast) return math::gelu_fast(x);
  return math::gelu(x);
}

// One case: everything the definition needs.
struct Case {
  std::unique_ptr<TestWeight> weight;
  Edges edges;
  Direction direction = Direction::forward;
  bool relation = true, one_edge = false, normalized = false;
  float eps = 0.001f;
  std::unique_ptr<Grid> x, y, residual;
  ChannelVector bias, scale, shift;
  std::vector<EpilogueEntry> entries;
};

ChannelVector random_channels(int64_t count, Random& random) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(random.value());
  Weight weight;
  weight.data = {DType::f32, {count}, values.data()};
  return *channel_vector(weight);
}

// Spec 5, "Our order", and the epilogue.
float defined(const Case& c, const std::vector<std::vector<int64_t>>& neighbour, int64_t row,
              int64_t out) {
  const TestWeight& w = *c.weight;
  float total = 0.0f, den = 0.0f;
  for (int64_t r = 0; r < w.kernel_rows; ++r) {
    const int64_t in_row = neighbour[static_cast<size_t>(r)][static_cast<size_t>(row)];
    if (in_row < 0) continue;
    float part = 0.0f, squares = 0.0f;
    for (int64_t in = 0; in < w.cin; ++in) {
      part = std::fma(c.x->at(in_row, in), w.at(out, r, in), part);
      squares = std::fma(w.at(out, r, in), w.at(out, r, in), squares);
    }
    total += part;
    den += squares;
  }
  if (c.normalized) total = total / std::sqrt(den + c.eps);
  if (c.bias.channels > 0) total += c.bias.data()[out];
  float value = settled(total, c.y->dtype);
  for (const EpilogueEntry& e : c.entries) {
    if (e.kind == EpilogueOp::Kind::batch_norm)
      value = std::fma(value, e.scale[out], e.shift[out]);
    else if (e.kind == EpilogueOp::Kind::residual)
      value = value + c.residual->at(row, out);
    else
      value = activated(value, e);
    value = settled(value, c.y->dtype);
  }
  return value;
}

Grid expected_of(const Case& c) {
  Grid expected = *c.y;
  std::vector<std::vector<int64_t>> neighbour(
      static_cast<size_t>(c.weight->kernel_rows),
      std::vector<int64_t>(static_cast<size_t>(c.y->rows), -1));
  if (!c.relation)
    for (int64_t row = 0; row < c.y->rows; ++row) neighbour[0][static_cast<size_t>(row)] = row;
  for (size_t r = 0; r < c.edges.lists.size(); ++r)
    for (int64_t i = 0; i < c.edges.lists[r].count; ++i) {
      const EdgeList& list = c.edges.lists[r];
      const int64_t fine = list.identity ? i : list.fine[i],
                    coarse = list.identity ? i : list.coarse[i];
      const bool forward = c.direction == Direction::forward;
      neighbour[r][static_cast<size_t>(forward ? coarse : fine)] = forward ? fine : coarse;
    }
  for (int64_t row = 0; row < c.y->rows; ++row)
    for (int64_t out = 0; out < c.y->cols; ++out) {
      const auto at = static_cast<size_t>(expected.offset + row * expected.pitch + out);
      const float value = defined(c, neighbour, row, out);
      expected.values[at] = value;
      expected.halves[at] = f16_from_f32(value);
    }
  return expected;
}

// Bits equal; a NaN equals a NaN.
testing::AssertionResult same(const Grid& expected, const Grid& found) {
  for (size_t i = 0; i < found.values.size(); ++i) {
    const float a =
        found.dtype == DType::f16 ? f32_from_f16(expected.halves[i]) : expected.values[i];
    const float b = found.dtype == DType::f16 ? f32_from_f16(found.halves[i]) : found.values[i];
    if (std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) ||
        (std::isnan(a) && std::isnan(b)))
      continue;
    const int64_t from = static_cast<int64_t>(i) - found.offset;
    return testing::AssertionFailure()
           << "row " << from / found.pitch << " of " << found.rows << ", channel "
           << from % found.pitch << ": " << b << " instead of " << a;
  }
  return testing::AssertionSuccess();
}

Grid run(Case& c, const MatmulWeights& weights, int threads, int64_t tile_rows) {
  Grid y = *c.y;
  const EpilogueArgs epilogue{c.bias.data(), c.entries};
  const DType dtype = c.x->dtype;
  const int64_t bytes =
      c.relation ? scratch_bytes(weights, tile_rows, dtype) : rows_scratch_bytes(weights, dtype);
  std::vector<std::byte> memory(static_cast<size_t>(bytes * threads + 64));
  auto* aligned =
      reinterpret_cast<std::byte*>((reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64);
  const Scratch scratch{aligned, bytes};
  // More threads than processors are wanted too.
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 3);
  tbb::task_arena arena(threads);
  arena.execute([&] {
    if (!c.relation) return rows_matmul({&weights, c.x->matrix(), y.matrix(), epilogue}, scratch);
    const Tiles tiles = make_tiles(c.edges, c.direction, tile_granule);
    relation_matmul({&weights, &c.edges, &tiles, c.direction, c.one_edge, tile_rows, c.x->matrix(),
                     y.matrix(), epilogue},
                    scratch);
  });
  return y;
}

constexpr int64_t channel_counts[] = {1,  2,  3,  4,  5,  7,  8,  16,  17,
                                      18, 19, 31, 32, 33, 64, 96, 130, 256};
constexpr int64_t row_counts[] = {0,  1,   2,   5,   11,  12,  13,  95, 96,
                                  97, 127, 128, 129, 255, 256, 257, 300};

Case random_case(Random& random, bool small) {
  Case c;
  int64_t cin = random.one_of(channel_counts), cout = random.one_of(channel_counts);
  if (small) cin = std::min<int64_t>(cin, 19), cout = std::min<int64_t>(cout, 33);
  c.relation = !random.chance(4);
  constexpr int64_t kernels[] = {1, 3, 8, 27, 27, 125};
  const int64_t kernel_rows = c.relation ? random.one_of(kernels) : 1;
  const int64_t x_rows = random.one_of(row_counts);
  int64_t y_rows = !c.relation || random.chance(2) ? x_rows : random.one_of(row_counts);
  c.direction = random.chance(2) ? Direction::forward : Direction::transposed;
  c.one_edge = c.relation && c.direction == Direction::transposed && random.chance(2);
  if (c.relation) {
    const bool forward = c.direction == Direction::forward;
    const int64_t fine = forward ? x_rows : y_rows, coarse = forward ? y_rows : x_rows;
    c.edges = c.one_edge ? one_edge_each(fine, coarse, kernel_rows, random.chance(2), random)
                         : random_edges(fine, coarse, kernel_rows, random);
  }
  c.normalized = c.relation && random.chance(4);
  constexpr int bit_widths[] = {0, 0, 8, 4};
  const int bits = c.normalized ? 0 : random.one_of(bit_widths);
  constexpr DType floats[] = {DType::f32, DType::f16};
  c.weight = make_weight(kernel_rows, cin, cout, bits, random.one_of(floats), random);
  const DType dtype = random.one_of(floats);
  c.x = std::make_unique<Grid>(x_rows, cin, random.chance(2) ? 0 : 1 + random.below(20), dtype,
                               random);
  c.y = std::make_unique<Grid>(y_rows, cout, random.chance(2) ? 0 : 1 + random.below(20), dtype,
                               random);
  c.residual = std::make_unique<Grid>(y_rows, cout, random.below(9), dtype, random);
  if (random.chance(2)) c.bias = random_channels(cout, random);
  c.scale = random_channels(cout, random);
  c.shift = random_channels(cout, random);
  EpilogueEntry norm, residual, activation;
  norm.kind = EpilogueOp::Kind::batch_norm;
  norm.scale = c.scale.data();
  norm.shift = c.shift.data();
  residual.kind = EpilogueOp::Kind::residual;
  residual.residual = c.residual->matrix();
  activation.activation = ActivationKind::relu;
  if (random.chance(3)) { // any list
    for (int64_t i = random.below(5); i > 0; --i) {
      activation.activation = static_cast<ActivationKind>(random.below(7));
      activation.approximate = static_cast<GeluApprox>(random.below(4));
      activation.alpha = 0.1f;
      activation.beta = 1.5f;
      activation.threshold = 0.5f;
      const EpilogueEntry any[] = {norm, residual, activation};
      c.entries.push_back(any[random.below(3)]);
    }
  } else { // what networks have
    if (random.chance(2)) c.entries.push_back(norm);
    if (random.chance(2)) c.entries.push_back(residual);
    if (random.chance(2)) c.entries.push_back(activation);
  }
  return c;
}

std::vector<const SimdTable*> tables() {
  std::vector<const SimdTable*> all{&simd_table(SimdLevel::scalar), &plain16_table()};
  if (offers(SimdLevel::avx2)) all.push_back(&simd_table(SimdLevel::avx2));
  if (offers(SimdLevel::avx512)) all.push_back(&simd_table(SimdLevel::avx512));
  return all;
}

std::string describe(const Case& c, const MatmulWeights& weights) {
  return weights.kernel_name() + ": " + std::to_string(weights.cin) + " -> " +
         std::to_string(weights.cout) + ", " + std::to_string(weights.kernel_rows) +
         " kernel rows, " + std::to_string(c.x->rows) + " -> " + std::to_string(c.y->rows) +
         " rows" + (c.one_edge ? ", one edge" : "") + (c.normalized ? ", normalized" : "") +
         (c.y->dtype == DType::f16 ? ", f16" : "");
}

// Shapes, edges, storage, epilogues, pitches, tiles and threads at random.
TEST(Matmul, RandomCasesGiveTheBitsOfTheDefinition) {
  for (uint64_t seed = 0; seed < 160; ++seed) {
    Random random(seed);
    Case c = random_case(random, seed % 4 != 0);
    const Grid expected = expected_of(c);
    for (const SimdTable* table : tables()) {
      const auto weights =
          pack_weights(c.weight->weight, c.weight->cin, {table, nullptr, c.normalized, c.eps});
      ASSERT_TRUE(weights) << weights.error().what();
      const int threads = 1 + static_cast<int>(random.below(3));
      const int64_t tile_rows = tile_granule * (1 + random.below(3));
      ASSERT_TRUE(same(expected, run(c, *weights, threads, tile_rows)))
          << "seed " << seed << ", " << describe(c, *weights);
    }
  }
}

// kernels.inc, kernel by kernel, over group sizes 1 .. rows, any channels and as many as a vector has lanes.
TEST(Matmul, EveryKernelGivesTheBitsOfTheDefinition) {
  for (const SimdTable* table : tables())
    for (const PairKernel& kernel : table->kernels)
      for (int64_t rows = 1; rows <= 2 * kernel.rows + 1; ++rows) {
        Random random(static_cast<uint64_t>(rows));
        for (const int64_t cin : {int64_t{1 + random.below(9)}, int64_t{table->lanes}}) {
          const DType dtype = rows % 2 == 0 ? DType::f16 : DType::f32;
          const int64_t cout = 1 + random.below(2 * kernel.vectors * table->lanes);
          Case c;
          c.edges = random_edges(rows + 3, rows + 3, 3, random);
          add_list(c.edges, random.ascending(rows + 3, rows), random.ascending(rows + 3, rows));
          c.weight = make_weight(4, cin, cout, 0, DType::f32, random);
          c.x = std::make_unique<Grid>(rows + 3, cin, 1, dtype, random);
          c.y = std::make_unique<Grid>(rows + 3, cout, 1, dtype, random);
          const auto weights = pack_weights(c.weight->weight, cin, {table, &kernel, false, 0.0f});
          ASSERT_TRUE(weights) << weights.error().what();
          ASSERT_TRUE(same(expected_of(c), run(c, *weights, 1, tile_granule)))
              << describe(c, *weights);
        }
      }
}

// total starts at +0: a row whose only part is -0 holds +0.
TEST(Matmul, NegativeZeroPartsBecomeZero) {
  Random random(1);
  for (const SimdTable* table : tables()) {
    Case c;
    c.relation = false;
    c.weight = make_weight(1, 1, 9, 0, DType::f32, random);
    std::fill(c.weight->dense.begin(), c.weight->dense.end(), -0x1p-100f);
    c.x = std::make_unique<Grid>(3, 1, 0, DType::f32, random);
    std::fill(c.x->values.begin(), c.x->values.end(), 0x1p-100f);
    c.y = std::make_unique<Grid>(3, 9, 0, DType::f32, random);
    const auto weights = pack_weights(c.weight->weight, 1, {table, nullptr, false, 0.0f});
    const Grid y = run(c, *weights, 1, tile_granule);
    for (int64_t col = 0; col < 9; ++col) EXPECT_EQ(std::bit_cast<uint32_t>(y.at(1, col)), 0u);
  }
}

// make_tiles: tile t of list r holds the pairs whose output row lies in it.
TEST(MakeTiles, TilesCoverEveryPairOnce) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Edges edges = random_edges(random.below(900), random.below(900), 8, random);
    for (const Direction direction : {Direction::forward, Direction::transposed}) {
      const Tiles tiles = make_tiles(edges, direction, 4);
      const size_t lists = edges.lists.size();
      for (size_t r = 0; r < lists; ++r) {
        EXPECT_EQ(tiles.begin[r], 0u);
        EXPECT_EQ(tiles.begin[static_cast<size_t>(tiles.count) * lists + r], edges.lists[r].count);
        for (size_t tile = 0; tile < static_cast<size_t>(tiles.count); ++tile)
          for (Row i = tiles.begin[tile * lists + r]; i < tiles.begin[(tile + 1) * lists + r];
               ++i) {
            const Row* rows =
                direction == Direction::forward ? edges.lists[r].coarse : edges.lists[r].fine;
            EXPECT_EQ(edges.lists[r].identity ? i / 4 : rows[i] / 4, tile);
          }
      }
    }
  }
}

// fine = coarse * stride + index: with size <= stride a fine row is reached by one index at most.
TEST(OneEdgeARow, OnlyWhenIndicesCannotMeet) {
  Relation relation;
  relation.size = {2, 2, 2};
  relation.stride = {2, 2, 2};
  EXPECT_TRUE(one_edge_a_row(relation, Direction::transposed));
  EXPECT_FALSE(one_edge_a_row(relation, Direction::forward));
  relation.size = {3, 1, 1};
  EXPECT_FALSE(one_edge_a_row(relation, Direction::transposed));
  relation.size = {1, 1, 1};
  EXPECT_TRUE(one_edge_a_row(relation, Direction::forward));
}

// The choice can be read: what was taken and why the others were not.
TEST(Explain, NamesTheKernelAndTheReasons) {
  Random random(3);
  const auto weight = make_weight(27, 6, 24, 0, DType::f32, random);
  const auto weights = pack_weights(weight->weight, 6, {&plain16_table(), nullptr, false, 0.0f});
  ASSERT_TRUE(weights);
  const std::string text = explain(*weights);
  EXPECT_NE(text.find("24 output channels are 2 vectors of 16"), std::string::npos) << text;
  EXPECT_NE(text.find("wider than 2 vectors"), std::string::npos) << text;
}

// Packed codes are padded past the input's channels; fewer stored channels than that are refused.
TEST(PackWeights, RefusesTooFewChannels) {
  Random random(4);
  const auto weight = make_weight(1, 5, 3, 0, DType::f32, random);
  EXPECT_FALSE(pack_weights(weight->weight, 6, {&plain16_table(), nullptr, false, 0.0f}));
}

} // namespace
} // namespace lattice::cpu
