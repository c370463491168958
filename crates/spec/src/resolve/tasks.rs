//! The task that is made from each draft.

use super::draft::Draft;
use super::experiments::Known;
use super::parts::{error, seeds, texts};
use super::sweep;
use super::work::work;
use crate::diagnostic::Problems;
use crate::document::Node;
use crate::episodes::EpisodeSet;
use crate::shape::check::{node_bytes, node_duration};
use crate::spec::task::{CheckpointRule, InheritEnv, Limits, Retries, Task, Threads};
use crate::spec::work::Work;
use fairtrial_experiment::{Param, ParamSchema};
use fairtrial_model::{NoticeSignal, Params};
use std::collections::BTreeMap;

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
    role: ModelRole,
    known: &Known,
    problems: &mut Problems,
) -> Vec<Task> {
    let numbered = drafts.iter().enumerate();
    numbered
        .map(|(place, draft)| Task {
            place,
            ..task(draft, role, known, problems)
        })
        .collect()
}

fn task(draft: &Draft, role: ModelRole, known: &Known, problems: &mut Problems) -> Task {
    let node = &draft.node;
    let mut work = work(draft, known, problems).unwrap_or(Work::Command {
        argv: Vec::new(),
        shell: false,
    });
    let model = match &mut work {
        Work::Prepared { model, options, .. } => {
            let is_named = draft.text("model").is_some() || role != ModelRole::Arm;
            let is_varied = node
                .get("params")
                .is_some_and(|params| params.get("agent").is_some());
            if let (false, false, Some(name)) = (is_named, is_varied, options.agent.without_model())
            {
                *model = name;
            }
            Some(model.clone())
        }
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
        arms: None,
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
        threads: node.get("threads").and_then(threads),
        needs: texts(node.get("needs")),
        retries: retries(node.get("retries")),
        checkpoint: node.get("checkpoint").and_then(checkpoint),
        log_limit: node
            .get("log_limit")
            .and_then(|node| node_bytes(node).ok())
            .unwrap_or(16 << 20),
        feeds: super::tables::feeds(draft),
        episodes: draft.text("episodes").map(str::to_owned),
        outputs: texts(node.get("outputs")),
        inputs: texts(node.get("inputs")),
        warmup: node
            .get("warmup")
            .and_then(Node::whole)
            .and_then(|n| u32::try_from(n).ok())
            .unwrap_or(0),
        discards_output: draft.text("output") == Some("discard"),
        timed: None,
        place: 0,
    }
}

/// `inherit`, or a number.
fn threads(node: &Node) -> Option<Threads> {
    let count = node.whole().and_then(|count| u32::try_from(count).ok());
    let inherit = node.text().map(|_| Threads::Inherit);
    count.map(Threads::Count).or(inherit)
}

/// The episode selection, which the command takes as a parameter.
pub(super) fn episodes<'a>(node: &'a Node, problems: &mut Problems) -> Option<&'a str> {
    let node = node.get("episodes")?;
    let text = node.text()?;
    if let Err(problem) = EpisodeSet::parse(text, u64::MAX) {
        problems.push(error(node.span, problem.to_string()));
    }
    Some(text)
}

/// Fixed parameters, and the lists among them, which are swept unless the parameter's own type is a list.
pub(super) fn params<'a>(
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

pub(super) fn env(node: Option<&Node>) -> BTreeMap<String, String> {
    let entries = node.and_then(Node::map).map_or(&[][..], |map| &map.entries);
    entries
        .iter()
        .map(|entry| (entry.key.clone(), Params::display(&entry.value.to_param())))
        .collect()
}

pub(super) fn inherit_env(node: Option<&Node>) -> InheritEnv {
    let list = |key| {
        node.and_then(|node| node.get(key))
            .map(|list| texts(Some(list)))
    };
    InheritEnv {
        allow: list("allow").unwrap_or_else(|| vec!["*".to_owned()]),
        deny: list("deny").unwrap_or_default(),
    }
}

pub(super) fn limits(node: &Node) -> Limits {
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

/// `true`, or a table.
fn checkpoint(node: &Node) -> Option<CheckpointRule> {
    if node.bool() == Some(false) {
        return None;
    }
    let notice = node.get("notice").and_then(|node| node_duration(node).ok());
    let signal = node.get("signal").and_then(Node::text);
    Some(CheckpointRule {
        notice_s: notice.unwrap_or(60.0),
        signal: signal.and_then(NoticeSignal::from_word).unwrap_or_default(),
    })
}

pub(super) fn retries(node: Option<&Node>) -> Retries {
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
