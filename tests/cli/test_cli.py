"""The command line as a script sees it: exit codes, streams, files. LATTICE_BIN names the program."""

import json
import math
import os
import struct
import subprocess

import pytest

LATTICE = os.environ.get("LATTICE_BIN", "build/dev/tools/lattice/lattice")
DIGEST = "1380f1e819fc0eb1af587202ecec3c14ec2c981d249333c5061f0263f82072ad"
SPARSE = "!lattice.sparse_tensor<rank = 3, coord = batch_x_y_z, feature = row_channel, dtype = f32>"


def lattice(*args):
    """Runs the program; returns (exit code, stdout, stderr)."""
    done = subprocess.run([LATTICE, *map(str, args)], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def json_of(*args):
    """The one object on stdout of a call with --json, and its exit code."""
    code, out, _ = lattice(*args, "--json")
    assert out.count("\n") == 1, out
    return code, json.loads(out)


# ------------------------------------------------------------------------------------- safetensors

FORMATS = {"F32": ("f", 4), "I32": ("i", 4)}


def write_safetensors(path, tensors):
    """tensors: name -> (dtype, shape, flat values)."""
    header, data = {}, b""
    for name, (dtype, shape, values) in tensors.items():
        part = struct.pack(f"<{len(values)}{FORMATS[dtype][0]}", *values)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def read_safetensors(path):
    raw = path.read_bytes()
    (size,) = struct.unpack_from("<Q", raw)
    result = {}
    for name, entry in json.loads(raw[8 : 8 + size]).items():
        begin, end = entry["data_offsets"]
        letter, width = FORMATS[entry["dtype"]]
        part = raw[8 + size + begin : 8 + size + end]
        result[name] = (entry["dtype"], entry["shape"], list(struct.unpack(f"<{len(part) // width}{letter}", part)))
    return result


# --------------------------------------------------------------------------------------- artifacts


def write_artifact(directory, inputs, roles, outputs, output_roles, body, weights):
    directory.mkdir()

    def strings(values):
        return "[" + ", ".join(f'"{value}"' for value in values) + "]"

    (directory / "graph.mlir").write_text(
        f"""module attributes {{
  lattice.ir_version = 2, lattice.schema_digest = "{DIGEST}", lattice.weight_file = "weights.safetensors",
  lattice.input_names = {strings(inputs)}, lattice.input_roles = {strings(roles)},
  lattice.output_names = {strings(outputs)}, lattice.output_roles = {strings(output_roles)}
}} {{
{body}
}}
"""
    )
    write_safetensors(directory / "weights.safetensors", weights)
    return directory


def write_pointwise(directory, weight, channels_in, channels_out):
    """y = x * W on each voxel: the simplest network with a sparse input and a sparse output."""
    body = f"""  func.func @forward(%c: tensor<?x4xi32>, %f: tensor<?x{channels_in}xf32>, %a: tensor<1xi32>) -> {SPARSE} {{
    %x = lattice.sparse.make %c, %f, %a {{coord_order = #lattice.coord<batch_x_y_z>, stride = array<i64: 1, 1, 1>}} : (tensor<?x4xi32>, tensor<?x{channels_in}xf32>, tensor<1xi32>) -> {SPARSE}
    %w = lattice.weight @w {{storage_key = "w", layout = #lattice.weight_layout<conv3d_o_xyz_i>, packing = #lattice.packing<dense>}} : !lattice.weight<conv3d, f32>
    %y = lattice.subm_conv3d %x, %w {{kernel_size = array<i64: 1, 1, 1>, dilation = array<i64: 1, 1, 1>, accumulation = "canonical_f32"}} : ({SPARSE}, !lattice.weight<conv3d, f32>) -> {SPARSE}
    return %y : {SPARSE}
  }}"""
    return write_artifact(
        directory,
        ["x_coords", "x_features", "x_active"],
        ["sparse_coords", "sparse_features", "sparse_active"],
        ["y"],
        ["sparse_tensor"],
        body,
        {"w": ("F32", [channels_out, 1, 1, 1, channels_in], weight)},
    )


@pytest.fixture
def net(tmp_path):
    """Two channels in, three out: (a, b) -> (a, b, a + b)."""
    return write_pointwise(tmp_path / "net", [1, 0, 0, 1, 1, 1], 2, 3)


@pytest.fixture
def inputs(tmp_path):
    path = tmp_path / "in.safetensors"
    write_safetensors(
        path,
        {
            "x_coords": ("I32", [3, 4], [0, 0, 0, 0, 0, -5, 2, 7, 1, 3, 3, 3]),
            "x_features": ("F32", [3, 2], [1, 2, 3, 4, 5, 6]),
            "x_active": ("I32", [1], [3]),
        },
    )
    return path


# The right answer to `net` on `inputs`, its rows in another order.
EXPECTED = {
    "y.coords": ("I32", [3, 4], [1, 3, 3, 3, 0, 0, 0, 0, 0, -5, 2, 7]),
    "y.features": ("F32", [3, 3], [5, 6, 11, 1, 2, 3, 3, 4, 7]),
    "y.active": ("I32", [1], [3]),
}

# ------------------------------------------------------------------------------------ wrong use, help


def test_version_and_help_exit_0():
    code, out, err = lattice("--version")
    assert (code, err) == (0, "") and out.startswith("lattice ")
    for command in ([], ["verify"], ["inspect"], ["run"], ["make"], ["devices"]):
        code, out, err = lattice(*command, "--help")
        assert (code, err) == (0, "")
        assert "Examples:" in out and f"lattice {' '.join(command)}".strip() in out


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["frobnicate"],
        ["verify"],
        ["verify", "net", "--nonsense"],
        ["run", "net"],
        ["run", "net", "--inputs", "a.safetensors", "--points", "b.bin"],
        ["run", "net", "--inputs", "a.safetensors", "--rtol", "1"],
        ["run", "net", "--inputs", "a.safetensors", "--expect", "b.safetensors", "--rtol", "nan"],
        ["run", "net", "--inputs", "a.safetensors", "--threads", "-1"],
        ["run", "net", "--inputs", "a.safetensors", "--max-memory", "many"],
        ["run", "net", "--inputs", "a.safetensors", "--output", "b.xyz"],
        ["run", "net", "--inputs", "a.safetensors", "--output", "b.ply"],
        ["inspect", "net", "--dot", "--rows", "5"],
    ],
)
def test_wrong_use_exits_64_and_says_nothing_on_stdout(args):
    code, out, err = lattice(*args)
    assert code == 64 and out == "" and err != ""


