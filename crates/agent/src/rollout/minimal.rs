//! The built-in agent: a model with a shell and nothing else, so that a model can be measured without installing anything. We
//! ask the model ourselves; its commands run in the sandbox, which needs no network for that and sees no key.

use super::agent_phase::AgentEnd;
use super::driven::Drive;
use crate::baseline::Baseline;
use crate::dialogue::{Dialogue, ToolCall, Turn};
use crate::error::{AgentError, At};
use crate::gate::Gate;
use crate::model_api::{Endpoint, Refused, forms};
use crate::process::Watcher;
use crate::provider::Trouble;
use crate::sandbox::contract::Room;
use crate::sandbox::run::{PhaseEnd, PhaseJob};
use crate::usage::Usage;
use fairtrial_episode::append_own;
use fairtrial_journal::{Durability, write_atomic_bytes};
use fairtrial_spec::{EndpointChoice, Phase};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Answers in a row that cannot be used before the model counts as silent.
const TRIES: u32 = 4;
/// Answers of the model, where nobody says how many.
const STEPS: u32 = 100;
/// Seconds for one command.
const COMMAND: f64 = 600.0;
/// Bytes of a command's output that the model is shown, from its beginning and from its end.
const SHOWN: usize = 8_000;
/// The file with all that was said and done.
const TRAJECTORY: &str = "trajectory.json";

const RULES: &str = "You work on a task in a shell, by yourself: nobody answers questions. Use the tool `shell` for \
everything. Each command runs in a new shell in the working folder; a command that takes longer than 10 minutes is ended, \
and only files outlast it. When the task is done, say so in one sentence without calling the tool.";

/// A talk at work.
struct Talk<'a> {
    drive: &'a Drive<'a>,
    room: &'a Room,
    start: &'a Baseline,
    endpoint: &'a EndpointChoice,
    dialogue: Dialogue,
    /// When the agent's time is over, waiting for the provider not counted.
    ends: Instant,
    waited: Duration,
    end: AgentEnd,
    /// What was said and done, for the record.
    steps: Vec<Value>,
}

/// Why no further answer is asked for.
enum Over {
    /// It is done.
    Done,
    /// A limit is reached.
    Limit(String),
    /// The provider is to blame.
    Trouble(Trouble),
}

impl Drive<'_> {
    /// Lets the model work.
    pub(super) fn converse(&self, room: &Room, start: &Baseline) -> Result<AgentEnd, AgentError> {
        let gate = Gate::open(&self.gate_dir())?;
        let place = gate.enter()?;
        let endpoint = self.options.agent.endpoint();
        let told = self
            .step()
            .map_or(&self.task.instructions, |step| &step.instructions);
        let began = Instant::now();
        let mut talk = Talk {
            drive: self,
            room,
            start,
            dialogue: Dialogue::new(endpoint.api, RULES.to_owned(), told),
            ends: began + Duration::from_secs_f64(self.timeout_s()?),
            waited: Duration::ZERO,
            endpoint: &endpoint,
            end: AgentEnd {
                usage: Usage {
                    tool_calls: Some(0),
                    ..Usage::default()
                },
                ..AgentEnd::default()
            },
            steps: vec![json!({ "step_id": 1, "source": "user", "message": told })],
        };
        let over = talk.run()?;
        talk.write()?;
        let mut end = talk.end;
        end.seconds = began.elapsed().saturating_sub(talk.waited).as_secs_f64();
        end.waited = place.waited + talk.waited.as_secs_f64();
        match over {
            Over::Done => {}
            Over::Limit(limit) => end.limited = Some(limit),
            Over::Trouble(trouble) => end.infra = Some(trouble),
        }
        drop(place);
        Self::tell_gate(&gate, &end)?;
        Ok(end)
    }
}

