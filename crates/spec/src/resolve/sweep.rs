//! Sweeps: axes, and how they combine.

use super::draft::Draft;
use super::parts::error;
use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::document::{Entry, Kind, Node};
use crate::spec::Arm;
use crate::spec::sweep::{Axis, Strategy, Sweep};
use crate::spec::task::Task;

/// The top-level sweep, whose strategy may stand beside it or inside it.
pub(super) fn top_level(root: &Node, problems: &mut Problems) -> Sweep {
    let node = root.get("sweep");
    let axes = axes(node);
    let beside = (root.get("strategy"), root.get("samples"));
    let (strategy, samples) = (
        setting(node, "strategy").or(beside.0),
        setting(node, "samples").or(beside.1),
    );
    let sweep = Sweep {
        strategy: strategy_of(&axes, strategy, samples, problems),
        axes,
    };
    check_samples(&sweep, samples, problems);
    sweep
}

/// A task's own sweep: the lists among its parameters, then the axes of its `sweep`.
pub(super) fn of_task(task: &Node, swept: Vec<(&str, &Node)>, problems: &mut Problems) -> Sweep {
    let node = task.get("sweep");
    let from_params = swept.into_iter().map(|(name, list)| axis(name, list));
    let own = axes(node);
    let mut all: Vec<Axis> = from_params
        .filter(|axis| !own.iter().any(|other| other.name == axis.name))
        .collect();
    all.extend(own);
    let samples = setting(node, "samples");
    let sweep = Sweep {
        strategy: strategy_of(&all, setting(node, "strategy"), samples, problems),
        axes: all,
    };
    check_samples(&sweep, samples, problems);
    sweep
}

/// Without a top-level `sweep`, a top-level `strategy` is about the lists in the single task's `params`.
pub(super) fn share_strategy(
    root: &Node,
    top: &mut Sweep,
    tasks: &mut [Task],
    problems: &mut Problems,
) {
    if !top.axes.is_empty() || top.strategy == Strategy::Cartesian {
        return;
    }
    match tasks {
        [task] if root.get("tasks").is_none() && !task.sweep.axes.is_empty() => {
            task.sweep.strategy = top.strategy;
            top.strategy = Strategy::Cartesian;
            check_zip(
                &task.sweep.axes,
                task.sweep.strategy,
                root.get("strategy"),
                problems,
            );
            check_samples(&task.sweep, root.get("samples"), problems);
        }
        _ => {
            let span = root
                .get("strategy")
                .or_else(|| root.get("sweep"))
                .map_or(root.span, |node| node.span);
            let problem = error(span, "there is nothing to sweep with this strategy");
            problems.push(problem.help("add axes: [sweep] with a list per parameter"));
        }
    }
}

fn setting<'a>(sweep: Option<&'a Node>, key: &str) -> Option<&'a Node> {
    sweep?
        .get(key)
        .filter(|node| !matches!(node.kind, Kind::List(_)))
}

fn axes(sweep: Option<&Node>) -> Vec<Axis> {
    let entries = sweep
        .and_then(Node::map)
        .map_or(&[][..], |map| &map.entries);
    let filled = |entry: &&Entry| entry.value.list().is_some_and(|items| !items.is_empty());
    entries
        .iter()
        .filter(filled)
        .map(|entry| axis(&entry.key, &entry.value))
        .collect()
}

fn axis(name: &str, list: &Node) -> Axis {
    let values = list
        .list()
        .unwrap_or_default()
        .iter()
        .map(Node::to_param)
        .collect();
    Axis {
        name: name.to_owned(),
        values,
    }
}

