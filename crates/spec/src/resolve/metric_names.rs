//! Names of metrics that a spec uses, against those that it declares: a slip would only be seen when all trials are done.
//!
//! Trials may report metrics that nobody declared. So a name that resembles none of the declared ones may well be meant,
//! and is no error.

use super::parts::error;
use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::document::Node;
use crate::spec::Spec;
use crate::spec::work::Work;
use fairtrial_text::nearest::did_you_mean;

/// Where a spec names a metric, and what a name means there that resembles no declared one.
const PLACES: [(&[&str], Strange); 3] = [
    (&["analysis", "metric"], Strange::Warned),
    // What trials cost is not compared, so there is little reason to declare it.
    (&["budget", "cost", "metric"], Strange::Fine),
    (&["budget", "tokens", "metric"], Strange::Fine),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Strange {
    Fine,
    Warned,
}

/// Looks at every metric that is named outside of `[metrics]`.
pub(super) fn check(root: &Node, spec: &Spec, problems: &mut Problems) {
    // Agents and experiments report metrics of their own, which are declared for them later.
    let commands = |work: &Work| matches!(work, Work::Command { .. });
    if spec.metrics.is_empty() || !spec.tasks.iter().all(|task| commands(&task.work)) {
        return;
    }
    for (place, strange) in PLACES {
        let node = place.iter().try_fold(root, |node, key| node.get(key));
        if let Some(problem) = node.and_then(|node| problem(node, strange, spec)) {
            problems.push(problem);
        }
    }
}

fn problem(node: &Node, strange: Strange, spec: &Spec) -> Option<Diagnostic> {
    let name = node.text().filter(|name| !name.trim().is_empty())?;
    let declared = || spec.metrics.iter().map(|metric| metric.name.as_str());
    if declared().any(|declared| is_called(declared, name)) {
        return None;
    }
    let message = format!("no metric `{name}` is declared");
    let declare = format!("declare it: [metrics.{}]", quoted(name));
    if let Some(meant) = did_you_mean(name, declared()) {
        return Some(error(node.span, message).help(format!("{meant} Else {declare}")));
    }
    let names = declared().collect::<Vec<_>>().join(", ");
    let help =
        format!("the declared metrics are {names}; where trials report this one too, {declare}");
    let warning = Diagnostic::new(Severity::Warning, node.span, message).help(help);
    (strange == Strange::Warned).then_some(warning)
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
