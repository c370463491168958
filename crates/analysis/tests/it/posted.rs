//! The posted comparison: the published tables under the exact rule, and what each kind of evidence says under the
//! noise rule.

use fairtrial_analysis::tables::{
    Evidence, Mark, MarkRule, Noise, PostLine, PostOptions, Side, TrialValue, post,
};
use fairtrial_episode::EpisodeNumber;
use fairtrial_model::{
    Condition, Direction, EpisodeFile, Grouping, Margin, Measure, MeasureKind, MetricDeclaration,
    MetricSource, Test,
};
use fairtrial_text::digits::Digits;
use std::path::PathBuf;

fn metric(name: &str, direction: Direction) -> MetricDeclaration {
    MetricDeclaration {
        direction: Some(direction),
        ..MetricDeclaration::named(name)
    }
}

fn over_episodes(name: &str, direction: Direction, kind: MeasureKind) -> MetricDeclaration {
    MetricDeclaration {
        source: MetricSource::Episodes {
            episodes: Box::new(EpisodeFile {
                name: "eval".to_owned(),
                file: "eval.csv".to_owned(),
                grouping: Grouping::EachRow,
                values: Vec::new(),
                identity: Vec::new(),
            }),
            measure: Measure {
                kind,
                select: None,
                filter: Vec::new(),
                per: None,
                empty: None,
            },
        },
        ..metric(name, direction)
    }
}

fn share(name: &str) -> MetricDeclaration {
    let correct = Condition {
        value: "verdict".to_owned(),
        test: Test::OneOf(vec!["correct".to_owned()]),
    };
    over_episodes(name, Direction::Up, MeasureKind::Share(vec![correct]))
}

fn line(experiment: &str, metric: &MetricDeclaration, values: [Option<f64>; 2]) -> PostLine {
    let side = |value| Side {
        value,
        rounded: true,
        evidence: Evidence::default(),
    };
    PostLine {
        experiment: experiment.to_owned(),
        title: metric.name.clone(),
        metric: metric.clone(),
        digits: Digits::decimals(2),
        share_scale: 100.0,
        baseline: side(values[0]),
        proposed: side(values[1]),
    }
}

fn judge(lines: &[PostLine], rule: MarkRule) -> Vec<(Mark, Option<Noise>)> {
    let options = PostOptions {
        rule,
        ..PostOptions::default()
    };
    let posted = post(lines, &options).unwrap();
    posted
        .lines
        .iter()
        .map(|line| (line.mark, line.noise))
        .collect()
}