# ------------------------------------------------------------------------------------------- verify


def test_verify_accepts(net):
    code, out, err = lattice("verify", net)
    assert (code, err) == (0, "") and out.endswith(": ok\n")
    code, object = json_of("verify", net)
    assert code == 0 and object["ok"] and [o["name"] for o in object["signature"]["outputs"]] == ["y"]


def test_verify_reports_every_fault_of_a_graph(net):
    graph = net / "graph.mlir"
    text = graph.read_text().replace("kernel_size = array<i64: 1, 1, 1>, dilation = array<i64: 1, 1, 1>", "kernel_size = array<i64: 2, 1, 1>, dilation = array<i64: 1, 1, 1>")
    graph.write_text(text.replace("stride = array<i64: 1, 1, 1>", "stride = array<i64: 0, 1, 1>"))
    code, out, err = lattice("verify", net)
    assert (code, out) == (1, "")
    assert err.count("error: graph.mlir:") >= 2 and "sparse.make" in err and "subm_conv3d" in err
    code, object = json_of("verify", net)
    assert code == 1 and not object["ok"] and object["error"]["code"] == "artifact"
    assert all(each["file"] == "graph.mlir" and each["line"] > 0 for each in object["error"]["diagnostics"])


def test_verify_names_a_missing_weight(net):
    write_safetensors(net / "weights.safetensors", {"v": ("F32", [1], [0])})
    code, _, err = lattice("verify", net)
    assert code == 1 and "w" in err and "weights.safetensors" in err


