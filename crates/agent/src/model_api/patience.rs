//! Asks an endpoint and waits as it wishes: a rate limit is no answer, and a patient person would get one.

use super::call::{Again, Call};
use super::forms;
use fairtrial_spec::JudgeApi;
use serde_json::Value;
use std::time::{Duration, Instant};

/// The first wait where nobody says how long.
const FIRST: Duration = Duration::from_millis(250);
/// The longest of them.
const LONGEST: Duration = Duration::from_secs(30);

/// One endpoint with a key and some patience.
pub(crate) struct Endpoint<'a> {
    /// What it speaks.
    pub(crate) api: JudgeApi,
    /// Where it is, up to the path of its kind.
    pub(crate) url: &'a str,
    pub(crate) key: Option<&'a str>,
    /// Time for one answer.
    pub(crate) timeout: Duration,
    /// Time for all waiting.
    pub(crate) patience: Duration,
    /// The key of the spec that says so.
    pub(crate) patience_key: &'static str,
}

/// An endpoint that gave no answer.
#[derive(Debug)]
pub(crate) struct Refused {
    /// In words.
    pub(crate) message: String,
    /// The status of what it said last, where it said something.
    pub(crate) status: Option<u16>,
    /// Whether it would say the same again.
    pub(crate) is_final: bool,
}

impl Endpoint<'_> {
    /// Asks until there is an answer, or the patience is at its end; `waited` grows by the time that the endpoint took for
    /// nothing.
    pub(crate) fn ask(&self, body: &Value, waited: &mut Duration) -> Result<Value, Refused> {
        let headers = forms::headers(self.api, self.key);
        let url = forms::url(self.api, self.url);
        let call = Call {
            url: &url,
            headers: &headers,
            body,
            timeout: self.timeout,
        };
        let (began, mut wait) = (Instant::now(), FIRST);
        loop {
            let tried = Instant::now();
            let refusal = match call.post() {
                Ok(answer) => return Ok(answer),
                Err(refusal) => refusal,
            };
            let refused = |message, is_final| Refused {
                message,
                status: refusal.status,
                is_final,
            };
            let pause = match refusal.again {
                Again::Never => return Err(refused(refusal.message, true)),
                Again::Soon => wait,
                Again::After(time) => time,
            };
            if began.elapsed() + pause > self.patience {
                let seconds = began.elapsed().as_secs_f64();
                let key = self.patience_key;
                let message = format!("{}, after {seconds:.0} s (`{key}`)", refusal.message);
                return Err(refused(message, false));
            }
            std::thread::sleep(pause);
            *waited += tried.elapsed();
            wait = (wait * 2).min(LONGEST);
        }
    }
}
