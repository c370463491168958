//! The small top-level tables: name, order, analysis, budget, provenance.

use super::parts::{error, texts};
use crate::diagnostic::Problems;
use crate::document::{Entry, Node};
use crate::metric::parse_tolerance;
use crate::shape::check::{is_plain, node_duration};
use crate::spec::analysis::{Analysis, StopRule};
use crate::spec::budget::{Budget, MetricBudget};
use crate::spec::{Arm, Order, Provenance, Spec};
use fairtrial_model::EqualRule;
use fairtrial_text::nearest::did_you_mean;
use std::path::{Path, PathBuf};

/// The spec's name: as written, else the file's stem with what a name cannot hold replaced.
pub(super) fn name(root: &Node, path: &Path) -> String {
    if let Some(name) = root.get("name").and_then(Node::text) {
        return name.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name: String = stem
        .chars()
        .map(|c| if is_plain(c) { c } else { '-' })
        .collect();
    if name.trim_matches('.').is_empty() {
        "benchmark".to_owned()
    } else {
        name
    }
}

/// The folder of the spec, absolute.
pub(super) fn base_dir(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute
        .parent()
        .map_or_else(|| PathBuf::from("/"), Path::to_owned)
}

pub(super) fn order(root: &Node) -> Order {
    match root.get("order").and_then(Node::text) {
        Some("spec") => Order::Spec,
        Some("random") => Order::Random,
        _ => Order::Blocks,
    }
}

pub(super) fn analysis(
    root: &Node,
    arms: &[Arm],
    seeds: usize,
    problems: &mut Problems,
) -> Analysis {
    let Some(node) = root.get("analysis") else {
        return Analysis::default();
    };
    let text = |key| node.get(key).and_then(Node::text).map(str::to_owned);
    if let Some(control) = node.get("control") {
        check_control(control, arms, problems);
    }
    Analysis {
        control: text("control"),
        metric: text("metric"),
        alpha: node.get("alpha").and_then(Node::number),
        stop: node
            .get("stop")
            .and_then(|stop| stop_rule(stop, seeds, problems)),
        confirm: node
            .get("confirm")
            .and_then(Node::whole)
            .and_then(|n| u32::try_from(n).ok()),
        valid: node.get("valid").and_then(Node::number),
        method: crate::metric::method(node),
    }
}

fn check_control(control: &Node, arms: &[Arm], problems: &mut Problems) {
    let Some(name) = control.text() else { return };
    let names = || arms.iter().map(|arm| arm.name.as_str());
    if names().any(|arm| arm == name) {
        return;
    }
    let help = match did_you_mean(name, names()) {
        Some(help) => help,
        None if arms.is_empty() => "declare the arms: [arms.NAME]".to_owned(),
        None => format!("the arms are {}", names().collect::<Vec<_>>().join(", ")),
    };
    let problem = error(control.span, format!("there is no arm `{name}`")).help(help);
    problems.push(problem.lacking(&["arms"]));
}

fn stop_rule(node: &Node, seeds: usize, problems: &mut Problems) -> Option<StopRule> {
    let count = |key| {
        node.get(key)
            .and_then(Node::whole)
            .and_then(|n| u32::try_from(n).ok())
    };
    let when = node.get("when")?.text()?.to_owned();
    let looks = node
        .get("looks")
        .and_then(|looks| planned_looks(node, looks, problems));
    let max = count("max").unwrap_or(u32::try_from(seeds).unwrap_or(u32::MAX).max(2));
    let min = count("min").unwrap_or(max.min(5));
    if min > max {
        let message =
            format!("the stopping rule looks first at {min} pairs, but has at most {max}");
        problems.push(
            error(node.span, message)
                .help("raise `max` (default: the number of seeds) or lower `min`"),
        );
    }
    let anytime = node.get("anytime").and_then(Node::bool).unwrap_or(false);
    let rule = StopRule {
        when,
        ..StopRule::decided(min, max)
    };
    Some(match looks {
        Some(looks) => rule.looking_at(looks),
        None if anytime => rule.at_any_time(),
        None => rule,
    })
}

/// The looks that a rule lists.
fn planned_looks(rule: &Node, looks: &Node, problems: &mut Problems) -> Option<Vec<u32>> {
    let whole = |node: &Node| node.whole().and_then(|n| u32::try_from(n).ok());
    let found: Vec<u32> = looks.list()?.iter().filter_map(whole).collect();
    if let Some(wrong) = StopRule::wrong_looks(&found) {
        problems.push(error(looks.span, wrong).help("as looks = [5, 10, 20]"));
    }
    for key in ["min", "max", "anytime"] {
        let other = rule.get(key).filter(|other| other.bool() != Some(false));
        if let Some(other) = other {
            let message = format!(
                "`looks` and `{key}` do not go together: the looks say when, and how often at most"
            );
            problems.push(error(other.span, message).help("remove one of them"));
        }
    }
    Some(found)
}

/// A choice can only be confirmed where there is one to make: several points, and a metric that says which is best.
pub(super) fn check_confirm(root: &Node, spec: &Spec, problems: &mut Problems) {
    let Some(node) = root.get("analysis").and_then(|node| node.get("confirm")) else {
        return;
    };
    if !spec.is_swept() {
        let message = "nothing is swept, so there is no choice to confirm";
        problems.push(error(node.span, message).help("add a [sweep], or remove `confirm`"));
    }
    if let Some([first, other]) = differently_swept(spec) {
        let message =
            format!("`{first}` and `{other}` sweep different things, so no point is best for both");
        let help = "give each its own spec, or move the sweep to the top";
        problems.push(error(node.span, message).help(help));
    }
    let primary = spec.primary_declaration();
    if primary.is_none_or(|metric| metric.reduced().direction.is_none()) {
        let message = "no point is best unless the primary metric says which way is better";
        let help = "declare it: [metrics.NAME] with direction = \"up\" or \"down\"";
        problems.push(error(node.span, message).help(help));
    }
    if spec.analysis.stop.is_some() {
        let message =
            "`confirm` and `stop` do not go together: a sweep chooses after all its trials";
        problems.push(error(node.span, message).help("remove one of them"));
    }
}

/// Two tasks whose points are not the same.
fn differently_swept(spec: &Spec) -> Option<[&str; 2]> {
    let (first, others) = spec.tasks.split_first()?;
    let other = others.iter().find(|task| task.sweep != first.sweep)?;
    Some([&first.id, &other.id])
}

pub(super) fn equal(root: &Node) -> Vec<EqualRule> {
    let rules = root.get("fairness").and_then(|node| node.get("equal"));
    let entries = rules
        .and_then(Node::map)
        .map_or(&[][..], |map| &map.entries);
    let rule = |entry: &Entry| {
        Some(EqualRule {
            key: entry.key.clone(),
            tolerance: parse_tolerance(&entry.value).ok()?,
        })
    };
    entries.iter().filter_map(rule).collect()
}

pub(super) fn budget(root: &Node) -> Budget {
    let Some(node) = root.get("budget") else {
        return Budget::default();
    };
    Budget {
        wall_s: node.get("time").and_then(|time| node_duration(time).ok()),
        trials: node.get("trials").and_then(Node::whole),
        cost: node
            .get("cost")
            .and_then(|node| metric_budget(node, Budget::COST_METRIC)),
        tokens: node
            .get("tokens")
            .and_then(|node| metric_budget(node, Budget::TOKENS_METRIC)),
    }
}

fn metric_budget(node: &Node, metric: &str) -> Option<MetricBudget> {
    let max = node.number().or_else(|| node.get("max")?.number())?;
    let metric = node
        .get("metric")
        .and_then(Node::text)
        .unwrap_or(metric)
        .to_owned();
    Some(MetricBudget { max, metric })
}

pub(super) fn provenance(root: &Node) -> Provenance {
    let node = root.get("provenance");
    let list = |key| texts(node.and_then(|node| node.get(key)));
    let mut watch = texts(root.get("watch"));
    watch.extend(list("watch"));
    Provenance {
        env: list("env"),
        watch,
    }
}
