// Short texts for parts of a plan, shared by the dumps.
#pragma once

#include <string>

#include "plan/plan.h"

namespace lattice {

std::string describe(const IntSource& source, const Plan& plan);
std::string describe(const Extent& extent, const Plan& plan);
std::string describe_shape(const Value& value, const Plan& plan);  // "s1 x 32 f32"
std::string describe(const Support& support, const Plan& plan);    // "floor of s0 by (2, 2, 2)"
std::string describe(const Relation& relation);                    // "s0 <-> s1, kernel (2, 2, 2) stride (2, 2, 2)"
std::string describe(const Weight& weight);                        // "(32, 3, 3, 3, 4) f32"

// Parameters a weight holds, and the bytes they take in the file.
int64_t parameters_of(const Weight& weight);
int64_t bytes_of(const Weight& weight);

// Weights a step reads, in order.
std::vector<WeightId> weights_of(const Step& step);

// Relations a step reads, in order; in-place uses are left out.
std::vector<RelationUse> relations_of(const Step& step);

}  // namespace lattice