def test_verify_of_no_directory_fails(tmp_path):
    code, out, err = lattice("verify", tmp_path / "nothing")
    assert (code, out) == (1, "") and "nothing" in err


# ------------------------------------------------------------------------------------------ inspect


def test_inspect_in_three_forms(net):
    code, out, err = lattice("inspect", net)
    assert (code, err) == (0, "") and "x_features" in out and "subm_conv3d" in out
    code, out, _ = lattice("inspect", net, "--json")
    assert code == 0 and isinstance(json.loads(out), dict)
    code, out, _ = lattice("inspect", net, "--dot")
    assert code == 0 and out.startswith("digraph") and out.rstrip().endswith("}")


def test_inspect_bounds_the_memory(net, inputs):
    code, out, _ = lattice("inspect", net, "--rows", 1000, "--json")
    memory = json.loads(out)["memory"]
    # Coordinates, two channels and the count go in; three channels come out.
    assert code == 0 and memory["inputs_bytes"] == 1000 * (16 + 8) + 4 and memory["features_bytes"] >= 12000
    code, out, _ = lattice("inspect", net, "--rows", 1000)
    assert code == 0 and "for 1,000 rows" in out
    assert lattice("inspect", net, "--rows", -1)[0] == 64


# ------------------------------------------------------------------------------------ run on tensors


@pytest.mark.parametrize("device", ["reference", "cpu"])
def test_run_writes_outputs_by_the_format(net, inputs, tmp_path, device):
    out = tmp_path / "out.safetensors"
    code, object = json_of("run", net, "--inputs", inputs, "--output", out, "--device", device, "--threads", 1)
    assert code == 0 and object["ok"] and object["voxels"] == 3 and object["threads"] == 1
    assert object["device"] == device and object["outputs"][0]["max"] == 11
    for key in ("pairs", "gflop", "topology_ms", "features_ms", "total_ms", "peak_bytes", "live_bytes", "simd"):
        assert key in object
    # The support is the input's: rows come back in its order.
    assert read_safetensors(out) == {
        "y.coords": ("I32", [3, 4], [0, 0, 0, 0, 0, -5, 2, 7, 1, 3, 3, 3]),
        "y.features": ("F32", [3, 3], [1, 2, 3, 3, 4, 7, 5, 6, 11]),
        "y.active": ("I32", [1], [3]),
    }


def test_expected_rows_are_matched_by_coordinate(net, inputs, tmp_path):
    path = tmp_path / "expected.safetensors"
    write_safetensors(path, EXPECTED)
    code, out, err = lattice("run", net, "--inputs", inputs, "--expect", path)
    assert (code, err) == (0, "") and "all 9 values match" in out


def expect(net, inputs, tmp_path, changes, *args):
    path = tmp_path / "expected.safetensors"
    tensors = {**EXPECTED, **changes}
    write_safetensors(path, {name: tensor for name, tensor in tensors.items() if tensor})
    return lattice("run", net, "--inputs", inputs, "--expect", path, *args)


def test_a_mismatch_exits_2_and_names_the_worst_element(net, inputs, tmp_path):
    features = ("F32", [3, 3], [5, 6, 11, 1, 2.5, 3, 3, 4, 9])
    code, out, err = expect(net, inputs, tmp_path, {"y.features": features})
    assert code == 2 and "2 of 9 elements" in err
    assert "channel 2 of voxel (0, -5, 2, 7) is 7, expected 9" in err
    code, out, err = expect(net, inputs, tmp_path, {"y.features": features}, "--json")
    object = json.loads(out)
    worst = object["expect"]["mismatches"][0]["worst"]
    assert code == 2 and not object["ok"] and worst["coordinate"] == [0, -5, 2, 7] and worst["got"] == 7
    assert expect(net, inputs, tmp_path, {"y.features": features}, "--atol", "2")[0] == 0
    assert expect(net, inputs, tmp_path, {"y.features": features}, "--rtol", "0.23")[0] == 0


