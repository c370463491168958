//! The keys of an agent task that say how its rollouts are run and scored.

use super::draft::Draft;
use super::network;
use super::parts::{error, params_of, texts};
use crate::diagnostic::Problems;
use crate::document::Node;
use crate::rollout::{
    AgentChoice, EndpointChoice, JudgeApi, JudgeChoice, JudgeRule, KNOWN_AGENTS, Price,
    RolloutOptions, Scoring, answer_time, patience,
};
use crate::sandbox::{SandboxChoice, SandboxKey, SandboxKind};
use crate::shape::check::{node_bytes, node_duration};

/// The agent that asks a model itself, and the keys that it alone has.
const MINIMAL: &str = "minimal";
const MINIMAL_KEYS: [&str; 8] = [
    "api",
    "url",
    "key_env",
    "params",
    "answer_tokens",
    "answer_timeout",
    "patience",
    "max_steps",
];
/// The agent of a task that names none.
const DEFAULT_AGENT: &str = "codex";

pub(super) fn options(draft: &Draft, problems: &mut Problems) -> RolloutOptions {
    let node = &draft.node;
    let sandbox = sandbox(node.get("sandbox"), problems);
    let judges = node.get("judge").map(|node| match node.list() {
        Some(several) => several.iter().filter_map(self::judge).collect(),
        None => Vec::from_iter(self::judge(node)),
    });
    let mut judges = judges.unwrap_or_default().into_iter();
    let judge = judges.next();
    unreached_limits(draft, &sandbox, problems);
    RolloutOptions {
        agent: agent(node.get("agent"), problems),
        sandbox,
        pass_env: texts(node.get("pass_env")),
        disk_bytes: node
            .get("limits")
            .and_then(|limits| limits.get("disk"))
            .and_then(|node| node_bytes(node).ok()),
        scoring: match draft.text("scoring") {
            Some("oneshot") => Scoring::Oneshot,
            _ => Scoring::Weighted,
        },
        setup: node
            .get("setup")
            .map(|node| words(node, problems))
            .unwrap_or_default(),
        setup_timeout_s: node
            .get("setup_timeout")
            .and_then(|node| node_duration(node).ok()),
        judge,
        more_judges: judges.collect(),
        judge_rule: match draft.text("judge_rule") {
            Some("majority") => JudgeRule::Majority,
            _ => JudgeRule::Mean,
        },
        verify_timeout_s: node
            .get("verify_timeout")
            .and_then(|node| node_duration(node).ok()),
        pass_score: node.get("pass_score").and_then(Node::number).unwrap_or(1.0),
    }
}

fn agent(node: Option<&Node>, problems: &mut Problems) -> AgentChoice {
    let get = |key| node.and_then(|node| node.get(key));
    let command = get("command").map(|node| words(node, problems));
    let named = node
        .and_then(Node::text)
        .or_else(|| get("name").and_then(Node::text));
    let name = named.unwrap_or(if command.is_some() {
        "command"
    } else {
        DEFAULT_AGENT
    });
    if let Some(node) = node {
        let help = "agent = { command = \"my-agent --model {model} {instruction_file}\" }";
        if name == "command" && command.is_none() {
            problems.push(error(node.span, "the agent `command` needs its command").help(help));
        } else if name != "command" && command.is_some() {
            let message = format!("the agent `{name}` has a command of its own");
            problems.push(error(node.span, message).help("remove `name` or `command`"));
        }
        minimals_keys(node, name, problems);
        let args = node.map().and_then(|map| map.entry("args"));
        if let Some(args) = args.filter(|_| !KNOWN_AGENTS.contains(&name)) {
            let message = format!("the agent `{name}` takes no `args`");
            let help = match name {
                "command" => "put them into its `command`",
                _ => "remove them",
            };
            problems.push(error(args.key_span, message).help(help));
        }
    }
    AgentChoice {
        name: name.to_owned(),
        command: command.unwrap_or_default(),
        args: texts(get("args")),
        max_tokens: get("max_tokens").and_then(Node::whole),
        max_cost: get("max_cost").and_then(Node::number),
        price: get("price").and_then(price),
        endpoint: node.filter(|_| name == MINIMAL).map(endpoint),
        max_steps: get("max_steps")
            .and_then(Node::whole)
            .and_then(|most| u32::try_from(most).ok()),
    }
}

/// The endpoint of the agent that asks a model itself.
fn endpoint(node: &Node) -> EndpointChoice {
    let text = |key: &str| node.get(key).and_then(Node::text).map(str::to_owned);
    let duration = |key: &str| node_duration(node.get(key)?).ok();
    let usual = EndpointChoice::of(JudgeApi::of_word(text("api").as_deref()));
    EndpointChoice {
        url: text("url").unwrap_or(usual.url),
        key_env: text("key_env").unwrap_or(usual.key_env),
        params: node.get("params").map(params_of).unwrap_or_default(),
        answer_tokens: node.get("answer_tokens").and_then(Node::whole),
        timeout_s: duration("answer_timeout").unwrap_or(usual.timeout_s),
        patience_s: duration("patience").unwrap_or(usual.patience_s),
        ..usual
    }
}

