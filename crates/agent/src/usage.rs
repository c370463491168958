//! What an agent used: tokens, tool calls and money, each with where the figure comes from. What nobody said is
//! absent, never 0.
//!
//! Agents report running totals, so the last figure of a kind counts and nothing is added up twice.

use crate::bulk::LARGEST;
use crate::known_agents::MINI_TRAJECTORY;
use fairtrial_episode::read_own;
use fairtrial_spec::Price;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io;
use std::path::Path;

/// The file, in the folder that `FAIRTRIAL_OUT` names, in which any agent may say what it used.
pub const USAGE_FILE: &str = "usage.json";
/// Bytes of a line that is understood; a longer one says nothing.
const LONGEST_LINE: usize = 16 << 20;

/// What was used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Usage {
    /// Tokens read by the model, those from its cache included.
    pub input_tokens: Option<u64>,
    /// Tokens written by it, those of its reasoning included.
    pub output_tokens: Option<u64>,
    /// Those read that came from its cache.
    pub cached_tokens: Option<u64>,
    /// Those written that were reasoning.
    pub reasoning_tokens: Option<u64>,
    /// All together, where only that is known.
    pub total_tokens: Option<u64>,
    /// Calls of tools.
    pub tool_calls: Option<u64>,
    /// Dollars.
    pub cost_usd: Option<f64>,
}

/// Where a cost comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostSource {
    /// The agent said it.
    Reported,
    /// Tokens times the declared price.
    Priced,
    /// Nobody knows.
    Unknown,
}

impl CostSource {
    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Reported => "reported",
            Self::Priced => "priced",
            Self::Unknown => "unknown",
        }
    }
}

impl Usage {
    /// What the usage file says beside this, where it says anything; the file wins.
    #[must_use]
    pub fn with_file(mut self, out: &Path) -> Self {
        self.cost_usd = self.cost_usd.or_else(|| mini_cost(out));
        if let Ok(file) = read_own(&out.join(USAGE_FILE), LARGEST) {
            self.take(&Self::from_file(&file).0);
        }
        self
    }

    /// What is wrong with an agent's usage file, in words: those figures are unknown.
    pub fn slips(out: &Path) -> Vec<String> {
        match read_own(&out.join(USAGE_FILE), LARGEST) {
            Ok(file) => Self::from_file(&file).1,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => vec![format!("{USAGE_FILE} cannot be used ({error})")],
        }
    }

    /// The figures of a usage file, and what is wrong with the others.
    fn from_file(text: &[u8]) -> (Self, Vec<String>) {
        let Ok(Value::Object(file)) = serde_json::from_slice(text) else {
            let slip = format!("{USAGE_FILE} is no JSON object");
            return (Self::default(), vec![slip]);
        };
        let mut slips = Vec::new();
        let mut wrong = |key: &str, value: &Value| {
            let value: String = value.to_string().chars().take(40).collect();
            slips.push(format!("`{key}` in {USAGE_FILE} cannot be {value}"));
        };
        let mut count = |key: &str| {
            let value = file.get(key).filter(|value| !value.is_null())?;
            // Some write every number with a point.
            let whole = |value: f64| (0.0..1e15).contains(&value) && value.fract() == 0.0;
            let float = value.as_f64().filter(|value| whole(*value));
            let count = value.as_u64().or(float.map(|value| value as u64));
            if count.is_none() {
                wrong(key, value);
            }
            count
        };
        let mut usage = Self {
            input_tokens: count("input_tokens"),
            output_tokens: count("output_tokens"),
            cached_tokens: count("cached_tokens"),
            reasoning_tokens: count("reasoning_tokens"),
            total_tokens: count("total_tokens"),
            tool_calls: count("tool_calls"),
            cost_usd: None,
        };
        if let Some(value) = file.get("cost_usd").filter(|value| !value.is_null()) {
            usage.cost_usd = value.as_f64().filter(|cost| *cost >= 0.0);
            if usage.cost_usd.is_none() {
                wrong("cost_usd", value);
            }
        }
        (usage, slips)
    }

