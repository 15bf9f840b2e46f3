// The feature steps of the CPU device against the reference: equal bits for random shapes, every
// SIMD level, both float types and several thread counts. NaNs compare equal whatever their
// payload.
#include "kernels/cpu/features/features.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <oneapi/tbb/task_arena.h>

#include "base/f16.h"
#include "kernels/reference/steps.h"

namespace lattice::cpu {
namespace {

namespace ref = lattice::reference;

struct Case {
  SimdLevel level;
  DType dtype;
  int threads;
};

// A matrix in memory, with space between its rows when `gap` is set.
struct Held {
  DType dtype;
  int64_t rows, cols, pitch;
  std::vector<std::byte> bytes;

  Held(DType type, int64_t row_count, int64_t col_count, int64_t gap = 0)
      : dtype(type), rows(row_count), cols(col_count), pitch(col_count + gap),
        bytes(static_cast<size_t>(row_count * (col_count + gap) * size_of(type)) + 1,
              std::byte{0x5a}) {}

  void set(int64_t row, int64_t col, float value) {
    const size_t at = static_cast<size_t>(row * pitch + col);
    const uint16_t half = f16_from_f32(value);
    if (dtype == DType::f16) std::memcpy(&bytes[2 * at], &half, 2);
    if (dtype == DType::f32) std::memcpy(&bytes[4 * at], &value, 4);
  }
  float get(int64_t row, int64_t col) const {
    const int64_t at = row * pitch + col;
    return dtype == DType::f16 ? f32_from_f16(load_at<uint16_t>(bytes.data(), at))
                               : load_at<float>(bytes.data(), at);
  }
  Matrix matrix() { return {bytes.data(), rows, cols, pitch, dtype}; }
  ref::Matrix reference() { return {bytes.data(), rows, cols, dtype}; } // gap == 0
  ref::ConstMatrix reference() const { return {bytes.data(), rows, cols, dtype}; }
};

uint32_t bits_of(float value) {
  return std::isnan(value) ? 0x7fc00000u : std::bit_cast<uint32_t>(value);
}

void expect_equal_bits(const Held& found, const Held& expected, const std::string& what) {
  ASSERT_EQ(found.rows, expected.rows);
  for (int64_t row = 0; row < found.rows; ++row) {
    for (int64_t col = 0; col < found.cols; ++col) {
      ASSERT_EQ(bits_of(found.get(row, col)), bits_of(expected.get(row, col)))
          << what << ": row " << row << " of " << found.rows << ", column " << col << " of "
          << found.cols << ", found " << found.get(row, col) << ", expected "
          << expected.get(row, col);
    }
  }
}

class Features : public ::testing::TestWithParam<Case> {
 protected:
  SimdLevel level() const { return GetParam().level; }
  DType dtype() const { return GetParam().dtype; }

  int64_t below(int64_t bound) {
    return static_cast<int64_t>(generator_() % static_cast<uint64_t>(bound));
  }
  float number() {
    const int64_t kind = below(200);
    if (kind == 0) return std::numeric_limits<float>::quiet_NaN();
    if (kind == 1) return -0.0f;
    if (kind == 2) return std::numeric_limits<float>::infinity();
    if (kind == 3) return 1e-41f;
    return std::uniform_real_distribution<float>(-8.0f, 8.0f)(generator_);
  }
  Held random(int64_t rows, int64_t cols, int64_t gap = 0) {
    return random_of(dtype(), rows, cols, gap);
  }
  Held random_of(DType type, int64_t rows, int64_t cols, int64_t gap = 0) {
    Held held(type, rows, cols, gap);
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t col = 0; col < cols; ++col) held.set(row, col, number());
    }
    return held;
  }
  // Channel constants, padded as ChannelVector promises.
  std::vector<float> channels(int64_t cols) {
    std::vector<float> values(static_cast<size_t>(cols + 15) / 16 * 16, 0.0f);
    for (int64_t c = 0; c < cols; ++c) values[static_cast<size_t>(c)] = number();
    return values;
  }
  static ref::DenseWeight weight(const std::vector<float>& values, int64_t cols) {
    return {cols, 1, 1, {values.begin(), values.begin() + cols}};
  }
  int64_t some_cols() {
    static const int64_t counts[] = {1,  2,  3,  7,  8,  9,  15, 16,  17,
                                     31, 32, 33, 63, 64, 65, 96, 129, 200};
    return counts[below(std::size(counts))];
  }
  int64_t some_rows() {
    static const int64_t counts[] = {0, 1, 2, 5, 127, 128, 129, 300, 1000, 3000};
    return counts[below(std::size(counts))];
  }

