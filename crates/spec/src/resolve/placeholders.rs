//! Placeholders in commands, environment values and working directories: each must be defined for every trial.

use super::draft::Draft;
use super::error;
use crate::diagnostic::Problems;
use crate::document::Node;
use crate::shape::suggest::nearest;
use crate::source::{Sources, Span};
use crate::spec::{Arm, Spec, Task};
use crate::template::{BUILTIN_NAMES, Placeholder, Template};

/// Reports placeholders that nothing defines.
pub(super) fn check(spec: &Spec, drafts: &[Draft], sources: &Sources, problems: &mut Problems) {
    for (task, draft) in spec.tasks.iter().zip(drafts) {
        let scope = Scope::new(spec, task);
        for node in template_nodes(draft) {
            let Some(text) = node.text() else { continue };
            for placeholder in Template::parse(text).placeholders() {
                let span = exact(node, text, placeholder, sources);
                scope.check(placeholder, span, problems);
            }
        }
    }
}

fn template_nodes(draft: &Draft) -> impl Iterator<Item = &Node> {
    let command = draft.node.get("command");
    let single = command.into_iter().chain(draft.node.get("workdir"));
    let parts = command.and_then(Node::list).unwrap_or_default();
    let env = draft
        .node
        .get("env")
        .and_then(Node::map)
        .map_or(&[][..], |map| &map.entries);
    single
        .chain(parts)
        .chain(env.iter().map(|entry| &entry.value))
}

/// The place of a placeholder in the source. Escapes in the text shift places, so it is searched for there.
fn exact(node: &Node, text: &str, placeholder: &Placeholder<'_>, sources: &Sources) -> Span {
    let raw = &text[placeholder.range.clone()];
    let before = text[..placeholder.range.start].matches(raw).count();
    match sources.slice(node.span).match_indices(raw).nth(before) {
        Some((at, _)) => {
            let start = node.span.start + at;
            Span {
                start,
                end: start + raw.len(),
                ..node.span
            }
        }
        None => node.span,
    }
}

/// What a task's trials define.
struct Scope<'a> {
    names: Vec<&'a str>,
    arms: Vec<&'a Arm>,
}

impl<'a> Scope<'a> {
    fn new(spec: &'a Spec, task: &'a Task) -> Self {
        let params = task.params.iter().map(|(key, _)| key);
        let axes = task
            .sweep
            .axes
            .iter()
            .chain(&spec.sweep.axes)
            .map(|axis| axis.name.as_str());
        let own_arm = |arm: &&Arm| task.arm.as_ref().is_none_or(|name| *name == arm.name);
        Self {
            names: params.chain(axes).collect(),
            arms: spec.arms.iter().filter(own_arm).collect(),
        }
    }

    fn check(&self, placeholder: &Placeholder<'_>, span: Span, problems: &mut Problems) {
        let name = placeholder.name;
        let in_arms = self
            .arms
            .iter()
            .filter(|arm| arm.params.get(name).is_some())
            .count();
        let by_user = self.names.contains(&name) || in_arms > 0;
        if BUILTIN_NAMES.contains(&name) {
            if by_user {
                let problem = error(
                    span,
                    format!("`{{{name}}}` is a built-in placeholder and a parameter"),
                );
                problems.push(problem.help("rename the parameter"));
            }
        } else if !by_user && placeholder.is_plain_name() {
            self.undefined(name, span, problems);
        } else if !self.names.contains(&name) && in_arms > 0 && in_arms < self.arms.len() {
            self.missing_in_an_arm(name, span, problems);
        }
    }

    fn undefined(&self, name: &str, span: Span, problems: &mut Problems) {
        let arm_keys = self
            .arms
            .iter()
            .flat_map(|arm| arm.params.iter().map(|(key, _)| key));
        let known = self
            .names
            .iter()
            .copied()
            .chain(arm_keys)
            .chain(BUILTIN_NAMES);
        let literal = format!("write {{{{{name}}}}} for literal braces");
        let help = match nearest(name, known) {
            Some(best) => format!("did you mean `{{{best}}}`? ({literal})"),
            None => format!("define it as a parameter, in an arm or in a sweep; {literal}"),
        };
        problems.push(
            error(
                span,
                format!("nothing defines the placeholder `{{{name}}}`"),
            )
            .help(help),
        );
    }

    fn missing_in_an_arm(&self, name: &str, span: Span, problems: &mut Problems) {
        let lacking = self
            .arms
            .iter()
            .filter(|arm| arm.params.get(name).is_none());
        let lacking: Vec<String> = lacking.map(|arm| format!("`{}`", arm.name)).collect();
        let message = format!(
            "the placeholder `{{{name}}}` is not defined in every arm: {} lacks it",
            lacking.join(", ")
        );
        let help = "set it there too, or give it a default under `params`";
        problems.push(error(span, message).help(help));
    }
}
