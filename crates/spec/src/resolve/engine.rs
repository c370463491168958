//! The `[engine]` table and a task's `resources`.

use super::kubernetes::kubernetes;
use super::parts::{error, texts};
use crate::diagnostic::Problems;
use crate::document::Node;
use crate::engine::{
    EngineChoice, EngineKind, EngineSpec, PROFILES, PairOn, SkypilotOptions, SlurmOptions,
    TemplateOptions,
};
use crate::shape::check::{node_bytes, node_duration};
use crate::spec::{Needs, Spec};
use fairtrial_model::Params;
use std::collections::BTreeMap;

/// The engine of a spec.
pub(super) fn engine(root: &Node, problems: &mut Problems) -> EngineSpec {
    let default = EngineSpec::default();
    let Some(node) = root.get("engine") else {
        return default;
    };
    let kind = node.text().or_else(|| node.get("kind")?.text());
    let seconds = |key| node.get(key).and_then(|node| node_duration(node).ok());
    let mut schedulers = BTreeMap::new();
    for name in PROFILES {
        if let Some(node) = node.get(name) {
            schedulers.insert(name.to_owned(), template(node, problems));
        }
    }
    let mut engine = EngineSpec {
        kind: EngineKind::default(),
        pack: narrow(node.get("pack")),
        poll_s: seconds("poll").unwrap_or(default.poll_s),
        grace_s: seconds("grace").unwrap_or(default.grace_s),
        pair_on: (text(node, "pair_on").as_deref() == Some("node")).then_some(PairOn::Node),
        program: text(node, "program"),
        store: text(node, "store"),
        carry: texts(node.get("carry")),
        gpus: devices(node.get("gpus"), problems),
        cpus: narrow(node.get("cpus")),
        memory_bytes: node.get("memory").and_then(|node| node_bytes(node).ok()),
        slurm: node.get("slurm").map(slurm).unwrap_or_default(),
        template: node
            .get("template")
            .map(|node| template(node, problems))
            .unwrap_or_default(),
        scheduler: None,
        schedulers,
        skypilot: node.get("skypilot").map(skypilot).unwrap_or_default(),
        kubernetes: node
            .get("kubernetes")
            .map(|node| kubernetes(node, problems))
            .unwrap_or_default(),
    };
    if let Some(choice) = kind.and_then(EngineChoice::from_word) {
        engine.choose(choice);
    }
    engine
}

/// What the engine needs must be there; what another engine would need may be missing.
pub(super) fn check_kind(root: &Node, spec: &Spec, problems: &mut Problems) {
    let Some(node) = root.get("engine") else {
        return;
    };
    let kind = node.get("kind").unwrap_or(node);
    for lack in spec.engine.lacks(&spec.tasks) {
        problems.push(error(kind.span, lack.to_string()));
    }
}

/// What a task asks of a machine.
pub(super) fn needs(node: Option<&Node>) -> Needs {
    let get = |key| node.and_then(|node| node.get(key));
    Needs {
        cpus: narrow(get("cpus")),
        memory_bytes: get("memory").and_then(|node| node_bytes(node).ok()),
        gpus: narrow(get("gpus")),
        exclusive: get("exclusive").and_then(Node::bool).unwrap_or(false),
    }
}

fn text(node: &Node, key: &str) -> Option<String> {
    node.get(key).and_then(Node::text).map(str::to_owned)
}

fn narrow(node: Option<&Node>) -> Option<u32> {
    node.and_then(Node::whole)
        .and_then(|n| u32::try_from(n).ok())
}

/// A scalar as text: `8` and `"8+"` are both wanted.
fn scalar(node: &Node, key: &str) -> Option<String> {
    node.get(key).map(|node| Params::display(&node.to_param()))
}

/// A count of devices, or the devices themselves.
fn devices(node: Option<&Node>, problems: &mut Problems) -> Vec<String> {
    let Some(node) = node else {
        return Vec::new();
    };
    if let Some(items) = node.list() {
        crate::shape::check::repeated_values(items, problems);
        let named = items.iter().map(|item| Params::display(&item.to_param()));
        return named.collect();
    }
    let count = node.whole().filter(|count| *count <= 1024).unwrap_or(0);
    (0..count).map(|device| device.to_string()).collect()
}

fn slurm(node: &Node) -> SlurmOptions {
    SlurmOptions {
        partition: text(node, "partition"),
        account: text(node, "account"),
        qos: text(node, "qos"),
        constraint: text(node, "constraint"),
        time_s: node.get("time").and_then(|node| node_duration(node).ok()),
        gpu_type: text(node, "gpu_type"),
        args: texts(node.get("args")),
        setup: text(node, "setup"),
        ssh: text(node, "ssh"),
        no_requeue: node.get("requeue").and_then(Node::bool) == Some(false),
    }
}

fn template(node: &Node, problems: &mut Problems) -> TemplateOptions {
    for key in ["handle", "line"] {
        if let Some(node) = node.get(key) {
            check_pattern(key, node, problems);
        }
    }
    let states = node.get("states").and_then(Node::map);
    let states = states.map_or(&[][..], |map| &map.entries).iter();
    TemplateOptions {
        profile: text(node, "profile"),
        probe: text(node, "probe"),
        submit: text(node, "submit"),
        handle: text(node, "handle"),
        find: text(node, "find"),
        poll: text(node, "poll"),
        line: text(node, "line"),
        states: states
            .filter_map(|entry| Some((entry.key.clone(), entry.value.text()?.to_owned())))
            .collect(),
        cancel: text(node, "cancel"),
        logs: text(node, "logs"),
        collect: text(node, "collect"),
        element: text(node, "element"),
        first: node.get("first").and_then(Node::whole),
        max_elements: node.get("max_elements").and_then(Node::whole),
        description: text(node, "description"),
        setup: text(node, "setup"),
    }
}

/// A pattern must compile, and have the groups that are read from it.
fn check_pattern(key: &str, node: &Node, problems: &mut Problems) {
    let Some(text) = node.text() else { return };
    let pattern = match regex::Regex::new(text) {
        Ok(pattern) => pattern,
        Err(problem) => {
            let message = format!("`{key}`: not a regular expression: {problem}");
            return problems.push(error(node.span, message));
        }
    };
    if key == "handle" {
        if pattern.captures_len() < 2 {
            let message = "`handle` has no group: its first group is the handle";
            let help = "put parentheses around the handle, as in `job (\\d+)`";
            problems.push(error(node.span, message).help(help));
        }
        return;
    }
    let has = |wanted: &str| pattern.capture_names().flatten().any(|name| name == wanted);
    for wanted in ["handle", "state"].into_iter().filter(|name| !has(name)) {
        let message = format!("`line` has no group `{wanted}`");
        let help = "name the groups, as in `(?<handle>\\d+) (?<element>\\d+) (?<state>\\w+)`; `element` may be left out";
        problems.push(error(node.span, message).help(help));
    }
}

fn skypilot(node: &Node) -> SkypilotOptions {
    SkypilotOptions {
        infra: text(node, "infra"),
        accelerators: text(node, "accelerators"),
        cpus: scalar(node, "cpus"),
        memory: scalar(node, "memory"),
        spot: node.get("spot").and_then(Node::bool).unwrap_or(false),
        image: text(node, "image"),
        disk_size: node.get("disk_size").and_then(Node::whole),
        setup: text(node, "setup"),
        workdir: text(node, "workdir"),
        secrets: texts(node.get("secrets")),
        store: text(node, "store"),
        program: text(node, "program"),
    }
}
