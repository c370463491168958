//! Long curves: what it takes to report, check and compare runs of many steps.

use super::Bench;
use super::measure::measure;
use super::table::Table;
use std::fs;
use std::io;
use std::path::Path;

/// Seeds of each of two arms.
const SEEDS: u64 = 30;
/// Steps of each trial.
const STEPS: u64 = 100_000;
/// The file that a trial's curves are packed in.
const COLUMNS: &str = "series.columns";

/// Trains, asks for everything that reads curves, and prints the table.
pub(super) fn run(bench: &Bench<'_>) -> io::Result<()> {
    let folder = bench.fresh()?;
    let trainer = format!(
        "BEGIN {{ file = ENVIRON[\"FAIRTRIAL_METRICS\"]; srand(seed + level)\n\
         for (i = 0; i < {STEPS}; i++) {{\n\
         x = level * (1 - exp(-i / {STEPS} * 5))\n\
         printf(\"{{\\\"step\\\": %d, \\\"reward\\\": %.6f, \\\"loss\\\": %.6f, \\\"kl\\\": %.6f}}\\n\", i, x + rand(), 1 / (1 + x), rand()) > file\n\
         }} }}\n"
    );
    fs::write(folder.join("train.awk"), trainer)?;
    let spec = format!(
        "name = \"long\"\nseeds = {SEEDS}\ncommand = \"awk -v level={{level}} -v seed={{seed}} -f train.awk\"\n\
         [arms.control]\nlevel = 10\n[arms.candidate]\nlevel = 11\n\
         [metrics]\nreward = {{ direction = \"up\", summary = {{ type = \"auc\", percent = 0.25 }} }}\n\
         loss = {{ direction = \"down\", summary = {{ type = \"last_n\", n = 1000 }} }}\nkl = {{ direction = \"down\", summary = \"max\" }}\n\
         [analysis]\nmetric = \"reward\"\n"
    );
    fs::write(folder.join("long.toml"), spec)?;
    let mut table = Table::new(&["command", "wall s", "CPU s", "peak memory MB"]);
    let mut take = |name: &str, arguments: &[&str]| {
        let mut command = bench.fairtrial(&folder);
        command.args(arguments);
        let cost = measure(&mut command)?;
        table.row(vec![
            name.to_owned(),
            format!("{:.3}", cost.wall),
            format!("{:.2}", cost.cpu),
            format!("{:.1}", cost.peak as f64 / 1e6),
        ]);
        io::Result::Ok(())
    };
    take("run", &["run", "long.toml"])?;
    take("report", &["report", "long"])?;
    take("verify", &["verify", "long"])?;
    unpack(&folder)?;
    take("report, nothing packed", &["report", "long"])?;
    take("report again", &["report", "long"])?;
    let all = "long:control";
    take(
        "variance",
        &[
            "variance",
            all,
            "--metric",
            "reward",
            "--summary.percent",
            "1",
        ],
    )?;
    let sides = [
        "analyze",
        "--control-run-ids",
        all,
        "--candidate-run-ids",
        "long:candidate",
    ];
    take("analyze", &[&sides[..], &["--metric", "reward"]].concat())?;
    println!("{} trials of {STEPS} steps and 3 metrics\n", 2 * SEEDS);
    table.print();
    Ok(())
}

/// Removes what is packed, as of a run of an earlier version.
fn unpack(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            unpack(&entry.path())?;
        } else if entry.file_name() == COLUMNS {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
