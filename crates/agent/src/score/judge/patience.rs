//! Asks an endpoint and waits as it wishes: a rate limit is no answer, and a patient person would get one.

use super::api::ANTHROPIC_VERSION;
use crate::error::AgentError;
use fairtrial_spec::{JudgeApi, JudgeChoice};
use serde_json::Value;
use std::time::{Duration, Instant};

/// The first wait where nobody says how long.
const FIRST: Duration = Duration::from_millis(250);
/// The longest of them.
const LONGEST: Duration = Duration::from_secs(30);

/// One endpoint with a key and some patience.
pub(super) struct Endpoint<'a> {
    pub(super) choice: &'a JudgeChoice,
    pub(super) url: String,
    pub(super) key: Option<&'a str>,
}

struct Refusal {
    message: String,
    /// Whether another try may go better, and after which time where the endpoint says so.
    again: Option<Option<Duration>>,
}

impl Endpoint<'_> {
    /// Asks until there is an answer, or the patience is at its end.
    pub(super) fn ask(&self, body: &Value) -> Result<Value, AgentError> {
        let patience = Duration::from_secs_f64(self.choice.patience_s);
        let (began, mut wait) = (Instant::now(), FIRST);
        loop {
            let refusal = match self.post(body) {
                Ok(answer) => return Ok(answer),
                Err(refusal) => refusal,
            };
            let Some(asked) = refusal.again else {
                return Err(AgentError::Judge(refusal.message));
            };
            let pause = asked.unwrap_or(wait);
            if began.elapsed() + pause > patience {
                return Err(AgentError::Judge(format!(
                    "{}, after {:.0} s (`judge.patience`)",
                    refusal.message,
                    began.elapsed().as_secs_f64()
                )));
            }
            std::thread::sleep(pause);
            wait = (wait * 2).min(LONGEST);
        }
    }

    fn post(&self, body: &Value) -> Result<Value, Refusal> {
        let url = &self.url;
        let again = |message: String| Refusal {
            message,
            again: Some(None),
        };
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .timeout_global(Some(Duration::from_secs_f64(self.choice.timeout_s)))
            .http_status_as_error(false)
            .build()
            .into();
        let mut request = agent.post(url);
        if self.choice.api == JudgeApi::Anthropic {
            request = request.header("anthropic-version", ANTHROPIC_VERSION);
        }
        if let Some(key) = self.key {
            request = match self.choice.api {
                JudgeApi::Anthropic => request.header("x-api-key", key),
                JudgeApi::Chat | JudgeApi::Responses => {
                    request.header("Authorization", &format!("Bearer {key}"))
                }
            };
        }
        let sent = request.send_json(body);
        let mut answer = sent.map_err(|error| again(format!("{url}: {error}")))?;
        let status = answer.status().as_u16();
        if status < 400 {
            let read = answer.body_mut().read_json();
            return read.map_err(|error| again(format!("{url}: {error}")));
        }
        let header = |name: &str| answer.headers().get(name)?.to_str().ok();
        let asked = header("retry-after").and_then(seconds);
        let said = answer.body_mut().read_to_string().unwrap_or_default();
        let said: String = said.trim().chars().take(200).collect();
        let may_pass = status == 429 || status == 408 || status >= 500;
        Err(Refusal {
            message: format!("{url}: status {status}: {said}"),
            again: may_pass.then_some(asked),
        })
    }
}

/// A time to wait in seconds; a date is waited for as if nothing was said.
fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.trim().parse().ok()?;
    let usable = (0.0..=86_400.0).contains(&seconds);
    usable.then(|| Duration::from_secs_f64(seconds))
}