  // Random pairs, ascending in both columns, for each kernel row; some empty, some the identity.
  struct RandomEdges {
    Edges edges;
    ref::RelationTable table;
  };
  RandomEdges random_edges(int64_t fine, int64_t coarse, int64_t kernel_rows, Direction direction) {
    RandomEdges made;
    made.edges.fine_rows = fine;
    made.edges.coarse_rows = coarse;
    const bool forward = direction == Direction::forward;
    made.table.rows = forward ? coarse : fine;
    made.table.kernel_rows = kernel_rows;
    made.table.table.assign(static_cast<size_t>(made.table.rows * kernel_rows), -1);
    for (int64_t r = 0; r < kernel_rows; ++r) {
      EdgeList list;
      list.count = std::min(fine, coarse);
      if (below(8) == 0) {
        list.identity = true;
      } else {
        list.count = below(list.count + 1);
        auto memory = std::shared_ptr<Row[]>(new Row[static_cast<size_t>(2 * list.count + 1)]);
        choose(memory.get(), list.count, fine);
        choose(memory.get() + list.count, list.count, coarse);
        list.fine = memory.get();
        list.coarse = memory.get() + list.count;
        made.edges.storage.push_back(memory);
      }
      for (int64_t i = 0; i < list.count; ++i) {
        const int64_t f = list.identity ? i : list.fine[i];
        const int64_t c = list.identity ? i : list.coarse[i];
        const int64_t out = forward ? c : f;
        made.table.table[static_cast<size_t>(out * kernel_rows + r)] =
            static_cast<int32_t>(forward ? f : c);
      }
      made.edges.lists.push_back(list);
    }
    return made;
  }
  // `count` distinct rows of `rows`, ascending.
  void choose(Row* to, int64_t count, int64_t rows) {
    int64_t needed = count;
    for (int64_t row = 0; row < rows && needed > 0; ++row) {
      if (below(rows - row) < needed) {
        *to++ = static_cast<Row>(row);
        --needed;
      }
    }
  }

  template <class Body>
  void in_arena(const Body& body) {
    tbb::task_arena arena(GetParam().threads);
    arena.execute(body);
  }

  std::mt19937_64 generator_{20};
};

TEST_P(Features, PoolHasTheBitsOfTheReference) {
  for (int round = 0; round < 24; ++round) {
    const Direction direction = round % 2 == 0 ? Direction::forward : Direction::transposed;
    const int64_t fine = some_rows(), coarse = some_rows(), cols = some_cols();
    const RandomEdges edges = random_edges(fine, coarse, 1 + below(9), direction);
    const bool forward = direction == Direction::forward;
    Held x = random(forward ? fine : coarse, cols);
    for (const PoolMode mode : {PoolMode::sum, PoolMode::max, PoolMode::avg}) {
      Held found(dtype(), edges.table.rows, cols), expected(dtype(), edges.table.rows, cols);
      in_arena([&] { pool(level(), x.matrix(), edges.edges, direction, mode, found.matrix()); });
      ref::pool(edges.table, mode, std::as_const(x).reference(), expected.reference());
      expect_equal_bits(found, expected, "pool");
    }
  }
}

TEST_P(Features, TrilinearUpsampleHasTheBitsOfTheReference) {
  for (const Triple scale : {Triple{2, 2, 2}, Triple{1, 3, 2}, Triple{4, 1, 1}}) {
    const int64_t fine = some_rows(), coarse = some_rows(), cols = some_cols();
    const int64_t kernel_rows = (2 * scale[0] - 1) * (2 * scale[1] - 1) * (2 * scale[2] - 1);
    const RandomEdges edges = random_edges(fine, coarse, kernel_rows, Direction::transposed);
    Held x = random(coarse, cols);
    Held found(dtype(), fine, cols), expected(dtype(), fine, cols);
    in_arena([&] { trilinear_upsample(level(), x.matrix(), edges.edges, scale, found.matrix()); });
    ref::trilinear_upsample(edges.table, scale, std::as_const(x).reference(), expected.reference());
    expect_equal_bits(found, expected, "trilinear_upsample");
  }
}

