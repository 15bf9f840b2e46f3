"""A peer in a process of its own, with its threads set before its libraries load. Answers until it is told to stop."""
from __future__ import annotations

import os
import time
from collections import defaultdict
from multiprocessing.connection import Connection
from pathlib import Path


def serve(connection: Connection, kind: str, network_name: str, artifact: Path, inputs: Path, threads: int) -> None:
    for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = str(threads)
    import torch

    from artifact import read_safetensors
    from networks import NETWORKS

    if kind == "spconv":
        from spconv_peer import SpconvPeer as Kind
    elif kind == "torch":
        from torch_peer import TorchPeer as Kind
    else:
        from torch_peer import BlockedTorchPeer as Kind
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    given = read_safetensors(inputs)
    peer = Kind(NETWORKS[network_name], read_safetensors(artifact / "weights.safetensors"), given["x_coords"],
                given["x_features"])
    kept = peer.maps()
    result = peer.run(kept)  # also the first, slow run

    def timed(work, count: int) -> list[float]:
        times = []
        for _ in range(count):
            start = time.perf_counter()
            work()
            times.append((time.perf_counter() - start) * 1e3)
        return times

    while True:
        request, count = connection.recv()
        if request == "stop":
            return
        if request == "output":
            answer = peer.coords_of(kept), result.numpy()
        elif request == "cold":
            answer = timed(lambda: peer.run(peer.maps()), count)
        elif request == "hot":
            answer = timed(lambda: peer.run(kept), count)
        elif request == "sgemm":  # GFLOP/s of a large product
            x = torch.rand(2048, 2048)
            answer = 2 * 2048**3 / min(timed(lambda: x @ x, count)) / 1e6
        else:  # layers: milliseconds by weight key
            peer.times = defaultdict(float)
            timed(lambda: peer.run(kept), count)
            answer = {name: ms / count for name, ms in peer.times.items()}
            peer.times = None
        connection.send(answer)
