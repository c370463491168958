//! Tasks as written, with `[defaults]` merged under them, and the [`Task`] made from each.

use super::experiments::Known;
use super::work::work;
use super::{error, seeds, sweep, texts};
use crate::diagnostic::Problems;
use crate::document::{Kind, Map, Node};
use crate::shape::check::{node_bytes, node_duration};
use crate::shape::task_keys::{WORK_KEYS, is_task_key};
use crate::spec::task::{InheritEnv, Limits, Retries, Task};
use crate::spec::work::Work;
use fairtrial_experiment::{Param, ParamSchema};
use fairtrial_model::Params;
use std::collections::BTreeMap;

/// A task before it is resolved.
pub(super) struct Draft {
    /// The task's keys over those of `[defaults]`.
    pub(super) node: Node,
    /// The keys that the task itself has.
    pub(super) own_keys: Vec<String>,
}

impl Draft {
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.node.get(key)?.text()
    }
}

/// The tasks of a spec: `[[tasks]]`, or the one at the top level.
pub(super) fn drafts(root: &Node, problems: &mut Problems) -> Vec<Draft> {
    let Kind::Map(map) = &root.kind else {
        return Vec::new();
    };
    let defaults = root.get("defaults").and_then(Node::map);
    let Some(tasks) = root.get("tasks") else {
        return single(root, map, defaults, problems).into_iter().collect();
    };
    stray_task_keys(map, problems);
    let tasks = tasks.list().unwrap_or_default().iter();
    tasks
        .filter(|task| task.map().is_some())
        .map(|task| draft(task.clone(), defaults))
        .collect()
}

fn single(
    root: &Node,
    map: &Map,
    defaults: Option<&Map>,
    problems: &mut Problems,
) -> Option<Draft> {
    let entries = map
        .entries
        .iter()
        .filter(|entry| is_task_key(&entry.key))
        .cloned()
        .collect();
    let task = draft(Node::new(root.span, Kind::Map(Map { entries })), defaults);
    if WORK_KEYS.iter().any(|key| task.node.get(key).is_some()) {
        return Some(task);
    }
    let help = "add [[tasks]] with `command`, `experiment` or `prepared_dir`, or one of these keys at the top level";
    problems.push(error(root.span, "the spec has no work").help(help));
    None
}

/// Beside `[[tasks]]`, a key of a task at the top level would belong to nobody.
fn stray_task_keys(map: &Map, problems: &mut Problems) {
    for entry in map.entries.iter().filter(|entry| is_task_key(&entry.key)) {
        let message = format!(
            "`{}` belongs to a task, and this spec has `tasks`",
            entry.key
        );
        let help = if WORK_KEYS.contains(&entry.key.as_str()) || entry.key == "id" {
            "move it into a task"
        } else {
            "move it into the task, or under `defaults` for every task"
        };
        problems.push(error(entry.key_span, message).help(help));
    }
}

fn draft(mut node: Node, defaults: Option<&Map>) -> Draft {
    let Kind::Map(map) = &mut node.kind else {
        return Draft {
            node,
            own_keys: Vec::new(),
        };
    };
    let own_keys: Vec<String> = map.entries.iter().map(|entry| entry.key.clone()).collect();
    let is_work = |key: &str| WORK_KEYS.contains(&key);
    if let Some(defaults) = defaults {
        let mut base = defaults.clone();
        // A task that says what it does has no use for the work of the defaults.
        if own_keys.iter().any(|key| is_work(key)) {
            base.entries.retain(|entry| !is_work(&entry.key));
        }
        map.fill_from(&base);
    }
    Draft { node, own_keys }
}

/// What `model` is: the arm, or, where arms are declared, a parameter like others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ModelRole {
    Arm,
    Parameter,
}

/// The tasks, in the order of their drafts; one without work gets an empty command, so that the two
/// lists stay in step; its problem is reported.
pub(super) fn tasks(
    drafts: &[Draft],
    (role, known): (ModelRole, &Known),
    problems: &mut Problems,
) -> Vec<Task> {
    drafts
        .iter()
        .map(|draft| task(draft, role, known, problems))
        .collect()
}

