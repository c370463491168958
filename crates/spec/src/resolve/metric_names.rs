//! Names of metrics that a spec uses, against those that it declares: a slip would only be seen when all trials are done.
//!
//! Trials may report metrics that nobody declared. So a name that resembles none of the declared ones may well be meant,
//! and is no error.

use super::error;
use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::document::Node;
use crate::shape::suggest::did_you_mean;
use crate::spec::{Spec, Work};

/// Where a spec names a metric: a table, and where that table holds a table of its own, the key of it.
const PLACES: [&[&str]; 3] = [
    &["analysis", "metric"],
    &["budget", "cost", "metric"],
    &["budget", "tokens", "metric"],
];

/// Looks at every metric that is named outside of `[metrics]`.
pub(super) fn check(root: &Node, spec: &Spec, problems: &mut Problems) {
    // Agents and experiments report metrics of their own, which are declared for them later.
    let commands = |work: &Work| matches!(work, Work::Command { .. });
    if spec.metrics.is_empty() || !spec.tasks.iter().all(|task| commands(&task.work)) {
        return;
    }
    for place in PLACES {
        let node = place.iter().try_fold(root, |node, key| node.get(key));
        if let Some((node, name)) = node.and_then(|node| Some((node, node.text()?))) {
            check_name(node, name, spec, problems);
        }
    }
}

fn check_name(node: &Node, name: &str, spec: &Spec, problems: &mut Problems) {
    let declared = || spec.metrics.iter().map(|metric| metric.name.as_str());
    if name.trim().is_empty() || declared().any(|declared| is_called(declared, name)) {
        return;
    }
    let message = format!("no metric `{name}` is declared");
    let declare = format!("declare it: [metrics.{}]", quoted(name));
    problems.push(match did_you_mean(name, declared()) {
        Some(meant) => error(node.span, message).help(format!("{meant} Else {declare}")),
        None => Diagnostic::new(Severity::Warning, node.span, message).help(format!(
            "the declared metrics are {}; where trials report this one too, {declare}",
            declared().collect::<Vec<_>>().join(", ")
        )),
    });
}

/// Whether a declaration makes a metric of this name; one per word of a column is named `share/{column}`.
fn is_called(declared: &str, name: &str) -> bool {
    match (declared.split_once('{'), declared.rsplit_once('}')) {
        (Some((start, _)), Some((_, end))) => name.starts_with(start) && name.ends_with(end),
        _ => declared == name,
    }
}

/// A name as a key of TOML.
fn quoted(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.chars().all(bare) {
        name.to_owned()
    } else {
        format!("\"{}\"", name.escape_debug())
    }
}
