//! What a person sees of a comparison.

use fairtrial_analysis::compare::{CompareOptions, Comparison, Inputs, compare};
use fairtrial_analysis::dataset::{Fact, FactKind, Origin};
use fairtrial_analysis::watch::{ChangedFile, WatchReport};
use fairtrial_analysis::{Dataset, Observation};
use fairtrial_model::{
    Direction, Margin, MetricDeclaration, Number, Outcome, Params, RECORD_SCHEMA, Record,
    Resources, TrialId, TrialKey, UtcTime,
};
use fairtrial_report::{ComparisonAnswer, Terminal, console, csv, markdown};

struct Value {
    task: &'static str,
    arm: &'static str,
    seed: u64,
    metrics: Vec<(&'static str, f64)>,
    outcome: Outcome,
}

fn record(index: u64, value: &Value) -> Record {
    let metrics = value
        .metrics
        .iter()
        .map(|(name, number)| ((*name).to_owned(), Number(*number)));
    Record {
        schema: RECORD_SCHEMA,
        trial: TrialKey {
            index,
            task: value.task.into(),
            arm: Some(value.arm.into()),
            point: Params::new(),
            seed: value.seed,
            rollout: 0,
        },
        id: TrialId(format!("{index:032x}")),
        attempt: 1,
        outcome: value.outcome,
        cause: None,
        exit: None,
        started_at: None,
        ended_at: UtcTime::from_micros(1_756_038_896_000_000),
        dir: String::new(),
        packed: None,
        host: None,
        resources: Resources::default(),
        metrics: metrics.collect(),
        series: std::collections::BTreeMap::new(),
        checkpoint: None,
        notes: vec![],
        samples: std::collections::BTreeMap::new(),
        facts: std::collections::BTreeMap::new(),
        reused_from: None,
        code: None,
    }
}

fn declared(
    name: &str,
    direction: Direction,
    unit: Option<&str>,
    margin: Option<Margin>,
) -> MetricDeclaration {
    MetricDeclaration {
        direction: Some(direction),
        unit: unit.map(str::to_owned),
        margin,
        required: true,
        ..MetricDeclaration::named(name)
    }
}

fn dataset(values: &[Value]) -> Dataset {
    let mut data = Dataset::new("bench 20250824__12-34-56", Origin::Records);
    data.declared = vec![
        declared("reward", Direction::Up, None, Some(Margin::Relative(0.02))),
        declared("wall", Direction::Down, Some("s"), None),
    ];
    data.arm_order = vec!["control".into(), "candidate".into()];
    for (index, value) in (0..).zip(values) {
        data.push(&Observation::from(&record(index, value)));
    }
    data
}

/// Numbers that look like measurements and are the same every time.
fn noise(seed: u64, salt: u64) -> f64 {
    let mixed = (seed + 1)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .wrapping_mul(2 * salt + 3);
    ((mixed >> 40) % 1000) as f64 / 1000.0 - 0.5
}

fn values(tasks: &[&'static str], arms: &[(&'static str, f64)]) -> Vec<Value> {
    let mut all = Vec::new();
    for (place, task) in tasks.iter().enumerate() {
        for seed in 0..10 {
            for (salt, (arm, lift)) in arms.iter().enumerate() {
                let shared = noise(seed, 100 + place as u64);
                let reward = 0.5 + 0.05 * shared + 0.01 * noise(seed, salt as u64) + lift;
                let wall = 12.0 * (1.0 + 0.004 * noise(seed, 7 + salt as u64));
                let failed = *arm == "candidate" && seed == 3 && place == 0;
                all.push(Value {
                    task,
                    arm,
                    seed: 1000 + seed,
                    metrics: if failed {
                        vec![]
                    } else {
                        vec![("reward", reward), ("wall", wall)]
                    },
                    outcome: if failed { Outcome::Infra } else { Outcome::Ok },
                });
            }
        }
    }
    all
}

fn arms(tasks: &[&'static str], arms: &[(&'static str, f64)]) -> Comparison {
    let data = dataset(&values(tasks, arms));
    compare(Inputs::Arms(&data), &CompareOptions::default()).unwrap()
}

const TWO: [(&str, f64); 2] = [("control", 0.0), ("candidate", 0.03)];

#[test]
fn two_arms_on_a_wide_terminal() {
    insta::assert_snapshot!(console::comparison(
        &arms(&["train"], &TWO),
        None,
        Terminal::plain(120)
    ));
}