def test_a_nan_or_an_infinity_is_no_match_for_a_number(net, inputs, tmp_path):
    for value in (math.nan, math.inf):
        features = ("F32", [3, 3], [5, 6, 11, 1, value, 3, 3, 4, 7])
        code, _, err = expect(net, inputs, tmp_path, {"y.features": features}, "--atol", "1e9", "--rtol", "1e9")
        assert code == 2 and "channel 1 of voxel (0, 0, 0, 0) is 2" in err


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"y.features": None}, "y.features: the expected file has no such tensor"),
        ({"z": ("F32", [1], [0])}, "z: the expected file holds it"),
        ({"y.coords": ("I32", [3, 4], [1, 3, 3, 3, 0, 0, 0, 0, 0, -5, 2, 8])}, "(0, -5, 2, 8)"),
        ({"y.active": ("I32", [1], [2])}, "3 rows, expected 2"),
        ({"y.features": ("F32", [3, 2], [5, 6, 1, 2, 3, 4])}, "(3, 3) of f32, expected (3, 2) of f32"),
    ],
)
def test_other_mismatches_exit_2(net, inputs, tmp_path, changes, message):
    code, _, err = expect(net, inputs, tmp_path, changes)
    assert code == 2 and message in err


def test_an_unexpected_input_is_refused_by_name(net, inputs, tmp_path):
    path = tmp_path / "more.safetensors"
    write_safetensors(path, {**read_safetensors(inputs), "stray": ("F32", [1], [0])})
    code, out, err = lattice("run", net, "--inputs", path)
    assert (code, out) == (1, "") and "stray" in err


def test_trusted_skips_the_search_for_duplicates(net, tmp_path):
    path = tmp_path / "twice.safetensors"
    write_safetensors(
        path,
        {
            "x_coords": ("I32", [2, 4], [0, 1, 1, 1] * 2),
            "x_features": ("F32", [2, 2], [1, 2, 3, 4]),
            "x_active": ("I32", [1], [2]),
        },
    )
    code, _, err = lattice("run", net, "--inputs", path)
    assert code == 1 and "row" in err
    assert lattice("run", net, "--inputs", path, "--trusted")[0] == 0


def test_the_memory_limit_is_an_error(net, inputs):
    code, object = json_of("run", net, "--inputs", inputs, "--max-memory", "16")
    assert code == 1 and object["error"]["code"] == "memory"
    assert lattice("run", net, "--inputs", inputs, "--max-memory", "0.5G")[0] == 0


def test_an_output_that_cannot_be_written_fails(net, inputs, tmp_path):
    code, _, err = lattice("run", net, "--inputs", inputs, "--output", tmp_path / "no" / "out.safetensors")
    assert code == 1 and "out.safetensors" in err


def test_an_unknown_device_fails_and_names_the_known(net, inputs):
    code, _, err = lattice("run", net, "--inputs", inputs, "--device", "abacus")
    assert code == 1 and "abacus" in err and "reference" in err


# ------------------------------------------------------------------------------------ run on points


def write_bin(path, rows):
    path.write_bytes(b"".join(struct.pack("<4f", *row) for row in rows))
    return path


def read_npy(path):
    """(dtype, shape, flat values) of a version 1 file."""
    raw = path.read_bytes()
    assert raw[:8] == b"\x93NUMPY\x01\x00"
    (size,) = struct.unpack_from("<H", raw, 8)
    header = eval(raw[10 : 10 + size].decode(), {})
    letter = {"<f4": "f", "<i4": "i"}[header["descr"]]
    data = raw[10 + size :]
    return header["descr"], header["shape"], list(struct.unpack(f"<{len(data) // 4}{letter}", data))


@pytest.fixture
def means(tmp_path):
    """x, y, z, i -> (mean x, mean i) of a voxel."""
    return write_pointwise(tmp_path / "means", [1, 0, 0, 0, 0, 0, 0, 1], 4, 2)


