//! False alarms and found changes of the ways to look for changes of level: the table of
//! `docs/decisions/0189-changes-of-level.md`.
//!
//! `cargo run --release -p fairtrial-stats --example history`
#![allow(clippy::print_stdout)]

use fairtrial_stats::Outcome;
use fairtrial_stats::history::{
    ChangePoint, Options, SegmentOptions, change_points, level_changes,
};
use fairtrial_stats::rng::{Purpose, Stream};
use rayon::prelude::*;

const PURPOSE: Purpose = Purpose::new("example/history");
/// Series of each kind.
const SERIES: u64 = 200;
/// How far from the planted place a found change may lie.
const NEAR: usize = 3;

/// One kind of noise.
type Noise = fn(&mut Stream) -> f64;

const NOISES: [(&str, Noise); 3] = [
    ("normal", Stream::normal),
    ("skewed (lognormal)", |stream| (0.7 * stream.normal()).exp()),
    ("outliers (1 in 20, ten times as wide)", |stream| {
        let wide = if stream.unit() < 0.05 { 10.0 } else { 1.0 };
        wide * stream.normal()
    }),
];

/// A planted history: its length, and from where on the level is how many spreads higher.
struct Planted {
    name: &'static str,
    points: usize,
    levels: &'static [(usize, f64)],
}

const PLANTED: [Planted; 8] = [
    Planted {
        name: "nothing, 30 runs",
        points: 30,
        levels: &[],
    },
    Planted {
        name: "nothing, 100 runs",
        points: 100,
        levels: &[],
    },
    Planted {
        name: "nothing, 365 runs",
        points: 365,
        levels: &[],
    },
    Planted {
        name: "30 runs, 3 sd in the middle",
        points: 30,
        levels: &[(15, 3.0)],
    },
    Planted {
        name: "100 runs, 4 sd in the last 5",
        points: 100,
        levels: &[(95, 4.0)],
    },
    Planted {
        name: "100 runs, 1.5 sd at 60",
        points: 100,
        levels: &[(60, 1.5)],
    },
    Planted {
        name: "365 runs, 1 sd at 150",
        points: 365,
        levels: &[(150, 1.0)],
    },
    Planted {
        name: "365 runs, up 2 sd at 100, back at 130, up 1 sd at 250",
        points: 365,
        levels: &[(100, 2.0), (130, 0.0), (250, 1.0)],
    },
];

fn series(planted: &Planted, noise: Noise, number: u64) -> Vec<f64> {
    let mut stream = Stream::new(7, PURPOSE, number);
    let level = |at: usize| {
        let levels = planted.levels.iter().rev();
        levels
            .clone()
            .find(|(from, _)| *from <= at)
            .map_or(0.0, |(_, level)| *level)
    };
    (0..planted.points)
        .map(|at| 100.0 + level(at) + noise(&mut stream))
        .collect()
}

/// Found and false changes of one series.
fn judged(planted: &Planted, found: &[ChangePoint]) -> (usize, usize) {
    let near = |from: usize| {
        found
            .iter()
            .any(|change| change.index.abs_diff(from) <= NEAR)
    };
    let right = planted
        .levels
        .iter()
        .filter(|(from, _)| near(*from))
        .count();
    let is_false = |change: &&ChangePoint| {
        planted
            .levels
            .iter()
            .all(|(from, _)| change.index.abs_diff(*from) > 15)
    };
    (right, found.iter().filter(is_false).count())
}

fn main() {
    println!("| history | noise | found, ours | found, Otava | false, ours | false, Otava |");
    println!("|---|---|---|---|---|---|");
    for planted in &PLANTED {
        for (name, noise) in NOISES {
            let ours = |series: &[f64]| {
                level_changes(series, &SegmentOptions::default()).map(|found| found.points)
            };
            let otavas =
                |series: &[f64]| change_points(series, &Options::otava()).map(|found| found.points);
            let [own, other] = [
                counted(planted, noise, ours),
                counted(planted, noise, otavas),
            ];
            println!(
                "| {} | {name} | {} | {} | {:.3} | {:.3} |",
                planted.name, own.0, other.0, own.1, other.1
            );
        }
    }
}

/// The share of planted changes that is found, and of series with a false one.
fn counted(
    planted: &Planted,
    noise: Noise,
    search: impl Fn(&[f64]) -> Outcome<Vec<ChangePoint>> + Sync,
) -> (String, f64) {
    let one = |number| {
        let found = search(&series(planted, noise, number)).unwrap_or_default();
        let (right, wrong) = judged(planted, &found);
        (right, usize::from(wrong > 0))
    };
    let add = |a: (usize, usize), b: (usize, usize)| (a.0 + b.0, a.1 + b.1);
    let (right, wrong) = (0..SERIES).into_par_iter().map(one).reduce(|| (0, 0), add);
    let all = planted.levels.len() as u64 * SERIES;
    let found = if all == 0 {
        String::new()
    } else {
        format!("{:.2}", right as f64 / all as f64)
    };
    (found, wrong as f64 / SERIES as f64)
}
