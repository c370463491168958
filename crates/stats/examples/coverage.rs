//! True coverage of the intervals that are defaults, by simulation: the tables of `docs/reference/statistics-resampling.md`.
//!
//! `cargo run --release -p fairtrial-stats --example coverage [means|pairs|two-arms|suites]`
#![allow(clippy::print_stdout)]

use fairtrial_stats::binary::{
    DifferenceMethod, PairedCounts, PairedDifferenceMethod, paired_proportion_difference,
    proportion_difference,
};
use fairtrial_stats::bootstrap::{self, Method, Plan, exact};
use fairtrial_stats::one_arm::{Proportion, ProportionMethod, mean_interval, proportion_interval};
use fairtrial_stats::rng::{Purpose, Stream};
use fairtrial_stats::suite::{self, Correction, Metric, Scores, SuitePlan};
use fairtrial_stats::two_arm::{Design, fieller, t_test};
use fairtrial_stats::{Interval, Level};
use rayon::prelude::*;

const PURPOSE: Purpose = Purpose::new("example/coverage");
const TRIALS: u64 = 4000;
const SUITE_TRIALS: u64 = 1000;
const LEVEL: Level = Level::TWO_SIDED_95;

/// A kind of data with a known mean.
struct Kind {
    name: &'static str,
    mean: f64,
    draw: fn(&mut Stream) -> f64,
}

/// A method: an interval from a sample, or none where it refuses.
struct Way {
    name: &'static str,
    interval: fn(&[f64], u64) -> Option<Interval>,
}

const KINDS: [Kind; 3] = [
    Kind {
        name: "normal",
        mean: 0.0,
        draw: |s| s.normal(),
    },
    Kind {
        name: "skewed (lognormal)",
        mean: 1.648_721_270_700_128_2,
        draw: |s| s.normal().exp(),
    },
    Kind {
        name: "binary (p = 0.3)",
        mean: 0.3,
        draw: |s| f64::from(u8::from(s.unit() < 0.3)),
    },
];

const WAYS: [Way; 6] = [
    Way {
        name: "t",
        interval: |x, _| mean_interval(x, LEVEL).ok().map(|r| r.interval),
    },
    Way {
        name: "Wilson",
        interval: |x, _| wilson(x),
    },
    Way {
        name: "exact percentile",
        interval: |x, _| {
            exact::mean(x, Method::Percentile, LEVEL)
                .ok()
                .map(|r| r.interval)
        },
    },
    Way {
        name: "exact BCa",
        interval: |x, _| exact::mean(x, Method::Bca, LEVEL).ok().map(|r| r.interval),
    },
    Way {
        name: "BCa, 2,000 draws",
        interval: |x, seed| drawn(x, Method::Bca, seed),
    },
    Way {
        name: "studentised, 2,000 draws",
        interval: |x, seed| drawn(x, Method::Studentised, seed),
    },
];

fn drawn(x: &[f64], method: Method, seed: u64) -> Option<Interval> {
    let plan = Plan {
        resamples: 2000,
        ..Plan::new(method, seed)
    };
    bootstrap::mean(x, &plan).ok().map(|r| r.interval)
}

/// Only for data that are 0 or 1.
fn wilson(x: &[f64]) -> Option<Interval> {
    if x.iter().any(|v| *v != 0.0 && *v != 1.0) {
        return None;
    }
    let successes = x.iter().filter(|v| **v == 1.0).count() as u64;
    let counts = Proportion {
        successes,
        trials: x.len() as u64,
    };
    proportion_interval(counts, ProportionMethod::Wilson, LEVEL)
        .ok()
        .map(|r| r.interval)
}

/// The share of trials whose interval holds the truth; a refused interval is a miss.
fn coverage(trials: u64, trial: impl Fn(&mut Stream, u64) -> bool + Sync) -> f64 {
    let hit = |&number: &u64| trial(&mut Stream::new(1, PURPOSE, number), number);
    (0..trials).into_par_iter().filter(hit).count() as f64 / trials as f64
}