TEST_P(Features, GlobalPoolHasTheBitsOfTheReference) {
  for (const std::vector<int64_t>& sizes : std::vector<std::vector<int64_t>>{
           {}, {1}, {0, 3}, {255, 256, 257}, {9000}, {20000, 0, 1, 2, 512}}) {
    const int64_t cols = some_cols();
    BatchRows batches;
    ref::BatchTable table;
    table.begin.push_back(0);
    int64_t rows = 0;
    for (size_t b = 0; b < sizes.size(); ++b) {
      if (sizes[b] > 0) batches.ranges.push_back({static_cast<int64_t>(b), rows, rows + sizes[b]});
      rows += sizes[b];
      table.begin.push_back(rows);
    }
    batches.count = static_cast<int64_t>(sizes.size());
    for (int64_t i = 0; i < rows; ++i) table.order.push_back(static_cast<int32_t>(i));
    Held x = random(rows, cols);
    for (const PoolMode mode : {PoolMode::sum, PoolMode::max, PoolMode::avg}) {
      Held found(dtype(), batches.count, cols), expected(dtype(), batches.count, cols);
      in_arena([&] { global_pool(level(), x.matrix(), batches, mode, found.matrix()); });
      ref::global_pool(table, mode, std::as_const(x).reference(), expected.reference());
      expect_equal_bits(found, expected, "global_pool");
    }
  }
}

TEST_P(Features, VoxelizeHasTheBitsOfTheReference) {
  for (int round = 0; round < 12; ++round) {
    const int64_t points = 1 + some_rows(), cols = some_cols();
    const int64_t voxels = 1 + below(points);
    // Every voxel has a point; the rest go anywhere.
    ref::SupportTable support;
    for (int64_t p = 0; p < points; ++p) {
      support.voxel_of_point.push_back(static_cast<int32_t>(p < voxels ? p : below(voxels)));
    }
    PointRows rows;
    rows.begin = Array<Row>(voxels + 1);
    rows.point = Array<Row>(points);
    Row at = 0;
    for (int64_t v = 0; v < voxels; ++v) {
      rows.begin[v] = at;
      for (int64_t p = 0; p < points; ++p) {
        if (support.voxel_of_point[static_cast<size_t>(p)] == v)
          rows.point[at++] = static_cast<Row>(p);
      }
    }
    rows.begin[voxels] = at;
    Held x = random(points, cols);
    // The result's type is the declared one, not the points'.
    for (const DType result : {DType::f32, DType::f16}) {
      for (const VoxelReduction reduction : {VoxelReduction::sum, VoxelReduction::mean}) {
        Held found(result, voxels, cols), expected(result, voxels, cols);
        in_arena([&] { voxelize(level(), x.matrix(), rows, reduction, found.matrix()); });
        ref::voxelize(support, reduction, std::as_const(x).reference(), expected.reference());
        expect_equal_bits(found, expected, "voxelize");
      }
    }
  }
}

TEST_P(Features, DevoxelizeHasTheBitsOfTheReference) {
  for (const int32_t slots : {1, 8}) {
    for (int round = 0; round < 8; ++round) {
      const int64_t points = some_rows(), voxels = some_rows(), cols = some_cols();
      PointMapData map;
      map.points = points;
      map.slots = slots;
      map.row = Array<int32_t>(points * slots);
      if (slots == 8) map.weight = Array<float>(points * slots);
      ref::PointTable table{points, slots, {}, {}};
      for (int64_t i = 0; i < points * slots; ++i) {
        map.row[i] = static_cast<int32_t>(below(voxels + 1)) - 1;
        const float w = std::uniform_real_distribution<float>(0.0f, 1.0f)(generator_);
        if (slots == 8) map.weight[i] = w;
        table.voxels.push_back(map.row[i]);
        table.weights.push_back(w);
      }
      Held x = random(voxels, cols);
      for (const DType result : {DType::f32, DType::f16}) {
        Held found(result, points, cols), expected(result, points, cols);
        in_arena([&] { devoxelize(level(), x.matrix(), map, found.matrix()); });
        ref::devoxelize(table, std::as_const(x).reference(), expected.reference());
        expect_equal_bits(found, expected, "devoxelize");
      }
    }
  }
}