/// Keys of the agent that asks a model itself mean nothing to any other.
fn minimals_keys(node: &Node, name: &str, problems: &mut Problems) {
    let entries = node.map().map_or(&[][..], |map| &map.entries);
    let stray = entries
        .iter()
        .filter(|entry| MINIMAL_KEYS.contains(&entry.key.as_str()));
    for entry in stray.filter(|_| name != MINIMAL) {
        let message = format!(
            "`{}` goes with the agent `{MINIMAL}`, this is `{name}`",
            entry.key
        );
        problems.push(error(entry.key_span, message).help("remove it"));
    }
}

fn price(node: &Node) -> Option<Price> {
    let number = |key| node.get(key).and_then(Node::number);
    Some(Price {
        input: number("input")?,
        output: number("output")?,
        cached: number("cached"),
    })
}

fn sandbox(node: Option<&Node>, problems: &mut Problems) -> SandboxChoice {
    let get = |key| node.and_then(|node| node.get(key));
    let word = node
        .and_then(Node::text)
        .or_else(|| get("kind").and_then(Node::text));
    let kind = word.and_then(SandboxKind::from_word);
    unused_keys(node, kind, problems);
    let networks = network::networks(get("network"), problems);
    SandboxChoice {
        kind,
        network: networks.agent,
        setup_network: networks.setup,
        tests_network: networks.tests,
        read: texts(get("read")),
        image: get("image").and_then(Node::text).map(str::to_owned),
        memory_bytes: get("memory").and_then(|node| node_bytes(node).ok()),
        cpus: get("cpus").and_then(Node::number),
        build_timeout_s: get("build_timeout").and_then(|node| node_duration(node).ok()),
        command: get("command")
            .map(|node| words(node, problems))
            .unwrap_or_default(),
    }
}

/// A key that the kind does not use would be ignored. Where no kind is named, the machine decides, and is asked later.
fn unused_keys(node: Option<&Node>, kind: Option<SandboxKind>, problems: &mut Problems) {
    let Some(map) = node.and_then(Node::map) else {
        return;
    };
    let unused = kind.into_iter().flat_map(|kind| {
        let keys = SandboxKey::unused_by(kind);
        keys.map(move |key| (key.name, key.problem(kind), key.advice(kind)))
    });
    for (name, problem, advice) in unused {
        if let Some(entry) = map.entry(name) {
            problems.push(error(entry.key_span, problem).help(advice));
        }
    }
    if let (Some(entry), Some(_)) = (map.entry("build_timeout"), map.entry("image")) {
        let message = "nothing is built where `image` names an image that is there";
        problems.push(error(entry.key_span, message).help("remove `build_timeout` or `image`"));
    }
}

/// CPU time is counted for the processes that a trial starts on this machine, which those elsewhere are not; and no limit
/// of ours reaches another machine.
fn unreached_limits(draft: &Draft, sandbox: &SandboxChoice, problems: &mut Problems) {
    let own = draft.has_own("limits");
    let limits = draft.node.get("limits").and_then(Node::map);
    let (true, Some(limits), Some(kind)) = (own, limits, sandbox.kind) else {
        return;
    };
    for entry in &limits.entries {
        let help = match kind {
            SandboxKind::Modal => "remove it; the command that runs elsewhere sets limits there",
            SandboxKind::Podman | SandboxKind::Docker if entry.key == "cpu_time" => {
                "remove it; `timeout` and `cpus` of the sandbox hold there"
            }
            _ => continue,
        };
        let message = format!(
            "`limits.{}` does not reach into `{}`",
            entry.key,
            kind.word()
        );
        problems.push(error(entry.key_span, message).help(help));
    }
}

fn judge(node: &Node) -> Option<JudgeChoice> {
    let text = |key| node.get(key).and_then(Node::text).map(str::to_owned);
    let duration = |key| node_duration(node.get(key)?).ok();
    let api = JudgeApi::of_word(text("api").as_deref());
    let (url, key_env) = api.usual_place();
    Some(JudgeChoice {
        api,
        params: node.get("params").map(params_of).unwrap_or_default(),
        max_tokens: node.get("max_tokens").and_then(Node::whole),
        structured: node
            .get("structured")
            .and_then(Node::bool)
            .unwrap_or_default(),
        timeout_s: duration("timeout").unwrap_or_else(answer_time),
        patience_s: duration("patience").unwrap_or_else(patience),
        price: node.get("price").and_then(price),
        repeats: node
            .get("repeats")
            .and_then(Node::whole)
            .and_then(|often| u32::try_from(often).ok())
            .unwrap_or(1),
        url: text("url").unwrap_or_else(|| url.to_owned()),
        model: text("model")?,
        key_env: text("key_env").unwrap_or_else(|| key_env.to_owned()),
    })
}

/// A command as one text or as a list.
fn words(node: &Node, problems: &mut Problems) -> Vec<String> {
    if node.list().is_some() {
        return texts(Some(node));
    }
    let split = shell_words::split(node.text().unwrap_or_default());
    split.unwrap_or_else(|_| {
        let problem = error(node.span, "a quotation mark is not closed in this command");
        problems.push(problem.help("close it, or write the command as a list of texts"));
        Vec::new()
    })
}
