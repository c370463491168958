#!/usr/bin/env python3
"""A large offline log of W&B, written and read by W&B's own Python classes, for `cargo xtask bench --interop`.

    wandb_log.py version | write FILE MEGABYTES | read FILE

Needs a `wandb` below 0.20: later ones read their logs in Go alone. `read` takes in what Fairtrial takes in: every value of every
row of the history, of which it prints the last for each name.
"""
import json
import random
import sys

import wandb
from wandb.proto import wandb_internal_pb2 as pb
from wandb.sdk.internal.datastore import DataStore

NAMES = ["overview/reward", "losses/policy", "losses/value", "timing/sps", "lr", "grad_norm", "entropy", "kl"]


def write(path, megabytes):
    random.seed(1)
    store = DataStore()
    store.open_for_write(path)
    record = pb.Record()
    record.run.run_id = "large"
    record.run.project = "bench"
    record.run.display_name = "large"
    store.write(record)
    step, size = 0, 0
    while size < megabytes * 1_000_000:
        record = pb.Record()
        row = {name: random.gauss(step * 1e-3, 1.0) for name in NAMES}
        row["_step"], row["_runtime"] = step, step * 0.25
        for name, value in row.items():
            item = record.history.item.add()
            item.nested_key.append(name)
            item.value_json = json.dumps(value)
        record.history.step.num = step
        store.write(record)
        size += record.ByteSize() + 7
        # Later clients write the summary beside each row.
        record = pb.Record()
        for name, value in row.items():
            item = record.summary.update.add()
            item.nested_key.append(name)
            item.value_json = json.dumps(value)
        store.write(record)
        size += record.ByteSize() + 7
        step += 1
    record = pb.Record()
    record.exit.exit_code = 0
    store.write(record)
    store.close()
    print(f"{step} rows")


def read(path):
    store = DataStore()
    store.open_for_scan(path)
    last = {}
    while (data := store.scan_data()) is not None:
        record = pb.Record()
        record.ParseFromString(data)
        if record.WhichOneof("record_type") == "history":
            for item in record.history.item:
                last[item.key or ".".join(item.nested_key)] = json.loads(item.value_json)
    print(json.dumps(last))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["version"]:
            print(wandb.__version__)
        case ["write", path, megabytes]:
            write(path, float(megabytes))
        case ["read", path]:
            read(path)
        case _:
            sys.exit(__doc__)
