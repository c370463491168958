//! The keys of an agent task's `agent`, `sandbox` and `judge`.

use super::section::{ANY_MAP, Section, TEXTS, Type, Zero, key};

pub(super) const AGENT_WORDS: &[&str] = &crate::rollout::AGENTS;
pub(super) const SANDBOX_WORDS: &[&str] = &crate::sandbox::SandboxKind::WORDS;
const API_WORDS: &[&str] = &["chat", "responses", "anthropic"];
pub(super) const COMMAND: Type = Type::Either(&[Type::FilledText, Type::List(&Type::Text, 1)]);

pub(super) static AGENT: Section = Section {
    name: "agent",
    noun: "an agent",
    doc: "An agent and its limits. At a limit the agent is ended, and its work is collected and scored, marked as limited.",
    keys: &[&[
        key("name", Type::Word(AGENT_WORDS), "codex, or `command` where a command is given", "Which agent; `minimal` is built in: a model with a shell; `oracle` applies the reference solution and `nop` does nothing, to validate tasks.").example("\"claude\""),
        key("command", COMMAND, "", "Any program. Placeholders: `model`, `instruction_file`, `workspace`, `task_files`, `out`, `timeout`, `max_tokens`, `max_cost`, `seed`, `rollout`, and every parameter of the trial.").example("\"my-agent --model {model} {instruction_file}\""),
        key("args", TEXTS, "[]", "Further arguments of a known agent.").example("[\"--config\", \"effort=high\"]"),
        key("max_tokens", Type::Whole(1, u64::MAX), "none", "Tokens after which a rollout's agent is ended.").example("200000"),
        key("max_cost", Type::Number(0.0), "none", "Dollars after which a rollout's agent is ended.").example("0.5"),
        key("price", Type::Section(&PRICE), "", "What tokens cost, for an agent that does not say what it spent."),
        key("api", Type::Word(API_WORDS), "chat", "For `minimal`: what the model's endpoint speaks: OpenAI's chat completions, its responses, or Anthropic's messages.").example("\"anthropic\""),
        key("url", Type::FilledText, "that of the provider", "For `minimal`: the model's endpoint, without `/chat/completions`, `/responses` or `/messages`.").example("\"http://localhost:8000/v1\""),
        key("key_env", Type::FilledText, "OPENAI_API_KEY, or ANTHROPIC_API_KEY", "For `minimal`: the environment variable with the key; no key is sent where it is not set. It does not reach the sandbox.").example("\"OPENAI_API_KEY\""),
        key("params", ANY_MAP, "{}", "For `minimal`: further parameters of each request, as the endpoint knows them.").example("{\"temperature\": 0}"),
        key("answer_tokens", Type::Whole(1, u64::MAX), "none; 8192 for `anthropic`, which wants one", "For `minimal`: tokens of one answer.").example("4000"),
        key("answer_timeout", Type::Duration(Zero::Refused), "10m", "For `minimal`: time for one answer.").example("\"5m\""),
        key("patience", Type::Duration(Zero::Allowed), "30m", "For `minimal`: how long to wait in all where the endpoint is at a rate limit or out of order. That time is not the agent's.").example("\"10m\""),
        key("max_steps", Type::Whole(1, u32::MAX as u64), "100", "For `minimal`: answers of the model after which a rollout's agent is ended.").example("50"),
    ]],
    open: false,
};

static PRICE: Section = Section {
    name: "price",
    noun: "a price",
    doc: "Dollars per million tokens.",
    keys: &[&[
        key("input", Type::Number(0.0), "", "Tokens read.")
            .required()
            .example("1.25"),
        key("output", Type::Number(0.0), "", "Tokens written.")
            .required()
            .example("10.0"),
        key(
            "cached",
            Type::Number(0.0),
            "as `input`",
            "Tokens read from the cache.",
        )
        .example("0.125"),
    ]],
    open: false,
};

const NETWORK_WORDS: &[&str] = &["full", "none"];
const NETWORK: Type = Type::Either(&[
    Type::Word(NETWORK_WORDS),
    Type::Bool,
    Type::Section(&NETWORKS),
]);
const ONE_NETWORK: Type = Type::Either(&[
    Type::Word(NETWORK_WORDS),
    Type::Bool,
    Type::Section(&ALLOWED),
]);
const PLACES: Type = Type::List(&Type::FilledText, 1);
const PLACES_DOC: &str = "The places that programs may connect to, through a proxy that they find in `HTTPS_PROXY` and the like; all else is refused, and noted in the record. `HOST:PORT`, or `HOST` for every port; `*.` before a host stands for all that ends so.";
const PLACES_EXAMPLE: &str = "[\"api.example.com:443\"]";

