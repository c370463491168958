//! How long 1,000 experiments of 10,000 episode rows take, every metric of the TBP preset over each:
//! `cargo run --release -p fairtrial-episode --example timing`.
//!
//! The files are written first; the time is that of reading them and of the metrics. The peer beside it is the plain
//! reading of the same files with the `csv` crate, every cell of every row, on the same number of threads.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measuring program"
)]

use fairtrial_episode::measure_all;
use fairtrial_model::{MetricDeclaration, MetricSource};
use fairtrial_spec::{Format, LoadOptions, load_text};
use rayon::prelude::*;
use std::fs;
use std::path::Path;
use std::time::Instant;

const FILES: usize = 1_000;
const ROWS: usize = 10_000;

fn main() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path());
    let paths: Vec<_> = (0..FILES)
        .map(|place| dir.path().join(format!("{place}/eval_stats.csv")))
        .collect();
    let declared = declared();
    for _ in 0..2 {
        let (start, used) = (Instant::now(), cpu_seconds());
        let found: usize = paths
            .par_iter()
            .map(|path| {
                let measured = measure_all(&declared, |_| Ok(path.clone()));
                measured.iter().filter(|one| one.value.is_ok()).count()
            })
            .sum();
        let (ours, ours_cpu) = (start.elapsed(), cpu_seconds() - used);
        let (start, used) = (Instant::now(), cpu_seconds());
        let cells: usize = paths.par_iter().map(|path| count_cells(path)).sum();
        let (peer, peer_cpu) = (start.elapsed(), cpu_seconds() - used);
        println!(
            "{FILES} files × {ROWS} rows, {} metrics each, {} threads: {ours:.2?}, {ours_cpu:.1} s of CPU ({found} numbers, \
             peak {} MiB); csv crate, reading only: {peer:.2?}, {peer_cpu:.1} s of CPU ({cells} cells)",
            declared.len(),
            rayon::current_num_threads(),
            peak_mib()
        );
    }
}

/// The metrics of the preset that come from eval_stats.csv, episode by episode.
fn declared() -> Vec<MetricDeclaration> {
    let text = "include = [\"preset:tbp\"]\ncommand = \"true\"\n";
    let loaded = load_text("suite.toml", text, Format::Toml, &LoadOptions::default());
    let metrics = loaded.spec.unwrap().metrics;
    let of_eval = |metric: &MetricDeclaration| match &metric.source {
        MetricSource::Episodes { episodes, .. } => episodes.name == "eval",
        _ => false,
    };
    metrics.into_iter().filter(of_eval).collect()
}

/// The synthetic file of the goldens, repeated to the wanted length.
fn write(dir: &Path) {
    let sample = include_str!("../tests/goldens/synthetic_eval_stats.csv");
    let (titles, rows) = sample.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    let mut text = format!("{titles}\n");
    for place in 0..ROWS {
        text.push_str(rows[place % rows.len()]);
        text.push('\n');
    }
    for place in 0..FILES {
        let folder = dir.join(place.to_string());
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("eval_stats.csv"), &text).unwrap();
    }
}

fn count_cells(path: &Path) -> usize {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let mut row = csv::ByteRecord::new();
    let mut cells = 0;
    while reader.read_byte_record(&mut row).unwrap() {
        cells += row.len();
    }
    cells
}

/// User and system time of this process, which a busy machine does not stretch as it stretches the wall's.
fn cpu_seconds() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = text.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2);
    ticks
        .filter_map(|field| field.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}

fn peak_mib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}
