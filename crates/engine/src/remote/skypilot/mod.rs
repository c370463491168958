//! Clouds, through SkyPilot's managed jobs. Machines share no filesystem with this one: the plan and the chunks travel as
//! file mounts, records come back in the jobs' logs, and what trials leave goes to a bucket where the spec names one.

mod jobs;
mod queue;
mod records;
mod task_file;

use super::command::Shell;
use super::contract::{Adopted, Batch, Engine, PlaceError, Probe, Sightings, Submitted};
use fairtrial_journal::{Durability, JournalError, write_atomic_bytes};
use fairtrial_spec::SkypilotOptions;
use fairtrial_text::shell_word::shell_word;
use jobs::Jobs;
use queue::{Row, rows};
use records::take_records;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const NAME: &str = "skypilot";
/// Where things lie on a machine.
const HOME: &str = "~/fairtrial";
/// Most jobs of one launch: a small jobs controller takes no more.
const MAX_ELEMENTS: u64 = 500;

/// How `sky jobs logs` exits, with the log, for a job that failed or was cancelled.
const JOB_ENDED_ILL: [i32; 2] = [100, 103];

/// SkyPilot.
pub(crate) struct Skypilot {
    shell: Shell,
    options: SkypilotOptions,
    program: PathBuf,
    workdir: PathBuf,
    jobs: Mutex<Jobs>,
}

impl Skypilot {
    pub(crate) fn new(options: &SkypilotOptions, program: &Path, base_dir: &Path) -> Self {
        let workdir = options.workdir.as_deref().unwrap_or(".");
        Self {
            shell: Shell::on(None),
            workdir: base_dir.join(workdir),
            options: options.clone(),
            program: program.to_owned(),
            jobs: Mutex::default(),
        }
    }

    /// The installed SkyPilot.
    pub(crate) fn version() -> Result<String, PlaceError> {
        let answer = Shell::on(None).run(&["sky", "--version"]);
        let answer = answer.map_err(|error| {
            PlaceError::unfit(
                NAME,
                format!("{error}; `pip install skypilot` and `sky check` make it ready"),
            )
        })?;
        Ok(first_line(&answer).to_owned())
    }

    fn launch(&self, batch: &Batch) -> Vec<String> {
        let mut words: Vec<String> = ["sky", "jobs", "launch", "--yes", "--detach-run", "--name"]
            .map(str::to_owned)
            .to_vec();
        words.push(batch.key.clone());
        words.extend(["--num-jobs".to_owned(), batch.len().to_string()]);
        for name in &self.options.secrets {
            // By name alone: the value is taken from the environment and never written down here.
            words.extend(["--secret".to_owned(), name.clone()]);
        }
        words.push(batch.file("yaml").display().to_string());
        words
    }

    /// Copies what a machine needs of the run, in the places where `exec` looks.
    fn stage(batch: &Batch) -> Result<(), PlaceError> {
        let Some(run) = batch.plan.parent() else {
            return Err(PlaceError::unfit(NAME, "the plan has no folder"));
        };
        let to = batch.file("stage").join(run_in_data(run));
        let copy = |name: &str| -> Result<(), PlaceError> {
            let (from, to) = (run.join(name), to.join(name));
            let made = to.parent().map_or(Ok(()), std::fs::create_dir_all);
            let copied = made.and_then(|()| std::fs::copy(&from, &to).map(drop));
            copied.map_err(|source| {
                JournalError::Io {
                    action: "copy",
                    path: from.clone(),
                    source,
                }
                .into()
            })
        };
        copy("plan.json")?;
        copy("spec.resolved.json")?;
        for number in batch.chunks.clone() {
            copy(&format!("chunks/{number}/chunk.json"))?;
        }
        Ok(())
    }