fn task(draft: &Draft, role: ModelRole, known: &Known, problems: &mut Problems) -> Task {
    let node = &draft.node;
    let work = work(draft, known, problems).unwrap_or(Work::Command {
        argv: Vec::new(),
        shell: false,
    });
    let model = match &work {
        Work::Prepared { model, .. } => Some(model.clone()),
        _ => draft.text("model").map(str::to_owned),
    };
    let (mut params, swept) = params(node, known.schema(draft), problems);
    if let (ModelRole::Parameter, Some(model)) = (role, &model) {
        params.set("model", model.as_str().into());
    }
    if let Some(episodes) = episodes(node, problems) {
        params.set("episodes", episodes.into());
    }
    Task {
        id: draft.text("id").unwrap_or("").to_owned(),
        work,
        arm: model.filter(|_| role == ModelRole::Arm),
        rollouts: node
            .get("rollouts")
            .and_then(Node::whole)
            .and_then(|n| u32::try_from(n).ok())
            .unwrap_or(1),
        seeds: node.get("seeds").and_then(|node| seeds(node, problems)),
        params,
        sweep: sweep::of_task(node, swept, problems),
        constraints: texts(node.get("constraints")),
        env: env(node.get("env")),
        inherit_env: inherit_env(node.get("inherit_env")),
        workdir: draft.text("workdir").map(str::to_owned),
        limits: limits(node),
        resources: super::engine::needs(node.get("resources")),
        needs: texts(node.get("needs")),
        retries: retries(node.get("retries")),
        log_limit: node
            .get("log_limit")
            .and_then(|node| node_bytes(node).ok())
            .unwrap_or(16 << 20),
        feeds: super::tables::feeds(draft),
        episodes: draft.text("episodes").map(str::to_owned),
        outputs: texts(node.get("outputs")),
        inputs: texts(node.get("inputs")),
        place: node.span.start,
    }
}

/// The episode selection, which the command takes as a parameter.
fn episodes<'a>(node: &'a Node, problems: &mut Problems) -> Option<&'a str> {
    let node = node.get("episodes")?;
    let text = node.text()?;
    if let Err(problem) = crate::EpisodeSet::parse(text, u64::MAX) {
        problems.push(error(node.span, problem.to_string()));
    }
    Some(text)
}

/// Fixed parameters, and the lists among them, which are swept unless the parameter's own type is a list.
fn params<'a>(
    node: &'a Node,
    schema: Option<&ParamSchema>,
    problems: &mut Problems,
) -> (Params, Vec<(&'a str, &'a Node)>) {
    let takes_list = |name: &str| {
        let param = schema.and_then(|schema| schema.get(name));
        param.is_some_and(Param::is_list)
    };
    let mut fixed = Params::new();
    let mut swept = Vec::new();
    for entry in node
        .get("params")
        .and_then(Node::map)
        .map_or(&[][..], |map| &map.entries)
    {
        match entry.value.list() {
            None => fixed.set(entry.key.as_str(), entry.value.to_param()),
            Some(_) if takes_list(&entry.key) => {
                fixed.set(entry.key.as_str(), entry.value.to_param());
            }
            Some([]) => {
                let message = format!("the sweep over `{}` has no values", entry.key);
                problems.push(
                    error(entry.value.span, message)
                        .help("a list under `params` is swept: give it values"),
                );
            }
            Some(items) => {
                crate::shape::check::repeated_values(items, problems);
                swept.push((entry.key.as_str(), &entry.value));
            }
        }
    }
    (fixed, swept)
}

fn env(node: Option<&Node>) -> BTreeMap<String, String> {
    let entries = node.and_then(Node::map).map_or(&[][..], |map| &map.entries);
    entries
        .iter()
        .map(|entry| (entry.key.clone(), Params::display(&entry.value.to_param())))
        .collect()
}

fn inherit_env(node: Option<&Node>) -> InheritEnv {
    let list = |key| {
        node.and_then(|node| node.get(key))
            .map(|list| texts(Some(list)))
    };
    InheritEnv {
        allow: list("allow").unwrap_or_else(|| vec!["*".to_owned()]),
        deny: list("deny").unwrap_or_default(),
    }
}

fn limits(node: &Node) -> Limits {
    let duration = |node: Option<&Node>| node.and_then(|node| node_duration(node).ok());
    let limit = |key| node.get("limits").and_then(|limits| limits.get(key));
    Limits {
        wall_s: duration(node.get("timeout")),
        cpu_s: duration(limit("cpu_time")),
        memory_bytes: limit("memory").and_then(|node| node_bytes(node).ok()),
        processes: limit("processes").and_then(Node::whole),
        grace_s: duration(node.get("kill_grace")).unwrap_or(5.0),
    }
}

fn retries(node: Option<&Node>) -> Retries {
    let narrow = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    let count = |key, default| {
        let given = node.and_then(|node| node.get(key)).and_then(Node::whole);
        given.map_or(default, narrow)
    };
    let infra = node.and_then(Node::whole).map(narrow);
    Retries {
        infra: infra.unwrap_or_else(|| count("infra", 2)),
        failed: count("failed", 0),
        timeout: count("timeout", 0),
        oom: count("oom", 0),
    }
}
