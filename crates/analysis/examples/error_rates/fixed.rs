//! Comparisons that look once.

use crate::lab::{
    HEAVY, NORMAL, OUTLIERS, SKEWED, Shape, groups, is_verdict, judged, pairs, record, share,
};
use fairtrial_analysis::Dataset;
use fairtrial_analysis::compare::{
    CompareOptions, Inputs, Method, MetricComparison, Word, compare,
};
use fairtrial_model::{Margin, Record};
use fairtrial_stats::Level;
use fairtrial_stats::planning::{TDesign, smallest_effect};
use fairtrial_stats::rng::Stream;

/// How a row's data are made.
type Make = Box<dyn Fn(&mut Stream) -> Vec<Record> + Sync>;

fn by(method: Option<Method>) -> CompareOptions {
    CompareOptions {
        method,
        ..CompareOptions::default()
    }
}

fn rate(
    name: &str,
    comparisons: u64,
    unit: Option<&str>,
    options: &CompareOptions,
    make: &Make,
) -> f64 {
    share(name, comparisons, |stream| {
        judged(&make(stream), unit, options).iter().any(is_verdict)
    })
}

pub(crate) fn null_rates(comparisons: u64) {
    println!("## False verdicts where there is no difference\n");
    println!("| data | default | `--method t` | `--method bca` |\n|---|---|---|---|");
    let mut rows: Vec<(String, Option<&str>, Make)> = Vec::new();
    for shape in [NORMAL, HEAVY, OUTLIERS, SKEWED] {
        for n in [5, 8, 10, 15, 30] {
            let name = format!("{n} pairs, {}", shape.name);
            rows.push((
                name,
                None,
                Box::new(move |stream| pairs(stream, n, shape, 0.0)),
            ));
        }
    }
    let unpaired: [([usize; 2], Shape, f64); 4] = [
        ([8, 8], NORMAL, 1.0),
        ([8, 15], NORMAL, 3.0),
        ([20, 20], SKEWED, 1.0),
        ([50, 5], SKEWED, 1.0),
    ];
    for (sizes, shape, spread) in unpaired {
        let name = format!(
            "{} against {}, {}, spreads 1 : {spread}",
            sizes[0], sizes[1], shape.name
        );
        rows.push((
            name,
            None,
            Box::new(move |stream| groups(stream, sizes, shape, spread)),
        ));
    }
    rows.push((
        "20 pairs, pass or fail".to_owned(),
        None,
        Box::new(pass_or_fail),
    ));
    rows.push((
        "10 pairs of timings".to_owned(),
        Some("s"),
        Box::new(timings),
    ));
    rows.push(("6 seeds in 3 fixed tasks".to_owned(), None, Box::new(tasks)));
    rows.push((
        "10 pairs, 3 candidates: any of them".to_owned(),
        None,
        Box::new(candidates),
    ));
    for (name, unit, make) in rows {
        let cell = |method: Option<Method>| rate(&name, comparisons, unit, &by(method), &make);
        println!(
            "| {name} | {:.3} | {:.3} | {:.3} |",
            cell(None),
            cell(Some(Method::T)),
            cell(Some(Method::Bca))
        );
    }
    println!(
        "\nPairs go by t below ten and by sign-flips from ten on; groups by Welch's t with the permutation test beside it. A \
         bootstrap of fewer than 30 units is never a verdict, and from there on only where the test without a shape agrees.\n"
    );
}

fn pass_or_fail(stream: &mut Stream) -> Vec<Record> {
    let mut records = Vec::new();
    for seed in 0..20 {
        let chance = stream.unit();
        for arm in ["control", "candidate"] {
            let pass = f64::from(u8::from(stream.unit() < chance));
            records.push(record(records.len(), "train", arm, seed, pass));
        }
    }
    records
}

fn timings(stream: &mut Stream) -> Vec<Record> {
    let mut records = Vec::new();
    for seed in 0..10 {
        let block = 0.05 * stream.normal();
        for arm in ["control", "candidate"] {
            let seconds = (block + 0.05 * stream.normal()).exp();
            records.push(record(records.len(), "train", arm, seed, seconds));
        }
    }
    records
}

fn tasks(stream: &mut Stream) -> Vec<Record> {
    let mut records = Vec::new();
    for (task, spread) in [("a", 1.0), ("b", 4.0), ("c", 0.5)] {
        for seed in 0..6 {
            for arm in ["control", "candidate"] {
                let value = 50.0 + spread * stream.normal();
                records.push(record(records.len(), task, arm, seed, value));
            }
        }
    }
    records
}

fn candidates(stream: &mut Stream) -> Vec<Record> {
    let mut records = Vec::new();
    for seed in 0..10 {
        for arm in ["control", "a", "b", "c"] {
            let value = 50.0 + stream.normal();
            records.push(record(records.len(), "train", arm, seed, value));
        }
    }
    records
}

/// A result file of one process of the same code as all others: what processes differ by is in none of the iterations.
fn process(id: &str, stream: &mut Stream) -> (String, String) {
    let process = 1.0 + 0.05 * stream.normal();
    let mut iterations = Vec::new();
    for index in 0..30 {
        let seconds = process * (0.02 * stream.normal()).exp();
        iterations.push(format!(
            "{{\"index\": {index}, \"duration_s\": {seconds}, \"metrics\": {{}}}}"
        ));
    }
    let text = format!(
        "{{\"run_id\": \"{id}\", \"name\": \"bench\", \"iterations\": {{\"measured\": 30}}, \"iteration_metrics\": [{}]}}",
        iterations.join(", ")
    );
    (id.to_owned(), text)
}