    /// Later figures replace earlier ones: they are totals.
    fn take(&mut self, later: &Self) {
        self.input_tokens = later.input_tokens.or(self.input_tokens);
        self.output_tokens = later.output_tokens.or(self.output_tokens);
        self.cached_tokens = later.cached_tokens.or(self.cached_tokens);
        self.reasoning_tokens = later.reasoning_tokens.or(self.reasoning_tokens);
        self.total_tokens = later.total_tokens.or(self.total_tokens);
        self.tool_calls = later.tool_calls.or(self.tool_calls);
        self.cost_usd = later.cost_usd.or(self.cost_usd);
    }

    /// What both took together, as far as both say.
    #[must_use]
    pub(crate) fn plus(&self, other: &Self) -> Self {
        let both = |one: Option<u64>, other: Option<u64>| Some(one?.saturating_add(other?));
        Self {
            input_tokens: both(self.input_tokens, other.input_tokens),
            output_tokens: both(self.output_tokens, other.output_tokens),
            cached_tokens: both(self.cached_tokens, other.cached_tokens),
            reasoning_tokens: both(self.reasoning_tokens, other.reasoning_tokens),
            total_tokens: both(self.total_tokens, other.total_tokens),
            tool_calls: both(self.tool_calls, other.tool_calls),
            cost_usd: self
                .cost_usd
                .zip(other.cost_usd)
                .map(|(one, other)| one + other),
        }
    }

    /// All tokens.
    pub fn tokens(&self) -> Option<u64> {
        match (self.input_tokens, self.output_tokens) {
            (None, None) => self.total_tokens,
            (input, output) => Some(input.unwrap_or(0).saturating_add(output.unwrap_or(0))),
        }
    }

    /// The cost and where it comes from.
    pub fn cost(&self, price: Option<Price>) -> (Option<f64>, CostSource) {
        if let Some(cost) = self
            .cost_usd
            .filter(|cost| cost.is_finite() && *cost >= 0.0)
        {
            return (Some(cost), CostSource::Reported);
        }
        match (price, self.input_tokens, self.output_tokens) {
            (Some(price), Some(input), Some(output)) => {
                let cached = self.cached_tokens.unwrap_or(0).min(input);
                let cost = (input - cached) as f64 * price.input
                    + cached as f64 * price.cached.unwrap_or(price.input)
                    + output as f64 * price.output;
                (Some(cost / 1e6), CostSource::Priced)
            }
            _ => (None, CostSource::Unknown),
        }
    }
}

/// Reads what an agent used from its output as it comes, so that what the log has no room for counts too.
#[derive(Debug, Default)]
pub struct UsageReader {
    usage: Usage,
    calls: Option<u64>,
    /// What agents say of each step or message, added up.
    steps: Usage,
    /// A line whose end has not come.
    line: String,
    /// Whether that line is too long, and passed over.
    too_long: bool,
}

impl UsageReader {
    /// Takes the next part of the output.
    pub fn hear(&mut self, text: &str) {
        for piece in text.split_inclusive('\n') {
            if self.line.len() + piece.len() > LONGEST_LINE {
                self.line = String::new();
                self.too_long = true;
            }
            if !self.too_long {
                self.line.push_str(piece);
            }
            if piece.ends_with('\n') {
                self.end_line();
            }
        }
    }

    /// There is no more output: a line without an end counts.
    pub fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if !std::mem::take(&mut self.too_long) {
            self.read(line.trim());
        }
    }

    /// What the lines so far say.
    pub fn usage(&self) -> Usage {
        Usage {
            tool_calls: self.usage.tool_calls.or(self.calls),
            ..self.usage.clone()
        }
    }

    fn read(&mut self, line: &str) {
        if line.starts_with('{')
            && let Ok(event) = serde_json::from_str::<Value>(line)
        {
            self.usage.take(&event_usage(&event));
            if event["type"] == "step_finish" {
                self.add(&step_usage(&event["part"]));
            }
            if is_tool_call(&event) {
                *self.calls.get_or_insert(0) += 1;
            }
        } else if let Some(total) = plain_total(line) {
            self.usage.total_tokens = Some(total);
        } else if line.starts_with("FunctionCall:") {
            *self.calls.get_or_insert(0) += 1;
        } else if let Some(message) = line.strip_prefix("Tokens: ").and_then(message_usage) {
            self.add(&message);
        }
    }

    /// Adds what a step or a message took to what came before it.
    fn add(&mut self, step: &Usage) {
        let all = &mut self.steps;
        for (sum, part) in [
            (&mut all.input_tokens, step.input_tokens),
            (&mut all.output_tokens, step.output_tokens),
            (&mut all.cached_tokens, step.cached_tokens),
            (&mut all.reasoning_tokens, step.reasoning_tokens),
        ] {
            if let Some(part) = part {
                *sum = Some(sum.unwrap_or(0).saturating_add(part));
            }
        }
        if let Some(cost) = step.cost_usd {
            all.cost_usd = Some(all.cost_usd.unwrap_or(0.0) + cost);
        }
        self.usage.take(&self.steps);
    }
}

