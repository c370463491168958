#!/usr/bin/env python3
"""A log of Inspect with many samples, made from a genuine one, for `cargo xtask bench --interop`.

    inspect_log.py SOURCE.json TARGET.eval SAMPLES

SOURCE is a log in Inspect's JSON form (`.json`, or packed as `.json.gz`). Its samples are repeated under new ids, with header,
summaries and whole samples as Inspect packs them. Needs nothing but Python.
"""
import gzip
import json
import sys
import zipfile

SUMMARY = ["id", "epoch", "input", "target", "scores", "model_usage", "started_at", "completed_at", "total_time",
           "working_time", "uuid"]


def main(source, target, count):
    opened = gzip.open if source.endswith(".gz") else open
    with opened(source, "rt", encoding="utf-8") as file:
        log = json.load(file)
    samples = log.pop("samples")
    log.pop("reductions", None)
    log["eval"]["dataset"]["samples"] = count
    log["results"]["total_samples"] = log["results"]["completed_samples"] = count
    summaries = []
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        start = {key: log[key] for key in ("version", "eval", "plan")}
        archive.writestr("_journal/start.json", json.dumps(start))
        for number in range(count):
            sample = dict(samples[number % len(samples)], id=f"q{number}", epoch=1)
            archive.writestr(f"samples/q{number}_epoch_1.json", json.dumps(sample))
            summaries.append({key: sample[key] for key in SUMMARY if key in sample} | {"completed": True})
        archive.writestr("summaries.json", json.dumps(summaries))
        archive.writestr("header.json", json.dumps(log))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
