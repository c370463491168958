//! Placeholders in commands, environment values and working directories: each must be defined for every trial.

use super::draft::Draft;
use super::parts::error;
use crate::diagnostic::Problems;
use crate::document::Node;
use crate::engine::{PROFILES, TEMPLATE_PLACEHOLDERS};
use crate::rollout::AGENT_PLACEHOLDERS;
use crate::sandbox::SANDBOX_PLACEHOLDERS;
use crate::source::{Sources, Span};
use crate::spec::task::Task;
use crate::spec::work::Work;
use crate::spec::{Arm, Spec};
use crate::template::{BUILTIN_NAMES, OF_THE_ATTEMPT, Placeholder, PlaceholderForm, Template};
use fairtrial_text::nearest::nearest;

/// The folder of checkpoints: the same for all attempts at a trial, and another one in the next run.
const OF_THE_RUN: &str = "checkpoint";

/// Reports placeholders that nothing defines.
pub(super) fn check(spec: &Spec, drafts: &[Draft], sources: &Sources, problems: &mut Problems) {
    for (task, draft) in spec.tasks.iter().zip(drafts) {
        let scope = Scope::new(spec, task).of_trials(task);
        for node in command_nodes(draft.node.get("command")) {
            scope.check(node, sources, problems);
        }
        for node in template_nodes(draft) {
            scope.check(node, sources, problems);
            no_list(node, sources, problems);
        }
        let scope = Scope::new(spec, task).and(OF_THE_RUN);
        for node in lasting_nodes(draft) {
            scope.check(node, sources, problems);
            no_list(node, sources, problems);
            known_before(node, sources, problems);
        }
        if !matches!(task.work, Work::Prepared { .. }) {
            continue;
        }
        let scope = scope.with(&AGENT_PLACEHOLDERS);
        for node in command_nodes(draft.node.get("setup")) {
            scope.check(node, sources, problems);
            no_list(node, sources, problems);
        }
        let scope = scope.of_commands();
        for node in command_nodes(draft.node.get("agent").and_then(|node| node.get("command"))) {
            scope.check(node, sources, problems);
            no_list(node, sources, problems);
        }
        let scope = Scope::only(&SANDBOX_PLACEHOLDERS);
        for node in command_nodes(
            draft
                .node
                .get("sandbox")
                .and_then(|node| node.get("command")),
        ) {
            scope.check(node, sources, problems);
        }
    }
}

/// Reports placeholders in the commands of schedulers that no submission defines.
pub(super) fn check_engine(root: &Node, sources: &Sources, problems: &mut Problems) {
    let tables = ["template"].into_iter().chain(PROFILES);
    let tables = tables.filter_map(|name| root.get("engine")?.get(name));
    for table in tables {
        for (key, names) in TEMPLATE_PLACEHOLDERS {
            if let Some(node) = table.get(key) {
                Scope::only(names).check(node, sources, problems);
            }
        }
    }
}

/// A command is one text or a list of them.
fn command_nodes(node: Option<&Node>) -> impl Iterator<Item = &Node> {
    let parts = node.and_then(Node::list).unwrap_or_default();
    node.into_iter().chain(parts)
}

/// Only a command has words that a list could become.
fn no_list(node: &Node, sources: &Sources, problems: &mut Problems) {
    let Some(text) = node.text() else { return };
    let template = Template::parse(text);
    for placeholder in template.placeholders() {
        if placeholder.form == PlaceholderForm::Splat {
            let span = exact(node, text, placeholder, sources);
            let message = format!("`{{{}...}}` stands only in `command`", placeholder.name);
            problems.push(error(span, message).help("pass the list to the command"));
        }
    }
}

fn template_nodes(draft: &Draft) -> impl Iterator<Item = &Node> {
    let env = draft
        .node
        .get("env")
        .and_then(Node::map)
        .map_or(&[][..], |map| &map.entries);
    let workdir = draft.node.get("workdir");
    workdir
        .into_iter()
        .chain(env.iter().map(|entry| &entry.value))
}

/// Names of what is there before a trial and after it.
fn lasting_nodes(draft: &Draft) -> impl Iterator<Item = &Node> {
    let paths = ["outputs", "inputs"]
        .into_iter()
        .filter_map(|key| draft.node.get(key)?.list())
        .flatten();
    draft.node.get("row").into_iter().chain(paths)
}