#[test]
fn two_arms_on_a_narrow_terminal() {
    let text = console::comparison(&arms(&["train"], &TWO), None, Terminal::plain(72));
    let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(longest <= 72, "{longest}\n{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn each_verdict_of_an_answer_has_one_line_on_a_narrow_terminal() {
    let four = [
        ("control", 0.0),
        ("candidate-with-a-name", 0.03),
        ("big", 0.031),
        ("small", -0.02),
    ];
    let comparison = arms(&["train"], &four);
    let answer = ComparisonAnswer {
        comparison: &comparison,
        watched: None,
        next: None,
    };
    for (width, units) in [(140, true), (90, true), (72, false)] {
        let text = console::comparison_answer(&answer, Terminal::plain(width));
        let rows: Vec<&str> = text
            .lines()
            .filter(|line| line.contains("  reward  "))
            .collect();
        assert_eq!(rows.len(), 3, "{text}");
        for row in rows {
            assert_eq!(row.contains("by seed"), units, "{text}");
            assert_eq!(row.contains(" % ["), width == 140, "{text}");
        }
    }
}

#[test]
fn declared_decimals_are_those_of_values_and_hide_no_difference() {
    let mut data = dataset(&values(&["train"], &TWO));
    data.declared[0].precision = Some(1);
    let comparison = compare(Inputs::Arms(&data), &CompareOptions::default()).unwrap();
    let text = console::comparison(&comparison, None, Terminal::plain(120));
    assert!(text.contains("reward: improved, +0.0"), "{text}");
    assert!(
        !text.contains("[0.0, 0.0]") && !text.contains("[+0.0, +0.0]"),
        "{text}"
    );
    let row = text
        .lines()
        .find(|line| line.starts_with("reward "))
        .unwrap();
    assert!(row.contains(" 0.5  "), "values keep their decimals: {row}");
}

#[test]
fn intervals_are_called_by_the_level_that_they_have() {
    let four = [
        ("control", 0.0),
        ("candidate", 0.03),
        ("big", 0.031),
        ("small", -0.02),
    ];
    // Three tests with a margin share 5 %: each interval is at 98.3 %.
    let text = console::comparison(&arms(&["train"], &four), None, Terminal::plain(150));
    let heads: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("metric "))
        .collect();
    assert_eq!(heads.len(), 3, "{text}");
    for head in heads {
        assert!(head.contains("98.3 % interval"), "{head}");
    }
    // One that decides alone beside one of a family: each says its own.
    let mut comparison = arms(&["train"], &TWO);
    let beside = comparison.contrasts[0].metrics[1].effect.as_mut();
    beside.unwrap().alpha = 0.025;
    let text = console::comparison(&comparison, None, Terminal::plain(150));
    assert!(text.contains("adjusted interval"), "{text}");
    for (metric, level) in [("reward ", " 95 % "), ("wall ", " 97.5 % ")] {
        let row = text.lines().find(|line| line.starts_with(metric)).unwrap();
        assert!(row.contains(level), "{row}");
    }
}

#[test]
fn an_open_question() {
    let close = [("control", 0.0), ("candidate", 0.001)];
    let data = dataset(&values(&["train"], &close));
    let options = CompareOptions {
        margin: Some(Margin::Absolute(0.0001)),
        ..CompareOptions::default()
    };
    let comparison = compare(Inputs::Arms(&data), &options).unwrap();
    insta::assert_snapshot!(console::comparison(&comparison, None, Terminal::plain(100)));
}

#[test]
fn four_arms_and_two_tasks() {
    let four = [
        ("control", 0.0),
        ("candidate", 0.03),
        ("big", 0.031),
        ("small", -0.02),
    ];
    let comparison = arms(&["train", "maze"], &four);
    insta::assert_snapshot!(console::comparison(&comparison, None, Terminal::plain(110)));
}

#[test]
fn two_runs_that_differ_as_markdown() {
    let all = values(&["train"], &TWO);
    let side = |arm: &str, facts: [(&str, FactKind, &str); 3]| {
        let mut data = Dataset::new(format!("bench of {arm}"), Origin::Records);
        data.declared = dataset(&[]).declared;
        for (index, value) in (0..).zip(all.iter().filter(|value| value.arm == arm)) {
            let mut record = record(index, value);
            record.trial.arm = None;
            data.push(&Observation::from(&record));
        }
        data.facts = facts
            .iter()
            .map(|(name, kind, value)| Fact {
                kind: *kind,
                name: (*name).to_owned(),
                value: (*value).to_owned(),
            })
            .collect();
        data
    };
    let control = side(
        "control",
        [
            ("host", FactKind::Machine, "box"),
            ("commit", FactKind::Source, "aaaa"),
            ("task train: lr", FactKind::Parameters, "0.001"),
        ],
    );
    let candidate = side(
        "candidate",
        [
            ("host", FactKind::Machine, "other"),
            ("uncommitted changes", FactKind::DirtyTree, "0123456789ab"),
            ("task train: lr", FactKind::Parameters, "0.002"),
        ],
    );
    let comparison = compare(
        Inputs::Two(&control, &candidate),
        &CompareOptions::default(),
    )
    .unwrap();
    let watched = WatchReport {
        paths: vec!["src/rl/".into()],
        from: "aaaa".into(),
        to: None,
        files: vec![ChangedFile {
            path: "src/rl/loss.py".into(),
            added: Some(3),
            removed: Some(1),
        }],
    };
    insta::assert_snapshot!(markdown::comparison(&comparison, Some(&watched)));
}

#[test]
fn as_csv() {
    insta::assert_snapshot!(csv::comparison(&arms(&["train"], &TWO)).unwrap());
}

#[test]
fn the_json_form_is_as_documented() {
    let json = serde_json::to_value(arms(&["train"], &TWO)).unwrap();
    let metric = &json["contrasts"][0]["metrics"][0];
    assert_eq!(json["schema"], 2);
    assert_eq!(metric["verdict"]["word"], "improved");
    assert_eq!(metric["role"], "primary");
    assert_eq!(metric["count"]["unit"], "seed");
    assert_eq!(metric["dropped"][0]["unit"], "seed 1003");
    assert!(metric["effect"]["absolute"]["low"].as_f64().unwrap() > 0.0);
    assert!(
        metric["control_trials"]
            .as_str()
            .unwrap()
            .starts_with("0,2,4")
    );
}

#[test]
fn a_task_without_a_value_on_a_side_is_not_called_equal() {
    let mut all = values(&["a", "b", "c"], &[("control", 0.0), ("candidate", 0.1)]);
    all.retain(|value| value.task != "c" || value.arm == "control");
    let comparison = compare(Inputs::Arms(&dataset(&all)), &CompareOptions::default()).unwrap();
    let shown = console::comparison(&comparison, None, Terminal::plain(120));
    assert!(
        shown.contains("Higher in 2, equal in 0, lower in 0, not compared in 1."),
        "{shown}"
    );
}
