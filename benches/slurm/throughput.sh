#!/bin/sh
# 300 `true` trials on a Slurm of three nodes: Fairtrial against the same chunks submitted by hand, and against one
# array element per trial, in turns. Prints seconds, ratios and their medians; asserts nothing.
#   benches/slurm/throughput.sh [PATH_OF_FAIRTRIAL] [ROUNDS]      (root; slurm-wlm and munge installed)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=${1:-$here/../../target/release/fairtrial}
rounds=${2:-5}
cluster=$here/../../crates/cli/tests/it/slurm/cluster.sh
work=$(mktemp -d)
trap '"$cluster" down "$work/slurm"; rm -rf "$work"' EXIT
"$cluster" up "$work/slurm" 3 4
export SLURM_CONF="$work/slurm/slurm.conf"
cd "$work"
cat >bench.toml <<SPEC
name = "bench"
seeds = 300
command = "true"
[engine]
kind = "slurm"
pack = 25
SPEC
echo "$("$program" --version), $(sbatch --version)"

now() { date +%s.%N; }
since() { echo "$(now) $1" | awk '{printf "%.3f", $1 - $2}'; }

# Waits until no job is left in the queue, at 20 looks a second.
drained() { while [ -n "$(squeue -h -t PD,R,CG)" ]; do sleep 0.05; done; }

# Slurm looks for work once a second, so a job waits between 0.1 and 1.1 s for its start. Everybody comes at a moment of
# chance; else the one that always comes right after such a look would seem slow.
any_moment() { sleep "0.$(od -An -N2 -tu2 /dev/urandom | awk '{printf "%03d", $1 % 1000}')"; }

# The same chunks, in a copy of the run that has forgotten its records, by a script and `sbatch`.
by_hand() {
    run=$(ls -d "$work"/data/rollouts/bench/*/ | tail -n 1)
    copy=$work/hand/data/rollouts/bench/$(basename "$run")
    rm -rf "$work/hand"
    mkdir -p "$work/hand/data/rollouts/bench" "$work/hand/data/runs"
    cp -r "$run" "$copy"
    rm -f "$copy"/chunks/*/*-*.json "$copy"/chunks/*/beat.json
    printf '#!/bin/sh\nexec %s exec --plan %s/plan.json --chunk "$SLURM_ARRAY_TASK_ID"\n' "$program" "$copy" >hand.sh
    any_moment
    began=$(now)
    sbatch --parsable --array=0-11 -o /dev/null hand.sh >/dev/null
    until [ "$(find "$copy/chunks" -name '*-1.json' | wc -l)" -ge 300 ]; do sleep 0.05; done
    since "$began"
    drained
}

one_element_per_trial() {
    any_moment
    began=$(now)
    sbatch --parsable --array=0-299 -o /dev/null --wrap true >/dev/null
    drained
    since "$began"
}

for round in $(seq "$rounds"); do
    any_moment
    began=$(now)
    "$program" run bench.toml >/dev/null 2>&1
    ours=$(since "$began")
    drained
    hand=$(by_hand)
    elements=$(one_element_per_trial)
    echo "$ours $hand $elements" >>figures
    echo "$ours $hand $elements" | awk -v round="$round" \
        '{printf "round %d: fairtrial %.2f s, by hand %.2f s (ratio %.2f), one element per trial %.2f s (%.1f times ours)\n", round, $1, $2, $1/$2, $3, $3/$1}'
done

median() { sort -n | awk '{v[NR] = $1} END {print (NR % 2) ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }
ours=$(cut -d' ' -f1 figures | median)
hand=$(cut -d' ' -f2 figures | median)
elements=$(cut -d' ' -f3 figures | median)
echo "$ours $hand $elements" | awk '{printf "medians: fairtrial %.2f s, by hand %.2f s (ratio %.2f), one element per trial %.2f s (%.1f times ours)\n", $1, $2, $1/$2, $3, $3/$1}'

# The controller's own CPU while it waits for trials that take a minute.
sed -i 's/^command.*/command = "sleep 40"/; s/^seeds.*/seeds = 12/; s/^pack.*/pack = 1/' bench.toml
"$program" run bench.toml >/dev/null 2>&1 &
controller=$!
sleep 5
ticks() { awk '{print $14 + $15}' "/proc/$controller/stat"; }
before=$(ticks)
sleep 30
echo "$before $(ticks) $(getconf CLK_TCK)" | awk '{printf "controller: %.2f %% of a CPU while waiting\n", ($2 - $1) / $3 / 30 * 100}'
wait "$controller"
