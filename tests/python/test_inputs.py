"""What may be handed to a program, and what is said of the rest."""

import numpy as np
import pytest
from conftest import same

import lattice_runtime as lattice
from lattice_runtime import SparseTensor, _lattice


def test_all_spellings_give_the_same(small, cloud):
    coords, feats = cloud
    first = small(SparseTensor(coords, feats))
    n = len(coords)
    assert same(first, small((coords, feats)))
    assert same(first, small(x=SparseTensor(coords, feats, 1, n)))
    assert same(first, small(coords, feats, np.array([n], np.int32)))
    assert same(first, small(coords, feats, n))
    assert same(first, small(x_coords=coords, x_features=feats, x_active=[n]))
    assert same(first, small.run({"x": (coords, feats)}))


def test_results(small, cloud):
    result = small(cloud)
    assert result.names == ("y", "logits") and len(result) == 2
    y, logits = result
    assert isinstance(y, SparseTensor) and y.stride == (1, 1, 1)
    assert np.array_equal(y.coords, cloud[0])  # an input's support keeps its order
    assert result["logits"] is logits and logits.dtype == np.float32 and logits.shape == (1, 3)
    with pytest.raises(KeyError, match="there are: y, logits"):
        result["z"]


def test_padding_rows_do_not_count(small, cloud):
    coords, feats = cloud
    padded = SparseTensor(np.concatenate([coords, coords]), np.concatenate([feats, feats * np.nan]), 1, len(coords))
    assert same(small(cloud), small(padded))


def test_int64_coordinates_are_converted(small, cloud):
    coords, feats = cloud
    assert same(small(cloud), small((coords.astype(np.int64), feats)))
    assert same(small(cloud), small(coords.astype(np.int64), feats, np.int64(len(coords)).reshape(1)))
    wide = coords.astype(np.int64)
    wide[7, 2] = 2**31
    with pytest.raises(lattice.InputError, match=r"coords: the value at \(7, 2\) is 2147483648, which does not fit int32"):
        small(x=(wide, feats))


def test_int64_features_are_not(small, cloud):
    coords, feats = cloud
    with pytest.raises(lattice.InputError, match='"x_features" has type i64, expected f32'):
        small((coords, feats.astype(np.int64)))


def test_strided_and_read_only_arrays(small, cloud):
    coords, feats = cloud
    wide = np.zeros((len(feats), 8), np.float32)
    wide[:, ::2] = feats
    assert same(small(cloud), small((np.asfortranarray(coords), wide[:, ::2])))
    assert same(small((coords[::-1].copy(), feats[::-1].copy())), small((coords[::-1], feats[::-1])))
    fixed = feats.copy()
    fixed.flags.writeable = False
    assert same(small(cloud), small((coords, fixed)))


def test_inputs_are_not_changed(small, cloud):
    before = cloud[0].tobytes(), cloud[1].tobytes()
    small(cloud)
    small(cloud)
    assert before == (cloud[0].tobytes(), cloud[1].tobytes())


def test_results_outlive_the_program_and_each_other(small_directory, cloud):
    program = lattice.load(small_directory)
    y = program(cloud)["y"].feats
    kept = y.copy()
    program(cloud)
    del program
    assert np.array_equal(y, kept)
    y[:] = 0  # it is the caller's


class Recorder:
    """An array that counts how often its memory is asked for, and gives that very memory."""

    def __init__(self, array):
        self.array, self.calls = array, 0

    @property
    def shape(self):
        return self.array.shape

    def __dlpack__(self, **how):
        self.calls += 1
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


# Input rows at an odd address are read where they are: an aligned copy would not show later writes,
# but the pointer the library sees is the one numpy has.
def test_dlpack_is_read_in_place(small, cloud):
    coords, feats = cloud
    recorder = Recorder(feats)
    assert same(small(cloud), small((coords, recorder)))
    assert recorder.calls == 1
    assert _lattice.address_of(feats) == feats.ctypes.data
    assert _lattice.address_of(recorder) == feats.ctypes.data
    assert _lattice.address_of(feats[:, ::2]) != feats.ctypes.data