/// What other tasks and later runs look for cannot be named by what each attempt decides anew.
fn known_before(node: &Node, sources: &Sources, problems: &mut Problems) {
    let Some(text) = node.text() else { return };
    for placeholder in Template::parse(text).placeholders() {
        let where_it_differs = match placeholder.name {
            OF_THE_RUN => "run",
            name if OF_THE_ATTEMPT.contains(&name) => "attempt",
            _ => continue,
        };
        let span = exact(node, text, placeholder, sources);
        let message = format!(
            "`{{{}}}` is another in every {where_it_differs}, so that nobody could find this again",
            placeholder.name
        );
        problems.push(
            error(span, message).help("name it by `{seed}`, `{task}`, `{arm}` or a parameter"),
        );
    }
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
    builtin: &'static [&'static str],
    /// Whether the spec can define no more.
    closed: bool,
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
        let own_arm = |arm: &&Arm| task.runs_in(&arm.name);
        Self {
            names: params.chain(axes).collect(),
            arms: spec.arms.iter().filter(own_arm).collect(),
            builtin: &BUILTIN_NAMES,
            closed: false,
        }
    }

    /// The same with what only a task with checkpoints defines.
    fn of_trials(mut self, task: &Task) -> Self {
        self.names
            .extend(task.checkpoint.is_some().then_some("checkpoint"));
        self
    }

    /// The same with other built-in names. A parameter of such a name goes before it.
    fn with(mut self, builtin: &'static [&'static str]) -> Self {
        self.builtin = &[];
        self.names.extend(builtin);
        self
    }

    /// The same with one more.
    fn and(mut self, name: &'static str) -> Self {
        self.names.push(name);
        self
    }

    /// The same without the arms whose agent has no command of the spec.
    fn of_commands(mut self) -> Self {
        let agent = |arm: &Arm| {
            arm.params
                .get("agent")
                .and_then(|agent| agent.as_str().map(str::to_owned))
        };
        self.arms
            .retain(|arm| agent(arm).is_none_or(|agent| agent == "command"));
        self
    }

    /// Nothing but these.
    fn only(names: &'static [&'static str]) -> Self {
        Self {
            names: names.to_vec(),
            arms: Vec::new(),
            builtin: &[],
            closed: true,
        }
    }

    fn check(&self, node: &Node, sources: &Sources, problems: &mut Problems) {
        let Some(text) = node.text() else { return };
        for placeholder in Template::parse(text).placeholders() {
            if problems.is_full() {
                return;
            }
            if let Some(problem) = self.problem(placeholder) {
                let span = exact(node, text, placeholder, sources);
                let problem = error(span, problem.message).help(problem.help);
                problems.push(problem.lacking(&["arms", "sweep", "params"]));
            }
        }
    }

    fn problem(&self, placeholder: &Placeholder<'_>) -> Option<Problem> {
        let name = placeholder.name;
        let in_arms = self
            .arms
            .iter()
            .filter(|arm| arm.params.get(name).is_some())
            .count();
        let by_task = self.names.contains(&name);
        if self.builtin.contains(&name) {
            return (by_task || in_arms > 0).then(|| ambiguous(name));
        }
        let optional = matches!(placeholder.form, PlaceholderForm::Optional(_));
        if by_task || (in_arms > 0 && (optional || in_arms == self.arms.len())) {
            return None;
        }
        match in_arms {
            0 => (placeholder.is_plain_name() || placeholder.form != PlaceholderForm::Plain)
                .then(|| self.undefined(name)),
            _ => Some(self.missing_in_an_arm(name)),
        }
    }

    fn undefined(&self, name: &str) -> Problem {
        let arm_keys = self
            .arms
            .iter()
            .flat_map(|arm| arm.params.iter().map(|(key, _)| key));
        let known = self
            .names
            .iter()
            .copied()
            .chain(arm_keys)
            .chain(self.builtin.iter().copied());
        let literal = format!("write {{{{{name}}}}} for literal braces");
        let help = match nearest(name, known) {
            Some(best) => format!("did you mean `{{{best}}}`? ({literal})"),
            None if name == "checkpoint" => {
                "write `checkpoint = true` beside the command".to_owned()
            }
            None if self.closed => format!("known here: {}; {literal}", self.shown()),
            None => format!("define it as a parameter, in an arm or in a sweep; {literal}"),
        };
        Problem {
            message: format!("nothing defines the placeholder `{{{name}}}`"),
            help,
        }
    }

    fn shown(&self) -> String {
        let names = self.names.iter().map(|name| format!("`{{{name}}}`"));
        names.collect::<Vec<_>>().join(", ")
    }

    fn missing_in_an_arm(&self, name: &str) -> Problem {
        let lacking = self
            .arms
            .iter()
            .filter(|arm| arm.params.get(name).is_none());
        let lacking: Vec<String> = lacking.map(|arm| format!("`{}`", arm.name)).collect();
        let lacking = lacking.join(", ");
        Problem {
            message: format!(
                "the placeholder `{{{name}}}` is not defined in every arm: {lacking} lacks it"
            ),
            help: format!(
                "set it there too, give it a default under `params`, or mark it as optional: `{{{name}?--{name}=}}`"
            ),
        }
    }
}

fn ambiguous(name: &str) -> Problem {
    Problem {
        message: format!("`{{{name}}}` is a built-in placeholder and a parameter"),
        help: "rename the parameter".to_owned(),
    }
}

struct Problem {
    message: String,
    help: String,
}
