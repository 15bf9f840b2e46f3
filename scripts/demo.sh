#!/usr/bin/env bash
# Makes MinkUNet42 with random weights, runs it on an aerial laser scan and draws the result.
# The colours are the labels of an untrained network: they show structure, they mean nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
lattice=${1:-build/dev/tools/lattice/lattice}
out=build/demo
mkdir -p "$out"

"$lattice" make MinkUNet42 --out "$out/minkunet42" --seed 1
# The file is in feet: voxels of four feet, counted from the corner of the tile.
"$lattice" run "$out/minkunet42" --points examples/data/autzen_trim.las \
  --voxel-size 4 --origin min --features r,g,b,i --color-max 255 --intensity-max 255 \
  --output "$out/autzen.ply" --output "$out/autzen.npy" --output "$out/autzen.png"