impl Talk<'_> {
    fn run(&mut self) -> Result<Over, AgentError> {
        let most = self.drive.options.agent.max_steps.unwrap_or(STEPS);
        for _ in 0..most {
            let turn = match self.ask() {
                Ok(turn) => turn,
                Err(over) => return Ok(over),
            };
            self.log(&format!("\n{}\n", turn.text))?;
            let mut results = Vec::new();
            for call in &turn.calls {
                let Some(left) = self.left() else {
                    return Ok(Over::Limit("its time limit".to_owned()));
                };
                let (said, limit) = self.call(call, left)?;
                results.push((call.id.clone(), said));
                if let Some(limit) = limit {
                    self.tell(&turn, &results);
                    return Ok(Over::Limit(limit));
                }
            }
            self.tell(&turn, &results);
            if turn.calls.is_empty() {
                return Ok(Over::Done);
            }
            self.dialogue.answer(&results);
            if let Some(limit) = self.drive.spent(&self.end.usage) {
                return Ok(Over::Limit(limit));
            }
        }
        Ok(Over::Limit(format!(
            "its limit of {most} steps (`agent.max_steps`)"
        )))
    }

    /// The time that is left.
    fn left(&self) -> Option<f64> {
        let left = (self.ends + self.waited).checked_duration_since(Instant::now())?;
        Some(left.as_secs_f64()).filter(|left| *left > 0.0)
    }

    /// The next answer that can be used.
    fn ask(&mut self) -> Result<Turn, Over> {
        let choice = self.endpoint;
        let key = self.drive.env.get(&choice.key_env);
        for _ in 0..TRIES {
            let Some(left) = self.left() else {
                return Err(Over::Limit("its time limit".to_owned()));
            };
            let endpoint = Endpoint {
                api: choice.api,
                url: &choice.url,
                key: key.map(String::as_str),
                timeout: Duration::from_secs_f64(choice.timeout_s.min(left)),
                patience: Duration::from_secs_f64(choice.patience_s),
                patience_key: "agent.patience",
            };
            let request = self.dialogue.request(&self.drive.model, choice);
            let asked = endpoint.ask(&request, &mut self.waited);
            let answer = asked.map_err(|refused| self.over(&refused))?;
            self.add(&forms::usage(choice.api, &answer));
            if let Some(turn) = self.dialogue.take(&answer) {
                return Ok(turn);
            }
        }
        let message = format!("the model gave {TRIES} answers with neither words nor commands");
        Err(Over::Trouble(Trouble {
            message,
            permanent: false,
            crowded: false,
            wait: None,
        }))
    }

    /// What it means that there is no answer.
    fn over(&self, refused: &Refused) -> Over {
        let said = refused.message.to_lowercase();
        let is_full = ["context_length", "context length", "too long", "too large"];
        if matches!(refused.status, Some(400 | 413))
            && is_full.iter().any(|word| said.contains(word))
        {
            return Over::Limit("the model's context".to_owned());
        }
        if self.left().is_none() {
            return Over::Limit("its time limit".to_owned());
        }
        Over::Trouble(Trouble {
            message: format!("the model gave no answer: {}", refused.message),
            permanent: refused.is_final,
            crowded: refused.status == Some(429),
            wait: None,
        })
    }

    /// Adds what an answer took. One that does not say makes the sum unknown.
    fn add(&mut self, took: &Usage) {
        let sum = &mut self.end.usage;
        let is_first =
            sum.tool_calls == Some(0) && self.steps.len() == 1 && sum.input_tokens.is_none();
        let calls = sum.tool_calls;
        *sum = if is_first {
            took.clone()
        } else {
            sum.plus(took)
        };
        sum.tool_calls = calls;
    }

    /// Runs a command; gives what the model is shown, and the limit that ended it where one did.
    fn call(&mut self, call: &ToolCall, left: f64) -> Result<(String, Option<String>), AgentError> {
        self.end.usage.tool_calls = self.end.usage.tool_calls.map(|calls| calls + 1);
        let command = match &call.command {
            Ok(command) => command,
            Err(wrong) => return Ok((wrong.clone(), None)),
        };
        self.log(&format!("$ {command}\n"))?;
        let drive = self.drive;
        let env = drive.env_of(Phase::Agent, &drive.sandbox.inside(self.room));
        let room = Room {
            name: format!(
                "{}-{}",
                self.room.name,
                self.end.usage.tool_calls.unwrap_or(0)
            ),
            ..self.room.clone()
        };
        let mut ear = Ends::default();
        let limit = COMMAND.min(left);
        let PhaseEnd {
            ended,
            short_of_memory,
            trouble,
            notes,
        } = drive.sandbox.run(
            &PhaseJob {
                phase: Phase::Agent,
                room: if drive.container.is_some() {
                    self.room
                } else {
                    &room
                },
                argv: &["sh", "-c", command].map(str::to_owned),
                env: &env,
                stdin: None,
                fixed: &[],
                log: &drive.trial.dir.join("logs/agent.log"),
                timeout: Duration::from_secs_f64(limit),
                given: &self.start.tree(),
                redactor: &drive.redactor,
            },
            Some(&mut ear),
        )?;
        for note in notes {
            if !self.end.notes.contains(&note) {
                self.end.notes.push(note);
            }
        }
        let how = match (&ended.stopped, &trouble) {
            (Some(_), _) if ended.timed_out => format!("ended after {limit:.0} s"),
            (Some(why), _) => format!("ended at {why}"),
            (_, Some(trouble)) => trouble.clone(),
            _ if short_of_memory => format!("exit code {}, short of memory", ended.code),
            _ => format!("exit code {}", ended.code),
        };
        self.end.coped |= short_of_memory;
        self.log(&format!("[{how}]\n"))?;
        let over = ended.stopped.filter(|_| !ended.timed_out);
        Ok((format!("{}\n[{how}]", ear.text().trim_end()), over))
    }

    /// Notes a step for the record.
    fn tell(&mut self, turn: &Turn, results: &[(String, String)]) {
        let calls = turn.calls.iter().map(|call| {
            json!({
                "tool_call_id": call.id, "function_name": "shell",
                "arguments": { "command": call.command.as_ref().ok() },
            })
        });
        let results = results
            .iter()
            .map(|(id, said)| json!({ "source_call_id": id, "content": said }));
        self.steps.push(json!({
            "step_id": self.steps.len() + 1, "source": "agent", "model_name": self.drive.model,
            "message": turn.text,
            "tool_calls": calls.collect::<Vec<_>>(),
            "observation": { "results": results.collect::<Vec<_>>() },
        }));
    }

    /// Writes all that was said and done, in the form that others read (ATIF).
    fn write(&self) -> Result<(), AgentError> {
        let (usage, drive) = (&self.end.usage, self.drive);
        let cost = usage.cost(drive.options.agent.price).0;
        let all = json!({
            "schema_version": "ATIF-v1.4",
            "session_id": drive.trial.name,
            "agent": { "name": "fairtrial-minimal", "version": env!("CARGO_PKG_VERSION"), "model_name": drive.model },
            "steps": self.steps,
            "final_metrics": {
                "total_prompt_tokens": usage.input_tokens,
                "total_completion_tokens": usage.output_tokens,
                "total_cached_tokens": usage.cached_tokens,
                "total_cost_usd": cost,
                "total_steps": self.steps.len(),
            },
        });
        let text = serde_json::to_vec_pretty(&all).unwrap_or_default();
        let clean = drive.redactor.redact_bytes(text);
        let path = self.place();
        let folder = path.parent().unwrap_or(&path);
        fs::create_dir_all(folder).at("create", folder)?;
        write_atomic_bytes(&path, Durability::Process, &clean)?;
        Ok(())
    }

    fn place(&self) -> PathBuf {
        let artifacts = self.drive.trial.dir.join("artifacts");
        match self.drive.step().map(|step| step.name.as_str()) {
            None | Some("") => artifacts.join(TRAJECTORY),
            Some(name) => artifacts.join("steps").join(name).join(TRAJECTORY),
        }
    }

    fn log(&self, text: &str) -> Result<(), AgentError> {
        let path = self.drive.trial.dir.join("logs/agent.log");
        let folder = path.parent().unwrap_or(&path);
        fs::create_dir_all(folder).at("create", folder)?;
        let clean = self.drive.redactor.redact(text);
        let written = append_own(&path).and_then(|mut file| file.write_all(clean.as_bytes()));
        written.at("write", &path)
    }
}

