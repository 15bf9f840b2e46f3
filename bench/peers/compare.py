"""Times this runtime against PyTorch-side peers: same coordinates, same weights, in turns in one run. Prints a table.

    python compare.py --lattice build/release/tools/lattice/lattice --scene-file build/release/bench/scene_file

Cold: new maps in each run. Hot: maps kept. Share: of an FMA loop in registers with the same threads, as `lattice bench`
measures it in the same run. Every peer's result is compared with ours before anything is timed.
"""
from __future__ import annotations

import argparse
import json
import multiprocessing
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

from artifact import read_safetensors, write_safetensors
from networks import NETWORKS
from worker import serve

LARGEST_DIFFERENCE = 1e-4  # of the largest output: sums in another order, folded batch norms


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lattice", type=Path, required=True, help="the command line program")
    parser.add_argument("--scene-file", type=Path, required=True, help="the program that writes made-up scenes")
    parser.add_argument("--networks", default="minkunet42,centerpoint")
    parser.add_argument("--coords", type=Path, help="int32 rows batch, x, y, z (.npy), instead of the made-up scenes")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--peers", default="torch,torch-blocks,spconv")
    parser.add_argument("--rounds", type=int, default=5, help="turns that each side gets")
    parser.add_argument("--runs", type=int, default=4, help="runs of each kind in a turn")
    parser.add_argument("--layers", action="store_true", help="also a table by kind of layer, maps kept")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout, nothing else")
    return parser.parse_args()


def command(*words) -> str:
    return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True).stdout


def scene(arguments: argparse.Namespace, name: str, folder: Path) -> np.ndarray:
    path = arguments.coords
    if path is None:
        path = folder / f"{name}.npy"
        command(arguments.scene_file, name, path)
    coords = np.load(path)
    if coords.ndim != 2 or coords.shape[1] != 4 or coords.dtype != np.int32:
        raise SystemExit(f"{path}: found {coords.dtype} {coords.shape}, expected int32 (N, 4)")
    return np.ascontiguousarray(coords)


def features_of(coords: np.ndarray, channels: int, voxel: float) -> np.ndarray:
    """Position in metres, then numbers from 0 to 1."""
    random = np.random.default_rng(1)
    rest = random.random((len(coords), channels - 3), np.float32)
    return np.concatenate((coords[:, 1:].astype(np.float32) * np.float32(voxel), rest), 1)


def threads_text(threads: int) -> str:
    return "1 thread" if threads == 1 else f"{threads} threads"


def busy_share() -> float:
    """How much of the processor other programs use, in the second that this takes."""
    def ticks() -> tuple[int, int]:
        fields = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        return sum(fields), fields[3] + fields[4]  # all; idle and waiting for a disk

    before, idle_before = ticks()
    time.sleep(1)
    after, idle_after = ticks()
    return 1 - (idle_after - idle_before) / max(after - before, 1)


class Worker:
    """A peer in its own process. Between its turns it sleeps."""

    def __init__(self, kind: str, network: str, artifact: Path, inputs: Path, threads: int):
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other, kind, network, artifact, inputs, threads),
                                       daemon=True)
        self.process.start()
        other.close()

    def ask(self, request: str, count: int = 1):
        self.connection.send((request, count))
        return self.connection.recv()

    def stop(self) -> None:
        self.connection.send(("stop", 0))
        self.process.join()