# Two points share the voxel (0, 0, 0), one is alone in (-1, 2, 0).
SCAN = [(0.25, 0.0, 0.0, 4.0), (0.75, 0.5, 0.5, 0.0), (-0.5, 2.0, 0.0, 1.0)]


def test_points_become_voxels_and_results_come_back(means, tmp_path):
    scan = write_bin(tmp_path / "scan.bin", SCAN)
    npy, ply, png = tmp_path / "o.npy", tmp_path / "o.ply", tmp_path / "o.png"
    code, object = json_of("run", means, "--points", scan, "--voxel-size", 1, "-o", npy, "-o", ply, "-o", png)
    assert code == 0 and object["voxels"] == 2 and object["cloud"]["points"] == 3
    # Both points of a voxel get its result, made from the mean of their channels.
    assert read_npy(npy) == ("<f4", (3, 2), [0.5, 2.0, 0.5, 2.0, -0.5, 1.0])
    header, data = ply.read_bytes().split(b"end_header\n")
    assert b"element vertex 3\n" in header and b"property int label\n" in header
    # x y z, red green blue, label, value_0 value_1
    rows = [struct.unpack_from("<3f3Bi2f", data, 27 * row) for row in range(3)]
    assert len(data) == 3 * 27 and [row[6] for row in rows] == [1, 1, 1]
    assert rows[2][:3] == (-0.5, 2.0, 0.0) and rows[2][7:] == (-0.5, 1.0)
    assert png.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_labels_are_the_largest_channel(means, tmp_path):
    scan = write_bin(tmp_path / "scan.bin", [(5.0, 0, 0, 1.0), (1.0, 0, 0, 3.0)])
    out = tmp_path / "o.npy"
    assert lattice("run", means, "--points", scan, "--voxel-size", 1, "-o", out, "--labels")[0] == 0
    assert read_npy(out) == ("<i4", (2,), [0, 1])


def test_the_least_corner_as_origin(means, tmp_path):
    scan = write_bin(tmp_path / "scan.bin", SCAN)
    out = tmp_path / "o.npy"
    code, object = json_of("run", means, "--points", scan, "--voxel-size", "1,1,8", "--origin", "min", "-o", out)
    assert code == 0 and object["cloud"]["origin"] == [-0.5, 0, 0]
    # x counts from the corner: 0.75, 1.25 and 0 lie in voxels 0, 1 and 0 (another y).
    assert object["voxels"] == 3 and read_npy(out)[2] == [0.75, 4, 1.25, 0, 0, 1]


def test_points_that_are_not_finite_are_refused_or_dropped_and_counted(means, tmp_path):
    scan = write_bin(tmp_path / "scan.bin", [SCAN[0], (math.nan, 0, 0, 0), (0, math.inf, 0, 0), SCAN[2]])
    run = ["run", means, "--points", scan, "--voxel-size", 1]
    code, out, err = lattice(*run)
    assert (code, out) == (1, "") and "2" in err and "row 1" in err
    npy, ply = tmp_path / "o.npy", tmp_path / "o.ply"
    code, out, err = lattice(*run, "--drop-not-finite", "-o", npy, "-o", ply)
    assert code == 0 and "2 points" in err and "dropped" in err
    # A row for every row of the file; the picture and the cloud have the points that are there.
    dtype, shape, values = read_npy(npy)
    assert shape == (4, 2) and all(math.isnan(value) for value in values[2:6]) and values[6:] == [-0.5, 1.0]
    assert b"element vertex 2\n" in ply.read_bytes()


@pytest.mark.parametrize(
    "args, message",
    [
        ([], "--voxel-size"),
        (["--voxel-size", "0"], "voxel size"),
        (["--voxel-size", "1,2"], "--voxel-size"),
        (["--voxel-size", "1", "--features", "x,y"], "2 channels"),
        (["--voxel-size", "1", "--features", "x,y,z,r"], '"r"'),
        (["--voxel-size", "1", "--origin", "max"], "--origin"),
    ],
)
def test_wrong_use_with_points_exits_64(means, tmp_path, args, message):
    scan = write_bin(tmp_path / "scan.bin", SCAN)
    code, out, err = lattice("run", means, "--points", scan, *args)
    assert (code, out) == (64, "") and message in err