/// The timings of two sides of so many processes each, compared.
fn of_processes(stream: &mut Stream, processes: usize) -> Option<MetricComparison> {
    let mut side = |id: &str| {
        let files: Vec<_> = (0..processes).map(|_| process(id, stream)).collect();
        Dataset::from_result_files(id, &files)
    };
    let (before, after) = (side("before").ok()?, side("after").ok()?);
    let found = compare(Inputs::Two(&before, &after), &CompareOptions::default()).ok()?;
    found.primary().next().cloned()
}

/// Result files of the same code.
pub(crate) fn processes(comparisons: u64) {
    const COMPARISONS: u64 = 200;
    let wrong = share("one process", COMPARISONS, |stream| {
        of_processes(stream, 1).is_none_or(|found| is_verdict(&found))
    });
    println!(
        "Two result files of one process each, the same code, 30 iterations: {:.0} of {COMPARISONS} end in a verdict.\n",
        wrong * COMPARISONS as f64
    );
    let wrong = share("eight processes", comparisons, |stream| {
        of_processes(stream, 8).is_none_or(|found| is_verdict(&found))
    });
    println!("Two folders of eight such files each: {wrong:.3} end in a verdict.\n");
    let unsteady = share("steady", comparisons, |stream| {
        let found = of_processes(stream, 1);
        found.is_some_and(|found| {
            let mut objections = found.verdict.objections.iter();
            let names = ["warm-up", "drift", "autocorrelated"];
            objections.any(|objection| names.contains(&objection.kind.name()))
        })
    });
    println!(
        "Steady timings of which a `warm-up`, a `drift` or `autocorrelated` is said, on either side: {unsteady:.3}.\n"
    );
}

pub(crate) fn power(comparisons: u64) {
    println!("## Power on normal differences\n");
    println!("At the difference that t finds in 80 %.\n");
    println!("| pairs | default | `--method t` | `--method sign-flip` |\n|---|---|---|---|");
    for n in [6, 8, 10, 12, 15, 20, 30] {
        let Ok(effect) = smallest_effect(TDesign::Paired, n, 0.8, Level::TWO_SIDED_95) else {
            continue;
        };
        let make: Make = Box::new(move |stream| pairs(stream, n, NORMAL, effect.effect));
        let name = format!("power {n}");
        let cell = |method: Option<Method>| rate(&name, comparisons, None, &by(method), &make);
        println!(
            "| {n} | {:.3} | {:.3} | {:.3} |",
            cell(None),
            cell(Some(Method::T)),
            cell(Some(Method::SignFlip))
        );
    }
    println!();
}

pub(crate) fn coverage(comparisons: u64) {
    println!("## Coverage of the intervals\n");
    println!(
        "True difference 0.5; the interval of the difference, and at a margin of 0.5 how often `equivalent` is said.\n"
    );
    println!("| data | default | `--method t` | `equivalent` at the margin |\n|---|---|---|---|");
    for shape in [NORMAL, HEAVY, OUTLIERS, SKEWED] {
        for n in [10, 15, 30] {
            let name = format!("{n} pairs, {}", shape.name);
            let covers = |method: Option<Method>| {
                share(&name, comparisons, |stream| {
                    let found = judged(&pairs(stream, n, shape, 0.5), None, &by(method));
                    let effect = found.first().and_then(|metric| metric.effect.as_ref());
                    effect.is_some_and(|effect| {
                        (effect.absolute.low..=effect.absolute.high).contains(&0.5)
                    })
                })
            };
            let with_margin = CompareOptions {
                margin: Some(Margin::Absolute(0.5)),
                ..CompareOptions::default()
            };
            let equivalent = share(&name, comparisons, |stream| {
                let found = judged(&pairs(stream, n, shape, 0.5), None, &with_margin);
                found
                    .iter()
                    .any(|metric| metric.verdict.word == Word::Equivalent)
            });
            println!(
                "| {name} | {:.3} | {:.3} | {equivalent:.3} |",
                covers(None),
                covers(Some(Method::T))
            );
        }
    }
    println!();
}

pub(crate) fn rankings(comparisons: u64) {
    println!("## Rankings\n");
    let cases = comparisons / 2;
    let told_apart = share("ranking", cases, |stream| {
        let mut data = Dataset::new("simulated", fairtrial_analysis::dataset::Origin::Records);
        data.declared = vec![crate::lab::declared()];
        let mut index = 0;
        for seed in 0..12 {
            for arm in ["control", "a", "b", "c", "d"] {
                let one = record(index, "train", arm, seed, 50.0 + stream.normal());
                data.push(&fairtrial_analysis::Observation::from(&one));
                index += 1;
            }
        }
        let Ok(found) = compare(Inputs::Arms(&data), &CompareOptions::default()) else {
            return true;
        };
        let mut arms = found.rankings.iter().flat_map(|ranking| &ranking.arms);
        arms.any(|arm| {
            arm.standing
                .against_best
                .as_ref()
                .is_some_and(|best| best.separable)
        })
    });
    println!(
        "Five arms that are the same, 12 pairs: some arm is distinguished from the best in {told_apart:.3} ({cases} rankings). \
         A chance to be best is not given: what was stated as .97 was true in .78.\n"
    );
}
