"""Every shared case through Python: inputs by name, answers within the tolerance of the case."""

import numpy as np
import pytest
from conftest import DATA, by_coordinate, manifest, tensors

import lattice_runtime as lattice

RUN = manifest("conformance")
REFUSED = manifest("refusals")


def close(got, expected, case):
    assert got.shape == expected.shape
    np.testing.assert_allclose(
        got.astype(np.float64), expected.astype(np.float64), rtol=case["rtol"], atol=case["atol"]
    )


@pytest.mark.parametrize("case", RUN, ids=lambda case: case["name"])
def test_answers(case):
    folder = DATA / "conformance" / case["name"]
    program = lattice.load(folder)
    result = program.run(tensors(folder / "inputs.safetensors"))
    values = result if isinstance(result, tuple) else (result,)
    expected = tensors(folder / "expected.safetensors")
    assert len(values) == len(program.outputs)
    for info, value in zip(program.outputs, values):
        if info.role == "tensor":
            close(value, expected[info.name], case)
            continue
        assert value.stride == tuple(info.stride)
        if "output_strides" in case:
            assert value.stride == tuple(case["output_strides"][info.name])
        active = int(expected[f"{info.name}.active"][0])
        coords, feats = by_coordinate(value.coords, value.feats)
        want_coords, want_feats = by_coordinate(
            expected[f"{info.name}.coords"][:active], expected[f"{info.name}.features"][:active]
        )
        assert np.array_equal(coords, want_coords)
        close(feats, want_feats, case)


@pytest.mark.parametrize("case", [c for c in REFUSED if c["stage"] != "inputs"], ids=lambda c: c["name"])
def test_refused_at_load(case):
    with pytest.raises((lattice.ArtifactError, lattice.FileError)) as error:
        lattice.load(DATA / "refusals" / case["name"])
    assert error.value.diagnostics and str(error.value)


# The one input that this door takes although the library asks for the declared type.
CONVERTED = "inputs_coords_dtype_i64"


@pytest.mark.parametrize(
    "case",
    [c for c in REFUSED if c["stage"] == "inputs" and c["name"] != CONVERTED],
    ids=lambda c: c["name"],
)
def test_refused_at_run(case):
    folder = DATA / "refusals" / case["name"]
    program = lattice.load(folder)
    with pytest.raises(lattice.InputError):
        program.run(tensors(folder / "inputs.safetensors"))


def test_int64_coordinates_are_a_convenience_of_this_door():
    folder = DATA / "refusals" / CONVERTED
    program = lattice.load(folder)
    inputs = tensors(folder / "inputs.safetensors")
    wide = [name for name, array in inputs.items() if array.dtype == np.int64]
    assert wide
    narrow = {name: array.astype(np.int32) if name in wide else array for name, array in inputs.items()}
    for a, b in zip(flat(program.run(inputs)), flat(program.run(narrow))):
        assert a.tobytes() == b.tobytes()


def flat(result):
    """The arrays of a result."""
    values = result if isinstance(result, tuple) else (result,)
    return [array for v in values for array in ((v,) if isinstance(v, np.ndarray) else (v.coords, v.feats))]
