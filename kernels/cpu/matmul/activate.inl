// Activations over a row of floats, with the formulas of kernels/math_formulas.inl. Not a header: included
// inside a namespace that defines Lanes, lanes_step, lanes_load and lanes_store.

template <class F>
void map_lanes(float* row, int64_t count, F f) {
  for (int64_t c = 0; c < count; c += lanes_step) lanes_store(row + c, f(lanes_load(row + c)));
}

// `count` is a whole number of vectors.
inline void activate(const EpilogueEntry& entry, float* row, int64_t count) {
  const Lanes l;
  using F = Lanes::F;
  switch (entry.activation) {
  case ActivationKind::relu:
    return map_lanes(row, count, [&](F x) LATTICE_LAMBDA { return formulas::relu(l, x); });
  case ActivationKind::sigmoid:
    return map_lanes(row, count, [&](F x) LATTICE_LAMBDA { return formulas::sigmoid(l, x); });
  case ActivationKind::silu:
    return map_lanes(row, count, [&](F x) LATTICE_LAMBDA { return formulas::silu(l, x); });
  case ActivationKind::tanh:
    return map_lanes(row, count, [&](F x) LATTICE_LAMBDA { return formulas::tanh(l, x); });
  case ActivationKind::leaky_relu: {
    const F alpha = l.set(entry.alpha);
    return map_lanes(row, count, [&](F x) LATTICE_LAMBDA { return formulas::leaky_relu(l, x, alpha); });
  }
  case ActivationKind::softplus: {
    const F beta = l.set(entry.beta);
    const F threshold = l.set(entry.threshold);
    return map_lanes(row, count,
                     [&](F x) LATTICE_LAMBDA { return formulas::softplus(l, x, beta, threshold); });
  }
  case ActivationKind::gelu: break;
  }
  switch (entry.approximate) {
  case GeluApprox::none:
  case GeluApprox::precise:
    return map_lanes(row, count, [&](F x) LATTICE_LAMBDA { return formulas::gelu(l, x); });
  case GeluApprox::tanh:
    return map_lanes(row, count, [&](F x) LATTICE_LAMBDA { return formulas::gelu_tanh(l, x); });
  case GeluApprox::fast:
    return map_lanes(row, count, [&](F x) LATTICE_LAMBDA { return formulas::gelu_fast(l, x); });
  }
}