static NETWORKS: Section = Section {
    name: "network",
    noun: "`network`",
    doc: "The network of a sandbox: `allow` for the agent and the setup, or what each part of a rollout has.",
    keys: &[&[
        key("allow", PLACES, "", PLACES_DOC).example(PLACES_EXAMPLE),
        key("agent", ONE_NETWORK, "full", "The network of the agent.").example("\"none\""),
        key(
            "setup",
            ONE_NETWORK,
            "as the agent's",
            "The network of the setup.",
        )
        .example("\"full\""),
        key("tests", ONE_NETWORK, "none", "The network of the tests.").example("\"full\""),
    ]],
    open: false,
};

static ALLOWED: Section = Section {
    name: "allowed_network",
    noun: "the network of a part of a rollout",
    doc: "A network with some places and no others.",
    keys: &[&[key("allow", PLACES, "", PLACES_DOC)
        .required()
        .example(PLACES_EXAMPLE)]],
    open: false,
};

pub(super) static SANDBOX: Section = Section {
    name: "sandbox",
    noun: "a sandbox",
    doc: "Where agent and tests run. A key that the kind does not use is refused.",
    keys: &[&[
        key("kind", Type::Word(SANDBOX_WORDS), "as for `sandbox`", "The kind.").example("\"podman\""),
        key("network", NETWORK, "full, and none for the tests", "What of the network programs inside have: `full`, `none` (or a boolean), a table with `allow`, or a table with one of these for each of `agent`, `setup` and `tests`. For `bubblewrap`, `podman`, `docker`.").example("{\"allow\": [\"api.example.com:443\"]}"),
        key("read", TEXTS, "[]", "Further files and folders of this machine that programs inside may read. For `bubblewrap`, `podman`, `docker`.").example("[\"/opt/tools\"]"),
        key("image", Type::FilledText, "built from the task's `Dockerfile`", "The image of `podman` or `docker`; it must be there, nothing is pulled.").example("\"python:3.12-slim\""),
        key("memory", Type::Bytes, "as `limits.memory`", "Memory of a container, in place of `limits.memory` of the task. For `podman`, `docker`.").example("\"4GiB\""),
        key("cpus", Type::Number(0.0), "none", "Processors of a container. For `podman`, `docker`.").example("2"),
        key("build_timeout", Type::Duration(Zero::Refused), "30m", "Time for building the image of a task's `Dockerfile`. For `podman`, `docker`.").example("\"1h\""),
        key("command", COMMAND, "", "For `modal`: the command that runs a command elsewhere; placeholders `workspace`, `inputs`, `out`, `home`, `name`.").example("\"modal-run --workspace {workspace} --out {out}\""),
    ]],
    open: false,
};

pub(super) static JUDGE: Section = Section {
    name: "judge",
    noun: "a judge",
    doc: "A model behind an endpoint that scores the rubrics of an agent task. A rate limit or an error of the server is waited for, as long as the server says. Where it gives no answer the rollout is `infra`, never 0. Its tokens and cost are the metrics `judge_tokens` and `judge_cost_usd`, and count for `[budget]`.",
    keys: &[&[
        key("model", Type::FilledText, "", "Which model.")
            .required()
            .example("\"gpt-5-mini\""),
        key(
            "url",
            Type::FilledText,
            "that of the provider",
            "The endpoint, without `/chat/completions`, `/responses` or `/messages`.",
        )
        .example("\"http://localhost:8000/v1\""),
        key(
            "key_env",
            Type::FilledText,
            "OPENAI_API_KEY, or ANTHROPIC_API_KEY",
            "The environment variable with the key; no key is sent where it is not set.",
        )
        .example("\"OPENAI_API_KEY\""),
        key("api", Type::Word(API_WORDS), "chat", "What it speaks: OpenAI's chat completions, its responses, or Anthropic's messages.").example("\"anthropic\""),
        key("params", ANY_MAP, "{}", "Further parameters of each request, as the endpoint knows them. Nothing else is sent: not every model takes a temperature.").example("{\"temperature\": 0}"),
        key("max_tokens", Type::Whole(1, u64::MAX), "none; 8192 for `anthropic`, which wants one", "Tokens of an answer.").example("2000"),
        key("structured", Type::Bool, "false", "Ask the endpoint to keep to a JSON form; for `chat` and `responses`.").example("true"),
        key("timeout", Type::Duration(Zero::Refused), "3m", "Time for one answer.").example("\"1m\""),
        key("patience", Type::Duration(Zero::Allowed), "30m", "How long to wait in all where the endpoint is at a rate limit or out of order.").example("\"10m\""),
        key("price", Type::Section(&PRICE), "", "What its tokens cost."),
        key("repeats", Type::Whole(1, 100), "1", "How often it is asked about a rollout, to see whether it agrees with itself. Each answer counts like that of a judge of its own.").example("3"),
    ]],
    open: false,
};

/// One judge or several.
pub(super) const JUDGES: Type =
    Type::Either(&[Type::Section(&JUDGE), Type::List(&Type::Section(&JUDGE), 1)]);
pub(super) const JUDGE_RULES: &[&str] = &crate::rollout::JudgeRule::WORDS;
