"""Writes the trained network as an artifact, and checks it against PyTorch on the whole tile.

    python export.py --model runs/ground/model.pt --out model

Beside --out, with the endings -f16 and -int8, go two smaller variants. report.json, in the folder of --out,
says of each how large it is, how far its logits are from those of PyTorch, and what that costs in IoU.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from lattice_runtime.export import export_module

from data import TILE, Tile, scores, voxels_of
from model import GroundNet
from sparse import Sparse, Support

VARIANTS = dict(f32=None, f16={"dtype": "f16"}, int8={"bits": 8, "group_size": 32})


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--model", type=Path, required=True, help="model.pt of train.py")
    ask.add_argument("--out", type=Path, required=True, help="directory of the artifact")
    ask.add_argument("--tile", type=Path, default=TILE)
    args = ask.parse_args()

    kept = torch.load(args.model, map_location="cpu")
    model = GroundNet(**kept["config"]).eval()
    model.load_state_dict(kept["state"])
    tile = Tile(args.tile)
    coords, z, voxel = voxels_of(tile.xyz - tile.origin, kept["voxel"])
    with torch.no_grad():
        expected = model(Sparse(Support(torch.from_numpy(coords)), torch.from_numpy(z))).features.numpy()
    report = dict(voxel=kept["voxel"], voxels=len(coords))

    for name, storage in VARIANTS.items():
        exported = export_module(model, library="plain", input={"channels": 1}, storage=storage)
        out = args.out if storage is None else args.out.with_name(f"{args.out.name}-{name}")
        exported.write(out)
        result = exported.load().run(exported.inputs_for(coords, z))
        # A result on the voxels of the input keeps their row order.
        if not np.array_equal(result.coords, coords):
            raise SystemExit(f"{out}: the rows of the result are not those of the input")
        logits = result.feats.astype(np.float32)
        is_ground = logits[:, 1] > logits[:, 0]
        found, truth = is_ground[voxel], tile.ground
        report[name] = dict(
            bytes=sum(file.stat().st_size for file in out.iterdir()),
            max_difference=float(np.abs(logits - expected).max()),
            voxels_that_change=int((is_ground != (expected[:, 1] > expected[:, 0])).sum()),
            held_out=scores(found[tile.test], truth[tile.test]), whole_tile=scores(found, truth))
        report[name]["iou_loss"] = round(report["f32"]["held_out"]["iou"] - report[name]["held_out"]["iou"], 4)
        print(f"{out}: {report[name]['bytes']} bytes, max difference to PyTorch "
              f"{report[name]['max_difference']:.3g} over {len(coords)} voxels, of which "
              f"{report[name]['voxels_that_change']} change sides; held-out IoU "
              f"{report[name]['held_out']['iou']:.4f}, loss {report[name]['iou_loss']:.4f}", flush=True)
    (args.out.parent / "report.json").write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
