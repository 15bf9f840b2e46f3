// A plan as a person (text), a program (JSON) or a drawing tool (dot) reads it.
#pragma once

#include <string>

#include "plan/plan.h"

namespace lattice {

std::string dump_text(const Plan& plan);
std::string dump_json(const Plan& plan);
std::string dump_dot(const Plan& plan);

}  // namespace lattice
