#!/usr/bin/env python3
"""What a rollout costs on top of the processes that the user asked for.

    cargo build --release -p fairtrial
    benches/agents/rollouts.py target/release/fairtrial [ROLLOUTS] [--sandbox process] [--keep DIR]

Runs ROLLOUTS (10,000) rollouts of a task with a trivial test and the `command` agent `true`. The processor time of all
processes of the run (`getrusage` of waited-for children, which adds up over all generations), less that of the same
programs started bare from this script the same number of times, is divided by the number of rollouts. Memory is the
largest resident set of any single process of the run, the controller's or another's. Then the finished run is resumed.
"""

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

TASK = {
    "task_id": "trivial",
    "lm": {"instructions": "Do nothing"},
    "evaluation": {
        "rubrics": [{"id": "done", "criterion": "it is done", "weight": 1.0}],
        "test_scripts": [{"path": "t.sh", "rubric_id": "done", "content": "true\n"}],
    },
}
SPEC = """name = "noop"
parallel = {parallel}
[[tasks]]
prepared_dir = "data/tasks/prepared/trivial"
rollouts = {rollouts}
agent = {{ command = "true" }}
sandbox = "{sandbox}"
"""


def children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def bare(rollouts, folder):
    """The user's own processes: the agent and the test."""
    script = os.path.join(folder, "t.sh")
    with open(script, "w") as file:
        file.write("true\n")
    before = children()[0]
    for _ in range(rollouts):
        for argv in (["true"], ["sh", script]):
            pid = os.posix_spawnp(argv[0], argv, os.environ)
            os.waitpid(pid, 0)
    return children()[0] - before


def run(program, folder, *more):
    began, before = time.monotonic(), children()[0]
    argv = [program, "run", "bench.toml", *more]
    ended = subprocess.run(argv, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if ended.returncode != 0:
        sys.exit(f"{argv} ended with {ended.returncode}:\n{ended.stderr.decode()[-2000:]}")
    return time.monotonic() - began, children()[0] - before


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("rollouts", nargs="?", type=int, default=10_000)
    parser.add_argument("--sandbox", default="process")
    parser.add_argument("--keep", metavar="DIR", help="keep the files there: deleting them slows the next measurement on ext4")
    parser.add_argument("--parallel", type=int, default=os.cpu_count())
    args = parser.parse_args()
    kept = args.keep and tempfile.mkdtemp(dir=args.keep)
    with contextlib.nullcontext(kept) if kept else tempfile.TemporaryDirectory() as folder:
        prepared = os.path.join(folder, "data/tasks/prepared/trivial")
        os.makedirs(prepared)
        with open(os.path.join(prepared, "tb_meta.json"), "w") as file:
            json.dump(TASK, file)
        with open(os.path.join(folder, "bench.toml"), "w") as file:
            file.write(SPEC.format(**vars(args)))
        own = bare(args.rollouts, folder)
        program = os.path.abspath(args.program)
        wall, cpu = run(program, folder)
        memory = children()[1]
        again, _ = run(program, folder, "--resume")
        per = 1000 / args.rollouts
        print(f"rollouts                       {args.rollouts}, {args.parallel} at a time, {args.sandbox}")
        print(f"user's processes alone         {own * per:.2f} ms CPU per rollout")
        print(f"run                            {cpu * per:.2f} ms CPU per rollout, {wall:.1f} s")
        print(f"on top of the user's processes {(cpu - own) * per:.2f} ms CPU per rollout")
        print(f"largest process                {memory:.0f} MB")
        print(f"resume of the finished run     {again:.2f} s")


main()
