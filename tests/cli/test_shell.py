"""What every command keeps to: --json alone on stdout, 80 columns, completion of what there is."""

import json
import shutil
import subprocess

import pytest
from test_cli import inputs, json_of, lattice, net, read_safetensors  # noqa: F401

COMMANDS = ["verify", "inspect", "run", "make", "diff", "bench", "profile", "explain", "devices", "completion"]


def test_help_of_every_command_fits_80_columns_and_has_examples():
    for command in ([], *([name] for name in COMMANDS)):
        code, out, err = lattice(*command, "--help")
        assert (code, err) == (0, "") and "Examples:" in out
        assert [line for line in out.splitlines() if len(line) > 80] == []
    listed = lattice("--help")[1]
    assert all(f"  {name} " in listed for name in COMMANDS)


def test_json_is_one_object_alone_on_stdout(net, inputs, tmp_path):
    tiny = tmp_path / "tiny"
    for args in (
        ["make", "Tiny", "--out", tiny],
        ["make", "--list"],
        ["verify", net],
        ["inspect", net],
        ["inspect", net, "--rows", 10],
        ["run", net, "--inputs", inputs],
        ["bench", net, "--inputs", inputs, "--repeat", 1],
        ["profile", net, "--inputs", inputs, "--output", tmp_path / "trace.json"],
        ["explain", net],
        ["diff", net, net],
        ["devices"],
        ["completion", "bash"],
    ):
        code, object = json_of(*args)
        assert code == 0 and object["ok"] is True, args


@pytest.mark.parametrize("command", ["verify", "inspect", "run", "bench", "profile", "explain", "diff"])
def test_errors_are_json_too(command, tmp_path):
    nothing = tmp_path / "nothing"
    more = {"run": ["--inputs", "a"], "bench": ["--inputs", "a"], "profile": ["--inputs", "a"], "diff": [nothing]}
    code, object = json_of(command, nothing, *more.get(command, []))
    assert code == 1 and object["ok"] is False and object["error"]["diagnostics"][0]["message"]
    code, object = json_of(command)
    assert code == 64 and object["ok"] is False and object["error"]["code"] == "usage"


def test_the_table_of_bench_fits_80_columns(net, inputs):
    code, out, err = lattice("bench", net, "--inputs", inputs, "--repeat", 2)
    assert (code, err) == (0, "") and "cold maps" in out and "FMA peak" in out
    assert [line for line in out.splitlines() if len(line) > 80] == []


def test_the_text_of_every_command_fits_80_columns(tmp_path):
    tiny = tmp_path / "tiny"
    assert lattice("make", "Tiny", "--out", tiny)[0] == 0
    for args in (["make", "--list"], ["inspect", tiny], ["explain", tiny], ["explain", tiny, "--device", "reference"], ["devices"]):
        code, out, err = lattice(*args)
        assert (code, err) == (0, "") and [line for line in out.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("options, said", [
    (["--repeat", 0], "0 not in range 1 to 1000000"),
    (["--repeat", 2000000000], "2000000000 not in range"),
    (["--threads", -1], "-1 not in range 0 to"),
    (["--threads", "two"], "two not in range 0 to"),
    (["--copies", 2], "--copies requires --scene"),
    (["--voxel-size", 1], "--voxel-size requires --points"),
])
def test_bench_refuses_options_in_a_short_line(net, inputs, options, said):
    code, out, err = lattice("bench", net, "--inputs", inputs, *options)
    assert (code, out) == (64, "") and said in err and len(err) < 200


def test_the_reference_device_is_measured_with_its_one_thread(net, inputs):
    code, object = json_of("bench", net, "--inputs", inputs, "--repeat", 1, "--device", "reference")
    assert code == 0 and object["threads"] == 1 and object["simd"] == "reference"


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_spans_of_a_trace_follow_each_other(net, inputs, tmp_path, device):
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
    link.symlink_to(real)
    code, out, err = lattice("profile", net, "--inputs", inputs, "--device", device, "--output", link)
    assert code == 0, err
    assert link.is_symlink()  # what a link leads to is replaced, never the link
    spans = [e for e in json.loads(real.read_text())["traceEvents"] if e["cat"] == "step"]
    assert spans and all("graph.mlir:" in span["args"]["where"] for span in spans)
    for before, after in zip(spans, spans[1:]):
        assert after["ts"] >= before["ts"] + before["dur"] - 1


def test_a_link_that_leads_nowhere_is_not_replaced(net, inputs, tmp_path):
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "nothing" / "there.json")
    code, out, err = lattice("profile", net, "--inputs", inputs, "--output", link)
    assert code == 1 and "link.json" in err and "leads to no file" in err and link.is_symlink()


