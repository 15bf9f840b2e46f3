// For tests: small plans built by hand, run on the reference device, their results read back by
// row. No MLIR, no artifact.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "exec/device.h"

namespace lattice::testing {

using Row = std::array<int32_t, 4>; // batch, x, y, z; physical

struct KernelShape {
  Triple size{1, 1, 1};
  Triple stride{1, 1, 1};
  Triple padding{0, 0, 0};
  Triple dilation{1, 1, 1};
};

// A sparse value of the plan.
struct SparseValue {
  SupportId support = no_id;
  ValueId features = no_id;
};

// What a run gave: rows in the order the device gave them.
struct Rows {
  std::vector<Row> coords;
  std::vector<float> values;
  int64_t channels = 0;
  Triple stride{1, 1, 1};

  // The first channel by coordinate.
  std::map<Row, float> by_coord() const;
};

std::vector<float> ones(int64_t count);
std::vector<float> random_values(int64_t count, uint32_t seed);

class PlanUnderTest {
 public:
  // ---- inputs
  SparseValue input(std::vector<Row> coords, std::vector<float> features, Triple stride = {1, 1, 1},
                    DType dtype = DType::f32, int64_t active = -1);
  SupportId made(std::vector<Row> coords, Triple stride = {1, 1, 1}, int64_t active = -1);
  ValueId dense(std::vector<float> values, int64_t cols, DType dtype = DType::f32);
  IntSource integers(std::vector<int32_t> values);
  WeightId weight(WeightFamily family, Shape shape, const std::vector<float>& values,
                  DType dtype = DType::f32);
  // `codes` are words as stored.
  WeightId packed(WeightFamily family, int32_t bits, int64_t group_size, Shape shape,
                  const std::vector<uint32_t>& codes, Shape scale_shape,
                  const std::vector<float>& scales, const std::vector<float>& biases);

  // ---- topology
  SupportId support(Support definition);
  SupportId forward_support(SupportId from, KernelShape kernel);
  SupportId transposed_support(SupportId from, KernelShape kernel);
  RelationUse forward(SupportId fine, SupportId coarse, KernelShape kernel);
  RelationUse transposed(SupportId fine, SupportId coarse, KernelShape kernel);
  RelationUse alignment(SupportId from, SupportId to);
  PointMapId point_map(PointMap definition);
  BatchesId batches(SupportId support, int64_t batch_size, bool empty_is_error = false);

  // ---- steps
  ValueId value(Extent rows, int64_t cols, DType dtype = DType::f32, SupportId rows_of = no_id);
  ValueId value_on(SupportId support, int64_t cols, DType dtype = DType::f32);
  void step(Op op, std::string name = "step");
  SparseValue conv3d(SparseValue x, KernelShape kernel, WeightId weight, int64_t out,
                     WeightId bias = no_id, DType dtype = DType::f32);
  SparseValue conv_onto(SparseValue x, SupportId target, RelationUse relation, WeightId weight,
                        int64_t out, WeightId bias = no_id, DType dtype = DType::f32);
  SparseValue pool3d(SparseValue x, KernelShape kernel, PoolMode mode, int64_t channels,
                     DType dtype = DType::f32);

  // ---- running
  BoundInputs bound() const;
  Result<Outputs> try_run(const RunControl& control = {}, RunReport* report = nullptr);
  Result<Rows> try_rows(SparseValue value);
  Rows rows(SparseValue value);             // the run must succeed
  std::vector<float> values(ValueId value); // likewise
  Error error_of(SparseValue value);        // the run must fail
  Error error_of(ValueId value);

  Plan plan;
  bool trusted = false;
  bool unaligned = false; // hand every argument over at an odd address

 private:
  struct Argument {
    DType dtype;
    Shape shape;
    std::vector<std::byte> bytes;
  };
  int32_t argument(DType dtype, Shape shape, std::vector<std::byte> bytes);
  RelationUse relation(SupportId fine, SupportId coarse, KernelShape kernel, Triple base,
                       Direction direction);
  void output(SparseValue value);
  void output(ValueId value);

  std::vector<Argument> arguments_;
  std::vector<std::shared_ptr<std::vector<std::byte>>> weight_memory_;
};

} // namespace lattice::testing