fn means() {
    println!("| data | n | {} |", WAYS.map(|w| w.name).join(" | "));
    println!("|---|---|{}", "---|".repeat(WAYS.len()));
    for kind in &KINDS {
        for n in [5, 15, 50] {
            let cell = |way: &Way| {
                if way.name == "Wilson" && !kind.name.starts_with("binary") {
                    return String::new();
                }
                let share = coverage(TRIALS, |stream, number| {
                    let sample: Vec<f64> = (0..n).map(|_| (kind.draw)(stream)).collect();
                    (way.interval)(&sample, number).is_some_and(|i| i.contains(kind.mean))
                });
                format!("{share:.3}")
            };
            println!(
                "| {} | {n} | {} |",
                kind.name,
                WAYS.each_ref().map(cell).join(" | ")
            );
        }
    }
}

/// Pairs that share a seed: the differences of correlated arms with a true difference of 0.5.
fn pairs() {
    println!(
        "\n| paired differences | n | paired t | exact percentile | exact BCa |\n|---|---|---|---|---|"
    );
    for kind in &KINDS[..2] {
        for n in [5, 15, 50] {
            let cell = |way: &Way| {
                let share = coverage(TRIALS, |stream, number| {
                    let mut pair = || {
                        let shared = 2.0 * stream.normal();
                        (shared + 0.5 + (kind.draw)(stream)) - (shared + (kind.draw)(stream))
                    };
                    let sample: Vec<f64> = (0..n).map(|_| pair()).collect();
                    (way.interval)(&sample, number).is_some_and(|i| i.contains(0.5))
                });
                format!("{share:.3}")
            };
            let cells = [&WAYS[0], &WAYS[2], &WAYS[3]].map(cell);
            println!("| {} arms | {n} | {} |", kind.name, cells.join(" | "));
        }
    }
}

fn normals(stream: &mut Stream, n: usize, mean: f64, sd: f64) -> Vec<f64> {
    (0..n).map(|_| mean + sd * stream.normal()).collect()
}

fn welch(stream: &mut Stream, n: usize) -> bool {
    let (control, candidate) = (normals(stream, n, 0.0, 1.0), normals(stream, n, 0.5, 3.0));
    t_test(&control, &candidate, Design::Unpaired, LEVEL).is_ok_and(|r| r.interval.contains(0.5))
}

fn log_ratio(stream: &mut Stream, n: usize) -> bool {
    let mut logs = |mean: f64, sd: f64| normals(stream, n, mean.ln(), sd);
    let (control, candidate) = (logs(1.0, 0.2), logs(1.1, 0.4));
    t_test(&control, &candidate, Design::Unpaired, LEVEL)
        .is_ok_and(|r| r.interval.contains(1.1_f64.ln()))
}

/// Twice the control, with a coefficient of variation of 0.3 on both sides.
fn percent(stream: &mut Stream, n: usize) -> bool {
    let (control, candidate) = (normals(stream, n, 1.0, 0.3), normals(stream, n, 2.0, 0.6));
    fieller(&[(&control, &candidate)], Design::Unpaired, LEVEL)
        .is_ok_and(|r| r.interval.contains(2.0))
}

fn newcombe(stream: &mut Stream, n: usize, (low, high): (f64, f64)) -> bool {
    let mut arm = |rate: f64| Proportion {
        successes: (0..n).filter(|_| stream.unit() < rate).count() as u64,
        trials: n as u64,
    };
    let (control, candidate) = (arm(low), arm(high));
    proportion_difference(control, candidate, DifferenceMethod::Newcombe, LEVEL)
        .is_ok_and(|r| r.interval.contains(high - low))
}

/// Half of the pairs share their luck.
fn tango(stream: &mut Stream, n: usize, (low, high): (f64, f64)) -> bool {
    let pair = |_| {
        let (first, alone) = (stream.unit(), stream.unit());
        let second = if stream.unit() < 0.5 { first } else { alone };
        (first < low, second < high)
    };
    let counts = PairedCounts::from_pairs((0..n).map(pair).collect::<Vec<_>>());
    paired_proportion_difference(counts, PairedDifferenceMethod::Tango, LEVEL)
        .is_ok_and(|r| r.interval.contains(high - low))
}

