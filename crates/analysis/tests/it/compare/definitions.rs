//! Metrics of one name whose numbers are made in two ways are two metrics.

use super::lab::{UP, dataset, held_back, only_contrast, paired};
use fairtrial_analysis::compare::{Inputs, MetricComparison, ObjectionKind, Word};
use fairtrial_analysis::dataset::FactKind;
use fairtrial_analysis::{CompareOptions, Comparison, Dataset, compare};
use fairtrial_model::{MetricDeclaration, MetricSource, Record, SeriesSummary};

/// Two sources of the same numbers but for a little, the second with its metric declared as given.
fn sources(changed: impl Fn(&mut MetricDeclaration)) -> (Dataset, Dataset) {
    let pairs: Vec<(f64, f64)> = (0..10)
        .map(|i| (f64::from(i), f64::from(i) + 3.0 + f64::from(i % 3)))
        .collect();
    let records = paired(&pairs);
    let side = |arm: &str| {
        let of_arm = records
            .iter()
            .filter(|record| record.trial.arm.as_deref() == Some(arm));
        let without_arm = |record: &Record| {
            let mut record = record.clone();
            record.trial.arm = None;
            record
        };
        let mine: Vec<Record> = of_arm.map(without_arm).collect();
        let mut data = dataset(UP, None, &mine);
        arm.clone_into(&mut data.label);
        data.declared[0].summary = Some(summary(r#"{"type":"max"}"#));
        data
    };
    let (control, mut candidate) = (side("control"), side("candidate"));
    changed(&mut candidate.declared[0]);
    (control, candidate)
}

fn summary(text: &str) -> SeriesSummary {
    serde_json::from_str(text).unwrap()
}

fn compared(changed: impl Fn(&mut MetricDeclaration), accept: &[FactKind]) -> Comparison {
    let (control, candidate) = sources(changed);
    let options = CompareOptions {
        accept: accept.to_vec(),
        ..CompareOptions::default()
    };
    compare(Inputs::Two(&control, &candidate), &options).unwrap()
}

fn first(comparison: &Comparison) -> &MetricComparison {
    &only_contrast(comparison).metrics[0]
}

#[test]
fn numbers_that_are_made_differently_get_no_verdict() {
    let same = compared(|_| {}, &[]);
    assert_eq!(first(&same).verdict.word, Word::Improved);
    assert!(same.mismatches.is_empty());
    let auc = |metric: &mut MetricDeclaration| {
        metric.summary = Some(summary(r#"{"type":"auc","percent":0.25}"#));
    };
    let other = compared(auc, &[]);
    let found = first(&other);
    assert_eq!(found.verdict.word, Word::Insufficient);
    let ObjectionKind::OtherDefinition { changes } = held_back(&found.verdict) else {
        panic!("{:?}", found.verdict);
    };
    let what: Vec<&str> = changes.iter().map(|change| change.what.as_str()).collect();
    assert_eq!(what, ["summary.percent", "summary.type"]);
    assert_eq!(changes[1].candidate.as_deref(), Some("auc"));
    assert!(found.effect.is_none() && found.family.adjusted_p.is_none());
    assert_eq!(other.mismatches.len(), 2);
    assert_eq!(other.mismatches[1].kind, FactKind::Definition);
    assert_eq!(other.mismatches[1].name, "score: summary.type");
    let accepted = compared(auc, &[FactKind::Definition]);
    assert_eq!(first(&accepted).verdict.word, Word::Improved);
    assert_eq!(accepted.mismatches.len(), 2, "it is still told");
}

#[test]
fn sources_conversions_rounding_and_units_are_looked_at() {
    let word = |changed: fn(&mut MetricDeclaration)| first(&compared(changed, &[])).verdict.word;
    let changes: [fn(&mut MetricDeclaration); 3] = [
        |metric| metric.round = Some(1),
        |metric| metric.convert = serde_json::from_str("\"s to ms\"").unwrap(),
        |metric| {
            metric.source = MetricSource::Stdout {
                pattern: "score=(.*)".to_owned(),
            };
        },
    ];
    for changed in changes {
        assert_eq!(word(changed), Word::Insufficient);
    }
    // How it is shown and judged is no part of it, and a unit that one side does not name is not another one.
    let shown = |metric: &mut MetricDeclaration| {
        metric.precision = Some(1);
        metric.unit = Some("points".to_owned());
    };
    assert_eq!(first(&compared(shown, &[])).verdict.word, Word::Improved);
    let (mut control, candidate) = sources(shown);
    control.declared[0].unit = Some("shares".to_owned());
    let options = CompareOptions::default();
    let units = compare(Inputs::Two(&control, &candidate), &options).unwrap();
    assert_eq!(first(&units).verdict.word, Word::Insufficient);
    assert!(matches!(
        held_back(&first(&units).verdict),
        ObjectionKind::OtherDefinition { changes } if changes[0].what == "unit"
    ));
}

#[test]
fn percents_are_not_held_against_shares() {
    let table = |label: &str, values: [&str; 4]| {
        let rows = values.iter().enumerate();
        let rows: Vec<String> = rows
            .map(|(seed, value)| format!("{seed},{value}"))
            .collect();
        Dataset::from_csv(label, &format!("seed,acc\n{}\n", rows.join("\n"))).unwrap()
    };
    let percents = table("a.csv", ["90%", "91 %", "93%", "92%"]);
    let shares = table("b.csv", ["0.95", "0.94", "0.97", "0.96"]);
    let options = CompareOptions {
        direction: UP,
        ..CompareOptions::default()
    };
    let comparison = compare(Inputs::Two(&percents, &shares), &options).unwrap();
    let found = first(&comparison);
    assert_eq!(found.verdict.word, Word::Insufficient);
    assert!(matches!(
        held_back(&found.verdict),
        ObjectionKind::OtherDefinition { changes } if changes[0].what == "written"
    ));
    let better = table("c.csv", ["95%", "97%", "97.5%", "98%"]);
    let comparison = compare(Inputs::Two(&percents, &better), &options).unwrap();
    assert_eq!(first(&comparison).verdict.word, Word::Improved);
}
