#!/bin/sh
# Head to head with Hydra + submitit on a Slurm without accounting: one task of six is killed by SIGKILL. Fairtrial marks
# that trial and keeps the rest; submitit is given LIMIT seconds (default 120) and is then ended.
#   benches/slurm/submitit.sh [PATH_OF_FAIRTRIAL] [LIMIT]      (root; slurm-wlm, munge; pip reaches an index)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=${1:-$here/../../target/release/fairtrial}
limit=${2:-120}
cluster=$here/../../crates/cli/tests/it/slurm/cluster.sh
work=$(mktemp -d)
trap '"$cluster" down "$work/slurm"; rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q hydra-core hydra-submitit-launcher
MIN_JOB_AGE=2 "$cluster" up "$work/slurm" 3 4
export SLURM_CONF="$work/slurm/slurm.conf"
cd "$work"
"$work/venv/bin/pip" list 2>/dev/null | grep -iE '^(hydra|submitit)'
echo "$("$program" --version), $(sbatch --version), no accounting"

# Task 3 kills its whole job, as the kernel or an administrator would: the program and what runs it.
cat >task.py <<'PY'
import os, signal, sys, time
time.sleep(1)
if sys.argv[1] == "3":
    os.kill(os.getppid(), signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)
print("done", sys.argv[1])
PY
cat >app.py <<'PY'
import os, signal, time
import hydra


@hydra.main(version_base=None, config_path=None, config_name=None)
def main(cfg):
    time.sleep(1)
    if cfg.n == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return float(cfg.n)


if __name__ == "__main__":
    main()
PY
cat >bench.toml <<SPEC
name = "bench"
seeds = [0, 1, 2, 3, 4, 5]
command = ["python3", "task.py", "{seed}"]
retries = 0
[engine]
kind = "slurm"
pack = 1
poll = "2s"
grace = "10s"
SPEC
began=$(date +%s)
"$program" run bench.toml --json >fairtrial.json 2>/dev/null || true
echo "fairtrial: ended after $(($(date +%s) - began)) s: $(python3 -c "import json; print(json.load(open('fairtrial.json'))['counts'])")"
began=$(date +%s)
if timeout "$limit" "$work/venv/bin/python" app.py -m hydra/launcher=submitit_slurm +n=0,1,2,3,4,5 hydra.launcher.timeout_min=1 >submitit.txt 2>&1; then
    echo "submitit: ended well after $(($(date +%s) - began)) s"
else
    code=$?
    echo "submitit: $([ $code = 124 ] && echo "still waiting after $limit s, ended by us" || echo "ended with code $code after $(($(date +%s) - began)) s")"
    tail -n 3 submitit.txt
fi
