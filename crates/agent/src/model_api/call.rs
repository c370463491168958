//! The way to a model: one question over HTTP, where this build can ask.

#[cfg(feature = "judge")]
use fairtrial_model::UtcTime;
use serde_json::Value;
use std::time::Duration;

/// Why no model can be asked, where that is so.
pub(crate) const NO_MODELS: &str = "this build of Fairtrial lacks the feature `judge`";

/// A question to an endpoint.
#[cfg_attr(
    not(feature = "judge"),
    allow(dead_code, reason = "only the place is told")
)]
pub(super) struct Call<'a> {
    pub(super) url: &'a str,
    /// Further headers of the request.
    pub(super) headers: &'a [(&'static str, String)],
    pub(super) body: &'a Value,
    /// Time for the answer.
    pub(super) timeout: Duration,
}

/// Why an endpoint did not answer.
pub(super) struct Refusal {
    pub(super) message: String,
    /// What it said, as a number.
    pub(super) status: Option<u16>,
    pub(super) again: Again,
}

/// Whether another try may go better.
#[cfg_attr(not(feature = "judge"), allow(dead_code, reason = "nobody is asked"))]
pub(super) enum Again {
    Never,
    Soon,
    /// After the time that the endpoint names.
    After(Duration),
}

impl Call<'_> {
    /// Sends the question and gives the answer.
    #[cfg(feature = "judge")]
    pub(super) fn post(&self) -> Result<Value, Refusal> {
        let url = self.url;
        let again = |message: String| Refusal {
            message,
            status: None,
            again: Again::Soon,
        };
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .timeout_global(Some(self.timeout))
            .http_status_as_error(false)
            .build()
            .into();
        let mut request = agent.post(url);
        for (name, value) in self.headers {
            request = request.header(*name, value);
        }
        let sent = request.send_json(self.body);
        let mut answer = sent.map_err(|error| again(format!("{url}: {error}")))?;
        let status = answer.status().as_u16();
        if status < 400 {
            let read = answer.body_mut().read_json();
            return read.map_err(|error| again(format!("{url}: {error}")));
        }
        let asked = answer.headers().get("retry-after");
        let asked = asked.and_then(|text| wait(text.to_str().ok()?, UtcTime::now()));
        let said = answer.body_mut().read_to_string().unwrap_or_default();
        let said: String = said.trim().chars().take(200).collect();
        let may_pass = status == 429 || status == 408 || status >= 500;
        Err(Refusal {
            message: format!("{url}: status {status}: {said}"),
            status: Some(status),
            again: match asked {
                _ if !may_pass => Again::Never,
                Some(time) => Again::After(time),
                None => Again::Soon,
            },
        })
    }

    /// Says that this build cannot ask; `check` has said so before the run.
    #[cfg(not(feature = "judge"))]
    pub(super) fn post(&self) -> Result<Value, Refusal> {
        Err(Refusal {
            message: format!("{}: {NO_MODELS}", self.url),
            status: None,
            again: Again::Never,
        })
    }
}

/// The time to wait that an endpoint names: in seconds, or until a date.
#[cfg(feature = "judge")]
fn wait(text: &str, now: UtcTime) -> Option<Duration> {
    let text = text.trim();
    let until = || {
        let micros = UtcTime::from_header(text)?.as_micros() - now.as_micros();
        Some((micros as f64 / 1e6).max(0.0))
    };
    let seconds: f64 = text.parse().ok().or_else(until)?;
    let usable = (0.0..=86_400.0).contains(&seconds);
    usable.then(|| Duration::from_secs_f64(seconds))
}

#[cfg(all(test, feature = "judge"))]
mod tests {
    use super::wait;
    use std::time::Duration;

    #[test]
    fn a_wait_is_seconds_or_a_date() {
        let now = "2026-11-18T10:00:00Z".parse().unwrap();
        let waits = |text| wait(text, now);
        assert_eq!(waits("20"), Some(Duration::from_secs(20)));
        let date = "Wed, 18 Nov 2026 10:00:30 GMT";
        assert_eq!(waits(date), Some(Duration::from_secs(30)));
        let past = "Wed, 18 Nov 2026 09:00:00 GMT";
        assert_eq!(waits(past), Some(Duration::ZERO));
        assert_eq!(waits("soon"), None);
        assert_eq!(waits("-1"), None);
    }
}
