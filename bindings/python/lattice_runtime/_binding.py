"""The caller's arguments made ready for the compiled half: shorthand written out, lists and integers
made arrays, 64-bit integers marked for conversion. Whether they fit, the library says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

import numpy as np

from ._arrays import NUMPY_DTYPES, importable, is_array, kind_of
from ._errors import InputKindError
from ._signature import Argument, Signature, SparseInput
from ._sparse import SparseTensor


class Bound:
    """Entries for the compiled half, and the kind of array the caller uses."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self.entries: list[tuple[Any, ...]] = []
        self.kind = "numpy"

    def _refuse(self, what: str) -> InputKindError:
        return InputKindError(f"{what}\nexpected {self.signature}")

    def _array(self, value: Any, name: str, argument: Optional[Argument]) -> Any:
        """`value` as something with memory. Numbers and lists get the declared type."""
        if is_array(value):
            if self.kind == "numpy":
                self.kind = kind_of(value)
            return importable(value)
        if isinstance(value, (bool, int, float, list)):
            dtype = NUMPY_DTYPES[argument.dtype] if argument else None
            try:
                array = np.asarray(value, dtype)
            except (TypeError, ValueError, OverflowError) as error:
                raise self._refuse(f'input "{name}": {error}') from None
            # A row count may be given as a number.
            return array.reshape(1) if argument and argument.shape == (1,) and array.ndim == 0 else array
        label = f'input "{name}"' if name else "input"
        raise self._refuse(f"{label} is a {type(value).__name__}, expected an array")

    def add_sparse(self, name: str, value: Any, group: Optional[SparseInput]) -> None:
        if isinstance(value, tuple):  # (coords, feats): the stride is the graph's
            stride = group.stride if group and group.stride != (0, 0, 0) else 1
            value = SparseTensor(value[0], value[1], stride)
        first = group.first if group else -1
        arguments = self.signature.arguments[first : first + 2] if group else (None, None)
        coords = self._array(value.coords, name, arguments[0])
        features = self._array(value.feats, name, arguments[1])
        active = -1 if value.active_rows is None else value.active
        if active < 0 and value.active_rows is not None:
            active = -2  # not the sign for "all rows"
        self.entries.append((name, coords, features, active, value.stride))

    def add_tensor(self, name: str, value: Any, argument: Optional[Argument]) -> None:
        as_i32 = argument is not None and argument.dtype == "i32"
        self.entries.append((name, self._array(value, name or (argument.name if argument else ""), argument), as_i32))


def _is_sparse(value: Any) -> bool:
    return isinstance(value, SparseTensor) or (isinstance(value, tuple) and len(value) == 2)


def bind(signature: Signature, args: tuple[Any, ...], named: Mapping[str, Any]) -> Bound:
    bound = Bound(signature)
    for name, value in named.items():
        argument, group = signature.argument(name), signature.sparse_input(name)
        if _is_sparse(value) and group is None and argument is not None:
            raise bound._refuse(f'input "{name}" is a plain tensor, found a sparse tensor')
        if not _is_sparse(value) and group is not None and argument is None:
            raise bound._refuse(f'input "{name}" is a sparse input, found {_found(value)}')
        if _is_sparse(value):
            bound.add_sparse(name, value, group)
        else:
            bound.add_tensor(name, value, argument)

    # Sparse tensors go to the sparse inputs in order, the others to the arguments past those.
    sparse_count = sum(map(_is_sparse, args))
    if sparse_count and not signature.sparse_inputs:
        raise bound._refuse("found a sparse tensor where a plain tensor is expected: this program has no sparse input")
    taken = {each.name for each in signature.sparse_inputs[:sparse_count]}
    groups = iter(signature.sparse_inputs)
    arguments = (each for each in signature.arguments if each.group not in taken)
    for value in args:
        if _is_sparse(value):
            bound.add_sparse("", value, next(groups, None))
        else:
            bound.add_tensor("", value, next(arguments, None))
    return bound


def _found(value: Any) -> str:
    return "a plain tensor" if is_array(value) else f"a {type(value).__name__}"
