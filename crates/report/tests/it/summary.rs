//! What a person sees of a summary.

use fairtrial_analysis::{RunSummary, SummaryOptions, summarize};
use fairtrial_model::{
    Direction, MetricDeclaration, Number, Outcome, Params, RECORD_SCHEMA, Record, Resources,
    TrialId, TrialKey, UtcTime,
};
use fairtrial_report::markdown::SummaryHeader;
use fairtrial_report::{Color, Terminal, console, markdown};

fn record(index: u64, arm: &str, lr: f64, outcome: Outcome) -> Record {
    let seed = 1000 + index / 4;
    let noise = f64::from((index * 37 % 11) as u32) / 1000.0;
    let reward = 0.4 + noise + if arm == "candidate" { 0.02 } else { 0.0 };
    let solved = f64::from(u32::from(!index.is_multiple_of(3)));
    let mut metrics = vec![
        ("overview/reward", reward),
        ("solved", solved),
        ("steps", 1e6),
    ];
    if index == 5 {
        metrics[0].1 = f64::NAN;
    }
    let mut point = Params::new();
    point.set("lr", lr.into());
    Record {
        schema: RECORD_SCHEMA,
        trial: TrialKey {
            index,
            task: "train".into(),
            arm: Some(arm.into()),
            point,
            seed,
            rollout: 0,
        },
        id: TrialId(format!("{index:032x}")),
        attempt: 1,
        outcome,
        cause: None,
        exit: None,
        started_at: None,
        ended_at: UtcTime::from_micros(1_756_038_896_000_000),
        dir: String::new(),
        packed: None,
        host: None,
        resources: Resources {
            wall: Some(90.0 + index as f64),
            ..Resources::default()
        },
        metrics: metrics
            .into_iter()
            .map(|(name, value)| (name.to_owned(), Number(value)))
            .collect(),
        series: std::collections::BTreeMap::new(),
        checkpoint: None,
        notes: vec![],
        samples: std::collections::BTreeMap::new(),
        facts: std::collections::BTreeMap::new(),
        reused_from: None,
        code: None,
    }
}

fn declared(name: &str, direction: Direction, unit: Option<&str>) -> MetricDeclaration {
    MetricDeclaration {
        direction: Some(direction),
        unit: unit.map(str::to_owned),
        required: true,
        ..MetricDeclaration::named(name)
    }
}

fn example() -> RunSummary {
    let records = (0..40).map(|index| {
        let arm = if index % 2 == 0 {
            "control"
        } else {
            "candidate"
        };
        let lr = if index % 4 < 2 { 1e-3 } else { 3e-4 };
        let outcome = match index {
            7 | 11 => Outcome::Failed,
            12 => Outcome::Timeout,
            20 => Outcome::Infra,
            _ => Outcome::Ok,
        };
        record(index, arm, lr, outcome)
    });
    let options = SummaryOptions {
        metrics: vec![
            declared("overview/reward", Direction::Up, None),
            declared("solved", Direction::Up, Some("share")),
        ],
        arms: vec!["control".into(), "candidate".into()],
        ..SummaryOptions::default()
    };
    let mut summary = summarize(records, options).unwrap();
    summary.planned = Some(44);
    summary
}

#[test]
fn on_a_wide_terminal() {
    insta::assert_snapshot!(console::summary(&example(), Terminal::plain(140)));
}

#[test]
fn on_a_narrow_terminal() {
    let text = console::summary(&example(), Terminal::plain(80));
    let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(longest <= 80, "{longest}\n{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn on_a_tiny_terminal_words_are_squeezed_and_numbers_are_not() {
    let text = console::summary(&example(), Terminal::plain(60));
    assert!(text.contains("0.0028"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn colour_changes_nothing_but_escape_codes() {
    let terminal = Terminal {
        width: 140,
        color: Color::On,
    };
    let colored = console::summary(&example(), terminal);
    assert!(colored.contains("\u{1b}[31m"));
    let mut plain = String::new();
    let mut rest = colored.as_str();
    while let Some(start) = rest.find('\u{1b}') {
        plain.push_str(&rest[..start]);
        rest = &rest[start + rest[start..].find('m').unwrap() + 1..];
    }
    plain.push_str(rest);
    let tidy = |text: &str| {
        text.lines()
            .map(str::trim_end)
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(
        tidy(&plain),
        tidy(&console::summary(&example(), Terminal::plain(140)))
    );
}

#[test]
fn as_a_file() {
    let header = SummaryHeader {
        facts: vec![
            ("spec".into(), "bench.toml".into()),
            ("host".into(), "box".into()),
        ],
        notes: "First try.".into(),
    };
    insta::assert_snapshot!(markdown::summary(&example(), &header));
}

#[test]
fn a_run_without_metrics_still_has_a_table() {
    let records = (0..3).map(|index| {
        let mut record = record(index, "control", 1e-3, Outcome::Ok);
        record.metrics.clear();
        record
    });
    let summary = summarize(records, SummaryOptions::default()).unwrap();
    insta::assert_snapshot!(console::summary(&summary, Terminal::plain(80)));
}

#[test]
fn of_many_rows_those_with_failures_stay() {
    let records = (0..40).map(|index| {
        let outcome = if index == 33 {
            Outcome::Failed
        } else {
            Outcome::Ok
        };
        let mut one = record(index, "control", 1e-3, outcome);
        one.trial.task = format!("task {index}");
        one
    });
    let mut summary = summarize(records, SummaryOptions::default()).unwrap();
    let outcomes = summary.outcomes;
    summary.cut_to(40);
    assert_eq!((summary.cells.len(), summary.left_out), (40, 0));
    summary.cut_to(3);
    let tasks: Vec<&str> = summary.cells.iter().map(|cell| &*cell.task).collect();
    assert_eq!(tasks, ["task 0", "task 1", "task 33"]);
    assert_eq!((summary.left_out, summary.outcomes), (37, outcomes));
    let page = console::summary(&summary, Terminal::plain(120));
    assert!(page.contains("40 trials, 39 ok, 1 failed"), "{page}");
    assert!(page.contains("37 more rows"), "{page}");
}
