"""One process with torch, Triton (which has an MLIR of its own inside) and a loaded libLLVM, in every order. Needs
torch and triton; without a libLLVM of the system that one is left out."""

import ctypes.util
import glob
import importlib.util
import itertools
import os
import subprocess
import sys

import numpy as np
import pytest

import lattice_runtime as lattice

missing = [name for name in ("torch", "triton") if importlib.util.find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(missing), reason=f"{' and '.join(missing)} not installed: nothing to share a process with")


def libllvm():
    """A shared libLLVM of the system, or None."""
    found = ctypes.util.find_library("LLVM") or ctypes.util.find_library("LLVM-19")
    return found or next(iter(sorted(glob.glob("/usr/lib/llvm-*/lib/libLLVM*.so*"), reverse=True)), None)


PARTS = ["torch", "triton", "lattice"] + (["llvm"] if libllvm() else [])
ORDERS = [*itertools.permutations(PARTS), *itertools.permutations([each for each in PARTS if each != "triton"])]

# Everything is loaded in the order of the arguments and then used: LLVM makes a context, Triton compiles a kernel
# to PTX, torch multiplies, and the program runs between them. The symbols of libLLVM are global, but where Triton
# comes later: its own give way to them, and it crashes with or without us.
SCRIPT = """
import ctypes, json, sys
import numpy as np

network, data, llvm_path, *order = sys.argv[1:]

def load_llvm():
    global llvm
    before_triton = "triton" in order and "triton" not in sys.modules
    llvm = ctypes.CDLL(llvm_path, mode=ctypes.RTLD_LOCAL if before_triton else ctypes.RTLD_GLOBAL)

def load_torch():
    global torch
    import torch

def load_triton():
    global triton, double
    import triton
    import triton.language as tl

    @triton.jit
    def double(x, n: tl.constexpr):
        at = tl.arange(0, n)
        tl.store(x + at, tl.load(x + at) * 2)

def load_lattice():
    global lattice, _lattice, program
    import lattice_runtime as lattice
    from lattice_runtime import _lattice
    program = lattice.load(network)

for part in order:
    globals()["load_" + part]()

def compile_with_triton():
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    source = ASTSource(fn=double, signature={"x": "*fp32", "n": "constexpr"}, constexprs={"n": 128})
    return triton.compile(source, target=GPUTarget("cuda", 80, 32)).asm["ptx"]

def run():
    given = np.load(data)
    coords, feats = torch.from_numpy(given["coords"]), torch.from_numpy(given["feats"])
    result = program((coords, feats))
    y, logits = result["y"], result["logits"]
    assert all(isinstance(each, torch.Tensor) for each in (y.coords, y.feats, logits))
    assert np.array_equal(y.coords.numpy(), given["y_coords"])
    assert y.feats.numpy().tobytes() == given["y_feats"].tobytes()
    assert logits.numpy().tobytes() == given["logits"].tobytes()
    assert _lattice.address_of(feats) == feats.data_ptr()  # read in place
    assert _lattice.address_of(coords) == coords.data_ptr()
    columns = feats.t().contiguous().t()  # not row-major: this one is copied
    assert _lattice.address_of(columns) != columns.data_ptr()
    assert torch.equal(program((coords, columns))["logits"], logits)

run()
if "triton" in order:
    assert ".visible .entry double" in compile_with_triton()
if "llvm" in order:
    llvm.LLVMContextCreate.restype = ctypes.c_void_p
    llvm.LLVMContextDispose.argtypes = [ctypes.c_void_p]
    context = llvm.LLVMContextCreate()
    assert context
    llvm.LLVMContextDispose(context)
assert torch.equal(torch.eye(3) @ torch.ones(3, 2), torch.ones(3, 2))
run()
try:  # errors still come out as exceptions of this module
    lattice.validate_lattice_graph("module {")
    raise SystemExit("not refused")
except lattice.ArtifactError as error:
    assert "graph.mlir" in str(error)
"""


@pytest.fixture(scope="module")
def case(small, small_directory, tmp_path_factory):
    """The script, the network, and inputs with the results of a process that holds none of the others."""
    folder = tmp_path_factory.mktemp("one_process")
    rng = np.random.default_rng(5)
    xyz = np.unique(rng.integers(-6, 6, size=(300, 3)), axis=0)
    coords = np.concatenate([np.zeros((len(xyz), 1)), xyz], axis=1).astype(np.int32)
    feats = rng.normal(size=(len(xyz), 4)).astype(np.float32)
    wanted = small((coords, feats))
    np.savez(
        folder / "data.npz", coords=coords, feats=feats, y_coords=wanted["y"].coords, y_feats=wanted["y"].feats,
        logits=wanted["logits"],
    )  # fmt: skip
    (folder / "script.py").write_text(SCRIPT)  # Triton reads its kernels from a file
    return [folder / "script.py", small_directory, folder / "data.npz", libllvm() or "-"]


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_in_every_order(case, order, tmp_path):
    path = os.pathsep.join([os.path.dirname(lattice.__path__[0]), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "TRITON_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, *map(str, case), *order], env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
