"""Trains the ground network on the western two thirds of the tile and judges it on the rest.

    python train.py --out runs/ground            minutes on a GPU, hours on a CPU
    python train.py --out runs/try --steps 20    a try, on anything

Writes model.pt, training.log and metrics.json into --out. Every choice, the last one (how readily a
voxel is called ground) included, is made on the validation strip, never on the held-out third.
"""

import argparse
import copy
import json
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

from data import TILE, Tile, augment, scores, truth_of, voxels_of
from model import GroundNet, parameters_of
from sparse import Sparse, Support


def to_sparse(coords, z, device):
    return Sparse(Support(torch.from_numpy(coords).to(device)), torch.from_numpy(z).to(device))


@torch.no_grad()
def margin_of_points(model, tile, voxel_size, device):
    """Ground logit minus the other, for each point of the whole tile."""
    model.eval()
    coords, z, voxel = voxels_of(tile.xyz - tile.origin, voxel_size)
    logits = model(to_sparse(coords, z, device)).features
    return (logits[:, 1] - logits[:, 0]).cpu().numpy()[voxel]


def best_threshold(margin, truth):
    """The margin above which calling a point ground gives the highest accuracy + IoU."""

    def worth(threshold):
        s = scores(margin > threshold, truth)
        return s["accuracy"] + s["iou"]

    return float(max(np.linspace(-2, 2, 81), key=worth))


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument("--tile", type=Path, default=TILE)
    ask.add_argument("--steps", type=int, default=600)
    ask.add_argument("--rate", type=float, default=4e-3, help="highest learning rate")
    ask.add_argument("--decay", type=float, default=0.2, help="weight decay")
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--voxel", type=float, nargs=3, default=[1.5, 1.5, 0.5], metavar=("X", "Y", "Z"))
    ask.add_argument("--widths", type=int, nargs="+", default=[24, 32, 48, 56])
    ask.add_argument("--dropout", type=float, default=0.2)
    ask.add_argument("--levels", type=int, default=5, help="sizes of terrain windows")
    ask.add_argument("--every", type=int, default=100, help="steps between validations")
    ask.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = ask.parse_args()

    args.out.mkdir(parents=True, exist_ok=True)
    log_file = open(args.out / "training.log", "w")

    def log(text):
        print(text, flush=True)
        print(text, file=log_file, flush=True)

    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    tile = Tile(args.tile)
    model = GroundNet(args.widths, args.levels, dropout=args.dropout).to(args.device)
    log(f"{len(tile.xyz)} points: {tile.train.sum()} to train on, {tile.validation.sum()} validation, "
        f"{tile.test.sum()} held out")
    log(f"voxels {args.voxel} ft, widths {args.widths}, {parameters_of(model)} parameters, seed {args.seed}, "
        f"{args.steps} steps, rate {args.rate}, decay {args.decay}, dropout {args.dropout}, "
        f"{'a GPU' if args.device.startswith('cuda') else 'a CPU'}, torch {torch.__version__.split('+')[0]}")

    points, ground = (tile.xyz - tile.origin)[tile.train], tile.ground[tile.train]
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=args.rate, weight_decay=args.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, args.rate, total_steps=args.steps, pct_start=0.15)
    mean_model = copy.deepcopy(model)  # exponential mean of the weights: what is kept in the end
    start, mean_loss = time.time(), None

    for step in range(1, args.steps + 1):
        seen, seen_ground = augment(points, ground, rng)
        coords, z, voxel = voxels_of(seen, args.voxel)
        share, count = (torch.from_numpy(a).float().to(args.device) for a in truth_of(voxel, seen_ground))
        model.train()
        logits = model(to_sparse(coords, z, args.device)).features
        loss = F.cross_entropy(logits, torch.stack([1 - share, share], 1), reduction="none")
        loss = (loss * count).sum() / count.sum()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        schedule.step()
        with torch.no_grad():
            keep = min(0.99, step / (step + 10))
            for mine, its in zip(mean_model.state_dict().values(), model.state_dict().values()):
                if mine.dtype.is_floating_point:
                    mine.lerp_(its, 1 - keep)
        mean_loss = loss.item() if mean_loss is None else 0.95 * mean_loss + 0.05 * loss.item()
        if step % args.every == 0 or step == args.steps:
            margin = margin_of_points(mean_model, tile, args.voxel, args.device)
            truth = tile.ground[tile.validation]
            threshold = best_threshold(margin[tile.validation], truth)
            s = scores(margin[tile.validation] > threshold, truth)
            loss_there = np.logaddexp(0, np.where(truth, -1, 1) * margin[tile.validation]).mean()
            log(f"step {step:5d}  loss {mean_loss:.4f}  validation: loss {loss_there:.4f} accuracy {s['accuracy']:.4f} "
                f"IoU {s['iou']:.4f} F1 {s['f1']:.4f} at margin {threshold:+.2f}  {time.time() - start:.0f} s")

    # The margin becomes part of the last bias, so that the larger logit decides.
    with torch.no_grad():
        mean_model.head.bias[1] -= threshold
    margin = margin_of_points(mean_model, tile, args.voxel, args.device)
    metrics = dict(
        training_seconds=round(time.time() - start), parameters=parameters_of(model), voxel=args.voxel,
        validation=scores(margin[tile.validation] > 0, tile.ground[tile.validation]),
        held_out=scores(margin[tile.test] > 0, tile.ground[tile.test]),
        train=scores(margin[tile.train] > 0, tile.ground[tile.train]))
    for part in ("train", "validation", "held_out"):
        log(f"{part:10s} {metrics[part]}")
    (args.out / "metrics.json").write_text(json.dumps(metrics, indent=2) + "\n")
    torch.save(dict(config=mean_model.config, voxel=args.voxel,
                    state={k: v.cpu() for k, v in mean_model.state_dict().items()}), args.out / "model.pt")


if __name__ == "__main__":
    main()
