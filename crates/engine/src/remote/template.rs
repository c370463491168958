//! Any scheduler, described by its commands: lines of shell with placeholders, and patterns for their answers.

use super::command::Shell;
use super::contract::{Batch, Engine, JobState, PlaceError, Probe, Sightings, Submitted};
use super::script::{self, Script};
use fairtrial_journal::{Durability, write_atomic_bytes};
use fairtrial_model::shell_word;
use fairtrial_spec::{Template as Text, TemplateOptions};
use regex::Regex;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};

const NAME: &str = "template";
const HANDLE: &str = r"(\S+)";
const LINE: &str = r"(?<handle>\S+)\s+(?<element>\d+)\s+(?<state>\S+)";
/// Most elements of one submission where nothing else is said.
const MAX_ELEMENTS: u64 = 1000;
/// What schedulers that want a figure are told where the spec has none.
const DEFAULT_MEMORY_MB: u64 = 1024;
const DEFAULT_MINUTES: u64 = 24 * 60;

/// The shipped descriptions: name, the program that submits, text.
pub(super) const PROFILES: [(&str, &str, &str); 4] = [
    (
        "htcondor",
        "condor_submit",
        include_str!("../../profiles/htcondor.toml"),
    ),
    ("pbs", "qsub", include_str!("../../profiles/pbs.toml")),
    ("lsf", "bsub", include_str!("../../profiles/lsf.toml")),
    ("modal", "modal", include_str!("../../profiles/modal.toml")),
];

/// A scheduler by its commands.
pub(crate) struct Template {
    shell: Shell,
    options: TemplateOptions,
    program: PathBuf,
    handle: Regex,
    line: Regex,
}

