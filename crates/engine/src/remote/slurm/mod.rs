//! Slurm, through its own commands: an array per submission, one question for all jobs, accounting where there is some.

mod answers;
mod arguments;
mod cluster;

use super::command::{CommandError, Shell};
use super::contract::{Batch, Engine, JobState, PlaceError, Probe, Sightings, Submitted};
use super::script;
use answers::Row;
use fairtrial_spec::SlurmOptions;
use fairtrial_text::shell_word::shell_word;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

const NAME: &str = "slurm";

/// Variables of the user that change what the commands print or do.
const UNSET: [&str; 10] = [
    "SQUEUE_FORMAT",
    "SQUEUE_FORMAT2",
    "SQUEUE_STATES",
    "SQUEUE_SORT",
    "SQUEUE_NAMES",
    "SACCT_FORMAT",
    "SINFO_FORMAT",
    "SLURM_TIME_FORMAT",
    "SBATCH_ARRAY_INX",
    "SBATCH_REQUEUE",
];

/// A Slurm cluster.
pub(crate) struct Slurm {
    shell: Shell,
    options: SlurmOptions,
    program: PathBuf,
    folder: PathBuf,
    /// Whether finished jobs can be asked for.
    accounting: AtomicBool,
}

impl Slurm {
    pub(crate) fn new(options: &SlurmOptions, program: &Path, folder: &Path) -> Self {
        Self {
            shell: Shell::on(options.ssh.as_deref()).without(&UNSET),
            options: options.clone(),
            program: program.to_owned(),
            folder: folder.to_owned(),
            accounting: AtomicBool::new(false),
        }
    }

    /// The cluster that the commands on this machine reach, in words.
    pub(crate) fn here() -> Result<String, PlaceError> {
        let slurm = Self::new(&SlurmOptions::default(), Path::new(""), Path::new(""));
        let limits = slurm.limits()?;
        let names: Vec<String> = slurm
            .partitions()
            .into_iter()
            .map(|known| known.name)
            .collect();
        let accounting = if slurm.accounting.load(Ordering::Relaxed) {
            "with accounting"
        } else {
            "without accounting"
        };
        Ok(format!(
            "{}, {accounting}, partitions: {}",
            limits.version,
            names.join(", ")
        ))
    }
}

