//! Other tools' results: how long it takes to read many of them.

use super::Bench;
use super::measure::measure;
use super::table::Table;
use std::fs;
use std::io;
use std::path::Path;

/// Benchmarks in the folder of criterion.
const BENCHMARKS: usize = 10_000;
/// Samples of each.
const SAMPLES: usize = 100;

/// Makes them, reads them and prints the table.
pub(super) fn run(bench: &Bench<'_>) -> io::Result<()> {
    let folder = bench.fresh()?;
    let criterion = folder.join("criterion");
    for number in 0..BENCHMARKS {
        benchmark(
            &criterion.join(format!("g{}/f{number}", number % 100)),
            number,
        )?;
    }
    let mut command = bench.fairtrial(&folder);
    command.args(["export", "criterion", "--to", "csv", "--output", "all.csv"]);
    let cost = measure(&mut command)?;
    println!("Other tools' results\n");
    let mut table = Table::new(&["what", "wall s", "CPU s", "peak memory MB"]);
    table.row(vec![
        format!("criterion, {BENCHMARKS} benchmarks of {SAMPLES} samples, to a table"),
        format!("{:.3}", cost.wall),
        format!("{:.2}", cost.cpu),
        format!("{:.1}", cost.peak as f64 / 1e6),
    ]);
    table.print();
    Ok(())
}

/// A benchmark as criterion keeps it.
fn benchmark(folder: &Path, number: usize) -> io::Result<()> {
    let new = folder.join("new");
    fs::create_dir_all(&new)?;
    let about = serde_json::json!({
        "group_id": format!("g{}", number % 100), "function_id": format!("f{number}"),
        "value_str": null, "throughput": null, "full_id": format!("g{}/f{number}", number % 100),
        "directory_name": format!("g{}/f{number}", number % 100), "title": format!("f{number}"),
    });
    let iters: Vec<f64> = (1..=SAMPLES).map(|sample| sample as f64).collect();
    let times: Vec<f64> = iters
        .iter()
        .map(|iters| iters * (100.0 + number as f64 / 7.0))
        .collect();
    let sample = serde_json::json!({"sampling_mode": "Linear", "iters": iters, "times": times});
    fs::write(new.join("benchmark.json"), about.to_string())?;
    fs::write(new.join("sample.json"), sample.to_string())
}
