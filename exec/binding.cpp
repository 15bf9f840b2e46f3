// Binding of inputs; what it promises stands in binding.h.
#include "exec/binding.h"

#include "base/checked.h"
#include "base/tensor.h"

#include <limits>

#include <fmt/format.h>

namespace lattice {

namespace {

// State of one call: which argument came from where.
class Binder {
 public:
  Binder(const Signature& signature, const std::vector<Need>& needs)
      : signature_(signature), needs_(needs), from_sparse_(signature.groups.size(), false),
        from_parts_(signature.groups.size(), false) {
    binding_.inputs.arguments.resize(signature.arguments.size());
    binding_.inputs.present.assign(signature.arguments.size(), false);
  }

  Result<Binding> bind(const Inputs& given) {
    LATTICE_CHECK(named(given));
    LATTICE_CHECK(positional(given));
    for (size_t i = 0; i < signature_.arguments.size(); ++i) {
      if (needs_[i] == Need::ignored) {
        binding_.inputs.present[i] = false;
        binding_.inputs.arguments[i] = {};
        continue;
      }
      if (binding_.inputs.present[i]) {
        LATTICE_CHECK(check(i));
      } else if (needs_[i] == Need::required) {
        return refuse(fmt::format("input \"{}\" is missing{}", signature_.arguments[i].name, group_hint(i)));
      }
    }
    return std::move(binding_);
  }

 private:
  tl::unexpected<Error> refuse(const std::string& what) const {
    return tl::make_unexpected(Error(Code::input, {Diagnostic{what, {}, {{"expected " + text_of(signature_), {}, {}}}}}));
  }

  std::string group_hint(size_t argument) const {
    const int32_t group = signature_.arguments[argument].group;
    if (group < 0) return "";
    return fmt::format(" (of sparse input \"{}\")", signature_.groups[static_cast<size_t>(group)].name);
  }

  Status named(const Inputs& given) {
    for (const Input& input : given) {
      if (input.name.empty()) continue;
      const int32_t argument = signature_.argument_named(input.name);
      const int32_t group = signature_.group_named(input.name);
      if (const auto* sparse = std::get_if<SparseView>(&input.value)) {
        if (group >= 0) {
          LATTICE_CHECK(put_sparse(static_cast<size_t>(group), *sparse));
          continue;
        }
        if (argument >= 0) {
          return refuse(fmt::format("input \"{}\" is a plain tensor, found a sparse tensor", input.name));
        }
      } else if (argument >= 0) {
        LATTICE_CHECK(put(static_cast<size_t>(argument), std::get<TensorView>(input.value)));
        continue;
      } else if (group >= 0) {
        return refuse(fmt::format("input \"{}\" is a sparse input, found a plain tensor", input.name));
      }
      return refuse(fmt::format("unexpected input \"{}\"", input.name));
    }
    return {};
  }

  // Sparse tensors go to the groups in order; plain tensors to the arguments in order, past those groups.
  Status positional(const Inputs& given) {
    size_t sparse_count = 0, plain_count = 0;
    for (const Input& input : given) {
      if (!input.name.empty()) continue;
      (input.value.index() == 1 ? sparse_count : plain_count) += 1;
    }
    if (sparse_count > signature_.groups.size()) {
      if (signature_.groups.empty()) {
        return refuse("found a sparse tensor where a plain tensor is expected: this program has no sparse input");
      }
      return refuse(fmt::format("too many positional inputs: {} sparse tensors for {} sparse inputs", sparse_count,
                                signature_.groups.size()));
    }
    size_t group = 0, argument = 0;
    for (const Input& input : given) {
      if (!input.name.empty()) continue;
      if (const auto* sparse = std::get_if<SparseView>(&input.value)) {
        LATTICE_CHECK(put_sparse(group++, *sparse));
        continue;
      }
      const auto in_sparse_position = [&](size_t index) {
        const int32_t of = signature_.arguments[index].group;
        return of >= 0 && static_cast<size_t>(of) < sparse_count;
      };
      while (argument < signature_.arguments.size() && in_sparse_position(argument)) ++argument;
      if (argument >= signature_.arguments.size()) {
        return refuse(fmt::format("too many positional inputs: {} given, {} arguments", sparse_count * 3 + plain_count,
                                  signature_.arguments.size()));
      }
      LATTICE_CHECK(put(argument++, std::get<TensorView>(input.value)));
    }
    return {};
  }

