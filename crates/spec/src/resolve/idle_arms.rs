//! Arms that do nothing: where no command and no variable uses what sets them apart, they are the same program twice, and a
//! comparison of them is about chance alone.

use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::document::Node;
use crate::spec::task::Task;
use crate::spec::work::Work;
use crate::spec::{Arm, Spec};
use crate::template::Template;
use fairtrial_model::ParamValue;
use fairtrial_text::count::first_of;

/// Warns about each arm that runs exactly what an arm before it runs.
pub(super) fn check(root: &Node, spec: &Spec, problems: &mut Problems) {
    let commands = |task: &Task| task.arm.is_none() && matches!(task.work, Work::Command { .. });
    // What is wrong otherwise comes first: a slip in a placeholder makes arms alike, too.
    if problems.any_error() || spec.arms.len() < 2 || !spec.tasks.iter().all(commands) {
        return;
    }
    let entries = root.get("arms").and_then(Node::map);
    for (place, arm) in spec.arms.iter().enumerate() {
        let twin = spec.arms[..place]
            .iter()
            .find(|other| same(spec, other, arm));
        let entry = entries.and_then(|map| map.entry(&arm.name));
        if let (Some(twin), Some(entry)) = (twin, entry) {
            let message = format!(
                "the arms `{}` and `{}` run the same command with the same variables",
                twin.name, arm.name
            );
            let warning = Diagnostic::new(Severity::Warning, entry.key_span, message);
            problems.push(warning.help(help(twin, arm)));
        }
    }
}

/// Whether all that commands, variables and folders use is the same in both.
fn same(spec: &Spec, one: &Arm, other: &Arm) -> bool {
    spec.tasks.iter().all(|task| {
        let runs = (task.runs_in(&one.name), task.runs_in(&other.name));
        let Work::Command { argv, .. } = &task.work else {
            return false;
        };
        if runs != (true, true) {
            return runs == (false, false);
        }
        let texts = argv.iter().chain(task.env.values()).chain(&task.workdir);
        let mut names = texts.flat_map(|text| Template::parse(text).names().collect::<Vec<_>>());
        names.all(|name| name != "arm" && value(task, one, name) == value(task, other, name))
    })
}

fn value<'a>(task: &'a Task, arm: &'a Arm, name: &str) -> Option<&'a ParamValue> {
    arm.params.get(name).or_else(|| task.params.get(name))
}

/// What to do about it: use what differs, or read it from the file of parameters.
fn help(one: &Arm, other: &Arm) -> String {
    let names = one.params.iter().chain(other.params.iter());
    let mut unused: Vec<&str> = names
        .map(|(name, _)| name)
        .filter(|name| one.params.get(name) != other.params.get(name))
        .collect();
    unused.sort_unstable();
    unused.dedup();
    match unused.first() {
        None => {
            "nothing sets them apart; that is right for a test of the test itself (A/A)".to_owned()
        }
        Some(first) => format!(
            "no command uses {}: did you forget `{{{first}}}`? It is right where the program reads the file that \
             FAIRTRIAL_PARAMS names",
            first_of(unused.iter().map(|name| format!("`{name}`")), 3)
        ),
    }
}