TEST_P(Features, ReindexHasTheBitsOfTheReference) {
  for (int round = 0; round < 12; ++round) {
    const int64_t from = some_rows(), to = some_rows(), cols = some_cols();
    const RandomEdges edges = random_edges(from, to, 1, Direction::forward);
    Held x = random(from, cols);
    Held found(dtype(), to, cols), expected(dtype(), to, cols);
    in_arena([&] { reindex(level(), x.matrix(), edges.edges, -2.7f, found.matrix()); });
    ref::reindex(edges.table, -2.7f, std::as_const(x).reference(), expected.reference());
    expect_equal_bits(found, expected, "reindex");
  }
}

TEST_P(Features, BinaryHasTheBitsOfTheReference) {
  for (int round = 0; round < 12; ++round) {
    const int64_t rows = some_rows(), cols = some_cols();
    const int64_t lhs_rows = round % 3 == 0 ? rows : some_rows(),
                  rhs_rows = round % 2 == 0 ? rows : some_rows();
    const RandomEdges a = random_edges(lhs_rows, rows, 1, Direction::forward);
    const RandomEdges b = random_edges(rhs_rows, rows, 1, Direction::forward);
    const bool lhs_same = round % 3 == 0, rhs_same = round % 2 == 0;
    Held lhs = random(lhs_rows, cols), rhs = random(rhs_rows, cols);
    for (const BinaryOp op :
         {BinaryOp::add, BinaryOp::sub, BinaryOp::mul, BinaryOp::maximum, BinaryOp::minimum}) {
      Held found(dtype(), rows, cols), expected(dtype(), rows, cols);
      in_arena([&] {
        binary(level(), lhs.matrix(), lhs_same ? nullptr : &a.edges, 0.3f, rhs.matrix(),
               rhs_same ? nullptr : &b.edges, -1.5f, op, found.matrix());
      });
      Binary step;
      step.op = op;
      step.lhs_fill = 0.3f;
      step.rhs_fill = -1.5f;
      ref::binary(lhs_same ? ref::identity_table(rows) : a.table,
                  rhs_same ? ref::identity_table(rows) : b.table, step,
                  std::as_const(lhs).reference(), std::as_const(rhs).reference(),
                  expected.reference());
      expect_equal_bits(found, expected, "binary");
    }
  }
}

// Both sides of sparse.cat, each written into its columns of one result.
TEST_P(Features, CatSidesHaveTheBitsOfTheReference) {
  for (int round = 0; round < 8; ++round) {
    const int64_t rows = some_rows(), lhs_rows = some_rows(), left = some_cols(),
                  right = some_cols();
    const RandomEdges edges = random_edges(lhs_rows, rows, 1, Direction::forward);
    Held lhs = random(lhs_rows, left), rhs = random(rows, right);
    Held found(dtype(), rows, left + right), expected(dtype(), rows, left + right);
    Matrix columns = found.matrix();
    columns.cols = left;
    in_arena([&] { cat_side(level(), lhs.matrix(), &edges.edges, columns); });
    columns.data = found.bytes.data() + left * size_of(dtype());
    columns.cols = right;
    in_arena([&] { cat_side(level(), rhs.matrix(), nullptr, columns); });
    ref::cat(edges.table, ref::identity_table(rows), std::as_const(lhs).reference(),
             std::as_const(rhs).reference(), expected.reference());
    expect_equal_bits(found, expected, "cat");
  }
}

