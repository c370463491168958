//! Training runs: how long it takes to measure many of them again from the files they left.

use super::Bench;
use super::measure::measure;
use super::table::Table;
use std::fs;
use std::io;

/// Trials.
const RUNS: u64 = 60;
/// Rows that each of them logs.
const STEPS: u64 = 100_000;

/// Trains, measures again by another summary, and prints the table.
pub(super) fn run(bench: &Bench<'_>) -> io::Result<()> {
    let folder = bench.fresh()?;
    let trainer = format!(
        "BEGIN {{ file = ENVIRON[\"FAIRTRIAL_DIR\"] \"/progress.csv\"\n\
         print \"rollout/ep_rew_mean,time/total_timesteps\" > file\n\
         for (i = 0; i < {STEPS}; i++) print i % 977 / 7 \",\" i * 64 > file }}\n"
    );
    fs::write(folder.join("train.awk"), trainer)?;
    for (name, summary) in [("first.toml", "last"), ("then.toml", "max")] {
        let spec = format!(
            "name = \"bench\"\nseeds = {RUNS}\ncommand = \"awk -f train.awk\"\n[metrics.\"rollout/ep_rew_mean\"]\n\
             from = \"csv:progress.csv\"\ndirection = \"up\"\nsummary = \"{summary}\"\n"
        );
        fs::write(folder.join(name), spec)?;
    }
    let call = |arguments: &[&str]| {
        let mut command = bench.fairtrial(&folder);
        command.args(arguments);
        command
    };
    let trained = measure(&mut call(&["run", "first.toml"]))?;
    let again = measure(&mut call(&["remeasure", "bench", "--spec", "then.toml"]))?;
    println!("{RUNS} training runs of {STEPS} steps\n");
    let mut table = Table::new(&["command", "wall s", "CPU s", "peak memory MB"]);
    for (name, cost) in [("run", trained), ("remeasure", again)] {
        table.row(vec![
            name.to_owned(),
            format!("{:.3}", cost.wall),
            format!("{:.2}", cost.cpu),
            format!("{:.1}", cost.peak as f64 / 1e6),
        ]);
    }
    table.print();
    Ok(())
}
