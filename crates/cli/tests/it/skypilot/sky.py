#!/usr/bin/env python3
"""A `sky` that launches jobs as processes of this machine, to prove the engine without a cloud: it reads the task file as
far as we write it, gives each job a home of its own, keeps its log, and answers `queue`, `logs` and `cancel`.
FAKE_SKY_DIR is its folder; every command line is kept in `calls`. A file `fail-VERB` in it makes `sky jobs VERB` fail, and
the numbers in `hidden` are left out of the queue."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys

folder = os.environ["FAKE_SKY_DIR"]
args = sys.argv[1:]
with open(os.path.join(folder, "calls"), "a") as calls:
    calls.write(json.dumps(args) + "\n")
if os.path.exists(os.path.join(folder, "fail-" + args[-1 if len(args) < 2 else 1])):
    sys.exit("the API server is down")


def read_task(path):
    """Keys of the top level, and the file mounts."""
    task, mounts, section = {}, {}, None
    for line in open(path):
        key, _, value = line.rstrip("\n").partition(": ")
        if not line.startswith(" "):
            section = line.split(":")[0]
            if value:
                task[key] = json.loads(value)
        elif section == "file_mounts" and value.startswith('"'):
            mounts[key.strip()] = json.loads(value)
    return task, mounts


def launch():
    name = args[args.index("--name") + 1]
    count = int(args[args.index("--num-jobs") + 1])
    task, mounts = read_task(args[-1])
    assert task["name"] == name
    for rank in range(count):
        number = 1
        while True:
            job = os.path.join(folder, str(number))
            try:
                os.mkdir(job)
                break
            except FileExistsError:
                number += 1
        home = os.path.join(job, "home")
        shutil.copytree(task["workdir"], os.path.join(home, "sky_workdir"), ignore=shutil.ignore_patterns("data", "sky", "jobs"))
        for target, source in mounts.items():
            target = target.replace("~", home)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            (shutil.copytree if os.path.isdir(source) else os.symlink)(source, target)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("FAIRTRIAL")}
        environment.update(HOME=home, SKYPILOT_JOB_RANK=str(rank), SKYPILOT_NUM_JOBS=str(count))
        script = f"({task['run']}) 2>&1 | sed -u 's/^/(ft, pid=1) /' >{job}/log; echo done >{job}/end"
        process = subprocess.Popen(["bash", "-c", script], env=environment, start_new_session=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        open(os.path.join(job, "job"), "w").write(json.dumps({"name": name, "pid": process.pid}))


def jobs():
    numbers = sorted(int(entry) for entry in os.listdir(folder) if re.fullmatch(r"\d+", entry))
    return [(number, json.load(open(os.path.join(folder, str(number), "job")))) for number in numbers]


def queue():
    rows = []
    for number, job in jobs():
        path = os.path.join(folder, str(number))
        state = "CANCELLED" if os.path.exists(path + "/cancelled") else "SUCCEEDED" if os.path.exists(path + "/end") else "RUNNING"
        if number in hidden():
            continue
        rows.append({"job_id": number, "job_name": job["name"], "status": state})
    print(json.dumps(rows, indent=2))


def hidden():
    try:
        return json.load(open(os.path.join(folder, "hidden")))
    except FileNotFoundError:
        return []


def cancel():
    wanted = [int(word) for word in args[2:] if word.isdigit()]
    for number, job in jobs():
        if number in wanted:
            open(os.path.join(folder, str(number), "cancelled"), "w").close()
            try:
                os.killpg(job["pid"], signal.SIGKILL)
            except ProcessLookupError:
                pass


if args == ["--version"]:
    print("skypilot, version 0.14.1 (a stand-in)")
elif args[:2] == ["jobs", "launch"]:
    launch()
elif args[:2] == ["jobs", "queue"]:
    queue()
elif args[:2] == ["jobs", "cancel"]:
    cancel()
elif args[:2] == ["jobs", "logs"]:
    sys.stdout.write(open(os.path.join(folder, args[-1], "log")).read())
    # As SkyPilot does for a job that was cancelled.
    sys.exit(103 if os.path.exists(os.path.join(folder, args[-1], "cancelled")) else 0)
else:
    sys.exit(f"unknown: {args}")
