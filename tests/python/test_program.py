"""Programs: topologies, threads, inspection, the command line."""

import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import same

import lattice_runtime as lattice


def test_signature(small):
    assert [each.name for each in small.inputs] == ["x_coords", "x_features", "x_active"]
    assert small.inputs[0].group == "x" and small.inputs[1].shape == (-1, 4)
    assert [each.name for each in small.outputs] == ["y", "logits"]
    assert small.signature.sparse_inputs[0].channels == 4
    assert "x" in str(small.signature)


def test_a_topology_runs_with_new_features(small, cloud):
    coords, feats = cloud
    topology = small.prepare(x_coords=coords, x_active=len(coords))
    assert topology.rows == 200 and topology.bytes > 0
    assert same(small((coords, feats)), small(x_features=feats, topology=topology))
    assert same(small((coords, 2 * feats)), small((coords, 2 * feats), topology=topology))


def test_a_topology_of_another_program_is_refused(small, small_directory, cloud):
    other = lattice.load(small_directory)
    with pytest.raises(lattice.UsageError):
        other(cloud, topology=small.prepare(cloud))


def test_results_do_not_depend_on_threads_or_device(small, small_directory, cloud):
    reference = lattice.load(small_directory, device="reference")
    assert reference.device == "reference"
    assert same(small(cloud, threads=1), small(cloud, threads=4))
    assert same(small(cloud), reference(cloud))


def test_trusted_skips_the_check_of_uniqueness(small, cloud):
    coords, feats = cloud
    assert same(small(cloud), small(cloud, trusted=True))


def test_many_threads_call_one_program(small, cloud):
    coords, feats = cloud
    wanted = [small((coords, feats * k), threads=1) for k in range(8)]
    failures = []

    def work(k):
        try:
            for _ in range(20):
                if not same(wanted[k], small((coords, feats * k), threads=1)):
                    failures.append(k)
        except Exception as error:  # a thread's error would be lost
            failures.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert failures == []


def test_other_threads_run_during_a_call(small_directory):
    program = lattice.load(small_directory, device="reference")  # slow enough to watch
    side = np.stack(np.meshgrid(*[np.arange(40)] * 3, indexing="ij"), -1).reshape(-1, 3)
    coords = np.concatenate([np.zeros((len(side), 1)), side], axis=1).astype(np.int32)
    feats = np.ones((len(side), 4), np.float32)
    done = threading.Event()
    runner = threading.Thread(target=lambda: (program((coords, feats)), done.set()))
    start = time.perf_counter()
    runner.start()
    ticks = 0
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    runner.join()
    assert ticks > 3, f"{ticks} ticks in {time.perf_counter() - start:.3f} s"


def test_a_stop_ends_a_run(small, cloud):
    stop = lattice.Stop()
    wanted = small(cloud, stop=stop)
    stop.request()
    assert stop.requested
    for call in (small, small.profile, small.prepare):
        with pytest.raises(lattice.InterruptedRunError):
            call(cloud, stop=stop)
    stop.reset()
    assert same(wanted, small(cloud, stop=stop))


def test_another_thread_ends_a_run(small_directory):
    program = lattice.load(small_directory, device="reference")  # slow enough to be stopped
    side = np.stack(np.meshgrid(*[np.arange(60)] * 3, indexing="ij"), -1).reshape(-1, 3)
    coords = np.concatenate([np.zeros((len(side), 1)), side], axis=1).astype(np.int32)
    stop = lattice.Stop()
    timer = threading.Timer(0.05, stop.request)
    timer.start()
    with pytest.raises(lattice.InterruptedRunError):
        program((coords, np.ones((len(side), 4), np.float32)), stop=stop)
    timer.join()


def test_inspection(small):
    page = small.inspect()
    assert [each["name"] for each in page["outputs"]] == ["y", "logits"] and "subm_conv3d" in str(page)
    assert page.dot.startswith("digraph")
    assert "<pre>" in page._repr_html_()
    assert "x_features" in small._repr_html_() and "<script" not in small._repr_html_()
    assert "subm_conv3d" in small.explain()


def test_profile(small, cloud):
    result, report = small.profile(cloud)
    assert same(result, small(cloud))
    assert report["voxels"] == 200 and report["steps"] and report["total_ms"] > 0
    product = next(step for step in report["steps"] if step["parameter"] == "conv.weight")
    assert product["where"].startswith("graph.mlir:") and product["pairs"] > 200
    assert product["threads"] and all(ms >= 0 for _, _, ms in product["threads"])


def test_load_memory(small_directory, cloud, small):
    graph = (small_directory / "graph.mlir").read_text()
    weights = (small_directory / "weights.safetensors").read_bytes()
    assert same(small(cloud), lattice.load_memory(graph, weights)(cloud))


def test_empty_input(small):
    result = small((np.zeros((0, 4), np.int32), np.zeros((0, 4), np.float32)))
    assert result["y"].feats.shape == (0, 8) and np.array_equal(result["logits"], np.zeros((1, 3)))


def test_the_command_line_comes_with_the_package():
    done = subprocess.run([sys.executable, "-m", "lattice_runtime", "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and lattice.__version__ in done.stdout
    done = subprocess.run([sys.executable, "-m", "lattice_runtime", "verify", "nowhere"], capture_output=True, text=True)
    assert done.returncode == 1 and "nowhere" in done.stderr


def test_import_is_quick():
    code = "import numpy, time; t = time.perf_counter(); import lattice_runtime; print(time.perf_counter() - t)"
    times = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(3)]
    assert min(times) < 0.2, times


def test_import_loads_only_what_a_run_needs():
    code = "import numpy, sys; before = set(sys.modules); import lattice_runtime; print(*set(sys.modules) - before)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "lattice_runtime._program" in loaded
    assert not {"json", "html", "pathlib", "dataclasses", "lattice_runtime.artifact", "lattice_runtime.export"} & set(loaded)


def test_devices():
    assert [name for name, _ in lattice.devices()][:2] == ["cpu", "reference"]