fn strategy_of(
    axes: &[Axis],
    strategy: Option<&Node>,
    samples: Option<&Node>,
    problems: &mut Problems,
) -> Strategy {
    let word = strategy.and_then(Node::text).unwrap_or("cartesian");
    let count = samples.and_then(Node::whole);
    let chosen = match (word, count) {
        ("random", Some(samples)) => Strategy::Random {
            samples: samples as usize,
        },
        ("zip", _) => Strategy::Zip,
        _ => Strategy::Cartesian,
    };
    if let (Some(node), "random", None) = (strategy, word, count) {
        let problem = error(
            node.span,
            "a random sweep needs to know how many draws to make",
        );
        problems.push(problem.help("add samples = 20, or another number"));
    }
    if let (Some(node), true) = (samples.filter(|node| !node.is_null()), word != "random") {
        let problem = error(
            node.span,
            format!("`samples` goes with the strategy `random`, not with `{word}`"),
        );
        problems.push(problem.help("add strategy = \"random\", or remove `samples`"));
    }
    check_zip(axes, chosen, strategy, problems);
    chosen
}

fn check_zip(axes: &[Axis], strategy: Strategy, node: Option<&Node>, problems: &mut Problems) {
    let same = axes
        .windows(2)
        .all(|pair| pair[0].values.len() == pair[1].values.len());
    if let (Strategy::Zip, false, Some(node)) = (strategy, same, node) {
        let lengths: Vec<String> = axes
            .iter()
            .map(|axis| format!("`{}` has {}", axis.name, axis.values.len()))
            .collect();
        let message = format!(
            "axes that are zipped have one length: {}",
            lengths.join(", ")
        );
        problems.push(
            error(node.span, message)
                .help("make the lists equally long, or use strategy = \"cartesian\""),
        );
    }
}

/// More draws than there are points: no point is drawn twice, so there are fewer trials than somebody expects.
fn check_samples(sweep: &Sweep, node: Option<&Node>, problems: &mut Problems) {
    let (Strategy::Random { samples }, Some(node)) = (sweep.strategy, node) else {
        return;
    };
    let points = sweep.combinations();
    if !sweep.axes.is_empty() && points < samples as u128 {
        let message = format!(
            "{samples} draws are asked for and the axes have {points} combinations: each is taken once"
        );
        let warning = Diagnostic::new(Severity::Warning, node.span, message);
        problems.push(warning.help("remove `strategy` and `samples`, or add values to the axes"));
    }
}

/// A parameter with two origins would have two values in one trial.
pub(super) fn check_clashes(
    root: &Node,
    tasks: &[Task],
    drafts: &[Draft],
    arms: &[Arm],
    problems: &mut Problems,
) {
    let top = axis_entries(root, "sweep");
    let in_an_arm = |name: &str| arms.iter().any(|arm| arm.params.get(name).is_some());
    for entry in top.iter().filter(|entry| in_an_arm(&entry.key)) {
        clash(entry, "a sweep and an arm both set", problems);
    }
    for (task, draft) in tasks.iter().zip(drafts) {
        let is_axis = |entry: &&&Entry| task.sweep.axes.iter().any(|axis| axis.name == entry.key);
        let (params, sweep) = (
            axis_entries(&draft.node, "params"),
            axis_entries(&draft.node, "sweep"),
        );
        for entry in params.iter().chain(&sweep).filter(is_axis) {
            if in_an_arm(&entry.key) {
                clash(entry, "a sweep and an arm both set", problems);
            }
            // The single task at the top level has no sweep of its own.
            if top
                .iter()
                .any(|other| other.key == entry.key && other.key_span != entry.key_span)
            {
                clash(
                    entry,
                    "the top-level sweep and the task both sweep",
                    problems,
                );
            }
        }
        for entry in params
            .iter()
            .filter(|entry| sweep.iter().any(|other| other.key == entry.key))
        {
            clash(
                entry,
                "`params` and `sweep` of the task both sweep",
                problems,
            );
        }
    }
}

/// The entries with lists under a key.
fn axis_entries<'a>(node: &'a Node, key: &str) -> Vec<&'a Entry> {
    let entries = node
        .get(key)
        .and_then(Node::map)
        .map_or(&[][..], |map| &map.entries);
    entries
        .iter()
        .filter(|entry| entry.value.list().is_some())
        .collect()
}

fn clash(entry: &Entry, what: &str, problems: &mut Problems) {
    let problem = error(entry.key_span, format!("{what} `{}`", entry.key));
    problems.push(problem.help("remove one of the two"));
}