/// Two arms whose difference (or ratio) is known, and the methods of `compare` for them.
fn two_arms() {
    const COMMON: (f64, f64) = (0.3, 0.5);
    const RARE: (f64, f64) = (0.05, 0.1);
    type Hit = fn(&mut Stream, usize) -> bool;
    let columns: [(&str, Hit); 7] = [
        ("Welch t", welch),
        ("log-ratio", log_ratio),
        ("Fieller", percent),
        ("Newcombe, 30 % and 50 %", |s, n| newcombe(s, n, COMMON)),
        ("Newcombe, 5 % and 10 %", |s, n| newcombe(s, n, RARE)),
        ("Tango, 30 % and 50 %", |s, n| tango(s, n, COMMON)),
        ("Tango, 5 % and 10 %", |s, n| tango(s, n, RARE)),
    ];
    let names = columns.map(|(name, _)| name).join(" | ");
    println!(
        "\n| n per arm | {names} |\n|---|{}",
        "---|".repeat(columns.len())
    );
    for n in [5, 15, 50] {
        let cells = columns.map(|(_, hit)| {
            let share = coverage(TRIALS, |stream, _| hit(stream, n));
            format!("{share:.3}")
        });
        println!("| {n} | {} |", cells.join(" | "));
    }
}

const TASKS: usize = 26;

/// Runs of a suite whose tasks have different levels and spreads, as game scores do.
fn scores(stream: &mut Stream, runs: usize) -> Vec<Vec<f64>> {
    let task = |t: usize| -> Vec<f64> {
        let level = (0.15 * t as f64 - 2.5).exp();
        (0..runs)
            .map(|_| level * (0.5 * stream.normal()).exp())
            .collect()
    };
    (0..TASKS).map(task).collect()
}

/// The suite's true values: by a very large number of runs.
fn truth(metric: Metric) -> f64 {
    let many = scores(&mut Stream::new(2, PURPOSE, 0), 40_000);
    let large = Scores::new(&many).and_then(|s| suite::point(&s, metric));
    large.unwrap_or(f64::NAN)
}

fn suites() {
    println!(
        "\n| runs | IQM uncorrected | IQM stretched | mean uncorrected | mean stretched | mean stratified t |"
    );
    println!("|---|---|---|---|---|---|");
    let truths = [Metric::Iqm, Metric::Mean].map(|metric| (metric, truth(metric)));
    for runs in [3, 5, 10, 20] {
        let mut cells = Vec::new();
        for (metric, truth) in truths {
            for correction in [Correction::None, Correction::Stretched] {
                cells.push(coverage(SUITE_TRIALS, |stream, seed| {
                    let tasks = scores(stream, runs);
                    let plan = SuitePlan {
                        correction,
                        resamples: 2000,
                        ..SuitePlan::new(metric, seed)
                    };
                    let got = Scores::new(&tasks).and_then(|s| suite::interval(&s, &plan));
                    got.is_ok_and(|r| r.interval.contains(truth))
                }));
            }
        }
        cells.push(coverage(SUITE_TRIALS, |stream, _| {
            let tasks = scores(stream, runs);
            let got = Scores::new(&tasks).and_then(|s| suite::mean_t(&s, LEVEL));
            got.is_ok_and(|r| r.interval.contains(truths[1].1))
        }));
        let cells: Vec<String> = cells.iter().map(|c| format!("{c:.3}")).collect();
        println!("| {runs} | {} |", cells.join(" | "));
    }
}

fn main() {
    println!(
        "Coverage of nominal 95 % intervals, {TRIALS} trials each (standard error 0.0034), suites {SUITE_TRIALS} (0.007)\n"
    );
    let only = std::env::args().nth(1);
    let tables: [(&str, fn()); 4] = [
        ("means", means),
        ("pairs", pairs),
        ("two-arms", two_arms),
        ("suites", suites),
    ];
    for (name, print) in tables {
        if only.as_deref().is_none_or(|only| only == name) {
            print();
        }
    }
}