  Status put(size_t index, const TensorView& tensor) {
    const ArgumentInfo& argument = signature_.arguments[index];
    if (argument.group >= 0) {
      const auto group = static_cast<size_t>(argument.group);
      if (from_sparse_[group]) return mixed(group);
      from_parts_[group] = true;
    }
    if (binding_.inputs.present[index]) return refuse(fmt::format("input \"{}\" is given twice", argument.name));
    binding_.inputs.arguments[index] = tensor;
    binding_.inputs.present[index] = true;
    return {};
  }

  Status mixed(size_t group) const {
    return refuse(fmt::format("sparse input \"{}\" is given both as a sparse tensor and by its components",
                              signature_.groups[group].name));
  }

  Status put_sparse(size_t index, const SparseView& sparse) {
    const SparseGroup& group = signature_.groups[index];
    if (from_parts_[index]) return mixed(index);
    if (from_sparse_[index]) return refuse(fmt::format("sparse input \"{}\" is given twice", group.name));
    from_sparse_[index] = true;
    const auto first = static_cast<size_t>(group.first);
    if (needs_[first] != Need::ignored) {
      if (group.stride != Triple{0, 0, 0} && group.stride != sparse.stride) {
        return refuse(fmt::format("sparse input \"{}\" has stride {}, the graph makes it with stride {}", group.name,
                                  text_of(sparse.stride), text_of(group.stride)));
      }
      const int64_t rows = sparse.coords.shape.empty() ? 0 : sparse.coords.shape[0];
      const int64_t active = sparse.active == -1 ? rows : sparse.active;
      if (active < 0 || active > rows || active > std::numeric_limits<int32_t>::max()) {
        return refuse(fmt::format("sparse input \"{}\": active is {}, expected 0 to {} (its rows)", group.name,
                                  sparse.active, rows));
      }
      binding_.active_counts.push_back(std::make_unique<int32_t>(static_cast<int32_t>(active)));
      place(first, sparse.coords);
      place(first + 2, {DType::i32, {1}, binding_.active_counts.back().get()});
    }
    place(first + 1, sparse.features);
    return {};
  }

  void place(size_t index, const TensorView& tensor) {
    binding_.inputs.arguments[index] = tensor;
    binding_.inputs.present[index] = true;
  }

  // Type, rank and every declared size.
  Status check(size_t index) const {
    const ArgumentInfo& argument = signature_.arguments[index];
    const TensorView& tensor = binding_.inputs.arguments[index];
    if (tensor.dtype != argument.dtype) {
      return refuse(fmt::format("input \"{}\" has type {}, expected {}", argument.name, name_of(tensor.dtype),
                                name_of(argument.dtype)));
    }
    if (tensor.shape.size() != argument.shape.size()) {
      return refuse(fmt::format("input \"{}\" has shape {}, expected {} dimensions", argument.name,
                                text_of(tensor.shape), argument.shape.size()));
    }
    for (size_t axis = 0; axis < tensor.shape.size(); ++axis) {
      const int64_t wanted = argument.shape[axis];
      if (tensor.shape[axis] < 0 || (wanted >= 0 && tensor.shape[axis] != wanted)) {
        const char* hint = argument.role == Role::sparse_coords && axis == 1 ? " as (batch, x, y, z)" : "";
        return refuse(fmt::format("input \"{}\" has shape {}, expected {} along dimension {}{}", argument.name,
                                  text_of(tensor.shape), wanted, axis, hint));
      }
      if (axis > 0 && tensor.shape[axis] > most_channels) {
        return refuse(fmt::format("input \"{}\" has shape {}, expected at most {} along dimension {}", argument.name,
                                  text_of(tensor.shape), most_channels, axis));
      }
    }
    if (!checked_bytes(tensor)) {
      return refuse(fmt::format("input \"{}\" has shape {}, which does not fit 64 bits", argument.name, text_of(tensor.shape)));
    }
    if (tensor.data == nullptr && elements_of(tensor.shape) > 0) {
      return refuse(fmt::format("input \"{}\" has shape {} but no data", argument.name, text_of(tensor.shape)));
    }
    return {};
  }

  static bool checked_bytes(const TensorView& tensor) {
    const auto elements = checked_product(tensor.shape);
    return elements && checked_mul(*elements, size_of(tensor.dtype));
  }

  const Signature& signature_;
  const std::vector<Need>& needs_;
  std::vector<bool> from_sparse_, from_parts_;  // by group
  Binding binding_;
};

}  // namespace

Result<Binding> bind_inputs(const Signature& signature, const Inputs& given, const std::vector<Need>& needs) {
  return Binder(signature, needs).bind(given);
}

}  // namespace lattice