class OnCuda(Recorder):
    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **how):
        return cuda_capsule()


def cuda_capsule():
    """A DLPack capsule that says its (never read) memory is on CUDA device 0."""
    import ctypes

    class Tensor(ctypes.Structure):
        _fields_ = [
            ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
            ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
            ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
            ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
            ("manager_ctx", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
        ]  # fmt: skip

    shape = (ctypes.c_int64 * 2)(200, 4)
    tensor = Tensor(0x1000, 2, 0, 2, 2, 32, 1, shape, None, 0, None, None)
    cuda_capsule.kept = (shape, tensor)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(tensor), b"dltensor", None)


def test_an_array_on_another_device_is_a_device_error(small, cloud):
    coords, feats = cloud
    with pytest.raises(lattice.DeviceError, match="features: the array is on a CUDA device"):
        small(x=(coords, OnCuda(feats)))


@pytest.mark.parametrize(
    "args, named, text",
    [
        ((), {}, 'input "x_coords" is missing'),
        ((1, 2, 3, 4), {}, "too many positional inputs"),
        ((), {"z": np.zeros(3, np.float32)}, 'unexpected input "z"'),
        (("both",), {"x_features": np.zeros((200, 4), np.float32)}, "both as a sparse tensor and by its components"),
        (("both", "both"), {}, "too many positional inputs: 2 sparse tensors for 1"),
        (("stride",), {}, r"has stride \(2, 2, 2\)"),
        (("three columns",), {}, r"as \(batch, x, y, z\)"),
        (("too active",), {}, "active is 201, expected 0 to 200"),
        (("double",), {}, "has type f64, expected f32"),
        (("twice",), {}, "row"),
    ],
)
def test_what_is_refused(small, cloud, args, named, text):
    coords, feats = cloud
    twice = coords.copy()
    twice[1] = twice[0]
    known = {
        "both": SparseTensor(coords, feats),
        "stride": SparseTensor(coords, feats, 2),
        "three columns": SparseTensor(coords[:, 1:], feats),
        "too active": SparseTensor(coords, feats, 1, 201),
        "double": SparseTensor(coords, feats.astype(np.float64)),
        "twice": SparseTensor(twice, feats),
    }
    with pytest.raises(lattice.InputError, match=text):
        small(*(known.get(each, each) if isinstance(each, str) else each for each in args), **named)


def test_a_wrong_kind_is_a_type_error_too(small, cloud):
    coords, feats = cloud
    for call in (
        lambda: small(x=feats),
        lambda: small(x_features=SparseTensor(coords, feats)),
        lambda: small(x_features="words"),
        lambda: small({"x": feats}),
        lambda: SparseTensor(coords, feats, "words"),
    ):
        with pytest.raises(TypeError):
            call()
        with pytest.raises(lattice.InputError):
            call()


def test_errors_carry_their_places(data):
    with pytest.raises(lattice.ArtifactError) as error:
        lattice.load(data / "refusals" / lattice_case(data))
    first = error.value.diagnostics[0]
    assert error.value.code == "artifact" and first.file == "graph.mlir" and first.line > 0
    assert first.message in str(error.value)


def lattice_case(data):
    import json

    cases = json.loads((data / "refusals" / "manifest.json").read_text())["cases"]
    return next(each["name"] for each in cases if each["stage"] == "op verify")


def test_other_errors(small_directory, small, cloud, tmp_path):
    with pytest.raises(OSError):
        lattice.load(tmp_path / "nothing")
    with pytest.raises(lattice.DeviceError, match="cpu, reference"):
        lattice.load(small_directory, device="tpu")
    with pytest.raises(MemoryError):
        small(cloud, max_memory=1)
    with pytest.raises(lattice.UsageError):
        small(cloud, threads=-1)
    with pytest.raises(TypeError):
        small(cloud, topology=3)
