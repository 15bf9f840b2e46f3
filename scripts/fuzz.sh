#!/usr/bin/env bash
# fuzz.sh BUILD MINUTES: every fuzz target (a program named fuzz_*) for so many minutes, findings in BUILD/findings.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
seconds=$((60 * $2))
mapfile -t targets < <(find "$build" -type f -name 'fuzz_*' -perm -u+x | sort)
[ ${#targets[@]} -gt 0 ] || { echo "no fuzz targets in $build" >&2; exit 1; }
mkdir -p "$build/findings"
for target in "${targets[@]}"; do
  name=$(basename "$target")
  echo "== $name, $2 min"
  mkdir -p "$build/corpus/$name"
  seeds=()
  [ ! -d "tests/fuzz/$name" ] || seeds=("tests/fuzz/$name")
  "$target" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=3000 -len_control=0 -max_len=20000 -artifact_prefix="$build/findings/$name-" -print_final_stats=1 \
    "$build/corpus/$name" "${seeds[@]}"
done
