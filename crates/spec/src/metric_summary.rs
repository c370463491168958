//! How a series becomes one number, and what of a declaration has no effect on that number.

use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::document::Node;
use crate::shape::analysis_keys::SUMMARY_KINDS;
use fairtrial_model::{MetricDeclaration, SeriesSummary, SummaryKind};

/// The `summary` of a metric: a word, or a table with options.
pub(crate) fn summary(node: &Node, problems: &mut Problems) -> Option<SeriesSummary> {
    let word = node.text().or_else(|| node.get("type")?.text())?;
    if !SUMMARY_KINDS.contains(&word) {
        return None;
    }
    let kind = summary_kind(word)?;
    let number = |key: &str| node.get(key).and_then(Node::number);
    let summary = SeriesSummary {
        kind,
        percent: number("percent"),
        n: node.get("n").and_then(Node::whole),
        step_min: number("step_min"),
        step_max: number("step_max"),
        step: number("step"),
        threshold: number("threshold"),
    };
    check_options(node, &summary, word, problems);
    Some(summary)
}

/// What a declaration says about values of the metric, where its number is none: a number of steps is not converted or
/// rounded like one, and neither it nor a slope lies between reference points.
pub(crate) fn of_no_use(node: &Node, declared: &MetricDeclaration, problems: &mut Problems) {
    if declared.on_own_scale() {
        return;
    }
    let (word, keys) = if declared.counts_steps() {
        ("time_to", &["convert", "reference", "round"][..])
    } else {
        ("slope", &["reference"][..])
    };
    for (key, option) in keys.iter().filter_map(|key| Some((key, node.get(key)?))) {
        let message =
            format!("the summary `{word}` gives no value of the metric, so `{key}` has no use");
        problems.push(Diagnostic::new(Severity::Error, option.span, message).help("remove it"));
    }
}

fn summary_kind(word: &str) -> Option<SummaryKind> {
    // The words of the table are the serde names of the kinds.
    serde_json::from_value(serde_json::Value::String(word.to_owned())).ok()
}

/// The kinds that look at a window of steps.
const WINDOWED: &[SummaryKind] = &[
    SummaryKind::Auc,
    SummaryKind::Mean,
    SummaryKind::Slope,
    SummaryKind::Max,
    SummaryKind::Min,
];

/// The options that a kind needs, and those that only it understands.
fn check_options(node: &Node, summary: &SeriesSummary, word: &str, problems: &mut Problems) {
    let options = [
        (
            "n",
            summary.n.is_some(),
            &[SummaryKind::LastN][..],
            Need::Always,
        ),
        (
            "step",
            summary.step.is_some(),
            &[SummaryKind::AtStep],
            Need::Always,
        ),
        (
            "threshold",
            summary.threshold.is_some(),
            &[SummaryKind::TimeTo],
            Need::Always,
        ),
        (
            "percent",
            summary.percent.is_some(),
            &[SummaryKind::Auc, SummaryKind::Mean],
            Need::Never,
        ),
        (
            "step_min",
            summary.step_min.is_some(),
            WINDOWED,
            Need::Never,
        ),
        (
            "step_max",
            summary.step_max.is_some(),
            WINDOWED,
            Need::Never,
        ),
    ];
    for (key, given, kinds, need) in options {
        let fits = kinds.contains(&summary.kind);
        if fits && !given && need == Need::Always {
            let problem = Diagnostic::new(
                Severity::Error,
                node.span,
                format!("the summary `{word}` needs `{key}`"),
            );
            problems.push(problem.help(format!("write {{ type = \"{word}\", {key} = ... }}")));
        }
        if given && !fits {
            let span = node.get(key).map_or(node.span, |option| option.span);
            let message = format!("the summary `{word}` has no use for `{key}`");
            problems.push(Diagnostic::new(Severity::Error, span, message).help("remove it"));
        }
    }
    let steps = summary.step_min.is_some() || summary.step_max.is_some();
    if steps && let (Some(_), Some(percent)) = (summary.percent, node.get("percent")) {
        let message = "`percent` and steps are two different windows";
        let help = "remove `percent`, or `step_min` and `step_max`";
        problems.push(Diagnostic::new(Severity::Error, percent.span, message).help(help));
    }
    if let (Some(min), Some(max)) = (summary.step_min, summary.step_max)
        && min > max
    {
        problems.push(Diagnostic::new(
            Severity::Error,
            node.span,
            "`step_min` is above `step_max`",
        ));
    }
}

#[derive(PartialEq, Eq)]
enum Need {
    Always,
    Never,
}
