//! Any scheduler, described by its commands: lines of shell with placeholders, and patterns for their answers.

pub(super) mod profiles;
mod values;

use super::command::{CommandError, Shell};
use super::contract::{Adopted, Batch, Engine, JobState, PlaceError, Probe, Sightings, Submitted};
use super::script::{self, Script};
use fairtrial_journal::{Durability, write_atomic_bytes};
use fairtrial_spec::{Template as Text, TemplateOptions};
use profiles::{NAME, named, over_profile};
use regex::Regex;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use values::Values;

const HANDLE: &str = r"(\S+)";
const LINE: &str = r"(?<handle>\S+)\s+(?<element>\d+)\s+(?<state>\S+)";
/// Most elements of one submission where nothing else is said.
const MAX_ELEMENTS: u64 = 1000;

/// A scheduler by its commands.
pub(crate) struct Template {
    name: &'static str,
    shell: Shell,
    options: TemplateOptions,
    program: PathBuf,
    handle: Regex,
    line: Regex,
}

impl Template {
    pub(crate) fn new(options: &TemplateOptions, program: &Path) -> Result<Self, PlaceError> {
        let options = over_profile(options)?;
        let pattern = |own: &Option<String>, usual: &str| {
            Regex::new(own.as_deref().unwrap_or(usual))
                .map_err(|error| PlaceError::unfit(NAME, error.to_string()))
        };
        let profile = options.profile.as_deref().and_then(named);
        Ok(Self {
            name: profile.map_or(NAME, |profile| profile.name),
            shell: Shell::on(None),
            handle: pattern(&options.handle, HANDLE)?,
            line: pattern(&options.line, LINE)?,
            program: program.to_owned(),
            options,
        })
    }

    fn first(&self) -> u64 {
        self.options.first.unwrap_or(0)
    }

    /// A command of the description that must be there.
    fn command<'t>(name: &str, text: Option<&'t String>) -> Result<&'t str, PlaceError> {
        let missing = || {
            PlaceError::unfit(
                NAME,
                format!("`engine.template.{name}` is missing: give the command, or a `profile`"),
            )
        };
        text.map(String::as_str).ok_or_else(missing)
    }

    /// The scheduler's version. A profile whose commands are not here, or are another scheduler's, is told before
    /// anything is written.
    pub(in crate::remote) fn version(&self) -> Result<String, PlaceError> {
        let profile = self.options.profile.as_deref().and_then(named);
        if let Some(profile) = profile {
            let submit = self.options.submit.as_ref();
            let used = submit.is_some_and(|submit| submit.contains(profile.program));
            if used && !self.shell.has(profile.program) {
                let message = format!("it needs `{}`, which is not found here", profile.program);
                return Err(PlaceError::unfit(self.name, message));
            }
        }
        let Some(probe) = &self.options.probe else {
            let profile = profile.map_or("own commands", |profile| profile.name);
            return Ok(format!("template ({profile})"));
        };
        let answer = self.shell.line(probe).map_err(|error| match error {
            CommandError::Failed { message, .. } => PlaceError::unfit(self.name, message),
            error => error.into(),
        })?;
        Ok(answer.lines().next().unwrap_or_default().trim().to_owned())
    }

    /// Runs a line with its placeholders filled in.
    fn run(&self, line: &str, values: &Values) -> Result<String, PlaceError> {
        Ok(self.shell.line(&values.fill(line)?)?)
    }

    fn script<'s>(&'s self, batch: &'s Batch) -> Script<'s> {
        Script {
            program: &self.program,
            element: self.options.element.as_deref().unwrap_or("$1"),
            first: self.first(),
            setup: self.options.setup.as_deref(),
            log: Some(&batch.key),
        }
    }

    fn values(&self, batch: &Batch) -> Values {
        Values::of_batch(batch, self.first(), &self.program)
    }

    /// The lines that end a batch or some of its elements.
    fn cancel_lines(
        &self,
        batch: &Submitted,
        elements: Option<&[u64]>,
    ) -> Result<Vec<String>, PlaceError> {
        let Some(handle) = &batch.handle else {
            return Ok(Vec::new());
        };
        let cancel = Self::command("cancel", self.options.cancel.as_ref())?;
        let mut values = Values::default();
        values.set("handle", handle);
        values.set("key", &batch.key);
        let by_element = Text::parse(cancel).names().any(|name| name == "element");
        let all: Vec<u64> = (0..batch.elements).collect();
        match (by_element, elements) {
            (true, elements) => {
                let line = |element: &u64| {
                    values.set("element", element + self.first());
                    values.fill(cancel)
                };
                elements.unwrap_or(&all).iter().map(line).collect()
            }
            (false, None) => Ok(vec![values.fill(cancel)?]),
            // The command would end all of them; an element that was taken back ends by itself.
            (false, Some(_)) => Ok(Vec::new()),
        }
    }

    fn found_handle(&self, answer: &str) -> Option<String> {
        let captures = self.handle.captures(answer)?;
        Some(captures.get(1)?.as_str().to_owned())
    }

    fn state(&self, word: &str) -> JobState {
        match self.options.states.get(word).map_or(word, String::as_str) {
            "pending" => JobState::Pending(String::new()),
            "held" => JobState::Held(word.to_owned()),
            "running" => JobState::Running,
            "suspended" => JobState::Suspended,
            "done" => JobState::Done,
            "failed" => JobState::Failed(format!("the scheduler says `{word}`")),
            "timeout" => JobState::TimedOut,
            "oom" => JobState::OutOfMemory,
            "cancelled" => JobState::Cancelled,
            "preempted" => JobState::Preempted,
            "node_lost" => JobState::NodeLost,
            _ => JobState::Missing,
        }
    }
}

