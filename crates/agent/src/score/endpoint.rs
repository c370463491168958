//! The way to a judge: one question over HTTP, where this build can ask.

use crate::error::AgentError;
use serde_json::Value;

/// Why a judge cannot be asked, where that is so.
pub(crate) const NO_JUDGE: &str = "this build of Fairtrial lacks the feature `judge`";
/// Time for one answer.
#[cfg(feature = "judge")]
const PATIENCE: std::time::Duration = std::time::Duration::from_mins(3);

/// Why a judge did not answer, and whether it may be asked again.
pub(super) struct Refusal {
    pub(super) error: AgentError,
    pub(super) again: bool,
}

/// Sends a question and gives the answer.
#[cfg(feature = "judge")]
pub(super) fn post(url: &str, key: Option<&str>, body: &Value) -> Result<Value, Refusal> {
    let refused = |message: String, again| Refusal {
        error: AgentError::Judge(message),
        again,
    };
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_global(Some(PATIENCE))
        .http_status_as_error(false)
        .build()
        .into();
    let mut request = agent.post(url);
    if let Some(key) = key {
        request = request.header("Authorization", &format!("Bearer {key}"));
    }
    let mut answer = request
        .send_json(body)
        .map_err(|error| refused(format!("{url}: {error}"), true))?;
    let status = answer.status().as_u16();
    if status >= 400 {
        let said = answer.body_mut().read_to_string().unwrap_or_default();
        let said: String = said.trim().chars().take(200).collect();
        let again = status == 429 || status == 408 || status >= 500;
        return Err(refused(format!("{url}: status {status}: {said}"), again));
    }
    answer
        .body_mut()
        .read_json()
        .map_err(|error| refused(format!("{url}: {error}"), true))
}

/// Says that this build cannot ask; `check` has said so before the run.
#[cfg(not(feature = "judge"))]
pub(super) fn post(url: &str, _key: Option<&str>, _body: &Value) -> Result<Value, Refusal> {
    Err(Refusal {
        error: AgentError::Judge(format!("{url}: {}", NO_JUDGE)),
        again: false,
    })
}