#[test]
fn the_published_tables_come_out_with_the_exact_rule() {
    let shared = std::env::var_os("FAIRTRIAL_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let path = shared.join("fixtures/upstream/tbp/pr_comparison_tables.json");
    let Ok(text) = std::fs::read(&path) else {
        eprintln!("skipped: the published comparisons (fixtures/upstream/tbp) are not here");
        return;
    };
    let golden: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let rows = golden["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 44);
    let mut runtimes = Vec::new();
    for row in rows {
        let name = row["metric"].as_str().unwrap();
        let direction = match golden["better_direction"][name].as_str().unwrap() {
            "up" => Direction::Up,
            _ => Direction::Down,
        };
        let values = [row["baseline"].as_f64(), row["proposed"].as_f64()];
        let line = line(
            row["experiment"].as_str().unwrap(),
            &metric(name, direction),
            values,
        );
        let posted = post(
            std::slice::from_ref(&line),
            &PostOptions {
                rule: MarkRule::Exact,
                ..PostOptions::default()
            },
        )
        .unwrap();
        let found = &posted.lines[0];
        let delta = found.delta.map(|delta| format!("{delta:.2}"));
        assert_eq!(
            delta,
            row["delta"].as_f64().map(|delta| format!("{delta:.2}"))
        );
        let expected = match row["result"].as_str().unwrap() {
            "worse" => Mark::Worse,
            "equal" => Mark::Equal,
            "missing" => Mark::Missing,
            // The one mark that its author wrote by hand: a second less, which the exact rule calls better.
            "better" | "ns" => Mark::Better,
            other => panic!("{other}"),
        };
        assert_eq!(found.mark, expected, "{row}");
        if name.contains("runtime") && found.mark != Mark::Equal && found.mark != Mark::Missing {
            let mut runtime = line;
            runtime.digits = Digits::decimals(0);
            runtime.metric.unit = Some("s".to_owned());
            runtime.metric.margin = Some(Margin::Relative(0.25));
            let delta = found.delta.unwrap().abs();
            runtimes.push((runtime, delta));
        }
    }
    // With the noise rule, a runtime that moves by a minute or a second is noise; one that halves is not.
    let lines: Vec<PostLine> = runtimes.iter().map(|(line, _)| line.clone()).collect();
    for ((line, delta), (mark, noise)) in runtimes.iter().zip(judge(&lines, MarkRule::Noise)) {
        assert_eq!(noise, Some(Noise::Margin));
        if *delta <= 4.0 {
            assert_eq!(mark, Mark::Noise, "{line:?}");
        } else {
            assert_ne!(mark, Mark::Noise, "{line:?}");
        }
    }
}

fn episodes(values: impl Iterator<Item = f64>) -> Vec<EpisodeNumber> {
    values
        .enumerate()
        .map(|(place, value)| EpisodeNumber {
            identity: place.to_string(),
            value,
        })
        .collect()
}

/// `passes` of `n` episodes, the first ones.
fn passed(passes: usize, n: usize) -> Side {
    let values = (0..n).map(|place| f64::from(u8::from(place < passes)));
    Side {
        value: Some(100.0 * passes as f64 / n as f64),
        rounded: false,
        evidence: Evidence {
            episodes: episodes(values),
            share_of: Some(n as u64),
            ..Evidence::default()
        },
    }
}

fn with(mut line: PostLine, baseline: Side, proposed: Side) -> PostLine {
    (line.baseline, line.proposed) = (baseline, proposed);
    line
}

#[test]
fn episodes_in_pairs_tell_what_counts_alone_cannot() {
    let percent = share("percent_correct");
    let at = |experiment: &str, passes: [usize; 2]| {
        with(
            line(experiment, &percent, [None, None]),
            passed(passes[0], 100),
            passed(passes[1], 100),
        )
    };
    // Two episodes lost: noise. Eight lost, none won: not noise, although the counts overlap.
    let lines = [at("a", [90, 88]), at("b", [90, 82]), at("c", [90, 90])];
    assert_eq!(
        judge(&lines, MarkRule::Noise),
        [
            (Mark::Noise, Some(Noise::Episodes)),
            (Mark::Worse, Some(Noise::Episodes)),
            (Mark::Equal, None)
        ]
    );
    let counts_only = lines.map(|mut line| {
        line.baseline.evidence.episodes.clear();
        line
    });
    assert_eq!(
        judge(&counts_only, MarkRule::Noise)[1],
        (Mark::Noise, Some(Noise::Counts))
    );
    let far = with(
        line("d", &percent, [None, None]),
        passed(90, 100),
        passed(50, 100),
    );
    assert_eq!(
        judge(&[far], MarkRule::Noise),
        [(Mark::Worse, Some(Noise::Episodes))]
    );
}

fn trials(values: &[f64]) -> Side {
    let trials = values.iter().enumerate().map(|(place, value)| TrialValue {
        seed: place as u64,
        rollout: 0,
        value: *value,
    });
    Side {
        value: Some(values.iter().sum::<f64>() / values.len() as f64),
        rounded: false,
        evidence: Evidence {
            trials: trials.collect(),
            ..Evidence::default()
        },
    }
}

#[test]
fn repeated_runs_say_how_much_a_runtime_moves_by_itself() {
    let time = MetricDeclaration {
        unit: Some("min".to_owned()),
        ..over_episodes(
            "run_time",
            Direction::Down,
            MeasureKind::Mean("time".to_owned()),
        )
    };
    let mut same_code = with(
        line("a", &time, [None, None]),
        trials(&[12.1, 11.7, 12.9, 12.4]),
        trials(&[12.8, 12.5, 12.2, 13.1]),
    );
    // Episodes of one run move together with the machine: they are no evidence for a time.
    same_code.baseline.evidence.episodes = episodes((0..100).map(|_| 10.0));
    same_code.proposed.evidence.episodes = episodes((0..100).map(|_| 11.0));
    let slower = with(
        line("b", &time, [None, None]),
        trials(&[12.1, 11.7, 12.9, 12.4]),
        trials(&[24.8, 24.5, 25.2, 25.1]),
    );
    assert_eq!(
        judge(&[same_code.clone(), slower], MarkRule::Noise),
        [
            (Mark::Noise, Some(Noise::Trials)),
            (Mark::Worse, Some(Noise::Trials))
        ]
    );
    same_code.baseline.evidence.trials.clear();
    assert_eq!(
        judge(&[same_code], MarkRule::Noise),
        [(Mark::Unknown, Some(Noise::Unknown))]
    );
}

/// Experiments of one column may have different evidence: a margin of 5 percentage points is one for each of them.
#[test]
fn a_margin_holds_for_trials_beside_episodes() {
    let percent = MetricDeclaration {
        margin: Some(Margin::Absolute(5.0)),
        ..share("percent_correct")
    };
    let seeds = with(
        line("a", &percent, [None, None]),
        trials(&[89.7, 89.4, 89.8, 89.5]),
        trials(&[87.7, 87.5, 87.9, 87.4]),
    );
    let episodes = with(
        line("b", &percent, [None, None]),
        passed(897, 1000),
        passed(875, 1000),
    );
    let alone = judge(std::slice::from_ref(&seeds), MarkRule::Noise);
    assert_eq!(alone, [(Mark::Noise, Some(Noise::Trials))]);
    for lines in [[seeds.clone(), episodes.clone()], [episodes, seeds]] {
        let marks = judge(&lines, MarkRule::Noise);
        assert!(
            marks.iter().all(|(mark, _)| *mark == Mark::Noise),
            "{marks:?}"
        );
    }
}

/// A column of small numbers is not a column of zeros.
#[test]
fn numbers_with_an_exponent_differ_below_the_decimals() {
    let rate = metric("rate", Direction::Down);
    let marks = |values: [f64; 2]| {
        let mut line = line("a", &rate, values.map(Some));
        line.digits = Digits::scientific(2);
        judge(&[line], MarkRule::Exact)[0].0
    };
    assert_eq!(marks([2e-4, 3e-7]), Mark::Better);
    assert_eq!(marks([1e-3, 0.001_000_1]), Mark::Equal);
}

#[test]
fn margins_counts_and_rounding() {
    let mut time = metric("run_time", Direction::Down);
    time.margin = Some(Margin::Relative(0.1));
    let mut minutes = line("a", &time, [Some(2.0), Some(3.0)]);
    minutes.digits = Digits::decimals(0);
    // Two minutes and three, both rounded: it may be a second's difference.
    let mut far = line("b", &time, [Some(47.0), Some(25.0)]);
    far.digits = Digits::decimals(0);
    let plain = metric("steps", Direction::Down);
    let unknown = line("a", &plain, [Some(90.0), Some(80.0)]);
    let count = over_episodes("num_episodes", Direction::Up, MeasureKind::Count);
    let fewer = line("a", &count, [Some(231.0), Some(230.0)]);
    let undirected = MetricDeclaration::named("other");
    let mut free = line("a", &undirected, [Some(1.0), Some(5.0)]);
    free.metric.margin = Some(Margin::Absolute(0.5));
    assert_eq!(
        judge(&[minutes, far, unknown, fewer, free], MarkRule::Noise),
        [
            (Mark::Noise, Some(Noise::Margin)),
            (Mark::Better, Some(Noise::Margin)),
            (Mark::Unknown, Some(Noise::Unknown)),
            (Mark::Worse, Some(Noise::Exact)),
            (Mark::Changed, Some(Noise::Margin)),
        ]
    );
    // Full precision against the text of a table: 98.2683 was written as 98.27, and is no change.
    let mut written = line("a", &share("p"), [Some(98.27), Some(98.2683)]);
    written.proposed.rounded = false;
    assert_eq!(
        judge(&[written.clone()], MarkRule::Exact),
        [(Mark::Equal, None)]
    );
    written.baseline.rounded = false;
    assert_eq!(judge(&[written], MarkRule::Exact), [(Mark::Worse, None)]);
}
