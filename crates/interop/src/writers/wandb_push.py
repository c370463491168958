"""Logs trials to W&B, for Fairtrial: one run for each line of standard input. Login, server and mode are the user's own.

wandb_push.py PROJECT < trials.jsonl

A trial has the same run id each time, so that it is one run however often it is logged.
"""
import json
import sys

try:
    import wandb
except ImportError as error:
    sys.exit(f"the Python package `wandb` is not installed for {sys.executable}: {error}")


def main(project):
    count = 0
    for line in sys.stdin:
        trial = json.loads(line)
        run = wandb.init(project=project, name=trial["name"], id=trial["id"], resume="allow",
                         config=trial["config"], group=trial["config"].get("arm"), reinit=True)
        steps = {}
        for metric, step, value in trial["series"]:
            steps.setdefault(step, {})[metric] = float(value)
        for step in sorted(steps):
            run.log(steps[step], step=step)
        rest = {metric: float(value) for metric, value in trial["metrics"].items()}
        if rest:
            run.log(rest)
        run.finish(exit_code=0 if trial["ok"] else 1)
        count += 1
    print(f"{count} runs in project {project}")


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")