/// Keeps the beginning and the end of what a command prints.
#[derive(Default)]
struct Ends {
    head: String,
    tail: VecDeque<char>,
    lost: usize,
}

impl Ends {
    fn text(&self) -> String {
        let tail: String = self.tail.iter().collect();
        match self.lost {
            0 => format!("{}{tail}", self.head),
            lost => format!("{}\n[{lost} letters left out]\n{tail}", self.head),
        }
    }
}

impl Watcher for Ends {
    fn hear(&mut self, text: &str) {
        for letter in text.chars() {
            if self.head.len() < SHOWN {
                self.head.push(letter);
                continue;
            }
            self.tail.push_back(letter);
            if self.tail.len() > SHOWN {
                self.tail.pop_front();
                self.lost += 1;
            }
        }
    }

    fn look(&mut self) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Ends, SHOWN};
    use crate::process::Watcher;

    #[test]
    fn a_long_output_keeps_its_beginning_and_its_end() {
        let mut ends = Ends::default();
        ends.hear(&"a".repeat(SHOWN));
        ends.hear(&"b".repeat(7));
        ends.hear(&"c".repeat(SHOWN));
        let text = ends.text();
        assert!(text.starts_with("aaa") && text.ends_with("ccc"));
        assert!(
            text.contains("[7 letters left out]"),
            "{}",
            &text[SHOWN..SHOWN + 40]
        );
    }
}
