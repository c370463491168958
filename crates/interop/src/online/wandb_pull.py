"""Prints the runs of a W&B project as JSON lines, for Fairtrial. Login and network are the user's own.

wandb_pull.py ENTITY/PROJECT[/RUN] [METRIC...]: the history of the metrics, of all with `*`, of none without one.
"""
import json
import sys

try:
    import wandb
except ImportError as error:
    sys.exit(f"the Python package `wandb` is not installed for {sys.executable}: {error}")


def emit(line):
    print(json.dumps(line, default=str))


def main(path, wanted):
    api = wandb.Api()
    runs = [api.run(path)] if path.count("/") == 2 else api.runs(path)
    for run in runs:
        emit({"run": {
            "id": run.id, "name": run.name, "group": getattr(run, "group", None),
            "job_type": getattr(run, "job_type", None), "project": getattr(run, "project", None),
            "tags": list(getattr(run, "tags", None) or []), "created_at": getattr(run, "created_at", None),
            "config": dict(run.config), "summary": dict(run.summary.items()),
        }})
        if wanted:
            keys = None if wanted == ["*"] else ["_step"] + wanted
            for row in run.scan_history(keys=keys):
                emit({"row": {key: value for key, value in row.items() if value is not None}})
        emit({"end": run.state})


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2:])
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")
