//! Sources with one metric, and what is found in them.

use crate::common::{measured, metric, record};
use fairtrial_analysis::compare::{Contrast, Inputs, MetricComparison, ObjectionKind, Verdict};
use fairtrial_analysis::dataset::Origin;
use fairtrial_analysis::{CompareOptions, Comparison, Dataset, Observation, compare};
use fairtrial_model::{Direction, Margin, Record};

pub const UP: Option<Direction> = Some(Direction::Up);
pub const DOWN: Option<Direction> = Some(Direction::Down);

/// A source with one declared metric, `score`.
pub fn dataset(
    direction: Option<Direction>,
    margin: Option<Margin>,
    records: &[Record],
) -> Dataset {
    let mut data = Dataset::new("bench", Origin::Records);
    let mut declared = metric("score", direction);
    declared.margin = margin;
    data.declared = vec![declared];
    data.arm_order = vec!["control".into(), "candidate".into()];
    for record in records {
        data.push(&Observation::from(record));
    }
    data
}

/// One trial per seed and arm: `pairs` are (control, candidate).
pub fn paired(pairs: &[(f64, f64)]) -> Vec<Record> {
    let one = |index: usize, arm: &str, seed: usize, value: f64| {
        measured(
            record(index as u64, "train", arm, 100 + seed as u64),
            &[("score", value)],
        )
    };
    let numbered = pairs.iter().enumerate();
    numbered
        .flat_map(|(i, (a, b))| {
            [
                one(2 * i, "control", i, *a),
                one(2 * i + 1, "candidate", i, *b),
            ]
        })
        .collect()
}

pub fn run(data: &Dataset, options: &CompareOptions) -> Comparison {
    compare(Inputs::Arms(data), options).unwrap()
}

pub fn only_contrast(comparison: &Comparison) -> &Contrast {
    assert_eq!(comparison.contrasts.len(), 1);
    &comparison.contrasts[0]
}

pub fn judged(
    direction: Option<Direction>,
    margin: Option<Margin>,
    records: &[Record],
) -> MetricComparison {
    let comparison = run(
        &dataset(direction, margin, records),
        &CompareOptions::default(),
    );
    only_contrast(&comparison).metrics[0].clone()
}

pub const GAIN: [(f64, f64); 8] = [
    (1.0, 2.1),
    (2.0, 2.9),
    (3.0, 4.2),
    (4.0, 4.9),
    (5.0, 6.1),
    (6.0, 7.0),
    (7.0, 7.8),
    (8.0, 9.0),
];

/// Whether something speaks against a verdict.
pub fn objects(verdict: &Verdict, kind: &ObjectionKind) -> bool {
    let mut objections = verdict.objections.iter();
    objections.any(|objection| objection.kind == *kind)
}

/// The only objection that holds a verdict back.
pub fn held_back(verdict: &Verdict) -> &ObjectionKind {
    let held_back: Vec<_> = verdict.held_back_by().collect();
    assert_eq!(held_back.len(), 1, "{verdict:?}");
    &held_back[0].kind
}

/// How the interval was made.
pub fn method(metric: &MetricComparison) -> &str {
    &metric.method.as_ref().unwrap().name
}
