//! The `[engine.kubernetes]` table.

use super::parts::{error, texts};
use crate::diagnostic::Problems;
use crate::document::Node;
use crate::kubernetes::{ContainerUser, KubernetesOptions, SharedVolume, Toleration};
use crate::shape::check::node_duration;
use std::collections::BTreeMap;

pub(super) fn kubernetes(node: &Node, problems: &mut Problems) -> KubernetesOptions {
    let text = |key: &str| node.get(key).and_then(Node::text).map(str::to_owned);
    check_tolerations(node.get("tolerations"), problems);
    check_user(node.get("user"), problems);
    KubernetesOptions {
        image: text("image"),
        context: text("context"),
        namespace: text("namespace"),
        service_account: text("service_account"),
        volume: node.get("volume").and_then(|node| volume(node, problems)),
        node_selector: words(node.get("node_selector")),
        tolerations: texts(node.get("tolerations")),
        labels: words(node.get("labels")),
        priority_class: text("priority_class"),
        gpu_resource: text("gpu_resource"),
        time_s: node.get("time").and_then(|node| node_duration(node).ok()),
        secrets: texts(node.get("secrets")),
        setup: text("setup"),
        user: text("user"),
    }
}

fn words(node: Option<&Node>) -> BTreeMap<String, String> {
    let entries = node.and_then(Node::map);
    let entries = entries.map_or(&[][..], |map| &map.entries).iter();
    entries
        .filter_map(|entry| Some((entry.key.clone(), entry.value.text()?.to_owned())))
        .collect()
}

fn volume(node: &Node, problems: &mut Problems) -> Option<SharedVolume> {
    let text = |key: &str| node.get(key).and_then(Node::text).map(str::to_owned);
    let volume = SharedVolume {
        claim: text("claim")?,
        path: text("path")?,
    };
    if !volume.path.starts_with('/') {
        let at = node.get("path").unwrap_or(node).span;
        problems.push(error(
            at,
            "`path` begins with `/`: it is the same here and in the pods",
        ));
    }
    Some(volume)
}

fn check_tolerations(node: Option<&Node>, problems: &mut Problems) {
    for item in node.and_then(Node::list).unwrap_or_default() {
        if let Some(Err(problem)) = item.text().map(Toleration::parse) {
            problems.push(error(item.span, problem));
        }
    }
}

fn check_user(node: Option<&Node>, problems: &mut Problems) {
    let Some(node) = node else { return };
    if node
        .text()
        .is_some_and(|text| ContainerUser::parse(text).is_none())
    {
        let message = "`user` is `UID`, `UID:GID` or `image`";
        problems.push(error(node.span, message));
    }
}