impl Template {
    pub(crate) fn new(options: &TemplateOptions, program: &Path) -> Result<Self, PlaceError> {
        let options = over_profile(options)?;
        let pattern = |given: &Option<String>, usual: &str| {
            Regex::new(given.as_deref().unwrap_or(usual)).map_err(|error| unfit(error.to_string()))
        };
        Ok(Self {
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
            unfit(format!(
                "`engine.template.{name}` is missing: give the command, or a `profile`"
            ))
        };
        text.map(String::as_str).ok_or_else(missing)
    }

    /// A profile whose commands are not here is told before anything is written.
    fn find_program(&self) -> Result<(), PlaceError> {
        let named = PROFILES
            .iter()
            .find(|(name, ..)| self.options.profile.as_deref() == Some(name));
        let Some((name, program, _)) = named else {
            return Ok(());
        };
        let used = self
            .options
            .submit
            .as_ref()
            .is_some_and(|submit| submit.contains(program));
        if used && !self.shell.has(program) {
            return Err(unfit(format!(
                "profile `{name}` needs `{program}`, which is not found here"
            )));
        }
        Ok(())
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

    fn found_handle(&self, answer: &str) -> Option<String> {
        let captures = self.handle.captures(answer)?;
        Some(captures.get(1)?.as_str().to_owned())
    }

    fn state(&self, word: &str) -> JobState {
        match self.options.states.get(word).map_or(word, String::as_str) {
            "pending" => JobState::Pending,
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
        NAME
    }

    fn probe(&self) -> Result<Probe, PlaceError> {
        let TemplateOptions {
            submit,
            poll,
            cancel,
            profile,
            max_elements,
            ..
        } = &self.options;
        for (name, text) in [("submit", submit), ("poll", poll), ("cancel", cancel)] {
            Self::command(name, text.as_ref())?;
        }
        self.find_program()?;
        let profile = profile.as_deref().unwrap_or("own commands");
        Ok(Probe {
            version: format!("template ({profile})"),
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
                engine: NAME,
                message: format!(
                    "`submit` printed no handle (pattern `{}`): {}",
                    self.handle,
                    answer.trim()
                ),
            })
    }

    fn adopt(&self, key: &str) -> Result<Option<String>, PlaceError> {
        let Some(find) = &self.options.find else {
            return Ok(None);
        };
        let mut values = Values::default();
        values.set("key", key);
        let answer = self.run(find, &values)?;
        Ok(self
            .found_handle(&answer)
            .filter(|_| !answer.trim().is_empty()))
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
        let Some(handle) = &batch.handle else {
            return Ok(());
        };
        let cancel = Self::command("cancel", self.options.cancel.as_ref())?;
        let mut values = Values::default();
        values.set("handle", handle);
        values.set("key", &batch.key);
        let by_element = Text::parse(cancel).names().any(|name| name == "element");
        let all: Vec<u64> = (0..batch.elements).collect();
        match (by_element, elements) {
            (true, elements) => {
                for element in elements.unwrap_or(&all) {
                    values.set("element", element + self.first());
                    self.run(cancel, &values)?;
                }
            }
            (false, None) => {
                self.run(cancel, &values)?;
            }
            // The command would end all of them; an element that was taken back ends by itself.
            (false, Some(_)) => {}
        }
        Ok(())
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
            return script::read_log(NAME, &batch.folder.join(log));
        };
        let mut values = Values::default();
        values.set("handle", handle);
        values.set("element", element + self.first());
        self.run(logs, &values)
    }
}

/// Values of placeholders, as they are.
#[derive(Default)]
struct Values(
    BTreeMap<&'static str, String>,
    BTreeMap<&'static str, Vec<String>>,
);

impl Values {
    fn of_batch(batch: &Batch, first: u64, program: &Path) -> Self {
        let mut values = Self::default();
        let needs = &batch.needs;
        let megabytes = needs.memory_bytes.map(|bytes| bytes.div_ceil(1 << 20));
        let minutes = needs
            .time_s
            .map(|seconds| (seconds / 60.0).ceil().max(1.0) as u64);
        values.set("key", &batch.key);
        values.set("script", batch.file("sh").display());
        values.set("description", batch.file("description").display());
        values.set("program", program.display());
        values.set("folder", batch.folder.display());
        values.set("workdir", batch.workdir.display());
        values.set("first", first);
        values.set("last", first + batch.len() - 1);
        values.set("count", batch.len());
        values.set("parallel", batch.parallel.unwrap_or(batch.len()));
        values.set("cpus", needs.cpus.unwrap_or(1));
        values.set("memory_mb", megabytes.unwrap_or(DEFAULT_MEMORY_MB));
        values.set("gpus", needs.gpus);
        values.set("minutes", minutes.unwrap_or(DEFAULT_MINUTES));
        values
    }

    fn set(&mut self, name: &'static str, value: impl fmt::Display) {
        self.0.insert(name, format!("{value}"));
    }

    fn list<'v>(&mut self, name: &'static str, values: impl Iterator<Item = &'v str>) {
        self.1.insert(name, values.map(str::to_owned).collect());
    }

    /// Fills in a line of shell: every value is one word, a list is several.
    fn fill(&self, line: &str) -> Result<String, PlaceError> {
        self.fill_with(line, |text| Cow::Owned(shell_word(text)))
    }

    /// Fills in a text that no shell reads.
    fn fill_plain(&self, text: &str) -> Result<String, PlaceError> {
        self.fill_with(text, Cow::Borrowed)
    }

    fn fill_with<'v>(
        &'v self,
        text: &str,
        word: impl Fn(&'v str) -> Cow<'v, str>,
    ) -> Result<String, PlaceError> {
        let value = |name: &str| {
            let one = self.0.get(name).map(|value| word(value));
            one.or_else(|| {
                let words: Vec<_> = self.1.get(name)?.iter().map(|value| word(value)).collect();
                Some(Cow::Owned(words.join(" ")))
            })
        };
        Text::parse(text).expand(value).map_err(|error| {
            let known: Vec<&str> = self.0.keys().chain(self.1.keys()).copied().collect();
            unfit(format!(
                "{error} in `{text}`; there are {}",
                known.join(", ")
            ))
        })
    }
}

/// The user's values over those of the profile.
fn over_profile(options: &TemplateOptions) -> Result<TemplateOptions, PlaceError> {
    let Some(name) = &options.profile else {
        return Ok(options.clone());
    };
    let (_, _, text) = PROFILES
        .iter()
        .find(|(known, ..)| known == name)
        .ok_or_else(|| unfit(format!("there is no profile `{name}`")))?;
    let profile: TemplateOptions =
        toml::from_str(text).map_err(|error| unfit(format!("profile `{name}`: {error}")))?;
    let own = options.clone();
    let mut states = profile.states;
    states.extend(own.states);
    Ok(TemplateOptions {
        profile: own.profile,
        submit: own.submit.or(profile.submit),
        handle: own.handle.or(profile.handle),
        find: own.find.or(profile.find),
        poll: own.poll.or(profile.poll),
        line: own.line.or(profile.line),
        states,
        cancel: own.cancel.or(profile.cancel),
        logs: own.logs.or(profile.logs),
        collect: own.collect.or(profile.collect),
        element: own.element.or(profile.element),
        first: own.first.or(profile.first),
        max_elements: own.max_elements.or(profile.max_elements),
        description: own.description.or(profile.description),
        setup: own.setup.or(profile.setup),
    })
}

fn unfit(message: impl Into<String>) -> PlaceError {
    PlaceError::Unfit {
        engine: NAME,
        message: message.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{PROFILES, Template, Values};
    use crate::remote::contract::{Batch, Engine, JobNeeds, JobState, Submitted};
    use fairtrial_spec::{TEMPLATE_PLACEHOLDERS, TemplateOptions};
    use std::path::{Path, PathBuf};

    fn batch(folder: &Path) -> Batch {
        Batch {
            key: "ft-1".into(),
            chunks: 4..7,
            needs: JobNeeds::default(),
            parallel: None,
            folder: folder.to_owned(),
            plan: folder.join("plan.json"),
            workdir: folder.to_owned(),
        }
    }

    fn submitted(handle: &str) -> Submitted {
        Submitted {
            key: "ft-1".into(),
            handle: Some(handle.into()),
            elements: 3,
            folder: PathBuf::new(),
        }
    }

    #[test]
    fn every_profile_is_complete() {
        for (name, program, _) in PROFILES {
            let options = TemplateOptions {
                profile: Some(name.into()),
                ..TemplateOptions::default()
            };
            let engine = Template::new(&options, Path::new("/bin/fairtrial")).unwrap();
            match engine.probe() {
                Ok(probe) => assert!(probe.version.contains(name)),
                Err(error) => {
                    assert!(!engine.shell.has(program), "{error}");
                    let told = error.to_string();
                    assert!(told.contains(name) && told.contains(program), "{told}");
                }
            }
            let folder = tempfile::tempdir().unwrap();
            let batch = batch(folder.path());
            let mut values = Values::of_batch(&batch, 0, Path::new("/p"));
            if let Some(text) = &engine.options.description {
                values.fill_plain(text).unwrap();
            }
            values
                .fill(engine.options.submit.as_deref().unwrap())
                .unwrap();
            values.list("handles", ["1"].into_iter());
            values.set("handle", "1");
            values.set("element", 0);
            for text in [
                &engine.options.poll,
                &engine.options.cancel,
                &engine.options.find,
                &engine.options.collect,
            ] {
                values.fill(text.as_deref().unwrap_or_default()).unwrap();
            }
        }
    }

    #[test]
    fn answers_of_real_schedulers_are_read() {
        let cases = [
            (
                "htcondor",
                "12.0 - 12.2",
                "12",
                "12 1 2\n12 2 5\n",
                [(1, JobState::Running), (2, JobState::Held("5".into()))],
            ),
            (
                "pbs",
                "77[].server",
                "77",
                "77[1].server  ft-1  me  00:00:01 R workq\n77[2].server  ft-1  me  00:00:01 Q workq\n",
                [(1, JobState::Running), (2, JobState::Pending)],
            ),
            (
                "lsf",
                "Job <9> is submitted to queue <normal>.",
                "9",
                "9 2 RUN\n9 3 DONE\n",
                [(1, JobState::Running), (2, JobState::Done)],
            ),
        ];
        for (name, answer, handle, poll, expected) in cases {
            let options = TemplateOptions {
                profile: Some(name.into()),
                poll: Some(format!("printf %s '{poll}'")),
                ..TemplateOptions::default()
            };
            let engine = Template::new(&options, Path::new("/bin/fairtrial")).unwrap();
            assert_eq!(
                engine.found_handle(answer).as_deref(),
                Some(handle),
                "{name}"
            );
            let seen = engine.poll(&[submitted(handle)]).unwrap();
            for (element, state) in expected {
                assert_eq!(
                    seen.get(&("ft-1".to_owned(), element)),
                    Some(&state),
                    "{name} {element}"
                );
            }
        }
    }

    #[test]
    fn the_placeholders_that_check_knows_are_those_that_are_filled_in() {
        let folder = tempfile::tempdir().unwrap();
        let batch = batch(folder.path());
        let values = Values::of_batch(&batch, 0, Path::new("/p"));
        let mut filled: Vec<&str> = values.0.into_keys().collect();
        filled.sort_unstable();
        for key in ["submit", "description"] {
            let (_, known) = TEMPLATE_PLACEHOLDERS
                .iter()
                .find(|(name, _)| *name == key)
                .unwrap();
            let mut known = known.to_vec();
            known.sort_unstable();
            assert_eq!(known, filled);
        }
        // The other commands, with all that they may have.
        let texts = TEMPLATE_PLACEHOLDERS.map(|(key, names)| {
            let words: Vec<String> = names.iter().map(|name| format!("{{{name}}}")).collect();
            (key, Some(format!("true {}", words.join(" "))))
        });
        let text = |key| {
            texts
                .iter()
                .find(|(name, _)| *name == key)
                .unwrap()
                .1
                .clone()
        };
        let options = TemplateOptions {
            submit: Some("echo 1".into()),
            find: text("find"),
            poll: text("poll"),
            cancel: text("cancel"),
            logs: text("logs"),
            collect: text("collect"),
            ..TemplateOptions::default()
        };
        let engine = Template::new(&options, Path::new("/p")).unwrap();
        engine.adopt("k").unwrap();
        engine.poll(&[submitted("1")]).unwrap();
        engine.cancel(&submitted("1"), None).unwrap();
        engine.collect(&[submitted("1")]).unwrap();
        engine.logs(&submitted("1"), 0).unwrap();
    }

    #[test]
    fn an_unknown_placeholder_is_told_with_the_known_ones() {
        let mut values = Values::default();
        values.set("key", "k");
        let message = values.fill("submit {kee}").unwrap_err().to_string();
        assert!(
            message.contains("{kee}") && message.contains("there are key"),
            "{message}"
        );
    }
}
