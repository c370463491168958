//! The suite of these tests, the program that stands in for its experiments, and its table.

use crate::common::Project;
use std::path::Path;
use std::process::Command;

/// Stands in for the experiment program: `program NAME DIR EPISODES PASSED` writes a row per episode.
const PROGRAM: &str = r#"#!/bin/sh
case $1 in
pretrain) mkdir -p models; echo weights > models/m; echo again >> pretrained; exit 0 ;;
broken) echo "the simulator crashed" >&2; exit 3 ;;
slow) sleep 60 ;;
esac
test -f models/m || exit 9
mkdir -p "$2/$1"
echo "performance,lm_id,time" > "$2/$1/eval_stats.csv"
i=0
while [ $i -lt $3 ]; do
  word=confused
  [ $i -lt $4 ] && word=correct
  echo "$word,LM_0,1.5" >> "$2/$1/eval_stats.csv"
  echo "time_out,LM_1,2.5" >> "$2/$1/eval_stats.csv"
  i=$((i+1))
done
echo "Benchmark Stats"; echo "rows,ok"; echo "$((2*$3)),1"
"#;

pub const SUITE: &str = r#"
name = "suite"
seed = 42
parallel = 2

[defaults]
command = "sh program.sh {task} {dir} 40 {passed}"
timeout = "30s"
needs = ["pretrain"]

[[tasks]]
id = "pretrain"
command = "sh program.sh pretrain"
outputs = ["models/m"]
inputs = ["program.sh"]
needs = []

[[tasks]]
id = "first"
table = "main"
params = { passed = 30 }

[[tasks]]
id = "broken"
table = "main"
params = { passed = 1 }

[[tasks]]
id = "slow"
table = "main"
timeout = "1s"
kill_grace = "0s"
params = { passed = 1 }

[[tasks]]
id = "renamed"
table = "main"
was = ["former"]
params = { passed = 40 }

[episode_files.eval]
file = "**/eval_stats.csv"
episode = { repeats = "lm_id" }
[episode_files.eval.values]
verdict = { strongest = "performance", order = ["time_out", "confused", "correct"] }
time = { max = "time" }

[metrics.percent_correct]
from = "episodes:eval"
share = { verdict = "correct" }
convert = "share to %"
direction = "up"

[metrics.time]
from = "episodes:eval"
mean = "time"
direction = "down"
unit = "s"
margin = "25%"

[metrics.rows]
from = "block:Benchmark Stats"
direction = "up"

[metrics.episodes]
from = "episodes:eval"
count = true
direction = "up"

[tables.main]
file = "benchmarks/main.csv"
[tables.main.columns]
"Correct (%)" = "percent_correct"
"Time" = { metric = "time", convert = "s to min" }
"Rows" = "rows"
"Num Episodes" = "episodes"
"#;

/// CRLF, no last newline, a duration column, options, a stale row.
pub const TABLE: &str = "Experiment, Correct (%)|align right,Time|hover mean,Rows,Num Episodes|hidden,Note\r\n\
former,50.00,1h2m,80,40,\"a, b\"\r\n\
gone,1.00,3m,80,40,x\r\n\
broken,12.50,7m,80,40,y\r\n\
slow,12.50,7m,80,40,z";

/// A project with the suite, its program and its table.
pub fn project() -> Project {
    let project = Project::new();
    project.write("suite.toml", SUITE);
    project.write("program.sh", PROGRAM);
    project.write("benchmarks/main.csv", TABLE);
    project
}

/// Git in a folder, with an author; whether it succeeded.
pub fn git(folder: &Path, args: &[&str]) -> bool {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=t", "-c", "user.email=t@t"]);
    command
        .args(args)
        .output()
        .is_ok_and(|output| output.status.success())
}
