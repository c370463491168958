"""A stand-in for the real experiment program: episodes with a verdict, a time and an error, written as CSV.

    python3 experiment.py pretrain OUT
    python3 experiment.py evaluate NAME --model MODEL --episodes 60 --skill 0.8 --out DIR
"""

import argparse
import csv
import hashlib
import pathlib
import random
import sys
import time


def pretrain(out):
    path = pathlib.Path(out)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("weights: 1 2 3\n")


def evaluate(args):
    if not pathlib.Path(args.model).exists():
        sys.exit(f"there is no model {args.model}")
    rows = []
    for episode in range(args.episodes):
        # An episode is the same whatever runs before it: its draws depend on its own number alone.
        seed = int(hashlib.sha256(f"{args.name} {args.seed} {episode}".encode()).hexdigest()[:12], 16)
        draw = random.Random(seed)
        for module in range(args.modules):
            correct = draw.random() < args.skill
            rows.append(
                {
                    "episode_seed": seed,
                    "object": draw.choice(["mug", "bowl", "spoon"]),
                    "module": f"LM_{module}",
                    "performance": "correct" if correct else draw.choice(["confused", "time_out"]),
                    "rotation_error": f"{draw.uniform(0, 30):.4f}" if correct else "",
                    "time": f"{draw.uniform(0.5, 1.5):.4f}",
                }
            )
    if args.crash:
        sys.exit("the simulator crashed")
    time.sleep(args.sleep)
    folder = pathlib.Path(args.out) / args.name
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "eval_stats.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    print("Benchmark Stats\nnum_rows\n%d" % len(rows))


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("pretrain").add_argument("out")
    run = commands.add_parser("evaluate")
    run.add_argument("name")
    run.add_argument("--model", required=True)
    run.add_argument("--out", required=True)
    run.add_argument("--episodes", type=int, default=60)
    run.add_argument("--modules", type=int, default=2)
    run.add_argument("--seed", type=int, default=42)
    run.add_argument("--skill", type=float, default=0.7)
    run.add_argument("--sleep", type=float, default=0.0)
    run.add_argument("--crash", action="store_true")
    args = parser.parse_args()
    if args.command == "pretrain":
        pretrain(args.out)
    else:
        evaluate(args)


main()
