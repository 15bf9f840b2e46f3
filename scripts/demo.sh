#!/usr/bin/env bash
# Finds the ground in an aerial laser scan with the trained network of examples/aerial_ground: a page of the run, then
# scores, coloured points, terrain and a picture.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/dev}
model=examples/aerial_ground/model
tile=examples/data/autzen_trim.las
out=build/demo
mkdir -p "$out"

# Voxels as in training, in feet, counted from the corner of the tile; the one channel is the height above it.
"$build/tools/lattice/lattice" run "$model" --points "$tile" --voxel-size 1.5,1.5,0.5 --origin min --features z \
  --report "$out/report.html" > "$out/run.txt"
"$build/examples/aerial_ground/ground_demo" "$model" "$tile" "$out"
echo "         $out/report.html (one page: 3D view, layers)"
