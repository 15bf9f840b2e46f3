#!/usr/bin/env bash
# bench_peers.sh BUILD [OPTION...]: times this runtime against PyTorch-side peers; the options are those of
# bench/peers/compare.py. BUILD holds the programs lattice and scene_file.
# Installs the peers by pip into build/venv-peers: 5.5 GB, with the CUDA packages that PyTorch's wheel brings.
# PYTHON names another Python than the system's: 3.9 to 3.13, for which spconv has wheels.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
shift
venv=$root/build/venv-peers
if ! "$venv/bin/python" -c 'import numpy, torch, spconv.pytorch' 2>/dev/null; then
  [ -x "$venv/bin/pip" ] || { rm -rf "$venv"; "${PYTHON:-/usr/bin/python3}" -m venv "$venv"; }
  "$venv/bin/pip" install --quiet --disable-pip-version-check numpy torch 'spconv==2.3.8'
fi
# PyTorch brings its own BLAS; what was set for another one stays out of the way.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE OPENBLAS_NUM_THREADS
exec "$venv/bin/python" "$root/bench/peers/compare.py" \
  --lattice "$build/tools/lattice/lattice" --scene-file "$build/bench/scene_file" "$@"