impl Engine for Slurm {
    fn name(&self) -> &'static str {
        NAME
    }

    fn probe(&self) -> Result<Probe, PlaceError> {
        self.check_shared()?;
        let mut probe = self.limits()?;
        probe.places = self
            .partition(&self.partitions())
            .map(|known| known.cpus.max(1));
        Ok(probe)
    }

    fn rehearse(&self, batch: &Batch) -> Result<(), PlaceError> {
        self.check_time(&batch.needs)?;
        let mut words = self.arguments(batch, Path::new("true"));
        // In place of the script, which is not written yet.
        words.pop();
        words.extend(["--test-only".to_owned(), "--wrap=true".to_owned()]);
        let argv: Vec<&str> = words.iter().map(String::as_str).collect();
        match self.shell.run(&argv).map_err(PlaceError::from) {
            Ok(_) => Ok(()),
            Err(error) if error.is_temporary() => Ok(()),
            Err(PlaceError::Command(CommandError::Failed { message, .. })) => {
                Err(self.refused(&answers::refusal(&message)))
            }
            Err(error) => Err(error),
        }
    }

    fn preview(&self, batch: &Batch) -> Result<String, PlaceError> {
        let path = batch.file("sh");
        let words = self.arguments(batch, &path);
        let line: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
        let text = script::text(batch, &self.script());
        Ok(format!(
            "# {}\n{text}\n# {}\n",
            path.display(),
            line.join(" ")
        ))
    }

    fn submit(&self, batch: &Batch) -> Result<String, PlaceError> {
        let script = script::write(batch, &self.script())?;
        let words = self.arguments(batch, &script);
        let argv: Vec<&str> = words.iter().map(String::as_str).collect();
        let answer = self.shell.run(&argv)?;
        // `123` or `123;cluster`; sites print their own lines before it.
        let last = answer.lines().last().unwrap_or_default();
        let handle = last.split(';').next().unwrap_or_default().trim();
        if handle.is_empty() || !handle.bytes().all(|byte| byte.is_ascii_digit()) {
            let message = format!("sbatch printed `{}` in place of a job id", answer.trim());
            return Err(PlaceError::Unnamed {
                engine: NAME,
                message,
            });
        }
        Ok(handle.to_owned())
    }

    fn adopt(&self, key: &str) -> Result<Option<String>, PlaceError> {
        let name = format!("--name={key}");
        let queue = self
            .shell
            .run(&["squeue", "-h", "-t", "all", &name, "-o", answers::SQUEUE])?;
        let mut rows = answers::squeue(&queue);
        if rows.is_empty() && self.accounting.load(Ordering::Relaxed) {
            let kept = self
                .shell
                .run(&["sacct", "-n", "-P", "-X", &name, "-o", answers::SACCT])?;
            rows = answers::sacct(&kept);
        }
        let row = rows.into_iter().find(|row| row.name == key);
        Ok(row.map(|row| row.array))
    }

    fn poll(&self, batches: &[Submitted]) -> Result<Sightings, PlaceError> {
        let keys: Vec<&str> = batches.iter().map(|batch| batch.key.as_str()).collect();
        // By name: asking for a job id that Slurm has forgotten is an error, a name is not.
        let names = format!("--name={}", keys.join(","));
        let queue =
            self.shell
                .run(&["squeue", "-h", "-t", "all", &names, "-o", answers::SQUEUE])?;
        let mut seen = Sightings::new();
        let take = |rows: Vec<Row>, seen: &mut Sightings| {
            for row in rows {
                let Some(batch) = batches.iter().find(|batch| {
                    batch
                        .handle
                        .as_ref()
                        .map_or(row.name == batch.key, |handle| *handle == row.array)
                }) else {
                    continue;
                };
                for element in row.elements {
                    seen.entry((batch.key.clone(), element))
                        .or_insert_with(|| row.state.clone());
                }
            }
        };
        take(answers::squeue(&queue), &mut seen);
        let expected: u64 = batches.iter().map(|batch| batch.elements).sum();
        if (seen.len() as u64) < expected && self.accounting.load(Ordering::Relaxed) {
            let kept =
                self.shell
                    .run(&["sacct", "-n", "-P", "-X", &names, "-o", answers::SACCT])?;
            take(answers::sacct(&kept), &mut seen);
        }
        seen.retain(|_, state| *state != JobState::Missing);
        Ok(seen)
    }

    fn cancel(&self, batch: &Submitted, elements: Option<&[u64]>) -> Result<(), PlaceError> {
        let target = target(batch, elements);
        match self.shell.run(&["scancel", "--quiet", &target]) {
            Ok(_) => Ok(()),
            // What is gone already needs no cancelling.
            Err(CommandError::Failed { message, .. }) if message.contains("Invalid job id") => {
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    fn cancel_line(&self, batch: &Submitted, elements: &[u64]) -> Option<String> {
        let open = elements.len() as u64;
        let elements = (open < batch.elements).then_some(elements);
        let far = self.options.ssh.as_ref();
        let far = far.map_or(String::new(), |host| format!("ssh {host} "));
        Some(format!("{far}scancel {}", target(batch, elements)))
    }

    fn release(&self, batch: &Submitted, reason: &str) -> Option<String> {
        let handle = batch.handle.as_ref()?;
        answers::is_hold(reason).then(|| format!("scontrol release {handle}"))
    }

    fn logs(&self, batch: &Submitted, element: u64) -> Result<String, PlaceError> {
        let log = format!("{}-{element}.log", batch.key);
        script::read_log(NAME, &batch.folder.join(log))
    }
}

/// What `scancel` is told to end.
fn target(batch: &Submitted, elements: Option<&[u64]>) -> String {
    match (&batch.handle, elements) {
        (Some(handle), Some(elements)) => {
            let list: Vec<String> = elements.iter().map(u64::to_string).collect();
            format!("{handle}_[{}]", list.join(","))
        }
        (Some(handle), None) => handle.clone(),
        (None, _) => format!("--name={}", batch.key),
    }
}