TEST_P(Features, ActivationsHaveTheBitsOfTheReference) {
  for (const ActivationKind kind :
       {ActivationKind::relu, ActivationKind::sigmoid, ActivationKind::gelu, ActivationKind::silu,
        ActivationKind::leaky_relu, ActivationKind::tanh, ActivationKind::softplus}) {
    for (const GeluApprox approximate :
         {GeluApprox::none, GeluApprox::precise, GeluApprox::tanh, GeluApprox::fast}) {
      const int64_t rows = 1 + some_rows(), cols = some_cols();
      Held x = random(rows, cols, below(3));
      Held plain(dtype(), rows, cols);
      for (int64_t row = 0; row < rows; ++row) {
        for (int64_t col = 0; col < cols; ++col) plain.set(row, col, x.get(row, col));
      }
      EpilogueEntry entry;
      entry.activation = kind;
      entry.approximate = approximate;
      entry.alpha = 0.3f;
      entry.beta = 2.5f;
      entry.threshold = 6.0f;
      ref::EpilogueEntry definition;
      definition.op.activation = kind;
      definition.op.approximate = approximate;
      definition.op.alpha = 0.3f;
      definition.op.beta = 2.5f;
      definition.op.threshold = 6.0f;
      Held found(dtype(), rows, cols), expected(dtype(), rows, cols);
      in_arena([&] { rowwise(level(), x.matrix(), entry, found.matrix()); });
      ref::rowwise(definition, std::as_const(plain).reference(), expected.reference());
      expect_equal_bits(found, expected, "activation");
      in_arena([&] { rowwise(level(), x.matrix(), entry, x.matrix()); }); // in place
      expect_equal_bits(x, expected, "activation in place");
    }
  }
}

TEST_P(Features, BatchNormHasTheBitsOfTheReference) {
  for (int round = 0; round < 12; ++round) {
    const int64_t rows = some_rows(), cols = some_cols();
    Held x = random(rows, cols);
    const std::vector<float> s = channels(cols), t = channels(cols);
    EpilogueEntry entry;
    entry.kind = EpilogueOp::Kind::batch_norm;
    entry.scale = s.data();
    entry.shift = t.data();
    ref::EpilogueEntry definition;
    definition.op.kind = EpilogueOp::Kind::batch_norm;
    definition.constants = {s, t};
    Held found(dtype(), rows, cols), expected(dtype(), rows, cols);
    in_arena([&] { rowwise(level(), x.matrix(), entry, found.matrix()); });
    ref::rowwise(definition, std::as_const(x).reference(), expected.reference());
    expect_equal_bits(found, expected, "batch_norm");
  }
}

TEST_P(Features, NormsAndSoftmaxHaveTheBitsOfTheReference) {
  for (int round = 0; round < 24; ++round) {
    const int64_t rows = some_rows(), cols = some_cols();
    Held x = random(rows, cols);
    const std::vector<float> scale = channels(cols), bias = channels(cols);
    Held found(dtype(), rows, cols), expected(dtype(), rows, cols);
    in_arena(
        [&] { layer_norm(level(), x.matrix(), scale.data(), bias.data(), 1e-3f, found.matrix()); });
    ref::layer_norm(weight(scale, cols), weight(bias, cols), 1e-3f, std::as_const(x).reference(),
                    expected.reference());
    expect_equal_bits(found, expected, "layer_norm");
    in_arena([&] { rms_norm(level(), x.matrix(), scale.data(), 1e-3f, found.matrix()); });
    ref::rms_norm(weight(scale, cols), 1e-3f, std::as_const(x).reference(), expected.reference());
    expect_equal_bits(found, expected, "rms_norm");
    in_arena([&] { softmax(level(), x.matrix(), found.matrix()); });
    ref::softmax(std::as_const(x).reference(), expected.reference());
    expect_equal_bits(found, expected, "softmax");
  }
}

TEST_P(Features, ElementwiseHasTheBitsOfTheReference) {
  for (int round = 0; round < 12; ++round) {
    const int64_t rows = some_rows(), cols = some_cols();
    Held x = random(rows, cols);
    for (const ElementwiseKind kind : {ElementwiseKind::exp, ElementwiseKind::round}) {
      Held found(dtype(), rows, cols), expected(dtype(), rows, cols);
      in_arena([&] { elementwise(level(), x.matrix(), kind, found.matrix()); });
      ref::elementwise(kind, std::as_const(x).reference(), expected.reference());
      expect_equal_bits(found, expected, "elementwise");
    }
  }
}