def test_a_graph_that_takes_points_gets_the_points(tmp_path):
    points = "tensor<?x3xf32>, tensor<?x1xf32>, tensor<?xi32>, tensor<1xi32>"
    rule = "voxel_size = array<f64: 1.0, 1.0, 1.0>, origin = array<f64: 0.0, 0.0, 0.0>"
    body = f"""  func.func @forward(%p: tensor<?x3xf32>, %f: tensor<?x1xf32>, %b: tensor<?xi32>, %n: tensor<1xi32>) -> tensor<?x1xf32> {{
    %v = lattice.voxelize %p, %f, %b, %n {{{rule}, reduction = #lattice.voxel_reduction<sum>, stride = array<i64: 1, 1, 1>}} : ({points}) -> {SPARSE}
    %d = lattice.devoxelize %p, %v, %b, %n {{{rule}, interpolation = #lattice.point_interpolation<nearest>}} : (tensor<?x3xf32>, {SPARSE}, tensor<?xi32>, tensor<1xi32>) -> tensor<?x1xf32>
    return %d : tensor<?x1xf32>
  }}"""
    names = ["points", "features", "batch_indices", "active_rows"]
    net = write_artifact(tmp_path / "net", names, ["tensor"] * 4, ["sums"], ["tensor"], body, {})
    # Nearest rounds: (0.25, 0, 0) reads voxel (0, 0, 0), (0.75, 0.5, 0.5) reads (1, 1, 1), which is absent.
    scan = write_bin(tmp_path / "scan.bin", SCAN)
    out = tmp_path / "o.npy"
    code, _, err = lattice("run", net, "--points", scan, "--features", "i", "-o", out)
    assert code == 0, err
    assert read_npy(out) == ("<f4", (3, 1), [4, 0, 0])
    assert lattice("run", net, "--points", scan, "--features", "i", "--voxel-size", 1)[0] == 64


# ------------------------------------------------------------------------------------ make, devices


def test_devices_are_listed():
    code, object = json_of("devices")
    assert code == 0 and {"cpu", "reference"} <= {device["name"] for device in object["devices"]}
    code, out, err = lattice("devices")
    assert (code, err) == (0, "") and "cpu" in out


def test_make_lists_its_networks():
    code, out, err = lattice("make", "--list")
    assert (code, err) == (0, "")
    for name in ("MinkUNet42", "MinkUNet18", "SpUNet34", "CenterPoint", "Tiny"):
        assert name.lower() in out.lower()


def test_what_make_writes_verifies_and_runs(tmp_path):
    first, second, other = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    for directory, seed in ((first, 3), (second, 3), (other, 4)):
        code, _, err = lattice("make", "Tiny", "--out", directory, "--seed", seed)
        assert code == 0, err
    assert lattice("verify", first)[0] == 0
    same = [(d / "weights.safetensors").read_bytes() for d in (first, second, other)]
    assert same[0] == same[1] and same[0] != same[2]
    scan = write_bin(tmp_path / "scan.bin", SCAN)
    outs = {}
    for device in ("reference", "cpu"):
        out = tmp_path / f"{device}.npy"
        code, _, err = lattice("run", first, "--points", scan, "--voxel-size", 0.1, "--device", device, "-o", out)
        assert code == 0, err
        outs[device] = out.read_bytes()
    assert outs["reference"] == outs["cpu"]


def test_make_refuses_wrong_use(tmp_path):
    for args in (["NoSuchNet"], ["Tiny", "--dtype", "f64"], ["Tiny", "--packing", "int5"], ["Tiny", "--group", "31"]):
        code, out, err = lattice("make", *args, "--out", tmp_path / "x")
        assert code == 64 and out == "" and err != "", args
    assert not (tmp_path / "x").exists()
    assert lattice("make", "Tiny")[0] == 64
