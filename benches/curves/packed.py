"""Billions of points: makes a run of many trials, and gives each of them packed curves of a million points, so that what
reads curves can be measured without first writing a hundred gigabytes of text.

    python3 benches/curves/packed.py fairtrial FOLDER [TRIALS] [POINTS]

Then, in FOLDER: /usr/bin/time -v fairtrial analyze --control-run-ids long:a --candidate-run-ids long:b --metric reward
"""

import array
import hashlib
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import zlib

SPEC = """name = "long"
seeds = {seeds}
command = "awk -v level={{level}} -v seed={{seed}} -f train.awk"
[arms.a]
level = 10
[arms.b]
level = 11
[metrics.reward]
direction = "up"
[analysis]
metric = "reward"
"""
# Long enough to be packed, and short enough to be made a thousand times.
TRAIN = """BEGIN { for (i = 0; i < 3000; i++)
    printf("{\\"step\\": %d, \\"reward\\": %.4f}\\n", i, level + seed % 97 / 97) > ENVIRON["FAIRTRIAL_METRICS"] }
"""
KINDS = 16


def header(folder, points, crcs):
    """The header of the columns of a trial, as docs/reference/files.md describes it."""
    source = folder / "metrics.jsonl"
    seen = source.stat()
    nanoseconds = 10**9
    stamp = {
        "bytes": seen.st_size,
        "inode": seen.st_ino,
        "modified": list(divmod(seen.st_mtime_ns, nanoseconds)),
        "changed": list(divmod(seen.st_ctime_ns, nanoseconds)),
    }
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    curve = {
        "file": "metrics.jsonl",
        "form": "lines",
        "key": "reward",
        "points": points,
        "range": [0.0, points - 1.0],
        "ascending": True,
        "steps": {"at": 0, "crc": crcs[0]},
        "values": {"at": 8 * points, "crc": crcs[1]},
    }
    sources = [{"file": "metrics.jsonl", "stamp": stamp, "sha256": digest}]
    text = json.dumps({"schema": 1, "sources": sources, "curves": [curve]}).encode()
    return b"FTSERIES" + struct.pack("<II", len(text), zlib.crc32(text)) + text


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    trials, points = (int(word) for word in (sys.argv[3:] + ["1000", "1000000"][len(sys.argv) - 3 :])[:2])
    folder.mkdir(parents=True)
    (folder / "train.awk").write_text(TRAIN)
    (folder / "long.toml").write_text(SPEC.format(seeds=trials // 2))
    environment = {**os.environ, "FAIRTRIAL_DATA": str(folder / "data")}
    subprocess.run([program, "run", "long.toml"], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    steps = array.array("d", range(points)).tobytes()
    values = []
    for kind in range(KINDS):
        level = 10 + kind / KINDS
        curve = (level * (1 - math.exp(-5 * step / points)) for step in range(points))
        values.append(array.array("d", curve).tobytes())
    crcs = [zlib.crc32(column) for column in values]
    crc = zlib.crc32(steps)
    for number, trial in enumerate(sorted((folder / "data/runs").iterdir())):
        kind = number % KINDS
        with open(trial / "series.columns", "wb") as file:
            file.write(header(trial, points, (crc, crcs[kind])))
            file.write(steps)
            file.write(values[kind])
    print(f"{trials} trials of {points} points, {16 * trials * points / 1e9:.1f} GB")


main()
