// Which input row each output row reads through each kernel row (spec 4): one look-up an edge.
#include "kernels/reference/topology.h"

namespace lattice::reference {

namespace {

// The fine row that `coarse` meets at this kernel index.
int32_t fine_row(const Relation& relation, const SupportTable& fine, const Coord& coarse,
                 Triple index) {
  Triple at{};
  for (size_t axis = 0; axis < 3; ++axis) {
    at[axis] = coarse[axis + 1] * relation.stride[axis] + relation.base[axis] +
               index[axis] * relation.dilation[axis];
  }
  return fine.find(coarse[0], at[0], at[1], at[2]);
}

// The coarse row that reaches `fine` at this kernel index: the division must be exact on all axes.
int32_t coarse_row(const Relation& relation, const SupportTable& coarse, const Coord& fine,
                   Triple index) {
  Triple at{};
  for (size_t axis = 0; axis < 3; ++axis) {
    const int64_t distance =
        fine[axis + 1] - relation.base[axis] - index[axis] * relation.dilation[axis];
    if (distance % relation.stride[axis] != 0) return -1;
    at[axis] = distance / relation.stride[axis];
  }
  return coarse.find(fine[0], at[0], at[1], at[2]);
}

} // namespace

RelationTable relation_table(const Relation& definition, Direction direction,
                             const SupportTable& fine, const SupportTable& coarse) {
  const bool forward = direction == Direction::forward;
  const SupportTable& output = forward ? coarse : fine;
  RelationTable relation;
  relation.rows = output.count();
  relation.kernel_rows = definition.kernel_rows();
  relation.table.reserve(static_cast<size_t>(relation.rows * relation.kernel_rows));
  const Triple size = definition.size;
  for (const Coord& row : output.rows) {
    for (int64_t ix = 0; ix < size[0]; ++ix) {
      for (int64_t iy = 0; iy < size[1]; ++iy) {
        for (int64_t iz = 0; iz < size[2]; ++iz) {
          const Triple index{ix, iy, iz};
          const int32_t input = forward ? fine_row(definition, fine, row, index)
                                        : coarse_row(definition, coarse, row, index);
          relation.table.push_back(input);
          relation.edges += input >= 0 ? 1 : 0;
        }
      }
    }
  }
  return relation;
}

RelationTable identity_table(int64_t rows) {
  RelationTable relation;
  relation.rows = rows;
  relation.identity = true;
  relation.edges = rows;
  return relation;
}

} // namespace lattice::reference
