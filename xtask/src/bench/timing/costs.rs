//! What a run costs `fairtrial bench` beside hyperfine and a loop in C, and how soon it has an answer.

use crate::bench::Bench;
use crate::bench::measure::{json, measure, median};
use crate::bench::table::Table;
use std::io;
use std::path::Path;

/// Runs of `true`, and of `sleep 0.01`.
const SHORT_RUNS: u64 = 3000;
const SLEEPS: u64 = 200;

/// Runs per second, what `sleep 0.01` is measured to take, and how soon there is an answer.
pub(super) fn costs(bench: &Bench<'_>, work: &Path, hyperfine: Option<&Path>) -> io::Result<()> {
    let (mut ours, mut theirs, mut answers) = (Vec::new(), Vec::new(), Vec::new());
    let (mut floors, mut asleep) = (Vec::<f64>::new(), Vec::new());
    let (runs, sleeps) = (SHORT_RUNS.to_string(), SLEEPS.to_string());
    for _ in 0..bench.args.rounds {
        let mut command = bench.fairtrial(bench.folder.path());
        let args = [
            "bench",
            "-N",
            "--no-save",
            "--warmup=0",
            "--runs",
            &runs,
            "true",
        ];
        ours.push(SHORT_RUNS as f64 / measure(command.args(args))?.wall);
        if let Some(hyperfine) = hyperfine {
            let mut command = Bench::command(hyperfine, bench.folder.path());
            let args = [
                "--shell=none",
                "--style=none",
                "--warmup=0",
                "--runs",
                &runs,
                "true",
            ];
            theirs.push(SHORT_RUNS as f64 / measure(command.args(args))?.wall);
        }
        let mut command = bench.fairtrial(bench.folder.path());
        let args = ["bench", "--no-save", "sleep 0.1", "sleep 0.11"];
        answers.push(measure(command.args(args))?.wall);
        let mut floor = Bench::command(work, bench.folder.path());
        let floor = floor.args(["floor", &sleeps, "sleep", "0.01"]).output()?;
        floors.push(
            String::from_utf8_lossy(&floor.stdout)
                .trim()
                .parse()
                .unwrap_or(f64::NAN),
        );
        let mut command = bench.fairtrial(bench.folder.path());
        let args = [
            "bench",
            "-N",
            "--no-save",
            "--json",
            "--runs",
            &sleeps,
            "sleep 0.01",
        ];
        let found = json(command.args(args))?;
        asleep.push(found["commands"][0]["median"].as_f64().unwrap_or(f64::NAN));
    }
    let over: Vec<f64> = asleep
        .iter()
        .zip(&floors)
        .map(|(our, floor)| our - floor)
        .collect();
    let ratios: Vec<f64> = ours
        .iter()
        .zip(&theirs)
        .map(|(our, their)| our / their)
        .collect();
    let mut table = Table::new(&["what", "fairtrial", "beside it", "bar"]);
    let mut row = |cells: [String; 4]| table.row(cells.into());
    let (beside, ratio) = if hyperfine.is_some() {
        (
            format!("hyperfine {:.0}", median(&theirs)),
            format!("{:.2} of hyperfine's, 0.9 wanted", median(&ratios)),
        )
    } else {
        ("-".to_owned(), "-".to_owned())
    };
    row([
        "`true`, runs per second".to_owned(),
        format!("{:.0}", median(&ours)),
        beside,
        ratio,
    ]);
    row([
        "`sleep 0.01`, ms".to_owned(),
        format!("{:.3}", 1e3 * median(&asleep)),
        format!("floor in C {:.3}", 1e3 * median(&floors)),
        format!("{:+.3} ms, ±0.1 wanted", 1e3 * median(&over)),
    ]);
    row([
        "`sleep 0.1` against `sleep 0.11`, s".to_owned(),
        format!("{:.2}", median(&answers)),
        "-".to_owned(),
        "under 3 wanted".to_owned(),
    ]);
    table.print();
    Ok(())
}