def test_bench_takes_one_kind_of_input(net, inputs):
    for args in ([], ["--inputs", inputs, "--scene", "kitti"]):
        code, object = json_of("bench", net, *args)
        assert code == 64 and "--scene" in object["error"]["diagnostics"][0]["message"]


# ------------------------------------------------------------------------------------------- explain


def test_explain_says_for_every_step_what_runs_and_why(tmp_path):
    tiny = tmp_path / "tiny"
    assert lattice("make", "Tiny", "--out", tiny)[0] == 0
    weights = {name for name in read_safetensors(tiny / "weights.safetensors") if name.endswith("conv.weight")}
    code, object = json_of("explain", tiny, "--simd", "scalar")
    assert code == 0 and object["device"] == "cpu"
    steps = {step["parameter"]: step for step in object["steps"]}
    assert weights and weights <= set(steps)
    for step in object["steps"]:
        assert step["location"].startswith("graph.mlir:") and step["name"] and step["kernel"]
        if step["parameter"] in weights:
            assert "conv" in step["name"] and step["kernel"].startswith("scalar") and "output channels" in step["because"]
    code, out, err = lattice("explain", tiny, "--simd", "scalar")
    assert (code, err) == (0, "") and all(name[:27] in out for name in weights)
    for step in json_of("explain", tiny, "--device", "reference")[1]["steps"]:
        assert step["kernel"].startswith("reference") and step["refused"] == []


def test_explain_says_why_other_kernels_were_refused(net):
    best = json_of("explain", net)[1]["steps"]
    refused = [each for step in best for each in step["refused"]]
    if {step["kernel"].split()[0] for step in best if step["parameter"]} == {"scalar"}:
        pytest.skip("this processor has no vectors: there is one kernel")
    assert refused and all(each["kernel"] and each["reason"] for each in refused)
    text = lattice("explain", net)[1]
    assert all(f"not {each['kernel']}: " in text for each in refused)


# ---------------------------------------------------------------------------------------- completion


def complete(line):
    """What bash offers at the end of `line`."""
    script = lattice("completion", "bash")[1]
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    program = f"{script}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _lattice; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return set(done.stdout.split())


def test_bash_completes_commands_options_choices_and_files(tmp_path):
    assert set(COMMANDS) <= complete("lattice ")
    assert complete("lattice ver") == {"verify"}
    assert {"--report", "--points", "--json"} <= complete("lattice run net --")
    assert {"--scene", "--threads"} <= complete("lattice bench net --")
    assert complete("lattice make Tiny --dtype ") == {"f32", "f16"}
    assert complete("lattice completion ") == {"bash", "zsh", "fish"}
    (tmp_path / "scan.bin").touch()
    assert complete(f"lattice run net --points {tmp_path}/s") == {f"{tmp_path}/scan.bin"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_option_is_in_every_script(shell):
    code, script, err = lattice("completion", shell)
    assert (code, err) == (0, "")
    dashes = {"fish": "-l "}.get(shell, "--")
    for option in ("voxel-size", "max-memory", "packing", "repeat", "allow-unknown-digest"):
        assert dashes + option in script
    assert json_of("completion", shell)[1]["script"] == script
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} on this machine: the script is not parsed by it")
    done = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_unknown_shell_is_wrong_use():
    assert lattice("completion", "cmd")[0] == 64
