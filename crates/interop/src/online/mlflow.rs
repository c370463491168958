//! MLflow's REST interface: experiments, their runs, and the history of metrics that are asked for.

use super::access::Access;
use crate::collect::Wanted;
use crate::error::{FilePlace, InteropError};
use crate::execution::{Execution, Metric};
use crate::formats::mlflow_files::ended;
use crate::json;
use crate::sink::Sink;
use crate::time;
use fairtrial_model::Number;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Read;

/// Bytes of one answer.
const MOST_ANSWER: u64 = 256 << 20;
/// Runs and points that are asked for at once.
const PAGE: u64 = 1000;

/// Reads the runs of a server.
pub(super) fn read(
    url: &str,
    experiment: Option<&str>,
    access: &Access,
    sink: &mut (impl Sink + Wanted),
) -> Result<(), InteropError> {
    let server = Server::new(url, access);
    let experiments = server.experiments(experiment)?;
    let ids: Vec<&String> = experiments.keys().collect();
    let mut page = None;
    loop {
        let question = json!({"experiment_ids": ids, "max_results": PAGE, "page_token": page,
            "order_by": ["attributes.start_time ASC"]});
        let answer: Runs = server.post("runs/search", &question)?;
        for run in &answer.runs {
            server.run(run, &experiments, sink)?;
        }
        page = answer.next_page_token.filter(|token| !token.is_empty());
        if page.is_none() {
            return Ok(());
        }
    }
}

#[derive(Deserialize)]
struct Experiments {
    #[serde(default)]
    experiments: Vec<MlflowExperiment>,
    #[serde(default)]
    next_page_token: Option<String>,
}

#[derive(Deserialize)]
struct MlflowExperiment {
    experiment_id: String,
    name: String,
}

#[derive(Deserialize)]
struct Runs {
    #[serde(default)]
    runs: Vec<Run>,
    #[serde(default)]
    next_page_token: Option<String>,
}

#[derive(Deserialize)]
struct Run {
    info: Info,
    #[serde(default)]
    data: Data,
}

#[derive(Deserialize)]
struct Info {
    run_id: String,
    #[serde(default)]
    run_name: Option<String>,
    #[serde(default)]
    experiment_id: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    start_time: Value,
    #[serde(default)]
    end_time: Value,
}

#[derive(Default, Deserialize)]
struct Data {
    #[serde(default)]
    metrics: Vec<LoggedPoint>,
    #[serde(default)]
    params: Vec<Pair>,
    #[serde(default)]
    tags: Vec<Pair>,
}

#[derive(Deserialize)]
struct LoggedPoint {
    key: String,
    value: Number,
    #[serde(default)]
    step: Value,
}

#[derive(Deserialize)]
struct Pair {
    key: String,
    #[serde(default)]
    value: String,
}

#[derive(Deserialize)]
struct History {
    #[serde(default)]
    metrics: Vec<LoggedPoint>,
    #[serde(default)]
    next_page_token: Option<String>,
}

impl LoggedPoint {
    /// The largest numbers stand for the infinities, which MLflow cannot keep.
    fn value(&self) -> f64 {
        match self.value.0 {
            f64::MAX => f64::INFINITY,
            f64::MIN => f64::NEG_INFINITY,
            value => value,
        }
    }
}

/// A number that may be written as text, as 64-bit numbers are.
fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

struct Server<'a> {
    url: &'a str,
    agent: ureq::Agent,
    authorization: Option<String>,
}

impl<'a> Server<'a> {
    fn new(url: &'a str, access: &Access) -> Self {
        let agent = ureq::Agent::config_builder()
            .timeout_global(Some(access.limit))
            .http_status_as_error(false)
            .build()
            .into();
        let basic = |(name, password): &(String, String)| {
            format!("Basic {}", base64(format!("{name}:{password}").as_bytes()))
        };
        let token = access.token.as_ref().map(|token| format!("Bearer {token}"));
        Self {
            url,
            agent,
            authorization: token.or_else(|| access.password.as_ref().map(basic)),
        }
    }

    fn wrong(&self, message: impl Into<String>) -> InteropError {
        InteropError::content(FilePlace::of(format!("mlflow:{}", self.url)), message)
    }

    fn post<T: DeserializeOwned>(&self, what: &str, question: &Value) -> Result<T, InteropError> {
        let url = format!("{}/api/2.0/mlflow/{what}", self.url);
        let mut request = self
            .agent
            .post(&url)
            .header("Content-Type", "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header("Authorization", authorization);
        }
        self.answer(what, request.send(question.to_string().as_bytes()))
    }

    fn get<T: DeserializeOwned>(
        &self,
        what: &str,
        query: &[(&str, &str)],
    ) -> Result<T, InteropError> {
        let url = format!("{}/api/2.0/mlflow/{what}", self.url);
        let mut request = self.agent.get(&url).query_pairs(query.iter().copied());
        if let Some(authorization) = &self.authorization {
            request = request.header("Authorization", authorization);
        }
        self.answer(what, request.call())
    }

