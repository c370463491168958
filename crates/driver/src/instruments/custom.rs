//! `custom`: the user's own commands before the first and after the last measured iteration, run without a shell.

use super::observer::{InstrumentFinding, Observer, text};
use fairtrial_experiment::Artifact;
use fairtrial_experiment::protocol::Sample;
use fairtrial_journal::{Durability, write_atomic_bytes};
use fairtrial_spec::Instrument;
use serde_json::{Map, Value};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// The running instrument.
#[derive(Debug)]
pub(super) struct Custom {
    label: String,
    stop: Option<String>,
    artifacts: Vec<Artifact>,
}

impl Custom {
    /// Runs the first command.
    pub(super) fn start(instrument: &Instrument, artifacts: &Path) -> Result<Self, String> {
        let label = text(instrument, "label").unwrap_or("custom");
        let mut custom = Self {
            label: label.replace(['/', '\\'], "_"),
            stop: text(instrument, "stop").map(str::to_owned),
            artifacts: Vec::new(),
        };
        if let Some(command) = text(instrument, "start") {
            custom.run(command, "start", artifacts)?;
        }
        Ok(custom)
    }

    /// Runs a command to its end, keeps what it printed, and gives that.
    fn run(&mut self, command: &str, when: &str, artifacts: &Path) -> Result<String, String> {
        let refused = |why: String| format!("the `{when}` command `{command}`: {why}");
        let words = shell_words::split(command).map_err(|error| refused(error.to_string()))?;
        let Some((program, arguments)) = words.split_first() else {
            return Err(refused("it names no program".to_owned()));
        };
        let output = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| refused(not_started(&error, program)))?;
        let name = format!("{}_{when}.txt", self.label);
        write_atomic_bytes(&artifacts.join(&name), Durability::Process, &output.stdout)
            .map_err(|error| refused(error.to_string()))?;
        self.artifacts.push(Artifact {
            name: format!("{}_{when}", self.label),
            kind: "text".to_owned(),
            path: format!("artifacts/{name}"),
        });
        if !output.status.success() {
            return Err(refused(output.status.to_string()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

impl Observer for Custom {
    fn stop(mut self: Box<Self>, _: &[Sample], artifacts: &Path) -> InstrumentFinding {
        let command = self.stop.take();
        let printed = command.map(|command| self.run(&command, "stop", artifacts));
        let (summary, absent) = match printed {
            Some(Ok(text)) => match object(&text) {
                Ok(summary) => (summary, None),
                Err(why) => (Map::new(), Some(why)),
            },
            Some(Err(why)) => (Map::new(), Some(why)),
            None => (Map::new(), None),
        };
        InstrumentFinding {
            name: self.label,
            summary,
            by_iteration: Vec::new(),
            artifacts: self.artifacts,
            absent,
        }
    }
}

/// Why a program did not start; one that is not there may be a word of the shell.
fn not_started(error: &io::Error, program: &str) -> String {
    if error.kind() == io::ErrorKind::NotFound {
        return format!(
            "there is no program `{program}` (commands are not run by a shell; for one, write `sh -c '...'`)"
        );
    }
    error.to_string()
}

/// What was printed, where it is a JSON object. Other text is an artifact and nothing else; what begins like an object
/// and is none was meant as one.
fn object(text: &str) -> Result<Map<String, Value>, String> {
    let text = text.trim();
    if !text.starts_with('{') {
        return Ok(Map::new());
    }
    serde_json::from_str(text)
        .map_err(|error| format!("the `stop` command printed no JSON object: {error}"))
}

#[cfg(test)]
mod tests {
    use super::object;

    #[test]
    fn an_object_that_is_broken_is_told_and_other_text_is_not() {
        assert_eq!(object(" {\"joules\": 3}\n").unwrap()["joules"], 3);
        assert!(object("done in 3 s").unwrap().is_empty());
        let why = object("{\"joules\": nan}").unwrap_err();
        assert!(why.contains("no JSON object"), "{why}");
    }
}
