//! Tells the provider's trouble from the agent's: a rate limit, a wrong key or an overloaded server says nothing about
//! the model, and must not be scored.

use std::time::Duration;

/// What a provider's error means for the rollout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    /// In words.
    pub(crate) message: String,
    /// Whether trying again cannot help.
    pub(crate) permanent: bool,
    /// Whether fewer at a time would help.
    pub(crate) crowded: bool,
    /// How long the provider wants to be left alone, where that was said.
    pub(crate) wait: Option<Duration>,
}

impl Trouble {
    /// Trouble that stays.
    pub(crate) fn permanent(message: String) -> Self {
        Self {
            message,
            permanent: true,
            crowded: false,
            wait: None,
        }
    }
}

/// A kind of trouble: what it is, whether it is permanent, whether it is crowding.
type Kind = (&'static str, bool, bool);

const QUOTA: Kind = ("the account's quota is spent", true, false);
const KEY: Kind = ("the provider refused the key", true, false);
const MODEL: Kind = ("the provider has no such model", true, false);
const RATE: Kind = ("the provider's rate limit", false, true);
const OVERLOADED: Kind = ("the provider is overloaded", false, true);
const AWAY: Kind = ("the provider is not available", false, true);
const ERROR: Kind = ("the provider's own error", false, false);
const BROKE: Kind = ("the connection to the provider broke", false, false);

/// What only a provider or its client says.
const SIGNS: [(&str, Kind); 16] = [
    ("insufficient_quota", QUOTA),
    ("exceeded your current quota", QUOTA),
    ("credit balance is too low", QUOTA),
    ("usage limit reached", QUOTA),
    ("invalid_api_key", KEY),
    ("incorrect api key", KEY),
    ("invalid x-api-key", KEY),
    ("authentication_error", KEY),
    ("model_not_found", MODEL),
    ("resource_exhausted", RATE),
    ("ratelimiterror:", RATE),
    ("overloaded_error", OVERLOADED),
    ("apiconnectionerror", BROKE),
    ("apitimeouterror", BROKE),
    ("api connection error", BROKE),
    ("stream disconnected before completion", BROKE),
];

/// What people and programs also talk about: it counts on a line that is an error.
const WORDS: [(&str, Kind); 7] = [
    ("invalid api key", KEY),
    ("rate_limit", RATE),
    ("rate limit", RATE),
    ("too many requests", RATE),
    ("quota exceeded", RATE),
    ("overloaded", OVERLOADED),
    ("error: connection error", BROKE),
];

/// What makes a line an error, and not words about one.
const MARKS: [&str; 7] = [
    "error:",
    "error\"",
    "error'",
    "error -",
    "[error]",
    "_error",
    "exception:",
];

/// Words right before the time after which one may come again.
const WAITS: [&str; 5] = [
    "retry-after",
    "retry after",
    "retry_after",
    "try again in",
    "retrying in",
];
/// Seconds beyond which nobody waits.
const LONGEST_WAIT: f64 = 3600.0;

/// Words right before a number that make it the status of an answer.
const STATUS_WORDS: [&str; 5] = ["error", "http", "status", "code", "statuscode"];

/// What comes right after a number that is a status.
const REASONS: [(&str, &str); 8] = [
    ("401", "unauthorized"),
    ("403", "forbidden"),
    ("429", "too many requests"),
    ("500", "internal server error"),
    ("502", "bad gateway"),
    ("503", "service unavailable"),
    ("504", "gateway timeout"),
    ("529", "overloaded"),
];

/// What an agent that gave up says about its provider, where that is why.
pub(crate) fn trouble(tail: &str) -> Option<Trouble> {
    // An agent that met an error and went on is not meant: only the last words of one that ended badly are asked.
    tail.lines().rev().take(20).find_map(|line| {
        let (what, permanent, crowded) = kind(&line.to_lowercase())?;
        let said: String = line.trim().chars().take(160).collect();
        Some(Trouble {
            message: format!("{what} ({said})"),
            permanent,
            crowded,
            wait: tail.lines().rev().take(20).find_map(wait),
        })
    })
}

/// The time after which one may come again, as providers and their clients say it: `Retry-After: 20`, `try again in 1.5s`.
fn wait(line: &str) -> Option<Duration> {
    let line = line.to_lowercase();
    let after = WAITS
        .iter()
        .find_map(|word| line.split_once(word).map(|(_, after)| after))?;
    let after = after.trim_start_matches(|c: char| !c.is_ascii_digit() && !c.is_ascii_alphabetic());
    let end = after
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(after.len());
    let number: f64 = after[..end].trim_end_matches('.').parse().ok()?;
    let unit = after[end..].trim_start();
    let seconds = match unit {
        unit if unit.starts_with("ms") => number / 1000.0,
        unit if unit.starts_with('m') => number * 60.0,
        unit if unit.starts_with('h') => number * 3600.0,
        _ => number,
    };
    (0.0..=LONGEST_WAIT)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
}

fn kind(line: &str) -> Option<Kind> {
    let words: Vec<&str> = line
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    // Many tasks are about limits and answers of servers: what a test says of them is the agent's own affair.
    let of_a_test =
        |word: &&str| word.starts_with("test") || word.starts_with("assert") || *word == "expected";
    if words.iter().any(of_a_test) {
        return None;
    }
    let within = |(sign, kind): &(&str, Kind)| line.contains(sign).then_some(*kind);
    if let Some(kind) = SIGNS.iter().find_map(within) {
        return Some(kind);
    }
    let is_error = line.trim_start().starts_with("error") || MARKS.iter().any(|m| line.contains(m));
    if is_error && let Some(kind) = WORDS.iter().find_map(within) {
        return Some(kind);
    }
    (0..words.len()).find_map(|place| status(&words, place))
}

/// What the word at this place means as the status of an answer, where it stands for one.
fn status(words: &[&str], place: usize) -> Option<Kind> {
    let number = words.get(place).filter(|word| word.len() == 3)?;
    let kind = match number.parse::<u16>().ok()? {
        401 | 403 => KEY,
        429 => RATE,
        503 => AWAY,
        529 => OVERLOADED,
        500..=599 => ERROR,
        _ => return None,
    };
    let mut before = words[..place].iter().rev();
    // `HTTP/1.1 429`
    let before = before.find(|word| word.len() > 1 || word.parse::<u8>().is_err());
    let named = before.is_some_and(|word| STATUS_WORDS.contains(word));
    let after = words[place + 1..].join(" ");
    let reasoned = REASONS
        .iter()
        .any(|(code, reason)| code == number && after.starts_with(reason));
    (named || reasoned).then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::{BROKE, ERROR, KEY, Kind, OVERLOADED, QUOTA, RATE, trouble};

    #[test]
    fn a_provider_says_when_to_come_again() {
        for (line, seconds) in [
            ("Error: HTTP 429, Retry-After: 20", Some(20.0)),
            (
                "Error: rate limit reached. Please try again in 1.5s. Visit",
                Some(1.5),
            ),
            ("error: rate limit, try again in 350ms", Some(0.35)),
            (
                "{\"error\": {\"type\": \"rate_limit_error\", \"retry_after\": 7}}",
                Some(7.0),
            ),
            ("429 Too Many Requests; try again in 2 minutes", Some(120.0)),
            ("429 Too Many Requests; try again in a while", None),
            ("429 Too Many Requests; retry after 999999", None),
        ] {
            let found = trouble(line).unwrap().wait.map(|wait| wait.as_secs_f64());
            assert_eq!(found, seconds, "{line}");
        }
    }

    #[test]
    fn what_providers_say_is_told_apart_from_what_agents_do() {
        let cases: [(&str, Kind); 16] = [
            ("Error: HTTP 429", RATE),
            ("HTTP/1.1 429", RATE),
            ("429 Too Many Requests", RATE),
            ("google: RESOURCE_EXHAUSTED: Quota exceeded", RATE),
            ("Error: rate limit reached for m", RATE),
            (
                r#"{"type":"error","error":{"type":"rate_limit_error"}}"#,
                RATE,
            ),
            ("Request failed with status code 429", RATE),
            ("Error code: 401", KEY),
            ("Error 401 Unauthorized: invalid api key", KEY),
            ("401 Unauthorized", KEY),
            ("{\"error\":{\"code\":\"invalid_api_key\"}}", KEY),
            ("API Error: 500 Internal server error", ERROR),
            ("HTTP 529 Overloaded", OVERLOADED),
            ("openai.APIConnectionError: Connection error.", BROKE),
            ("Error: Connection error.", BROKE),
            ("Error: You exceeded your current quota", QUOTA),
        ];
        for (line, (what, permanent, crowded)) in cases {
            let found = trouble(&format!("work\n{line}\n"));
            let found = found.unwrap_or_else(|| panic!("{line}"));
            assert_eq!(found.message, format!("{what} ({line})"));
            assert_eq!((found.permanent, found.crowded), (permanent, crowded));
        }
        for line in [
            "AssertionError: 429 != 430",
            "ok, the test for rate limit passes",
            "fixing the 429 rate limit handler",
            "Now I add error handling for the rate limit.",
            "FAILED tests/test_limit.py::test_rate_limit_error - status 429",
            "expected status 200, got status 500",
            "error in line 500",
            "wrote 503 lines",
        ] {
            assert_eq!(trouble(line), None, "{line}");
        }
    }
}
