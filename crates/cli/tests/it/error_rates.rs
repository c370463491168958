//! The command line compares as the library does: for each kind of data that has a default method of its own, the same
//! tables give the same numbers and the same verdict. How often a verdict is wrong where there is no difference, and how
//! often one is found where there is, is counted in the library, over thousands of comparisons
//! (`crates/analysis/tests/it/error_rates.rs`).

use crate::common::Project;
use fairtrial_analysis::compare::{Inputs, Method, Pairing};
use fairtrial_analysis::{CompareOptions, Dataset, compare};
use fairtrial_model::{Direction, Margin};
use fairtrial_stats::Level;
use fairtrial_stats::planning::{TDesign, sample_size};
use fairtrial_stats::rng::{Purpose, Stream};
use std::fmt::Write as _;

/// Comparisons of each kind.
const COMPARISONS: u32 = 5;

/// One comparison's two tables.
type Tables = (String, String);

/// A command line, and what it asks of the library.
struct Asked<'a> {
    arguments: &'a [&'a str],
    options: CompareOptions,
}

fn as_the_library(name: &str, asked: &Asked<'_>, make: impl Fn(&mut Stream) -> Tables) {
    let project = Project::new();
    for number in 0..COMPARISONS {
        let mut stream = Stream::new(20_261_116, Purpose::new(name), number.into());
        let (control, candidate) = make(&mut stream);
        project.write("control.csv", &control);
        project.write("candidate.csv", &candidate);
        let fixed = ["compare", "control.csv", "candidate.csv", "--json"];
        let metric = ["--metric", "score"];
        let arguments = [&fixed[..], &metric, asked.arguments].concat();
        let printed = project.expect(0, &arguments).json();
        let table = |name: &str, text: &str| Dataset::from_csv(name, text).unwrap();
        let (control, candidate) = (
            table("control.csv", &control),
            table("candidate.csv", &candidate),
        );
        let options = CompareOptions {
            metrics: vec!["score".to_owned()],
            ..asked.options.clone()
        };
        let found = compare(Inputs::Two(&control, &candidate), &options).unwrap();
        let expected = serde_json::to_string(&found.contrasts).unwrap();
        let expected: serde_json::Value = serde_json::from_str(&expected).unwrap();
        assert_eq!(printed["contrasts"], expected, "{name} {number}");
    }
}

/// A table with one row per value; `key` names the rows.
fn table(key: &str, values: impl Iterator<Item = (String, f64)>) -> String {
    let mut text = format!("{key},score\n");
    for (name, value) in values {
        let _ = writeln!(text, "{name},{value:.9}");
    }
    text
}

fn paired(stream: &mut Stream, pairs: u32, effect: f64) -> Tables {
    let both: Vec<(String, f64, f64)> = (0..pairs)
        .map(|seed| {
            let shared = 2.0 * stream.normal();
            let (a, b) = (stream.normal(), stream.normal());
            (
                seed.to_string(),
                10.0 + shared + a,
                10.0 + shared + b + effect,
            )
        })
        .collect();
    let control = both.iter().map(|(seed, a, _)| (seed.clone(), *a));
    let candidate = both.iter().map(|(seed, _, b)| (seed.clone(), *b));
    (table("seed", control), table("seed", candidate))
}

fn up() -> CompareOptions {
    CompareOptions {
        direction: Some(Direction::Up),
        ..CompareOptions::default()
    }
}

#[test]
fn pairs_by_seed() {
    let asked = Asked {
        arguments: &["--direction", "up"],
        options: up(),
    };
    as_the_library("pairs", &asked, |stream| paired(stream, 10, 0.0));
}

#[test]
fn pairs_with_an_effect_and_a_margin() {
    let asked = Asked {
        arguments: &["--direction", "up", "--margin", "0.5"],
        options: CompareOptions {
            margin: Some(Margin::Absolute(0.5)),
            ..up()
        },
    };
    as_the_library("power", &asked, |stream| paired(stream, 12, 1.0));
}

#[test]
fn groups_of_unlike_size_and_spread() {
    let asked = Asked {
        arguments: &["--direction", "up", "--pairing", "none"],
        options: CompareOptions {
            pairing: Pairing::Unpaired,
            ..up()
        },
    };
    as_the_library("groups", &asked, |stream| {
        let mut group = |from: u32, n: u32, sd: f64| {
            let values: Vec<(String, f64)> = (from..from + n)
                .map(|seed| (seed.to_string(), 5.0 + sd * stream.normal()))
                .collect();
            table("seed", values.into_iter())
        };
        (group(0, 8, 1.0), group(100, 12, 3.0))
    });
}

#[test]
fn pass_or_fail_by_task() {
    let asked = Asked {
        arguments: &["--direction", "up"],
        options: up(),
    };
    as_the_library("pass", &asked, |stream| {
        let tasks: Vec<(String, f64, f64)> = (0..40)
            .map(|task| {
                let chance = stream.unit();
                let mut pass = || f64::from(u8::from(stream.unit() < chance));
                (format!("task{task}"), pass(), pass())
            })
            .collect();
        let control = tasks.iter().map(|(task, a, _)| (task.clone(), *a));
        let candidate = tasks.iter().map(|(task, _, b)| (task.clone(), *b));
        (table("task", control), table("task", candidate))
    });
}

#[test]
fn skewed_timings_by_ratio() {
    let asked = Asked {
        arguments: &["--direction", "down", "--method", "log-ratio"],
        options: CompareOptions {
            direction: Some(Direction::Down),
            method: Some(Method::LogRatio),
            ..CompareOptions::default()
        },
    };
    as_the_library("timings", &asked, |stream| {
        let mut side = || {
            let values: Vec<(String, f64)> = (0..12)
                .map(|seed| (seed.to_string(), (0.4 * stream.normal()).exp()))
                .collect();
            table("seed", values.into_iter())
        };
        (side(), side())
    });
}

#[test]
fn planned_pairs_are_those_of_the_library() {
    // One run spreads by sqrt(4 + 1), pairs correlate at 4/5, so differences spread by sqrt(2); the effect is 1.
    let sd = 5_f64.sqrt().to_string();
    let arguments = [
        "power",
        "--sd",
        &sd,
        "--correlation",
        "0.8",
        "--effect",
        "1.0",
        "--json",
    ];
    let plan = Project::new().expect(0, &arguments).json();
    let of_library = sample_size(
        TDesign::Paired,
        1.0 / 2_f64.sqrt(),
        0.8,
        Level::two_sided(0.05),
    )
    .unwrap();
    let required = &plan["paired"]["required"];
    assert_eq!(required["n"].as_u64(), Some(of_library.n));
    let promised = required["power"].as_f64().unwrap();
    assert!((promised - of_library.power).abs() < 1e-9, "{promised}");
}