/// What a step of opencode took. It counts what the cache gave, and what went into it, beside the rest.
fn step_usage(part: &Value) -> Usage {
    let count = |pointer: &str| part.pointer(pointer).and_then(Value::as_u64);
    let cached = count("/tokens/cache/read");
    let written = count("/tokens/cache/write").unwrap_or(0);
    let beside = cached.unwrap_or(0).saturating_add(written);
    let input = count("/tokens/input").map(|tokens| tokens.saturating_add(beside));
    // Reasoning stands beside the output, unless the total says otherwise.
    let reasoning = count("/tokens/reasoning");
    let output =
        count("/tokens/output").map(|tokens| tokens.saturating_add(reasoning.unwrap_or(0)));
    let total = count("/tokens/total").zip(input);
    Usage {
        input_tokens: input,
        output_tokens: total.map_or(output, |(total, input)| Some(total.saturating_sub(input))),
        cached_tokens: cached,
        reasoning_tokens: reasoning,
        // Models without a price cost 0 there: that is not known.
        cost_usd: part["cost"].as_f64().filter(|cost| *cost > 0.0),
        ..Usage::default()
    }
}

/// What aider says after each message: `12k sent, 1.2k cache hit, 133 received. Cost: $0.04 message, $0.10 session.`
fn message_usage(line: &str) -> Option<Usage> {
    let (tokens, cost) = line.split_once(" received.")?;
    let mut usage = Usage::default();
    for part in format!("{tokens} received").split(", ") {
        let (figure, what) = part.split_once(' ')?;
        let (digits, unit) = match figure.strip_suffix('k') {
            Some(digits) => (digits, 1e3),
            None => (
                figure.trim_end_matches('M'),
                if figure.ends_with('M') { 1e6 } else { 1.0 },
            ),
        };
        let count = digits.replace(',', "").parse::<f64>().ok()?;
        let count = (count * unit).round() as u64;
        match what {
            "sent" => usage.input_tokens = Some(count),
            "received" => usage.output_tokens = Some(count),
            "cache hit" => usage.cached_tokens = Some(count),
            _ => {}
        }
    }
    let cost = cost.split_once("Cost: $").map(|(_, cost)| cost);
    let message = cost.and_then(|cost| cost.split_once(" message"));
    usage.cost_usd = message.and_then(|(cost, _)| cost.parse().ok());
    Some(usage)
}

/// What mini-swe-agent says that its calls cost; it says 0 where it does not know.
fn mini_cost(out: &Path) -> Option<f64> {
    let file = read_own(&out.join(MINI_TRAJECTORY), LARGEST).ok()?;
    let file: Value = serde_json::from_slice(&file).ok()?;
    let cost = file.pointer("/info/model_stats/instance_cost")?.as_f64();
    cost.filter(|cost| *cost > 0.0)
}

