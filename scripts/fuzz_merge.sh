#!/usr/bin/env bash
# fuzz_merge.sh BUILD: adds to tests/fuzz what the corpora of BUILD reach beyond it, smallest inputs first, and drops
# from it what adds nothing. Files with a name of their own (not 40 hex digits) stay.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
for folder in tests/fuzz/fuzz_*/; do
  name=$(basename "$folder")
  target=$(find "$build" -type f -name "$name" -perm -u+x | head -1)
  [ -n "$target" ] || { echo "no $name in $build" >&2; exit 1; }
  mkdir -p "$build/corpus/$name"
  merged=$(mktemp -d)
  find "$folder" -type f -regextype posix-egrep ! -regex '.*/[0-9a-f]{40}' -exec cp -t "$merged" {} +
  "$target" -merge=1 -max_len=20000 "$merged" "$folder" "$build/corpus/$name" 2>&1 | tail -1
  find "$folder" -type f -delete
  cp -t "$folder" "$merged"/*
  rm -rf "$merged"
  du -bs "$folder"
done