def sorted_rows(coords: np.ndarray, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.lexsort(coords.T[::-1])
    return coords[order], features[order]


def difference(ours: dict[str, np.ndarray], theirs: tuple[np.ndarray, np.ndarray], what: str) -> float:
    """The largest difference, relative to the largest output."""
    name = next(key for key in ours if key.endswith(".features")).removesuffix(".features")
    coords, features = sorted_rows(ours[f"{name}.coords"], ours[f"{name}.features"])
    other_coords, other_features = sorted_rows(*theirs)
    if coords.shape != other_coords.shape or not np.array_equal(coords, other_coords):
        raise SystemExit(f"{what}: other voxels than ours ({len(other_coords)}, ours {len(coords)})")
    largest = float(np.abs(features - other_features).max() / np.abs(features).max())
    if not largest <= LARGEST_DIFFERENCE:
        raise SystemExit(f"{what}: differs from ours by {largest:.3g} of the largest output")
    return largest


def kind_of(parameter: str, weights: dict[str, np.ndarray]) -> str:
    """Layers of one kind share a line of the table: "subm k3 32 to 32"."""
    shape = weights[parameter].shape
    if len(shape) == 2:
        return f"linear {shape[1]} to {shape[0]}"
    size = "k" + "".join(map(str, shape[1:4] if len(set(shape[1:4])) > 1 else shape[1:2]))
    if size == "k1":
        kind = "rows"
    elif ".up." in parameter:
        kind = "up"
    else:
        kind = "down" if ".down." in parameter or size != "k3" else "subm"
    return f"{kind} {size} {shape[4]} to {shape[0]}"


def start_workers(arguments, network_name: str, threads: int, artifact: Path, folder: Path, inputs: Path):
    """The peers that compute this network with so many threads, and how far their results are from ours."""
    network = NETWORKS[network_name]
    command(arguments.lattice, "run", artifact, "--inputs", inputs, "--threads", threads,
            "--output", folder / "ours.safetensors")
    ours = read_safetensors(folder / "ours.safetensors")
    workers, differences = {}, {}
    for kind in arguments.peers.split(","):
        if kind not in network.same_supports or (kind == "spconv" and threads > 1):
            continue
        workers[kind] = Worker(kind, network_name, artifact, inputs, threads)
        coords, features = workers[kind].ask("output")
        differences[kind] = difference(ours, (coords * network.result_stride(), features), f"{network_name}, {kind}")
    return workers, differences


def measure(arguments, network_name: str, threads: int, artifact: Path, folder: Path, inputs: Path) -> dict:
    workers, differences = start_workers(arguments, network_name, threads, artifact, folder, inputs)
    times: defaultdict = defaultdict(lambda: {"cold": [], "hot": []})
    layers: defaultdict = defaultdict(lambda: defaultdict(list))
    gflop_of: dict[str, float] = {}
    peak = sgemm = busy = 0.0
    for turn in range(arguments.rounds):
        busy = max(busy, busy_share())
        print(f"{network_name}, {threads_text(threads)}: turn {turn + 1} of {arguments.rounds}", file=sys.stderr)
        bench = json.loads(command(arguments.lattice, "bench", artifact, "--inputs", inputs, "--threads", threads,
                                   "--repeat", arguments.runs, "--json"))
        peak = max(peak, bench["fma_peak_gflops"])
        times["lattice"]["cold"].append(bench["cold_ms"]["p50"])
        times["lattice"]["hot"].append(bench["hot_ms"]["p50"])
        for layer in bench["layers"]:
            if layer["parameter"]:
                layers[layer["parameter"]]["lattice"].append(layer["ms"])
                gflop_of[layer["parameter"]] = layer["gflop"]
        for kind, worker in workers.items():
            for maps in ("cold", "hot"):
                times[kind][maps].append(statistics.median(worker.ask(maps, arguments.runs)))
            if arguments.layers:
                for parameter, ms in worker.ask("layers", 1).items():
                    layers[parameter][kind].append(ms)
        if "torch" in workers:
            sgemm = max(sgemm, workers["torch"].ask("sgemm", 3))
    for worker in workers.values():
        worker.stop()
    if busy > 0.05:
        print(f"warning: other programs used up to {busy:.0%} of the processor; two threads suffer most, these figures "
              "say little", file=sys.stderr)

    rows = []
    for kind, each in times.items():
        row = {"runtime": kind, "largest_difference": differences.get(kind)}
        for maps in ("cold", "hot"):
            ms = statistics.median(each[maps])
            row |= {f"{maps}_ms": ms, f"{maps}_share": bench["gflop"] / ms * 1e3 / peak,
                    f"{maps}_ratio": ms / statistics.median(times["lattice"][maps])}
        rows.append(row)
    result = {"network": network_name, "threads": threads, "voxels": bench["voxels"], "pairs": bench["pairs"],
              "gflop": bench["gflop"], "simd": bench["simd"], "fma_peak_gflops": peak, "sgemm_gflops": sgemm,
              "used_by_others": busy, "rows": rows}
    if arguments.layers:
        result["layers"] = by_kind(layers, gflop_of, read_safetensors(artifact / "weights.safetensors"))
    return result


def by_kind(layers, gflop_of, weights) -> list[dict]:
    groups: dict[str, dict] = {}
    for parameter, each in layers.items():
        kind = kind_of(parameter, weights)
        group = groups.setdefault(kind, {"kind": kind, "layers": 0, "gflop": 0.0, "ms": defaultdict(float)})
        group["layers"] += 1
        group["gflop"] += gflop_of[parameter]
        for runtime, ms in each.items():
            group["ms"][runtime] += statistics.median(ms)
    return sorted(groups.values(), key=lambda group: -group["gflop"])


def text_of(result: dict) -> str:
    lines = [f"{result['network']}, {result['voxels']:,} voxels, {result['pairs']:,} pairs, "
             f"{result['gflop']:.1f} GFLOP; {threads_text(result['threads'])}, {result['simd']}; "
             f"FMA peak {result['fma_peak_gflops']:.1f} GFLOP/s, torch's sgemm {result['sgemm_gflops']:.1f}", "",
             "| runtime | cold ms | hot ms | cold, share of peak | hot, share of peak | cold, times ours "
             "| hot, times ours | largest difference |", "|---|---|---|---|---|---|---|---|"]
    for row in result["rows"]:
        last = "" if row["largest_difference"] is None else f"{row['largest_difference']:.1e}"
        lines.append(f"| {row['runtime']} | {row['cold_ms']:.0f} | {row['hot_ms']:.0f} | {row['cold_share']:.2f} | "
                     f"{row['hot_share']:.2f} | {row['cold_ratio']:.2f} | {row['hot_ratio']:.2f} | {last} |")
    if "layers" in result:
        runtimes = [row["runtime"] for row in result["rows"]]
        heads = " | ".join(f"{name}, share of peak" for name in runtimes)
        lines += ["", f"| layers | how many | GFLOP | {heads} |", "|---" * (3 + len(runtimes)) + "|"]
        for group in result["layers"]:
            shares = (group["gflop"] / group["ms"][name] * 1e3 / result["fma_peak_gflops"] for name in runtimes)
            lines.append(f"| {group['kind']} | {group['layers']} | {group['gflop']:.2f} | "
                         + " | ".join(f"{share:.2f}" for share in shares) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    arguments = options()
    results = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for network_name in arguments.networks.split(","):
            network = NETWORKS[network_name]
            artifact, inputs = folder / network_name, folder / f"{network_name}.safetensors"
            command(arguments.lattice, "make", network_name, "--out", artifact)
            coords = scene(arguments, network.scene, folder)
            write_safetensors(inputs, {"x_coords": coords,
                                       "x_features": features_of(coords, network.channels, network.voxel),
                                       "x_active": np.array([len(coords)], np.int32)})
            for threads in map(int, arguments.threads.split(",")):
                results.append(measure(arguments, network_name, threads, artifact, folder, inputs))
                if not arguments.json:
                    print(text_of(results[-1]), flush=True)
    if arguments.json:
        print(json.dumps({"results": results}))


if __name__ == "__main__":
    main()
