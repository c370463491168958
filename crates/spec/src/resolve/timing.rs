//! Keys that are about measuring times: one trial at a time, warm-ups, output that is thrown away.

use super::draft::Draft;
use super::parts::error;
use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::document::Node;
use crate::spec::Spec;
use crate::spec::analysis::Analysis;
use crate::spec::task::Task;
use crate::spec::work::Work;
use fairtrial_model::{HardwareCounter, MetricDeclaration, MetricSource};

/// Whether trials run one at a time: as `serial` says, else where the metric that decides is a time. `parallel` that says
/// otherwise is told so.
pub(super) fn is_serial(
    root: &Node,
    metrics: &[MetricDeclaration],
    analysis: &Analysis,
    problems: &mut Problems,
) -> bool {
    let primary = match &analysis.metric {
        Some(name) => metrics.iter().find(|metric| metric.name == *name),
        None => metrics.first(),
    };
    let timed = primary.filter(|metric| is_disturbed(&metric.source));
    let said = root.get("serial").and_then(Node::bool);
    let serial = said.unwrap_or(timed.is_some());
    let parallel = root.get("parallel");
    let several = |node: &&Node| node.whole().is_some_and(|count| count > 1);
    if let (true, Some(parallel)) = (serial, parallel.filter(several)) {
        let why = match timed {
            Some(metric) if said.is_none() => format!(
                "because trials beside each other would be in each other's `{}`",
                metric.name
            ),
            _ => "because of `serial = true`".to_owned(),
        };
        let message = format!("trials run one at a time, {why}: `parallel` has no use");
        let warning = Diagnostic::new(Severity::Warning, parallel.span, message);
        problems.push(warning.help("remove it, or write `serial = false`"));
    }
    serial
}

/// Times, cycles and misses; a program needs as much memory and as many instructions in company as alone.
fn is_disturbed(source: &MetricSource) -> bool {
    let alone = ["peak_memory", HardwareCounter::Instructions.field()];
    matches!(source, MetricSource::Resource { field, .. } if !alone.contains(&&**field))
}

/// `warmup`, `output` and `checkpoint` are for commands, and thrown away output has no numbers.
pub(super) fn check(spec: &Spec, drafts: &[Draft], problems: &mut Problems) {
    for (task, draft) in spec.tasks.iter().zip(drafts) {
        let is_command = matches!(task.work, Work::Command { .. });
        for key in ["warmup", "output", "checkpoint"] {
            let node = draft.node.get(key).filter(|_| !is_command);
            // One that the defaults ask for can be refused.
            let node = node.filter(|node| node.bool() != Some(false));
            if let Some(node) = node {
                let message = format!("`{key}` has a meaning only for a `command`");
                let help = match (&task.work, key) {
                    (Work::Experiment { .. }, "warmup") => "an experiment has `iterations.warmup`",
                    _ => "remove it",
                };
                problems.push(error(node.span, message).help(help));
            }
        }
        if let (Some(_), Some(node)) = (task.checkpoint, draft.node.get("kill_grace")) {
            let message =
                "`notice` of `checkpoint` stands in place of `kill_grace`, which has no use";
            let warning = Diagnostic::new(Severity::Warning, node.span, message);
            problems.push(warning.help("remove it, or write it as `notice`"));
        }
        if let (true, Some(node)) = (task.discards_output, draft.node.get("output"))
            && let Some(metric) = read_from_output(spec, task)
        {
            let message = format!("`{metric}` is read from the output that is thrown away");
            problems.push(error(node.span, message).help("remove `output`, or the metric"));
        }
    }
}

fn read_from_output(spec: &Spec, task: &Task) -> Option<String> {
    let reads = |metric: &MetricDeclaration| {
        metric.required
            && matches!(
                metric.source,
                MetricSource::Stdout { .. } | MetricSource::Block { .. }
            )
    };
    let metrics = spec.metrics_of(task);
    metrics.into_iter().find(reads).map(|metric| metric.name)
}