    /// What the queue shows.
    fn rows(&self) -> Result<Vec<Row>, PlaceError> {
        let answer = self
            .shell
            .run(&["sky", "jobs", "queue", "--all", "-o", "json"])?;
        rows(&answer).ok_or_else(|| PlaceError::Answer {
            engine: NAME,
            message: format!(
                "`sky jobs queue` printed no JSON list: {}",
                first_line(&answer)
            ),
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn log_of(&self, id: u64) -> Result<String, PlaceError> {
        let id = id.to_string();
        let argv = ["sky", "jobs", "logs", "--no-follow", &id];
        Ok(self.shell.run_slow_for(&argv, &JOB_ENDED_ILL)?)
    }
}

impl Engine for Skypilot {
    fn name(&self) -> &'static str {
        NAME
    }

    fn probe(&self) -> Result<Probe, PlaceError> {
        let version = Self::version()?;
        let mut warnings = Vec::new();
        if self.options.store.is_none() {
            warnings.push(
                "only records come back from the machines: `engine.skypilot.store` names a bucket for what trials leave"
                    .to_owned(),
            );
        }
        Ok(Probe {
            version,
            max_elements: MAX_ELEMENTS,
            warnings,
            ..Probe::default()
        })
    }

    fn preview(&self, batch: &Batch) -> Result<String, PlaceError> {
        let words: Vec<String> = self
            .launch(batch)
            .iter()
            .map(|word| shell_word(word))
            .collect();
        Ok(format!(
            "# {}\n{}\n# {}\n",
            batch.file("yaml").display(),
            self.yaml(batch),
            words.join(" ")
        ))
    }

    fn submit(&self, batch: &Batch) -> Result<String, PlaceError> {
        Self::stage(batch)?;
        let yaml = self.yaml(batch);
        write_atomic_bytes(&batch.file("yaml"), Durability::Content, yaml.as_bytes())?;
        let words = self.launch(batch);
        let argv: Vec<&str> = words.iter().map(String::as_str).collect();
        self.shell.run_slow(&argv)?;
        // Jobs are found by their name: it is the handle.
        Ok(batch.key.clone())
    }

    fn adopt(&self, key: &str) -> Result<Adopted, PlaceError> {
        let known = self.rows()?.iter().any(|row| row.name == key);
        let handle = known.then(|| key.to_owned());
        Ok(handle.map_or(Adopted::NotThere, Adopted::Handle))
    }

    fn poll(&self, batches: &[Submitted]) -> Result<Sightings, PlaceError> {
        let rows = self.rows()?;
        let mut seen = Sightings::new();
        let mut jobs = self.lock();
        for batch in batches {
            jobs.sight(batch, &rows, &mut seen)?;
        }
        Ok(seen)
    }

    fn cancel(&self, batch: &Submitted, elements: Option<&[u64]>) -> Result<(), PlaceError> {
        // By number: SkyPilot refuses a name that several jobs have.
        let known = elements.is_some_and(|elements| {
            let jobs = self.lock();
            elements
                .iter()
                .all(|element| jobs.id(batch, *element).is_some())
        });
        if !known {
            self.poll(std::slice::from_ref(batch))?;
        }
        let ids = self.lock().living(batch, elements);
        if !ids.is_empty() {
            let mut argv = vec!["sky", "jobs", "cancel", "--yes"];
            argv.extend(ids.iter().map(String::as_str));
            self.shell.run_slow(&argv)?;
        }
        Ok(())
    }

    fn cancel_line(&self, batch: &Submitted, elements: &[u64]) -> Option<String> {
        let all = (elements.len() as u64) == batch.elements;
        let ids = self.lock().living(batch, (!all).then_some(elements));
        (!ids.is_empty()).then(|| format!("sky jobs cancel --yes {}", ids.join(" ")))
    }

    fn collects(&self) -> bool {
        true
    }

    fn lists_all(&self) -> bool {
        true
    }

    /// Reads the logs of jobs that ended, once each. One that cannot be read now keeps none of the others back.
    fn collect(&self, batches: &[Submitted]) -> Result<(), PlaceError> {
        let mut failed = None;
        for batch in batches {
            let unread = self.lock().unread(batch);
            for id in unread {
                match self.log_of(id) {
                    Ok(log) => {
                        take_records(batch, &log)?;
                        self.lock().was_read(id);
                    }
                    Err(error) => failed = failed.or(Some(error)),
                }
            }
        }
        failed.map_or(Ok(()), Err)
    }

    fn logs(&self, batch: &Submitted, element: u64) -> Result<String, PlaceError> {
        if self.lock().id(batch, element).is_none() {
            self.poll(std::slice::from_ref(batch))?;
        }
        let known = self.lock().id(batch, element);
        let id = known.ok_or_else(|| PlaceError::unfit(NAME, "SkyPilot knows no such job"))?;
        self.log_of(id)
    }

    fn hears_nodes(&self) -> bool {
        false
    }
}

/// A run's folder below the data folder: `rollouts/NAME/STAMP`.
fn run_in_data(run: &Path) -> String {
    let parts: Vec<String> = run
        .components()
        .rev()
        .take(3)
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("/")
}

/// Reads a text as SkyPilot's answer.
pub(super) fn read_any(text: &str) {
    let _ = queue::rows(text);
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::run_in_data;
    use std::path::Path;

    #[test]
    fn a_run_keeps_its_place_below_the_data_folder() {
        let run = Path::new("/p/data/rollouts/bench/20250824__12-34-56");
        assert_eq!(run_in_data(run), "rollouts/bench/20250824__12-34-56");
    }
}
