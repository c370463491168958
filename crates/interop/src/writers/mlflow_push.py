"""Logs trials to MLflow, for Fairtrial: one run for each line of standard input. The tracking server is the user's own.

mlflow_push.py EXPERIMENT < trials.jsonl
"""
import json
import sys

try:
    import mlflow
except ImportError as error:
    sys.exit(f"the Python package `mlflow` is not installed for {sys.executable}: {error}")


def main(experiment):
    mlflow.set_experiment(experiment)
    count = 0
    for line in sys.stdin:
        trial = json.loads(line)
        run = mlflow.start_run(run_name=trial["name"])
        mlflow.log_params(trial["config"])
        mlflow.set_tag("fairtrial.outcome", trial["outcome"])
        with_curve = set()
        for metric, step, value in trial["series"]:
            mlflow.log_metric(metric, float(value), step=int(float(step)))
            with_curve.add(metric)
        for metric, value in trial["metrics"].items():
            if metric not in with_curve:
                mlflow.log_metric(metric, float(value))
        mlflow.end_run("FINISHED" if trial["ok"] else "FAILED")
        count += 1
    print(f"{count} runs in experiment {experiment} of {mlflow.get_tracking_uri()}")


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")
