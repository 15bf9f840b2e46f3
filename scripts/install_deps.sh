#!/usr/bin/env bash
# Installs what the build and the tests need on Debian 12: packages by apt; pytest, numpy, nanobind and mypy into build/venv.
# Does nothing where everything is there already. `install_deps.sh fuzz` adds the compiler for fuzzing.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  g++ cmake ninja-build ccache pkg-config git ca-certificates
  libmlir-19-dev mlir-19-tools llvm-19-dev llvm-19-tools libzstd-dev zlib1g-dev
  libhwy-dev libtbb-dev libcli11-dev nlohmann-json3-dev libfmt-dev libexpected-dev
  libgtest-dev libgmock-dev libbenchmark-dev
  python3 python3-dev python3-venv
)
[ "${1:-}" != fuzz ] || packages+=(clang-19)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing: ${missing[*]}"
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "run this as root, or install: ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
fi

# The system's Python, whose venv module was installed above; another one in PATH may lack it.
if ! build/venv/bin/python -c 'import pytest, numpy, nanobind, mypy' 2>/dev/null; then
  [ -x build/venv/bin/pip ] || { rm -rf build/venv; /usr/bin/python3 -m venv build/venv; }
  build/venv/bin/pip install --quiet --disable-pip-version-check 'pytest>=7,<10' 'numpy>=1.24' 'nanobind>=2.4' \
    'mypy>=1.10,<3' typing_extensions
fi
