//! The time that an agent has: the spec's `timeout`, else `TIMEOUT_SEC`, as users of prepared tasks write it.

use super::driven::Drive;
use crate::error::AgentError;
use fairtrial_model::Params;
use fairtrial_text::duration::parse_duration;

/// The variable, or the parameter, with which an agent's time is said.
pub(crate) const TIMEOUT_VARIABLE: &str = "TIMEOUT_SEC";
/// Seconds for an agent of which nobody says.
const AGENT_TIMEOUT: f64 = 3600.0;

/// Seconds of a `TIMEOUT_SEC`.
pub(crate) fn timeout_seconds(text: &str) -> Result<f64, String> {
    let usable = parse_duration(text).ok().filter(|time| *time > 0.0);
    usable.ok_or_else(|| {
        format!("`{TIMEOUT_VARIABLE}` is `{text}`, which is no time: give a number of seconds, or `timeout` in the spec")
    })
}

impl Drive<'_> {
    /// Seconds for the agent.
    pub(super) fn timeout_s(&self) -> Result<f64, AgentError> {
        if let Some(seconds) = self.shared.timeout_s {
            return Ok(seconds);
        }
        if let Some(seconds) = self.step().and_then(|step| step.agent_timeout_s)
            && self.given_timeout().is_none()
        {
            return Ok(seconds);
        }
        let refused = |message| AgentError::Setup {
            message,
            permanent: true,
        };
        let given = self.given_timeout();
        given.map_or(Ok(AGENT_TIMEOUT), |text| {
            timeout_seconds(&text).map_err(refused)
        })
    }

    /// What a parameter says, else the spec's variables, else the task's own.
    fn given_timeout(&self) -> Option<String> {
        let of_spec = self.shared.spec_env.iter().any(|it| it == TIMEOUT_VARIABLE);
        let spec = of_spec.then(|| self.env.get(TIMEOUT_VARIABLE)).flatten();
        let param = self.trial.params.get(TIMEOUT_VARIABLE);
        let variable = spec.or_else(|| self.task.env.get(TIMEOUT_VARIABLE));
        param.map(Params::display).or_else(|| variable.cloned())
    }
}
