// Builds the tables of a plan's topology for the reference device, phase by phase. No features.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "exec/device.h"
#include "exec/sizes.h"
#include "kernels/reference/topology.h"

namespace lattice::reference {

// The tables made so far, by id; null where a phase is still to come. Copies share them.
struct Tables {
  std::vector<std::shared_ptr<const SupportTable>> supports;
  std::vector<std::array<std::shared_ptr<const RelationTable>, 2>> relations; // by Direction
  std::vector<std::shared_ptr<const PointTable>> point_maps;
  std::vector<std::shared_ptr<const BatchTable>> batches;
  int64_t bytes = 0;

  std::shared_ptr<const RelationTable> relation(RelationUse use) const {
    return relations[static_cast<size_t>(use.id)][static_cast<size_t>(use.direction)];
  }
  Counts counts() const; // refers to *this
};

// An i32 tensor of the graph; `made` holds it where no argument does.
struct Integers {
  Shape shape;
  IntMatrix matrix;
  std::shared_ptr<const std::vector<int32_t>> made;
};
Result<Integers> integers_of(const IntSource& source, const BoundInputs& inputs,
                             const Tables& tables);

// The directions in which the steps use each relation: only those tables are made.
std::vector<std::array<bool, 2>> directions_used(const Plan& plan);

// Values that the topology reads: arguments in phase 0, later also computed ones.
using ValueReader = std::function<TensorView(ValueId)>;

Tables empty_tables(const Plan& plan);
Status build_phase(const Plan& plan, int32_t phase, const BoundInputs& inputs,
                   const ValueReader& value, const RunControl& control, Budget& budget,
                   Tables& tables);

} // namespace lattice::reference
