"""Logs trials to MLflow, for Fairtrial: one run for each line of standard input. The tracking server is the user's own.

mlflow_push.py EXPERIMENT < trials.jsonl

A trial that is there already is left alone, and one that was begun and not ended is logged anew.
"""
import json
import sys
import time

try:
    from mlflow import MlflowClient, get_tracking_uri, set_experiment
    from mlflow.entities import Metric, Param
except ImportError as error:
    sys.exit(f"the Python package `mlflow` is not installed for {sys.executable}: {error}")

TRIAL = "fairtrial.trial"
# What one request may hold.
METRICS, PARAMS = 900, 100


def parts(items, size):
    return (items[start:start + size] for start in range(0, len(items), size))


def runs(client, experiment):
    """The runs of an experiment that are trials: what each is named by, the run, and whether it has ended."""
    token = None
    while True:
        page = client.search_runs([experiment], max_results=1000, page_token=token)
        for run in page:
            if TRIAL in run.data.tags:
                yield run.data.tags[TRIAL], run.info.run_id, run.info.status in ("FINISHED", "FAILED")
        token = page.token
        if not token:
            return


def main(name):
    experiment = set_experiment(name).experiment_id
    client = MlflowClient()
    known = {}
    for trial, run, ended in runs(client, experiment):
        if ended:
            known[trial] = run
        else:
            client.delete_run(run)
    new = old = 0
    for line in sys.stdin:
        trial = json.loads(line)
        if trial["id"] in known:
            old += 1
            continue
        tags = {TRIAL: trial["id"], "fairtrial.outcome": trial["outcome"]}
        run = client.create_run(experiment, run_name=trial["name"], tags=tags).info.run_id
        now = int(time.time() * 1000)
        metrics = [Metric(metric, float(value), now, step) for metric, step, value in trial["series"]]
        metrics += [Metric(metric, float(value), now, 0) for metric, value in trial["metrics"].items()]
        params = [Param(key, str(value)) for key, value in trial["config"].items()]
        for part in parts(params, PARAMS):
            client.log_batch(run, params=part)
        for part in parts(metrics, METRICS):
            client.log_batch(run, metrics=part)
        client.set_terminated(run, "FINISHED" if trial["ok"] else "FAILED")
        new += 1
    more = f", {old} were there already" if old else ""
    print(f"{new} runs in experiment {name} of {get_tracking_uri()}{more}")


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")
