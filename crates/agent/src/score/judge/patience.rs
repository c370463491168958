//! Asks an endpoint and waits as it wishes: a rate limit is no answer, and a patient person would get one.

use super::api::ANTHROPIC_VERSION;
use crate::error::AgentError;
use crate::score::endpoint::{Again, Call};
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

impl Endpoint<'_> {
    /// Asks until there is an answer, or the patience is at its end.
    pub(super) fn ask(&self, body: &Value) -> Result<Value, AgentError> {
        let headers = self.headers();
        let call = Call {
            url: &self.url,
            headers: &headers,
            body,
            timeout: Duration::from_secs_f64(self.choice.timeout_s),
        };
        let patience = Duration::from_secs_f64(self.choice.patience_s);
        let (began, mut wait) = (Instant::now(), FIRST);
        loop {
            let refusal = match call.post() {
                Ok(answer) => return Ok(answer),
                Err(refusal) => refusal,
            };
            let pause = match refusal.again {
                Again::Never => return Err(AgentError::Judge(refusal.message)),
                Again::Soon => wait,
                Again::After(time) => time,
            };
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

    fn headers(&self) -> Vec<(&'static str, String)> {
        let key = self.key.map(|key| match self.choice.api {
            JudgeApi::Anthropic => ("x-api-key", key.to_owned()),
            JudgeApi::Chat | JudgeApi::Responses => ("Authorization", format!("Bearer {key}")),
        });
        let version = (self.choice.api == JudgeApi::Anthropic)
            .then(|| ("anthropic-version", ANTHROPIC_VERSION.to_owned()));
        key.into_iter().chain(version).collect()
    }
}
