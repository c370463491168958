//! `network` of a sandbox: one answer for the agent and what comes before it, or one for each part of a rollout.

use super::parts::{error, texts};
use crate::diagnostic::Problems;
use crate::document::Node;
use crate::sandbox::Network;

/// The network of each part of a rollout.
#[derive(Default)]
pub(super) struct Networks {
    pub(super) agent: Network,
    pub(super) setup: Option<Network>,
    pub(super) tests: Option<Network>,
}

pub(super) fn networks(node: Option<&Node>, problems: &mut Problems) -> Networks {
    let Some(node) = node else {
        return Networks::default();
    };
    let mut part = |name: &str| node.get(name).map(|node| one(node, problems));
    let parts = Networks {
        agent: part("agent").unwrap_or_default(),
        setup: part("setup"),
        tests: part("tests"),
    };
    let named: Vec<&str> = node
        .map()
        .map(|map| map.entries.iter().map(|entry| entry.key.as_str()))
        .into_iter()
        .flatten()
        .collect();
    if named.contains(&"allow") && named.len() > 1 {
        let message = "`allow` here is for the agent alone, and another part is named beside it";
        let help = "write network = { agent = { allow = [...] }, tests = ... }";
        problems.push(error(node.span, message).help(help));
    }
    if named.is_empty() || named.contains(&"allow") {
        return Networks {
            agent: one(node, problems),
            ..parts
        };
    }
    parts
}

fn one(node: &Node, problems: &mut Problems) -> Network {
    if let Some(allow) = node.get("allow") {
        for item in allow.list().unwrap_or_default() {
            if let Some(wrong) = item.text().and_then(wrong_place) {
                let help =
                    "write HOST:PORT or HOST, such as \"api.example.com:443\" or \"*.example.com\"";
                problems.push(error(item.span, wrong).help(help));
            }
        }
        return Network::Allow(texts(Some(allow)));
    }
    match (node.text(), node.bool()) {
        (Some("none"), _) | (_, Some(false)) => Network::None,
        _ => Network::Full,
    }
}

/// What is wrong with a place that programs may connect to, where something is.
fn wrong_place(place: &str) -> Option<String> {
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') => (host, Some(port)),
        _ => (place, None),
    };
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
    let letters = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
    let name = host.strip_prefix("*.").unwrap_or(host);
    let wrong = name.is_empty() || !name.chars().all(letters);
    (wrong || !port.is_none_or(is_port))
        .then(|| format!("`{place}` names no host, or no port of one"))
}
