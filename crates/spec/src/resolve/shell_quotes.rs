//! Values in a script that are not quoted: a shell reads `a; b` as two commands, whatever the spec's author meant.

use super::draft::Draft;
use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::source::{Sources, Span};
use crate::spec::{Spec, Task};
use crate::template::{Placeholder, PlaceholderForm, Template};
use fairtrial_model::{ParamValue, Params};
use fairtrial_text::excerpt::excerpt;
use fairtrial_text::shell_word::shell_word;

/// Letters of a value that a warning shows.
const SHOWN: usize = 40;

/// Warns about placeholders in scripts whose values a shell would not take as they are.
pub(super) fn check(spec: &Spec, drafts: &[Draft], sources: &Sources, problems: &mut Problems) {
    for (task, draft) in spec.tasks.iter().zip(drafts) {
        let (Some(script), Some(node)) = (task.work.script(), draft.node.get("command")) else {
            continue;
        };
        let mut told = Vec::new();
        for placeholder in Template::parse(script).placeholders() {
            let name = placeholder.name;
            let is_quoted = matches!(
                placeholder.form,
                PlaceholderForm::Quoted | PlaceholderForm::Splat
            );
            if is_quoted || told.contains(&name) || problems.is_full() {
                continue;
            }
            let mut values = values(spec, task, name);
            if let Some(value) =
                values.find(|value| !value.is_empty() && shell_word(value) != *value)
            {
                told.push(name);
                let raw = &script[placeholder.range.clone()];
                problems.push(warning(placeholder, &value, sources.find(node.span, raw)));
            }
        }
    }
}

fn warning(placeholder: &Placeholder<'_>, value: &str, span: Span) -> Diagnostic {
    let (name, value) = (placeholder.name, excerpt(value, SHOWN));
    let message =
        format!("`{{{name}}}` is not quoted: the shell reads `{value}` as a part of the script");
    let help = format!(
        "write `{{{name}:q}}`, without quotation marks around it, to have the value as one word"
    );
    Diagnostic::new(Severity::Warning, span, message).help(help)
}

/// All that a placeholder may stand for in a task's trials.
fn values<'a>(spec: &'a Spec, task: &'a Task, name: &'a str) -> impl Iterator<Item = String> + 'a {
    let arms = spec.arms.iter();
    let arms = arms.filter(move |arm| task.runs_in(&arm.name));
    let of_arms = arms.clone().filter_map(move |arm| arm.params.get(name));
    let axes = task.sweep.axes.iter().chain(&spec.sweep.axes);
    let of_axes = axes
        .filter(move |axis| axis.name == name)
        .flat_map(|axis| &axis.values);
    let given: Vec<&ParamValue> = task
        .params
        .get(name)
        .into_iter()
        .chain(of_arms)
        .chain(of_axes)
        .collect();
    let names: Vec<String> = match name {
        _ if !given.is_empty() => Vec::new(),
        "task" => vec![task.id.clone()],
        "arm" => arms.map(|arm| arm.name.clone()).collect(),
        _ => Vec::new(),
    };
    given.into_iter().map(Params::display).chain(names)
}
