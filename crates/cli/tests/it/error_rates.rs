//! A verdict where there is no difference is a bug: 1,000 comparisons through the command line for each kind of data
//! that has a default method of its own, none of them with a difference; and the power that `power` promised.
//! Seeds are fixed, so the counts are too.

use crate::common::Project;
use fairtrial_stats::rng::{Purpose, Stream};
use std::fmt::Write as _;

const ALPHA: f64 = 0.05;
const COMPARISONS: u32 = 1_000;

/// One comparison's two tables.
type Tables = (String, String);

/// How often `compare` says improved or regressed.
fn verdicts(
    name: &str,
    comparisons: u32,
    arguments: &[&str],
    make: impl Fn(&mut Stream) -> Tables,
) -> u32 {
    let project = Project::new();
    let mut found = 0;
    for number in 0..comparisons {
        let mut stream = Stream::new(20_261_116, Purpose::new(name), number.into());
        let (control, candidate) = make(&mut stream);
        project.write("control.csv", &control);
        project.write("candidate.csv", &candidate);
        let fixed = [
            "compare",
            "control.csv",
            "candidate.csv",
            "--metric",
            "score",
            "--json",
        ];
        let result = project.expect(0, &[&fixed[..], arguments].concat()).json();
        let word = result["contrasts"][0]["metrics"][0]["verdict"]["word"].clone();
        found += u32::from(word == "improved" || word == "regressed");
    }
    found
}

/// Three standard errors above alpha: a correct method fails this less than once in 700 such tests.
fn stays_at_alpha(name: &str, arguments: &[&str], make: impl Fn(&mut Stream) -> Tables) {
    let wrong = verdicts(name, COMPARISONS, arguments, make);
    let n = f64::from(COMPARISONS);
    let most = n * ALPHA + 3.0 * (n * ALPHA * (1.0 - ALPHA)).sqrt();
    assert!(f64::from(wrong) <= most, "{name}: {wrong} of {COMPARISONS}");
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

#[test]
fn pairs_by_seed() {
    stays_at_alpha("pairs", &["--direction", "up"], |stream| {
        paired(stream, 10, 0.0)
    });
}

#[test]
fn groups_of_unlike_size_and_spread() {
    stays_at_alpha(
        "groups",
        &["--direction", "up", "--pairing", "none"],
        |stream| {
            let mut group = |from: u32, n: u32, sd: f64| {
                let values: Vec<(String, f64)> = (from..from + n)
                    .map(|seed| (seed.to_string(), 5.0 + sd * stream.normal()))
                    .collect();
                table("seed", values.into_iter())
            };
            (group(0, 8, 1.0), group(100, 12, 3.0))
        },
    );
}

#[test]
fn pass_or_fail_by_task() {
    stays_at_alpha("pass", &["--direction", "up"], |stream| {
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
    let arguments = ["--direction", "down", "--method", "log-ratio"];
    stays_at_alpha("timings", &arguments, |stream| {
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
fn the_planned_number_of_pairs_has_the_promised_power() {
    // One run spreads by sqrt(4 + 1), pairs correlate at 4/5; the effect is twice the margin of 0.5.
    let project = Project::new();
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
    let plan = project.expect(0, &arguments).json();
    let pairs = plan["paired"]["required"]["n"].as_u64().unwrap() as u32;
    let promised = plan["paired"]["required"]["power"].as_f64().unwrap();
    assert!(promised >= 0.8 && pairs < 40, "{promised} with {pairs}");
    let comparisons = 400;
    let arguments = ["--direction", "up", "--margin", "0.5"];
    let found = verdicts("power", comparisons, &arguments, |stream| {
        paired(stream, pairs, 1.0)
    });
    let share = f64::from(found) / f64::from(comparisons);
    let error = (promised * (1.0 - promised) / f64::from(comparisons)).sqrt();
    assert!(
        (share - promised).abs() <= 3.0 * error,
        "found {share}, promised {promised} with {pairs} pairs"
    );
}
