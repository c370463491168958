//! Constraints of tasks: each must be readable, and speak of parameters that every trial of the task has.

use super::draft::Draft;
use super::parts::error;
use crate::constraint::{CONSTRAINT_GRAMMAR, Constraint};
use crate::diagnostic::Problems;
use crate::document::Node;
use crate::spec::Spec;
use crate::spec::task::Task;
use fairtrial_text::nearest::did_you_mean;

/// Reports constraints that cannot be read or that speak of parameters that are not given.
pub(super) fn check(spec: &Spec, drafts: &[Draft], problems: &mut Problems) {
    for (task, draft) in spec.tasks.iter().zip(drafts) {
        let nodes = draft.node.get("constraints").and_then(Node::list);
        for node in nodes.unwrap_or_default() {
            let Some(text) = node.text() else { continue };
            match Constraint::parse(text) {
                Ok(constraint) => check_names(&constraint, node, &given(spec, task), problems),
                Err(why) => {
                    let message = format!("this constraint cannot be read: {why}");
                    problems.push(error(node.span, message).help(CONSTRAINT_GRAMMAR));
                }
            }
        }
    }
}

/// Parameters that every trial of a task has.
fn given<'a>(spec: &'a Spec, task: &'a Task) -> Vec<&'a str> {
    let params = task.params.iter().map(|(name, _)| name);
    let axes = task.sweep.axes.iter().chain(&spec.sweep.axes);
    let in_every_arm = |name: &&str| spec.arms.iter().all(|arm| arm.params.get(name).is_some());
    let of_arms = spec.arms.first().into_iter();
    let of_arms = of_arms.flat_map(|arm| arm.params.iter().map(|(name, _)| name));
    params
        .chain(axes.map(|axis| axis.name.as_str()))
        .chain(of_arms.filter(in_every_arm))
        .collect()
}

fn check_names(constraint: &Constraint, node: &Node, given: &[&str], problems: &mut Problems) {
    for name in constraint.names() {
        if given.contains(&name) {
            continue;
        }
        let message = format!("the constraint speaks of `{name}`, which not every trial has");
        let all = || match given {
            [] => "the task has no parameters".to_owned(),
            names => format!(
                "every trial has {}; what is left to a default is written under `params` to be spoken of",
                names.join(", ")
            ),
        };
        let help = did_you_mean(name, given.iter().copied()).unwrap_or_else(all);
        problems.push(error(node.span, message).help(help));
    }
}
