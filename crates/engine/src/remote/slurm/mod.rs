//! Slurm, through its own commands: an array per submission, one question for all jobs, accounting where there is some.

mod answers;
mod arguments;
mod cluster;
mod nodes;

use super::command::{CommandError, Shell};
use super::contract::{Adopted, Batch, Engine, JobState, PlaceError, Probe, Sightings, Submitted};
use super::script;
use answers::Row;
pub(super) use answers::read_any;
use fairtrial_spec::SlurmOptions;
use fairtrial_text::shell_word::shell_word;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

const NAME: &str = "slurm";
/// What Slurm says of a job that it does not know any more.
const FORGOTTEN: &str = "Invalid job id";

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

    /// What the accounting knows of jobs with these names.
    fn accounted(&self, names: &str) -> Result<Vec<Row>, CommandError> {
        // Without a beginning it tells of today alone.
        let begin = "--starttime=now-7days";
        let argv = [
            "sacct",
            "-n",
            "-P",
            "-X",
            begin,
            names,
            "-o",
            answers::SACCT,
        ];
        Ok(answers::sacct(&self.shell.run(&argv)?))
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
        probe.places = self.partition(&self.partitions()).map(|known| {
            if known.cpus > 0 {
                known.cpus
            } else {
                known.cpus_away.max(1)
            }
        });
        Ok(probe)
    }

    fn rehearse(&self, batch: &Batch) -> Result<Option<String>, PlaceError> {
        self.check_time(&batch.needs)?;
        let mut words = self.arguments(batch, Path::new("true"));
        // In place of the script, which is not written yet.
        words.pop();
        words.extend(["--test-only".to_owned(), "--wrap=true".to_owned()]);
        let argv: Vec<&str> = words.iter().map(String::as_str).collect();
        match self.shell.run(&argv).map_err(PlaceError::from) {
            Ok(_) => Ok(None),
            Err(error) if error.is_temporary() => Ok(None),
            Err(PlaceError::Command(CommandError::Failed { message, .. })) => {
                let refusal = answers::refusal(&message);
                self.will_wait(&batch.needs, &refusal)
                    .map_or_else(|| Err(self.refused(&refusal)), |text| Ok(Some(text)))
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

    fn adopt(&self, key: &str) -> Result<Adopted, PlaceError> {
        // Among all of one's own, because a filter by name would pass over a job that was given another.
        let queue = ["squeue", "-h", "-t", "all", "--me", "-o", answers::NAMES];
        let mut found = answers::named(&self.shell.run(&queue)?, key);
        if found.is_none() && self.accounting.load(Ordering::Relaxed) {
            let rows = self.accounted(&format!("--name={key}"))?;
            let row = rows.into_iter().find(|row| row.name == key);
            found = row.map(|row| row.array);
        }
        Ok(found.map_or(Adopted::NotThere, Adopted::Handle))
    }

    fn poll(&self, batches: &[Submitted]) -> Result<Sightings, PlaceError> {
        // By name: asking for a job id that Slurm has forgotten is an error, a name is not.
        let batches: Vec<&Submitted> = batches.iter().collect();
        let names = names(&batches);
        let queue = ["squeue", "-h", "-t", "all", &names, "-o", answers::SQUEUE];
        let rows = answers::squeue(&self.shell.run(&queue)?);
        Ok(sightings(&batches, rows))
    }

    fn second_look(&self, missed: &[(&Submitted, Vec<u64>)]) -> Result<Sightings, PlaceError> {
        let batches: Vec<&Submitted> = missed.iter().map(|(batch, _)| *batch).collect();
        let mut seen = Sightings::new();
        if self.accounting.load(Ordering::Relaxed) {
            // Accounting that is down is not the only one to ask.
            let rows = self.accounted(&names(&batches)).unwrap_or_default();
            seen = sightings(&batches, rows);
        }
        for (batch, elements) in missed {
            let known = |element: &u64| seen.contains_key(&(batch.key.clone(), *element));
            let Some(handle) = batch
                .handle
                .as_ref()
                .filter(|_| !elements.iter().all(known))
            else {
                continue;
            };
            match self.shell.run(&["scontrol", "-o", "show", "job", handle]) {
                Ok(text) => {
                    for (place, state) in sightings(&[batch], answers::scontrol(&text)) {
                        seen.entry(place).or_insert(state);
                    }
                }
                Err(CommandError::Failed { message, .. }) if message.contains(FORGOTTEN) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(seen)
    }

    fn cancel(&self, batch: &Submitted, elements: Option<&[u64]>) -> Result<(), PlaceError> {
        let target = target(batch, elements);
        match self.shell.run(&["scancel", "--quiet", &target]) {
            Ok(_) => Ok(()),
            // What is gone already needs no cancelling.
            Err(CommandError::Failed { message, .. }) if message.contains(FORGOTTEN) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn announce_end(&self, batch: &Submitted, elements: &[u64]) -> Result<bool, PlaceError> {
        if batch.handle.is_none() {
            return Ok(false);
        }
        let target = target(batch, Some(elements));
        let words = ["scancel", "--quiet", "--batch", "--signal=USR1", &target];
        self.shell.run(&words)?;
        Ok(true)
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

    fn log_tells_of_memory(&self, batch: &Submitted, element: u64) -> bool {
        let log = self.logs(batch, element);
        log.is_ok_and(|log| answers::tells_of_memory(&log))
    }

    fn logs(&self, batch: &Submitted, element: u64) -> Result<String, PlaceError> {
        let log = format!("{}-{element}.log", batch.key);
        script::read_log(NAME, &batch.folder.join(log))
    }
}

/// The filter for jobs with the names of these batches.
fn names(batches: &[&Submitted]) -> String {
    let keys: Vec<&str> = batches.iter().map(|batch| batch.key.as_str()).collect();
    format!("--name={}", keys.join(","))
}

/// What rows say of the elements of these batches. What is said first counts.
fn sightings(batches: &[&Submitted], rows: Vec<Row>) -> Sightings {
    let mut seen = Sightings::new();
    for row in rows {
        let of_row = |batch: &&Submitted| match &batch.handle {
            Some(handle) => *handle == row.array,
            None => row.name == batch.key,
        };
        let Some(batch) = batches.iter().copied().find(of_row) else {
            continue;
        };
        for element in row.elements {
            seen.entry((batch.key.clone(), element))
                .or_insert_with(|| row.state.clone());
        }
    }
    seen.retain(|_, state| *state != JobState::Missing);
    seen
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
