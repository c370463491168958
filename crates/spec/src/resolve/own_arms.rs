//! The arms that a task runs in, where that is not every one: those that it names, and where arms are models, none for a
//! task that has no use for a model.

use super::draft::Draft;
use super::experiments::Known;
use super::parts::{error, texts};
use super::tasks::ModelRole;
use crate::diagnostic::Problems;
use crate::document::Node;
use crate::spec::Arm;
use crate::spec::task::Task;
use crate::spec::work::Work;
use crate::template::Template;
use fairtrial_text::nearest::did_you_mean;

/// Says of each task which arms it runs in.
pub(super) fn assign(
    tasks: &mut [Task],
    drafts: &[Draft],
    (arms, role): (&[Arm], ModelRole),
    known: &Known,
    problems: &mut Problems,
) {
    for (task, draft) in tasks.iter_mut().zip(drafts) {
        if let Some(node) = draft.node.get("in_arms") {
            for item in node.list().unwrap_or_default() {
                unknown(item, arms, role, problems);
            }
            task.arms = Some(texts(Some(node)));
        } else if role == ModelRole::Arm && task.arm.is_none() && !arms.is_empty() {
            task.arms = (!takes_model(task, draft, known)).then(Vec::new);
        }
    }
}

fn unknown(item: &Node, arms: &[Arm], role: ModelRole, problems: &mut Problems) {
    let Some(name) = item.text() else { return };
    let names = || arms.iter().map(|arm| arm.name.as_str());
    if role == ModelRole::Arm {
        let problem = error(item.span, "this spec has no [arms] to choose from");
        let problem = problem.help("give the task its `model`, or declare [arms]");
        problems.push(problem.lacking(&["arms"]));
    } else if !names().any(|known| known == name) {
        let there = || format!("the arms are {}", names().collect::<Vec<_>>().join(", "));
        let help = did_you_mean(name, names()).unwrap_or_else(there);
        problems.push(error(item.span, format!("there is no arm `{name}`")).help(help));
    }
}

/// Whether a task is another one under another model.
fn takes_model(task: &Task, draft: &Draft, known: &Known) -> bool {
    match &task.work {
        Work::Command { argv, .. } => {
            let paths = task.outputs.iter().chain(&task.inputs);
            let texts = argv.iter().chain(task.env.values()).chain(&task.workdir);
            let mut names = texts
                .chain(paths)
                .flat_map(|text| Template::parse(text).names().collect::<Vec<_>>());
            names.any(|name| name == "model" || name == "arm")
        }
        Work::Experiment { .. } => {
            let schema = known.schema(draft);
            schema.is_none_or(|schema| schema.get("model").is_some())
        }
        Work::Prepared { .. } | Work::Imported { .. } => true,
    }
}
