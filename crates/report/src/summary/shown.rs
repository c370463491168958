//! Which metrics of a summary have a table: those that are declared, all of them, or their cases.

use fairtrial_analysis::summary::{MetricInfo, RunSummary};
use fairtrial_text::count::first_of;
use std::cmp::Ordering;

/// Where a summary is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// On a terminal: the declared metrics, or a few where none is declared. The others are named.
    Terminal(SummaryView),
    /// In a file: the declared metrics, or all where none is declared. The others are folded.
    File,
}

/// What a terminal shows of a summary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SummaryView {
    /// Which metrics.
    pub metrics: ShownMetrics,
    /// What has a row of its own.
    pub rows: SummaryRows,
}

/// Which metrics a summary shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ShownMetrics {
    /// Those that are declared, by the spec or by its experiments.
    #[default]
    Declared,
    /// All.
    All,
}

/// What has a row of its own in a summary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SummaryRows {
    /// A task with its arm and its point.
    #[default]
    Cells,
    /// Each case of them too.
    Cases,
}

/// Undeclared metrics that a terminal shows where no metric is declared.
const FEW_METRICS: usize = 6;

/// A metric, or all cases of one.
#[derive(Debug, Clone)]
pub(super) struct Family<'a> {
    pub(super) name: &'a str,
    pub(super) members: Vec<&'a MetricInfo>,
    /// Whether the spec, or the experiment, declares the metric.
    declared: bool,
}

/// The metrics without cases, and those with them, each metric once.
pub(super) fn families(metrics: &[MetricInfo]) -> (Vec<Family<'_>>, Vec<Family<'_>>) {
    let declared = |name: &str| metrics.iter().any(|of| of.declared && of.name == name);
    let (mut plain, mut cases): (Vec<Family<'_>>, Vec<Family<'_>>) = (Vec::new(), Vec::new());
    for metric in metrics {
        let (name, case) = metric.without_case();
        let new = || Family {
            name,
            members: vec![metric],
            declared: declared(name),
        };
        if metric.declared && case.is_some_and(|_| !declared(name)) {
            // The spec itself calls it so.
            plain.push(Family {
                name: &metric.name,
                members: vec![metric],
                declared: true,
            });
        } else if case.is_none() {
            plain.push(new());
        } else if let Some(family) = cases.iter_mut().find(|family| family.name == name) {
            family.members.push(metric);
        } else {
            cases.push(new());
        }
    }
    for family in &mut cases {
        family.members.sort_by(|a, b| by_labels(a, b));
    }
    cases.sort_by_key(|family| !family.declared);
    (plain, cases)
}

/// Cases by their labels, numbers by size.
fn by_labels(a: &MetricInfo, b: &MetricInfo) -> Ordering {
    let labels = |of: &MetricInfo| -> Vec<(String, Option<f64>)> {
        let case = of.without_case().1.unwrap_or_default();
        let label = |label: &str| {
            let number = label
                .split_once('=')
                .and_then(|(_, value)| value.parse().ok());
            (label.to_owned(), number)
        };
        case.split(' ').map(label).collect()
    };
    let (a, b) = (labels(a), labels(b));
    let pairs = a.iter().zip(&b);
    let by_label = pairs.map(|((text, number), (other, others))| match (number, others) {
        (Some(x), Some(y)) => x.total_cmp(y),
        _ => text.cmp(other),
    });
    by_label.fold(Ordering::Equal, Ordering::then)
}

/// Rows of cases that a terminal shows unasked.
const FEW_ROWS: usize = 40;

/// The cases that have a table, and the others. What the run is about has one unasked where it is in cases alone and the
/// table is a short one.
pub(super) fn shown_cases<'a>(
    cases: &[Family<'a>],
    summary: &RunSummary,
    detail: Detail,
) -> (Vec<Family<'a>>, Vec<Family<'a>>) {
    let is_alone = |family: &Family<'_>| {
        let mut reported = summary.cells.iter().flat_map(|cell| &cell.metrics);
        family.declared && !reported.any(|of| of.metric == family.name)
    };
    let is_short = |family: &Family<'_>| summary.cells.len() * family.members.len() <= FEW_ROWS;
    let any_declared = cases.iter().any(|family| family.declared);
    let is_shown = |family: &Family<'_>| match detail {
        Detail::Terminal(view) => match (view.metrics, view.rows) {
            (ShownMetrics::All, _) => true,
            (ShownMetrics::Declared, SummaryRows::Cases) => family.declared || !any_declared,
            (ShownMetrics::Declared, SummaryRows::Cells) => is_alone(family) && is_short(family),
        },
        Detail::File => family.declared,
    };
    cases.iter().cloned().partition(is_shown)
}

/// Which metrics have cases, and how they are shown.
pub(super) fn in_cases(cases: &[Family<'_>], detail: Detail) -> String {
    let named = cases.iter().map(|family| {
        let members = family.members.len();
        format!("{} ({members} cases)", family.name)
    });
    let how = match detail {
        Detail::Terminal(view) if view.rows == SummaryRows::Cases => {
            " (`summarize --all` shows them)"
        }
        Detail::Terminal(_) => {
            " (`summarize --by case` shows what is declared of them, `--all` all)"
        }
        Detail::File => "",
    };
    format!("In cases: {}{how}.", first_of(named, NAMED_CASES))
}

/// The metrics that are shown, and the others: declared ones come first.
pub(super) fn shown_families<'a, 'b>(
    metrics: &'b [Family<'a>],
    detail: Detail,
) -> (&'b [Family<'a>], &'b [Family<'a>]) {
    let declared = metrics.iter().filter(|metric| metric.declared).count();
    let all = matches!(detail, Detail::Terminal(view) if view.metrics == ShownMetrics::All);
    let shown = match detail {
        _ if all => metrics.len(),
        _ if declared > 0 => declared,
        Detail::Terminal(_) => FEW_METRICS.min(metrics.len()),
        Detail::File => metrics.len(),
    };
    metrics.split_at(shown)
}

/// Metrics with cases that a note names.
const NAMED_CASES: usize = 4;
/// Metrics that a note names before "and n more".
const NAMED: usize = 12;

/// What else was logged, and how it gets tables and charts of its own.
pub(super) fn also_logged(metrics: &[Family<'_>], summary: &RunSummary, detail: Detail) -> String {
    let names: Vec<&str> = metrics.iter().map(|metric| metric.name).collect();
    let elsewhere = match detail {
        Detail::Terminal(_) => " (`summarize --all` shows them)",
        Detail::File => "",
    };
    let declared = if summary.imported {
        ""
    } else {
        " What you declare in the spec gets its tables and charts by `fairtrial remeasure`, without running anything again."
    };
    format!(
        "Also logged: {}{elsewhere}.{declared}",
        first_of(&names, NAMED)
    )
}