// All of f32, sparsely: the vector formulas and the scalar ones are the same function.
TEST_P(Features, FormulasAgreeOverAllExponents) {
  if (dtype() != DType::f32) return;
  const int64_t rows = 64, cols = 4099;
  Held x(DType::f32, rows, cols);
  uint32_t bits = 0;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t col = 0; col < cols; ++col, bits += 16369)
      x.set(row, col, std::bit_cast<float>(bits));
  }
  for (const ActivationKind kind :
       {ActivationKind::sigmoid, ActivationKind::tanh, ActivationKind::gelu,
        ActivationKind::softplus, ActivationKind::silu}) {
    EpilogueEntry entry;
    entry.activation = kind;
    ref::EpilogueEntry definition;
    definition.op.activation = kind;
    definition.op.beta = entry.beta;
    definition.op.threshold = entry.threshold;
    Held found(DType::f32, rows, cols), expected(DType::f32, rows, cols);
    in_arena([&] { rowwise(level(), x.matrix(), entry, found.matrix()); });
    ref::rowwise(definition, std::as_const(x).reference(), expected.reference());
    expect_equal_bits(found, expected, "formula");
  }
}

TEST_P(Features, EmbeddingLookupHasTheBitsOfTheReference) {
  const int64_t rows = 500, cols = 37, entries = 20;
  ref::DenseWeight table{entries, 1, cols, {}};
  for (int64_t i = 0; i < entries * cols; ++i) table.values.push_back(number());
  std::vector<std::byte> memory(static_cast<size_t>(4 * rows + 1)); // indices at an odd address
  for (int64_t row = 0; row < rows; ++row) {
    const int32_t index = static_cast<int32_t>(below(entries));
    std::memcpy(memory.data() + 1 + 4 * row, &index, 4);
  }
  const TensorView indices{DType::i32, {rows}, memory.data() + 1};
  Held found(dtype(), rows, cols), expected(dtype(), rows, cols);
  in_arena([&] {
    EXPECT_TRUE(
        embedding_lookup(indices, table.values.data(), entries, {}, found.matrix()).has_value());
  });
  ASSERT_TRUE(
      ref::embedding_lookup({indices.data, rows, 1}, table, {}, expected.reference()).has_value());
  expect_equal_bits(found, expected, "embedding_lookup");
  const int32_t bad = static_cast<int32_t>(entries);
  std::memcpy(memory.data() + 1 + 4 * 321, &bad, 4);
  in_arena([&] {
    const Status status =
        embedding_lookup(indices, table.values.data(), entries, {}, found.matrix());
    ASSERT_FALSE(status.has_value());
    EXPECT_NE(status.error().text().find("row 321"), std::string::npos);
  });
}

TEST_P(Features, RowOrdersAreInverse) {
  const int64_t rows = 2000, cols = 5;
  Held x = random(rows, cols);
  Order order;
  order.identity = false;
  order.caller_of_inner = Array<Row>(rows);
  for (int64_t row = 0; row < rows; ++row)
    order.caller_of_inner[row] = static_cast<Row>(row * 7 % rows);
  // The caller's memory may start anywhere.
  std::vector<std::byte> shifted(x.bytes.size() + 1);
  std::copy(x.bytes.begin(), x.bytes.end(), shifted.begin() + 1);
  Held inner(dtype(), rows, cols), back(dtype(), rows, cols);
  in_arena([&] {
    to_support_rows({dtype(), {rows, cols}, shifted.data() + 1}, order, inner.matrix());
    to_caller_rows(inner.matrix(), order, back.matrix());
  });
  for (int64_t row = 0; row < rows; ++row)
    ASSERT_EQ(bits_of(inner.get(row, 3)), bits_of(x.get(row * 7 % rows, 3)));
  expect_equal_bits(back, x, "rows");
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const SimdLevel level : {SimdLevel::scalar, SimdLevel::avx2, SimdLevel::avx512}) {
    if (!offers(level)) continue;
    for (const DType dtype : {DType::f32, DType::f16}) {
      for (const int threads : {1, 3}) cases.push_back({level, dtype, threads});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Levels, Features, ::testing::ValuesIn(all_cases()), [](const auto& chosen) {
  return std::string(name_of(chosen.param.level)) + "_" + lattice::name_of(chosen.param.dtype) + "_" +
         std::to_string(chosen.param.threads) + "_threads";
});

} // namespace
} // namespace lattice::cpu
