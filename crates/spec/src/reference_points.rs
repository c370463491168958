//! Reference points of metrics: two scores, for every task or by its name.

use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::document::{Entry, Node};
use crate::source::Span;
use crate::spec::Spec;
use fairtrial_model::{Margin, Points, Reference};
use fairtrial_text::count::first_of;
use fairtrial_text::nearest::did_you_mean;

/// `reference = [0, 100]` or `reference = { pong = [-20.7, 14.6] }`; its shape has been checked.
pub(crate) fn read(node: &Node, problems: &mut Problems) -> Option<Reference> {
    match node.map() {
        None => points(node, problems).map(Reference::Same),
        Some(map) => {
            let each = |entry: &Entry| Some((entry.key.clone(), points(&entry.value, problems)?));
            Some(Reference::ByTask(
                map.entries.iter().filter_map(each).collect(),
            ))
        }
    }
}

fn points(node: &Node, problems: &mut Problems) -> Option<Points> {
    let scores: Vec<f64> = node.list()?.iter().filter_map(Node::number).collect();
    let found = match scores[..] {
        [zero, one] => Points::new(zero, one),
        _ => None,
    };
    if found.is_none() {
        let help =
            "write the score that counts as 0 and the better one that counts as 1, like [0, 100]";
        let message = "reference points are two different numbers";
        problems.push(error(node.span, message).help(help));
    }
    found
}

/// Holds the tasks that reference points are given for against those that there are.
pub(crate) fn check(root: &Node, spec: &Spec, problems: &mut Problems) {
    let metrics = root.get("metrics").and_then(Node::map);
    for entry in metrics.map_or(&[][..], |map| &map.entries) {
        let points = entry.value.get("reference");
        for named in points
            .and_then(Node::map)
            .map_or(&[][..], |map| &map.entries)
        {
            if let Some(problem) = unknown_task(named, spec) {
                problems.push(problem);
            }
        }
        let declared = spec.metrics.iter().find(|metric| metric.name == entry.key);
        let reference = declared.and_then(|metric| metric.reference.as_ref());
        let (Some(points), Some(reference)) = (points, reference) else {
            continue;
        };
        if let Some(problem) = without_points(points, reference, spec) {
            problems.push(problem);
        }
        let margin = declared.and_then(|metric| metric.margin);
        let tasks = || spec.tasks.iter().map(|task| task.id.as_str());
        let several = tasks()
            .filter(|task| reference.points(task).is_some())
            .count()
            > 1;
        if let (Some(Margin::Absolute(_)), Some(node)) = (margin, entry.value.get("margin"))
            && several
            && reference.one_span(tasks()).is_none()
        {
            let message = "a margin in the metric's unit is not the same score in every task";
            let help = "the reference points of the tasks are differently far apart: write a share, like \"2%\"";
            problems.push(error(node.span, message).help(help));
        }
        let direction = declared.and_then(|metric| metric.direction);
        if direction.is_some_and(|direction| reference.contradicts(direction)) {
            let message = "the better score, which counts as 1, is the worse one by `direction`";
            let help = "the score that counts as 0 comes first; or change `direction`";
            problems.push(error(points.span, message).help(help));
        }
    }
}

fn unknown_task(named: &Entry, spec: &Spec) -> Option<Diagnostic> {
    let tasks = || spec.tasks.iter().map(|task| task.id.as_str());
    if tasks().any(|task| task == named.key) {
        return None;
    }
    let message = format!("there is no task `{}`", named.key);
    let help = did_you_mean(&named.key, tasks());
    let help = help.unwrap_or_else(|| format!("the tasks are {}", listed(tasks())));
    Some(error(named.key_span, message).help(help))
}

/// Scores of some tasks cannot be put beside those of others.
fn without_points(node: &Node, reference: &Reference, spec: &Spec) -> Option<Diagnostic> {
    let without: Vec<&str> = spec
        .tasks
        .iter()
        .map(|task| task.id.as_str())
        .filter(|task| reference.points(task).is_none())
        .collect();
    if without.is_empty() {
        return None;
    }
    let message = format!("no reference points for {}", listed(without.into_iter()));
    let help = "where these report the metric, scores are compared as they are, and not summed up over the tasks";
    Some(Diagnostic::new(Severity::Warning, node.span, message).help(help))
}

fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Severity::Error, span, message)
}

/// Names that are listed before "and n more".
const NAMED: usize = 8;

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    first_of(names.map(|name| format!("`{name}`")), NAMED)
}
