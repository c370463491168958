#!/usr/bin/env python3
"""Times Fairtrial's resampling beside SciPy, NumPy and rliable, on the same data, in one run.

    python3 benches/stats/compare.py [--venv DIR] [--skip-slow] [--bench PROGRAM]

Makes its own virtual environment (kept in DIR), prints the versions, and measures process CPU time with one thread,
the minimum of several runs. Nothing else needs to be installed but Python 3.11 or later and cargo.
`--skip-slow` leaves out what takes Python more than ten seconds. `--bench` takes a benchmark that is already built.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
# rliable does not work with pandas 3, and its latest release needs this arch.
PACKAGES = ["numpy==2.4.6", "scipy==1.17.1", "pandas<3", "arch==7.2.0", "rliable==1.2.0"]
SIZES = [15, 100, 1_000, 100_000]


def make_data(path):
    rng = random.Random(20240611)
    samples = [[rng.gauss(10.0, 2.0) for _ in range(n)] for n in SIZES]
    suites = [[[rng.gauss(0.5 + 0.01 * task, 0.3) for _ in range(5)] for task in range(57)] for _ in range(2)]
    path.write_text(json.dumps({"samples": samples, "suites": suites}))


def single_threaded():
    names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"]
    return {**os.environ, **dict.fromkeys(names, "1")}


def environment(directory):
    python = directory / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        venv.create(directory, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return python


def ours(program, data):
    command = [program, str(data)] if program else [
        "cargo", "bench", "--quiet", "--package", "fairtrial-stats", "--bench", "resampling", "--", str(data)
    ]
    done = subprocess.run(command, cwd=ROOT, env=single_threaded(), check=True, capture_output=True, text=True)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {row["case"]: row for row in rows}


def theirs(python, data, skip_slow):
    command = [python, __file__, "--inside", str(data)] + (["--skip-slow"] if skip_slow else [])
    done = subprocess.run(command, env=single_threaded(), check=True, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return json.loads(lines[0]), {row["case"]: row for row in map(json.loads, lines[1:])}


def fastest(runs, work):
    import time

    best = float("inf")
    for _ in range(runs):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return 1e3 * best


def numpy_mean_bootstrap(np, x, count=10_000):
    """The best plain NumPy found: batches that stay in the cache, 32-bit indices, one sort of the means."""
    rng = np.random.Generator(np.random.SFC64(1))
    batch = max(1, 200_000 // len(x))
    means = np.empty(count)
    for start in range(0, count, batch):
        size = min(batch, count - start)
        means[start:start + size] = x[rng.integers(0, len(x), (size, len(x)), dtype=np.int32)].mean(axis=1)
    return np.quantile(means, [0.025, 0.975])


def inside(data, skip_slow):
    """Runs in the virtual environment: one JSON line per case, versions first."""
    import importlib.metadata as metadata

    import numpy as np
    from scipy import stats

    names = ["numpy", "scipy", "rliable", "arch", "pandas"]
    print(json.dumps({"python": sys.version.split()[0], **{n: metadata.version(n) for n in names}}))

    def report(case, milliseconds):
        print(json.dumps({"case": case, "ms": milliseconds}), flush=True)

    loaded = json.loads(pathlib.Path(data).read_text())
    for sample in loaded["samples"]:
        x = np.array(sample)
        n = len(x)
        slow = n > 10_000
        if slow and skip_slow:
            continue
        runs = 1 if slow else 5
        batch = 100 if slow else None
        for name, method in [("percentile", "percentile"), ("BCa", "BCa")]:
            report(f"scipy {name} n={n}", fastest(runs, lambda: stats.bootstrap(
                (x,), np.mean, n_resamples=10_000, method=method, batch=batch, rng=np.random.default_rng(1))))
        report(f"numpy percentile n={n}", fastest(runs, lambda: numpy_mean_bootstrap(np, x)))

    a, b = (np.array(loaded["samples"][1][:50]), np.array(loaded["samples"][1][50:]))
    difference = lambda u, v, axis: np.mean(u, axis=axis) - np.mean(v, axis=axis)
    report("scipy permutation 50+50, 10,000", fastest(3, lambda: stats.permutation_test(
        (a, b), difference, n_resamples=10_000, vectorized=True, rng=np.random.default_rng(1))))

    from rliable import library, metrics

    arms = {f"arm{i}": np.array(tasks).T for i, tasks in enumerate(loaded["suites"])}
    iqm = lambda scores: np.array([metrics.aggregate_iqm(scores)])
    repetitions = 2_000 if skip_slow else 50_000
    scale = 50_000 / repetitions
    report("rliable IQM 50,000 x 2 arms", scale * fastest(
        1, lambda: library.get_interval_estimates(arms, iqm, reps=repetitions)))
    four = lambda scores: np.array([
        metrics.aggregate_median(scores), metrics.aggregate_iqm(scores), metrics.aggregate_mean(scores),
        metrics.aggregate_optimality_gap(scores)])
    report("rliable four metrics 50,000 x 2 arms", scale * fastest(
        1, lambda: library.get_interval_estimates(arms, four, reps=repetitions)))
    # Half an hour at 50,000 repetitions: 500 are timed and scaled up.
    pair = {"pair": (arms["arm1"], arms["arm0"])}
    report("rliable P(improvement) 50,000", 100 * fastest(
        1, lambda: library.get_interval_estimates(pair, metrics.probability_of_improvement, reps=500)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venv", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "fairtrial-bench-venv")
    parser.add_argument("--skip-slow", action="store_true")
    parser.add_argument("--bench", help="a built benchmark program")
    parser.add_argument("--inside", metavar="DATA", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        return inside(arguments.inside, arguments.skip_slow)
    with tempfile.TemporaryDirectory() as directory:
        data = pathlib.Path(directory) / "data.json"
        make_data(data)
        python = environment(arguments.venv)
        versions, python_times = theirs(python, data, arguments.skip_slow)
        our_times = ours(arguments.bench, data)
    print_table(versions, python_times, our_times)


def print_table(versions, python_times, our_times):
    print(", ".join(f"{name} {version}" for name, version in versions.items()))
    print("CPU milliseconds, one thread, minimum of several runs\n")
    print(f"{'case':34} {'Fairtrial':>12} {'Python':>14}   times faster")
    rows = []
    for case, row in python_times.items():
        library, _, rest = case.partition(" ")
        rows.append((case, our_times[rest]["ms"], row["ms"]))
        if library == "scipy" and rest.startswith("BCa"):
            exact = our_times[f"exact {rest}"]["ms"]
            rows.append((f"{case} (ours exact)", exact, row["ms"]))
    for case, mine, other in rows:
        print(f"{case:34} {mine:12.3f} {other:14.3f}   {other / mine:10.0f}")
    bare = our_times["bare generator"]["draws_per_s"]
    print(f"\nbare generator: {bare / 1e9:.2f} G indices per second")
    for case, row in our_times.items():
        if row["draws_per_s"] and case != "bare generator":
            share = 100 * row["draws_per_s"] / bare
            print(f"{case:34} {row['draws_per_s'] / 1e9:6.2f} G draws per second, {share:3.0f} % of the generator")


if __name__ == "__main__":
    main()
