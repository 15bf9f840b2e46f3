// Which values each kind of step reads and writes. Included by plan.h only.
#pragma once

namespace lattice {

namespace detail {
template <class T>
concept HasX = requires(const T& op) { op.x; };
template <class T>
concept HasSides = requires(const T& op) { op.lhs; op.rhs; };
template <class T>
concept HasEpilogue = requires(const T& op) { op.epilogue; };
}  // namespace detail

template <class Visit>
void visit_inputs(const Step& step, Visit&& visit) {
  std::visit(
      [&](const auto& op) {
        using T = std::decay_t<decltype(op)>;
        if constexpr (detail::HasX<T>) visit(op.x);
        if constexpr (detail::HasSides<T>) {
          visit(op.lhs);
          visit(op.rhs);
        }
        if constexpr (detail::HasEpilogue<T>) {
          for (const EpilogueOp& entry : op.epilogue) {
            if (entry.kind == EpilogueOp::Kind::residual) visit(entry.residual);
          }
        }
      },
      step.op);
}

inline ValueId output_of(const Step& step) {
  return std::visit([](const auto& op) { return op.y; }, step.op);
}

}  // namespace lattice
