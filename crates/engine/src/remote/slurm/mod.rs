//! Slurm, through its own commands: an array per submission, one question for all jobs, accounting where there is some.

mod answers;

use super::command::{CommandError, Shell};
use super::contract::{Batch, Engine, JobNeeds, JobState, PlaceError, Probe, Sightings, Submitted};
use super::script::{self, Script};
use answers::{Partition, Row};
use fairtrial_model::shell_word;
use fairtrial_spec::SlurmOptions;
use std::fmt::Write as _;
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

/// Most seconds before its time limit at which a job hears that time runs out.
const WARNING_S: u64 = 60;

/// The same for a job of so many minutes: a short one needs most of its time for work.
fn warning_s(minutes: Option<u64>) -> u64 {
    minutes.map_or(WARNING_S, |minutes| (minutes * 15).min(WARNING_S))
}

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

    fn unfit(message: impl Into<String>) -> PlaceError {
        PlaceError::Unfit {
            engine: NAME,
            message: message.into(),
        }
    }

    /// The login node must see the very folder that is written here.
    fn check_shared(&self) -> Result<(), PlaceError> {
        let Some(host) = &self.options.ssh else {
            return Ok(());
        };
        let token = format!("{}-{}", std::process::id(), self.folder.display());
        let path = self.folder.join(".seen");
        let written =
            std::fs::create_dir_all(&self.folder).and_then(|()| std::fs::write(&path, &token));
        written
            .map_err(|error| Self::unfit(format!("cannot write {}: {error}", path.display())))?;
        let seen = self.shell.run(&["cat", &path.display().to_string()]);
        let _ = std::fs::remove_file(&path);
        match seen {
            Ok(text) if text == token => Ok(()),
            Ok(_) | Err(CommandError::Failed { .. }) => Err(Self::unfit(format!(
                "{host} does not see {}: the data folder must be on a filesystem that this machine, the login node and \
                 the nodes share under the same path (`--data-dir`)",
                self.folder.display()
            ))),
            Err(error) => Err(error.into()),
        }
    }

    fn limits(&self) -> Result<Probe, PlaceError> {
        let config = self.shell.run(&["scontrol", "show", "config"]).map_err(|error| {
            if let CommandError::Start { .. } = error {
                Self::unfit(format!("{error}; is this a node with the Slurm commands? (`engine.slurm.ssh` names one)"))
            } else {
                error.into()
            }
        })?;
        let max_array: u64 = answers::setting(&config, "MaxArraySize")
            .and_then(|size| size.parse().ok())
            .unwrap_or(1001);
        if max_array < 2 {
            return Err(Self::unfit(
                "this cluster takes no job arrays (MaxArraySize is below 2)",
            ));
        }
        let storage = answers::setting(&config, "AccountingStorageType").unwrap_or_default();
        let accounting = storage.ends_with("slurmdbd");
        self.accounting.store(accounting, Ordering::Relaxed);
        let mut warnings = Vec::new();
        if !accounting {
            warnings.push(
                "this Slurm keeps no accounting: jobs that ended are known by their records and heartbeats alone"
                    .to_owned(),
            );
        }
        Ok(Probe {
            version: format!(
                "slurm {}",
                answers::setting(&config, "SLURM_VERSION").unwrap_or("of unknown version")
            ),
            // The size caps the index, which begins at 0.
            max_elements: max_array - 1,
            max_open: accounting.then(|| self.max_submit()).flatten(),
            places: None,
            warnings,
        })
    }

    /// How many jobs this user may have at once, where the accounting says so.
    fn max_submit(&self) -> Option<u64> {
        let line = "sacctmgr -nP show assoc user=\"$(id -un)\" format=MaxSubmit";
        let text = self.shell.line(line).ok()?;
        text.lines()
            .filter_map(|line| line.trim().parse().ok())
            .min()
    }

    /// The partition in which jobs will run, of those there are.
    fn partition<'p>(&self, there: &'p [Partition]) -> Option<&'p Partition> {
        there
            .iter()
            .find(|partition| match &self.options.partition {
                Some(name) => partition.name == *name,
                None => partition.is_default,
            })
    }

    fn partitions(&self) -> Vec<Partition> {
        let text = self.shell.run(&["sinfo", "-h", "-o", answers::SINFO]);
        text.map(|text| answers::sinfo(&text)).unwrap_or_default()
    }

    /// The minutes that a job asks for.
    fn minutes(&self, needs: &JobNeeds) -> Option<u64> {
        let seconds = self.options.time_s.or(needs.time_s)?;
        Some((seconds / 60.0).ceil().max(1.0) as u64)
    }

    /// What to say of a refusal: Slurm's words, and what there is in their place.
    fn refused(&self, words: &str) -> PlaceError {
        let mut message = format!("Slurm would refuse these jobs: {words}");
        let there = self.partitions();
        if let (Some(named), None) = (&self.options.partition, self.partition(&there)) {
            let names: Vec<&str> = there.iter().map(|known| known.name.as_str()).collect();
            let _ = write!(
                message,
                "; `engine.slurm.partition` is `{named}`, and there are: {}",
                names.join(", ")
            );
        }
        PlaceError::Refused {
            engine: NAME,
            message,
        }
    }

    /// Slurm takes a job whose time is above its partition's and lets it wait for ever, unless told otherwise.
    fn check_time(&self, needs: &JobNeeds) -> Result<(), PlaceError> {
        let there = self.partitions();
        let limit = self.partition(&there).and_then(|known| {
            let limit = known.limit_min?;
            Some((known.name.as_str(), limit))
        });
        match (limit, self.minutes(needs)) {
            (Some((name, limit)), Some(asked)) if asked > limit => Err(PlaceError::Refused {
                engine: NAME,
                message: format!(
                    "a job would ask for {asked} min, and partition `{name}` gives at most {limit}: set \
                     `engine.slurm.time`, or fewer trials per job (`engine.pack`)"
                ),
            }),
            _ => Ok(()),
        }
    }

    fn script(&self) -> Script<'_> {
        Script {
            program: &self.program,
            element: "$SLURM_ARRAY_TASK_ID",
            first: 0,
            setup: self.options.setup.as_deref(),
            log: None,
        }
    }

    fn arguments(&self, batch: &Batch, script: &Path) -> Vec<String> {
        let SlurmOptions {
            partition,
            account,
            qos,
            constraint,
            args,
            no_requeue,
            ..
        } = &self.options;
        let throttle = batch
            .parallel
            .map_or(String::new(), |limit| format!("%{limit}"));
        let log = batch.folder.join(format!("{}-%a.log", batch.key));
        let mut words = vec![
            "sbatch".to_owned(),
            "--parsable".to_owned(),
            format!("--job-name={}", batch.key),
            format!("--array=0-{}{throttle}", batch.len() - 1),
            format!("--output={}", log.display()),
            "--open-mode=append".to_owned(),
            format!("--chdir={}", batch.workdir.display()),
            format!("--signal=B:USR1@{}", warning_s(self.minutes(&batch.needs))),
            if *no_requeue {
                "--no-requeue"
            } else {
                "--requeue"
            }
            .to_owned(),
        ];
        let named = [
            ("partition", partition),
            ("account", account),
            ("qos", qos),
            ("constraint", constraint),
        ];
        for (name, value) in named {
            words.extend(value.as_ref().map(|value| format!("--{name}={value}")));
        }
        words.extend(self.resources(&batch.needs));
        words.extend(args.iter().cloned());
        words.push(script.display().to_string());
        words
    }

    fn resources(&self, needs: &JobNeeds) -> Vec<String> {
        let mut words = vec![format!("--cpus-per-task={}", needs.cpus.unwrap_or(1))];
        if let Some(bytes) = needs.memory_bytes {
            words.push(format!("--mem={}M", bytes.div_ceil(1 << 20)));
        }
        if needs.gpus > 0 {
            let kind = self
                .options
                .gpu_type
                .as_ref()
                .map_or(String::new(), |kind| format!("{kind}:"));
            words.push(format!("--gres=gpu:{kind}{}", needs.gpus));
        }
        if needs.exclusive {
            words.push("--exclusive".to_owned());
        }
        if let Some(minutes) = self.minutes(needs) {
            words.push(format!("--time={minutes}"));
        }
        words
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
        let target = match (&batch.handle, elements) {
            (Some(handle), Some(elements)) => {
                let list: Vec<String> = elements.iter().map(u64::to_string).collect();
                format!("{handle}_[{}]", list.join(","))
            }
            (Some(handle), None) => handle.clone(),
            (None, _) => format!("--name={}", batch.key),
        };
        match self.shell.run(&["scancel", "--quiet", &target]) {
            Ok(_) => Ok(()),
            // What is gone already needs no cancelling.
            Err(CommandError::Failed { message, .. }) if message.contains("Invalid job id") => {
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
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
