// reindex, binary and cat: rows meet by coordinate. A missing row is exactly its fill: selected,
// never multiplied by zero.
#include "kernels/math.h"
#include "kernels/reference/steps.h"

namespace lattice::reference {

namespace {

float value_or(const RelationTable& relation, int64_t row, int64_t col, ConstMatrix x, float fill) {
  const int64_t source = relation.input_row(row, 0);
  return source < 0 ? fill : x(source, col);
}

float combined(BinaryOp op, float a, float b) {
  switch (op) {
  case BinaryOp::add: return a + b;
  case BinaryOp::sub: return a - b;
  case BinaryOp::mul: return a * b;
  case BinaryOp::maximum: return math::maximum(a, b);
  case BinaryOp::minimum: return math::minimum(a, b);
  }
  return 0.0f;
}

} // namespace

void reindex(const RelationTable& relation, float fill, ConstMatrix x, Matrix y) {
  for (int64_t row = 0; row < y.rows(); ++row) {
    for (int64_t col = 0; col < y.cols(); ++col)
      y.set(row, col, value_or(relation, row, col, x, fill));
  }
}

void binary(const RelationTable& lhs_relation, const RelationTable& rhs_relation,
            const Binary& step, ConstMatrix lhs, ConstMatrix rhs, Matrix y) {
  for (int64_t row = 0; row < y.rows(); ++row) {
    for (int64_t col = 0; col < y.cols(); ++col) {
      const float a = value_or(lhs_relation, row, col, lhs, step.lhs_fill);
      const float b = value_or(rhs_relation, row, col, rhs, step.rhs_fill);
      y.set(row, col, combined(step.op, a, b));
    }
  }
}

void cat(const RelationTable& lhs_relation, const RelationTable& rhs_relation, ConstMatrix lhs,
         ConstMatrix rhs, Matrix y) {
  for (int64_t row = 0; row < y.rows(); ++row) {
    for (int64_t col = 0; col < lhs.cols(); ++col) {
      y.set(row, col, value_or(lhs_relation, row, col, lhs, 0.0f));
    }
    for (int64_t col = 0; col < rhs.cols(); ++col) {
      y.set(row, lhs.cols() + col, value_or(rhs_relation, row, col, rhs, 0.0f));
    }
  }
}

} // namespace lattice::reference