    fn answer<T: DeserializeOwned>(
        &self,
        what: &str,
        answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Result<T, InteropError> {
        let mut answer = answer.map_err(|error| self.wrong(error.to_string()))?;
        let mut body = Vec::new();
        let reader = answer.body_mut().as_reader();
        let read = reader.take(MOST_ANSWER).read_to_end(&mut body);
        read.map_err(|error| self.wrong(error.to_string()))?;
        if !answer.status().is_success() {
            let said: Value = json::parse("", &body).unwrap_or_default();
            let said = said["message"].as_str().unwrap_or("no message");
            return Err(self.wrong(format!("{what}: {}: {said}", answer.status())));
        }
        json::parse(&format!("mlflow:{} {what}", self.url), &body)
    }

    /// The names of experiments by their ids.
    fn experiments(&self, wanted: Option<&str>) -> Result<HashMap<String, String>, InteropError> {
        let mut found = HashMap::new();
        let mut page = None;
        loop {
            let question = json!({"max_results": PAGE, "page_token": page});
            let answer: Experiments = self.post("experiments/search", &question)?;
            for experiment in answer.experiments {
                let is_meant =
                    |wanted: &str| experiment.name == wanted || experiment.experiment_id == wanted;
                if wanted.is_none_or(is_meant) {
                    found.insert(experiment.experiment_id, experiment.name);
                }
            }
            page = answer.next_page_token.filter(|token| !token.is_empty());
            if page.is_none() {
                break;
            }
        }
        match wanted {
            Some(name) if found.is_empty() => {
                Err(self.wrong(format!("there is no experiment `{name}`")))
            }
            _ => Ok(found),
        }
    }

    fn run(
        &self,
        run: &Run,
        experiments: &HashMap<String, String>,
        sink: &mut (impl Sink + Wanted),
    ) -> Result<(), InteropError> {
        let mut execution = Execution::of(format!("mlflow:{}", self.url));
        execution.set("run", &run.info.run_id);
        execution.set_some("name", run.info.run_name.as_deref());
        execution.set_some("experiment", experiments.get(&run.info.experiment_id));
        for pair in &run.data.params {
            execution.set(&format!("param.{}", pair.key), &pair.value);
        }
        let own = |pair: &&Pair| !pair.key.starts_with("mlflow.");
        for pair in run.data.tags.iter().filter(own) {
            execution.set(&format!("tag.{}", pair.key), &pair.value);
        }
        let at = |value: &Value| {
            number(value)
                .filter(|millis| *millis > 0.0)
                .and_then(|millis| time::from_seconds(millis / 1000.0))
        };
        execution.started_at = at(&run.info.start_time);
        execution.ended_at = at(&run.info.end_time);
        ended(&mut execution, &run.info.status);
        for last in &run.data.metrics {
            let metric = sink.metric(&Metric::named(&last.key));
            if sink.wants(&last.key) {
                self.history(&run.info.run_id, &last.key, &mut |point| {
                    let step = number(&point.step).unwrap_or(0.0);
                    sink.point(metric, step, point.value());
                })?;
            } else {
                execution.metrics.push((metric, last.value()));
            }
        }
        sink.execution(execution);
        Ok(())
    }

    fn history(
        &self,
        run: &str,
        metric: &str,
        each: &mut dyn FnMut(&LoggedPoint),
    ) -> Result<(), InteropError> {
        let size = PAGE.to_string();
        let mut page: Option<String> = None;
        loop {
            let mut query = vec![
                ("run_id", run),
                ("metric_key", metric),
                ("max_results", &size),
            ];
            query.extend(page.as_deref().map(|token| ("page_token", token)));
            let answer: History = self.get("metrics/get-history", &query)?;
            let mut points = answer.metrics;
            points.sort_by(|a, b| {
                let step = |point: &LoggedPoint| number(&point.step).unwrap_or(0.0);
                step(a).total_cmp(&step(b))
            });
            points.iter().for_each(&mut *each);
            page = answer.next_page_token.filter(|token| !token.is_empty());
            if page.is_none() {
                return Ok(());
            }
        }
    }
}

/// Base64 as HTTP wants it for a name and a password.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk
            .iter()
            .fold(0_u32, |group, byte| group << 8 | u32::from(*byte));
        let group = group << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let letter = LETTERS[(group >> (18 - 6 * place) & 63) as usize];
            out.push(if place <= chunk.len() {
                char::from(letter)
            } else {
                '='
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn passwords_are_written_as_http_wants_them() {
        assert_eq!(
            base64(b"Aladdin:open sesame"),
            "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
        );
        assert_eq!(base64(b"ab"), "YWI=");
        assert_eq!(base64(b""), "");
    }
}