/// What one event of a known agent says: codex `turn.completed` and `token_count`, claude and gemini `result`.
fn event_usage(event: &Value) -> Usage {
    let mut usage = Usage {
        cost_usd: event.get("total_cost_usd").and_then(Value::as_f64),
        ..Usage::default()
    };
    let kind = event.get("type").and_then(Value::as_str).unwrap_or("");
    let place = match kind {
        "turn.completed" | "result" => event.get("usage").or_else(|| event.get("stats")),
        _ => event.pointer("/msg/info/total_token_usage"),
    };
    let Some(place) = place else { return usage };
    let count = |key: &str| place.get(key).and_then(Value::as_u64);
    let from_cache = count("cache_read_input_tokens");
    usage.cached_tokens = count("cached_input_tokens")
        .or(from_cache)
        .or_else(|| count("cached"));
    usage.tool_calls = count("tool_calls");
    // Claude counts what the cache gave, and what went into it, beside the rest; codex counts it in.
    let written = count("cache_creation_input_tokens").unwrap_or(0);
    let beside = from_cache.unwrap_or(0).saturating_add(written);
    usage.input_tokens = count("input_tokens").map(|tokens| tokens.saturating_add(beside));
    usage.output_tokens = count("output_tokens");
    usage.reasoning_tokens = count("reasoning_output_tokens");
    usage
}

fn is_tool_call(event: &Value) -> bool {
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or("");
    match text("/type") {
        "function_call" | "tool_use" => true,
        "item.completed" => matches!(
            text("/item/type"),
            "command_execution" | "file_change" | "mcp_tool_call" | "web_search"
        ),
        "assistant" => event
            .pointer("/message/content")
            .and_then(Value::as_array)
            .is_some_and(|parts| parts.iter().any(|part| part["type"] == "tool_use")),
        _ => false,
    }
}