impl Engine for Template {
    fn name(&self) -> &'static str {
        self.name
    }

    fn probe(&self) -> Result<Probe, PlaceError> {
        let TemplateOptions {
            submit,
            poll,
            cancel,
            max_elements,
            ..
        } = &self.options;
        for (name, text) in [("submit", submit), ("poll", poll), ("cancel", cancel)] {
            Self::command(name, text.as_ref())?;
        }
        Ok(Probe {
            version: self.version()?,
            max_elements: max_elements.unwrap_or(MAX_ELEMENTS),
            ..Probe::default()
        })
    }

    fn preview(&self, batch: &Batch) -> Result<String, PlaceError> {
        let values = self.values(batch);
        let mut files = vec![(batch.file("sh"), script::text(batch, &self.script(batch)))];
        if let Some(text) = &self.options.description {
            files.push((batch.file("description"), values.fill_plain(text)?));
        }
        let submit = values.fill(Self::command("submit", self.options.submit.as_ref())?)?;
        let mut shown = String::new();
        for (path, text) in files {
            let _ = writeln!(shown, "# {}\n{text}", path.display());
        }
        let _ = writeln!(shown, "# {submit}");
        Ok(shown)
    }

    fn submit(&self, batch: &Batch) -> Result<String, PlaceError> {
        script::write(batch, &self.script(batch))?;
        let values = self.values(batch);
        if let Some(text) = &self.options.description {
            let text = values.fill_plain(text)?;
            write_atomic_bytes(
                &batch.file("description"),
                Durability::Content,
                text.as_bytes(),
            )?;
        }
        let answer = self.run(
            Self::command("submit", self.options.submit.as_ref())?,
            &values,
        )?;
        self.found_handle(&answer)
            .ok_or_else(|| PlaceError::Unnamed {
                engine: self.name,
                message: format!(
                    "`submit` printed no handle (pattern `{}`): {}",
                    self.handle,
                    answer.trim()
                ),
            })
    }

    fn adopt(&self, key: &str) -> Result<Adopted, PlaceError> {
        let Some(find) = &self.options.find else {
            return Ok(Adopted::CannotAsk);
        };
        let mut values = Values::default();
        values.set("key", key);
        let answer = self.run(find, &values)?;
        let found = self
            .found_handle(&answer)
            .filter(|_| !answer.trim().is_empty());
        Ok(found.map_or(Adopted::NotThere, Adopted::Handle))
    }

    fn poll(&self, batches: &[Submitted]) -> Result<Sightings, PlaceError> {
        let mut seen = Sightings::new();
        let known: Vec<&Submitted> = batches
            .iter()
            .filter(|batch| batch.handle.is_some())
            .collect();
        if known.is_empty() {
            return Ok(seen);
        }
        let mut values = Values::default();
        let handles = known.iter().filter_map(|batch| batch.handle.as_deref());
        values.list("handles", handles);
        let answer = self.run(Self::command("poll", self.options.poll.as_ref())?, &values)?;
        for found in answer.lines().filter_map(|line| self.line.captures(line)) {
            let (Some(handle), Some(state)) = (found.name("handle"), found.name("state")) else {
                continue;
            };
            let of_line = |batch: &&&Submitted| batch.handle.as_deref() == Some(handle.as_str());
            let Some(batch) = known.iter().find(of_line) else {
                continue;
            };
            let state = self.state(state.as_str());
            let element = found
                .name("element")
                .and_then(|text| text.as_str().parse::<u64>().ok());
            let elements = match element {
                Some(number) => {
                    number.saturating_sub(self.first())..=number.saturating_sub(self.first())
                }
                None => 0..=batch.elements.saturating_sub(1),
            };
            for element in elements {
                // What is said of one element outweighs what is said of all.
                let place = (batch.key.clone(), element);
                if found.name("element").is_some() {
                    seen.insert(place, state.clone());
                } else {
                    seen.entry(place).or_insert_with(|| state.clone());
                }
            }
        }
        seen.retain(|_, state| *state != JobState::Missing);
        Ok(seen)
    }

    fn cancel(&self, batch: &Submitted, elements: Option<&[u64]>) -> Result<(), PlaceError> {
        let mut failed = None;
        for line in self.cancel_lines(batch, elements)? {
            match self.shell.line(&line) {
                Ok(_) => {}
                Err(error @ CommandError::Late { .. }) => return Err(error.into()),
                // One that is over may be refused; the others are told all the same.
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(()), |error| Err(error.into()))
    }

    fn cancel_line(&self, batch: &Submitted, elements: &[u64]) -> Option<String> {
        let all = (elements.len() as u64) == batch.elements;
        let lines = self.cancel_lines(batch, (!all).then_some(elements)).ok()?;
        // Where the command ends all elements or none, it is still the only one.
        let lines = if lines.is_empty() {
            self.cancel_lines(batch, None).ok()?
        } else {
            lines
        };
        (!lines.is_empty()).then(|| lines.join("; "))
    }

    fn collects(&self) -> bool {
        self.options.collect.is_some()
    }

    fn collect(&self, batches: &[Submitted]) -> Result<(), PlaceError> {
        let (Some(collect), Some(batch)) = (&self.options.collect, batches.first()) else {
            return Ok(());
        };
        let mut values = Values::default();
        values.set("folder", batch.folder.display());
        let handles = batches.iter().filter_map(|batch| batch.handle.as_deref());
        values.list("handles", handles);
        self.run(collect, &values).map(drop)
    }

    fn logs(&self, batch: &Submitted, element: u64) -> Result<String, PlaceError> {
        let (Some(logs), Some(handle)) = (&self.options.logs, &batch.handle) else {
            let log = format!("{}-{element}.log", batch.key);
            return script::read_log(self.name, &batch.folder.join(log));
        };
        let mut values = Values::default();
        values.set("handle", handle);
        values.set("element", element + self.first());
        self.run(logs, &values)
    }
}

#[cfg(test)]
mod tests;
