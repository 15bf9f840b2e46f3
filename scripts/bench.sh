#!/usr/bin/env bash
# bench.sh BUILD: runs every benchmark program (named *_bench) of a build, one after another.
set -euo pipefail
build=$1
mapfile -t programs < <(find "$build" -type f -name '*_bench' -perm -u+x | sort)
[ ${#programs[@]} -gt 0 ] || { echo "no benchmarks in $build" >&2; exit 1; }
for program in "${programs[@]}"; do
  echo "== $(basename "$program")"
  "$program"
done