/// `tokens used: 1,234` of older agents.
fn plain_total(line: &str) -> Option<u64> {
    let at = line.find("tokens used")?;
    let digits: String = line[at + "tokens used".len()..]
        .trim_start_matches([':', ' '])
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == ',')
        .filter(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{CostSource, LONGEST_LINE, Usage, UsageReader, plain_total};
    use fairtrial_spec::Price;
    use serde_json::Value;

    fn heard<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Usage {
        let mut reader = UsageReader::default();
        pieces.into_iter().for_each(|piece| reader.hear(piece));
        reader.end_line();
        reader.usage()
    }

    #[test]
    fn a_line_counts_in_whatever_pieces_it_comes_unless_it_is_too_long() {
        let usage = heard([
            "FunctionCall: a\ntokens us",
            "ed: 1",
            "2\nmore\nFunct",
            "ionCall: b",
        ]);
        assert_eq!((usage.total_tokens, usage.tool_calls), (Some(12), Some(2)));
        let part = "x".repeat(LONGEST_LINE / 4 + 1);
        let long = [
            &part,
            &part,
            &part,
            &part,
            "tokens used: 9\ntokens used: 7\n",
        ];
        assert_eq!(heard(long).total_tokens, Some(7));
        let mut reader = UsageReader::default();
        reader.hear("tokens used: 12");
        assert_eq!(reader.usage(), Usage::default());
    }

    /// The original adds running totals up, counts a call in the log and in the session, and takes silence for 0. Its
    /// goldens hold those figures; ours are its parts, each once.
    #[test]
    fn the_originals_figures_are_understood_and_not_added_up() {
        let goldens = include_str!("../tests/goldens/golden_agent_metrics.json");
        let goldens: Vec<Value> = serde_json::from_str(goldens).unwrap();
        for case in &goldens {
            let log = case["codex_run_log"].as_str().unwrap();
            let (usage, theirs) = (heard([log]), &case["metrics"]);
            let figures: Vec<u64> = log.lines().filter_map(plain_total).collect();
            assert_eq!(
                figures.iter().sum::<u64>(),
                theirs["tokens_total"].as_u64().unwrap()
            );
            assert_eq!(
                figures.len() as u64,
                theirs["tokens_events"].as_u64().unwrap()
            );
            assert_eq!(usage.tokens(), figures.last().copied());
            let calls = theirs["tool_calls_codex_log"]
                .as_u64()
                .filter(|calls| *calls > 0);
            assert_eq!(usage.tool_calls, calls);
            assert_eq!(usage.cost(None), (None, CostSource::Unknown));
        }
        assert_eq!(goldens.len(), 2);
        assert_eq!(heard(["hello\n"]), Usage::default());
    }

    #[test]
    fn a_figure_that_cannot_be_is_unknown_and_told_and_the_others_count() {
        let (usage, slips) = Usage::from_file(
            br#"{"input_tokens": "abc", "output_tokens": 5.0, "cached_tokens": null, "cost_usd": -1}"#,
        );
        assert_eq!((usage.input_tokens, usage.output_tokens), (None, Some(5)));
        assert_eq!(usage.cost(None), (None, CostSource::Unknown));
        let told = [
            "`input_tokens` in usage.json cannot be \"abc\"",
            "`cost_usd` in usage.json cannot be -1",
        ];
        assert_eq!(slips, told);
        let none = Usage::from_file(b"[1]").1;
        assert_eq!(none, ["usage.json is no JSON object"]);
    }

    /// It is read while the agent runs: the test hangs where a pipe is waited at.
    #[test]
    fn a_usage_file_that_has_no_end_is_told_and_not_waited_for() {
        let out = tempfile::tempdir().unwrap();
        let path = out.path().join("usage.json");
        let refused = || {
            let usage = Usage::default().with_file(out.path());
            assert_eq!(usage, Usage::default());
            Usage::slips(out.path())
        };
        assert_eq!(refused(), [""; 0]);
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let told = ["usage.json cannot be used (it is not a regular file)"];
        assert_eq!(refused(), told);
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        assert_eq!(refused(), told);
    }

    #[test]
    fn codex_and_claude_are_understood() {
        let codex = r#"{"type":"item.completed","item":{"type":"command_execution"}}
{"type":"turn.completed","usage":{"input_tokens":1000,"cached_input_tokens":400,"output_tokens":50}}"#;
        let usage = heard([codex]);
        assert_eq!((usage.tokens(), usage.tool_calls), (Some(1050), Some(1)));
        let price = Price {
            input: 1.0,
            output: 10.0,
            cached: Some(0.1),
        };
        let (cost, source) = usage.cost(Some(price));
        assert_eq!(source, CostSource::Priced);
        assert!((cost.unwrap() - (600.0 + 40.0 + 500.0) / 1e6).abs() < 1e-12);
        assert_eq!(usage.cost(None), (None, CostSource::Unknown));
        let claude = r#"{"type":"assistant","message":{"content":[{"type":"tool_use"}]}}
{"type":"result","total_cost_usd":0.25,"usage":{"input_tokens":10,"cache_read_input_tokens":90,"output_tokens":5}}"#;
        let usage = heard([claude]);
        assert_eq!((usage.tokens(), usage.cached_tokens), (Some(105), Some(90)));
        assert_eq!(usage.cost(Some(price)), (Some(0.25), CostSource::Reported));
    }

    /// Transcripts in the form that each agent documents.
    #[test]
    fn gemini_opencode_aider_and_mini_are_understood() {
        let gemini = heard([include_str!("../tests/goldens/gemini.jsonl")]);
        assert_eq!(
            (gemini.tokens(), gemini.cached_tokens),
            (Some(5250), Some(1200))
        );
        assert_eq!((gemini.tool_calls, gemini.cost_usd), (Some(2), None));
        // Steps are added up, and the cache counts with the input.
        let opencode = heard([include_str!("../tests/goldens/opencode.jsonl")]);
        assert_eq!(opencode.input_tokens, Some(1000 + 200 + 50 + 300 + 1250));
        assert_eq!(opencode.output_tokens, Some(40 + 10 + 60));
        assert_eq!(opencode.cached_tokens, Some(200 + 1250));
        assert_eq!(opencode.tool_calls, Some(1));
        assert!((opencode.cost_usd.unwrap() - 0.0035).abs() < 1e-12);
        let aider = heard([include_str!("../tests/goldens/aider.log")]);
        assert_eq!(
            (aider.input_tokens, aider.output_tokens),
            (Some(14_400), Some(333))
        );
        assert!((aider.cost_usd.unwrap() - 0.10).abs() < 1e-12);
        assert_eq!(
            heard(["Tokens: many sent, few received.\n"]),
            Usage::default()
        );
        let out = tempfile::tempdir().unwrap();
        let trajectory = include_str!("../tests/goldens/mini.traj.json");
        std::fs::write(out.path().join("mini.traj.json"), trajectory).unwrap();
        let cost = Usage::default().with_file(out.path()).cost_usd;
        assert_eq!(cost, Some(0.0421));
    }
}
