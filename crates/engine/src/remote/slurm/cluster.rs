//! What a cluster is and allows, looked at before anything is submitted.

use super::answers;
use super::arguments::warning_s;
use super::nodes::{self, Partition};
use super::{NAME, Slurm};
use crate::remote::command::CommandError;
use crate::remote::contract::{JobNeeds, PlaceError, Probe};
use std::fmt::Write as _;
use std::sync::atomic::Ordering;

impl Slurm {
    /// The login node must see the very folder that is written here.
    pub(super) fn check_shared(&self) -> Result<(), PlaceError> {
        let Some(host) = &self.options.ssh else {
            return Ok(());
        };
        let token = format!("{}-{}", std::process::id(), self.folder.display());
        let path = self.folder.join(".seen");
        let written =
            std::fs::create_dir_all(&self.folder).and_then(|()| std::fs::write(&path, &token));
        written.map_err(|error| {
            PlaceError::unfit(NAME, format!("cannot write {}: {error}", path.display()))
        })?;
        let seen = self.shell.run(&["cat", &path.display().to_string()]);
        let _ = std::fs::remove_file(&path);
        match seen {
            Ok(text) if text == token => Ok(()),
            Ok(_) | Err(CommandError::Failed { .. }) => Err(PlaceError::unfit(
                NAME,
                format!(
                    "{host} does not see {}: the data folder must be on a filesystem that this machine, the login node and \
                 the nodes share under the same path (`--data-dir`)",
                    self.folder.display()
                ),
            )),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn limits(&self) -> Result<Probe, PlaceError> {
        let config = self.shell.run(&["scontrol", "show", "config"]).map_err(|error| {
            if let CommandError::Start { .. } = error {
                PlaceError::unfit(NAME, format!("{error}; is this a node with the Slurm commands? (`engine.slurm.ssh` names one)"))
            } else {
                error.into()
            }
        })?;
        let max_array: u64 = answers::setting(&config, "MaxArraySize")
            .and_then(|size| size.parse().ok())
            .unwrap_or(1001);
        if max_array < 2 {
            return Err(PlaceError::unfit(
                NAME,
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
    pub(super) fn partition<'p>(&self, there: &'p [Partition]) -> Option<&'p Partition> {
        there
            .iter()
            .find(|partition| match &self.options.partition {
                Some(name) => partition.name == *name,
                None => partition.is_default,
            })
    }

    pub(super) fn partitions(&self) -> Vec<Partition> {
        let text = self.shell.run(&["sinfo", "-h", "-o", nodes::SINFO]);
        text.map(|text| nodes::sinfo(&text)).unwrap_or_default()
    }

    /// What to say of jobs that Slurm takes and lets wait: while nodes are down, drained or coming back, its rehearsal
    /// refuses in the same words as for what no node has.
    pub(super) fn will_wait(&self, needs: &JobNeeds, refusal: &str) -> Option<String> {
        if !refusal.contains("node configuration is not available") {
            return None;
        }
        let options = &self.options;
        let typed = needs.gpus > 0 && options.gpu_type.is_some();
        if typed || options.constraint.is_some() || !options.args.is_empty() {
            // Whether a node has what these ask for is not compared below.
            return None;
        }
        let there = self.partitions();
        let partition = self.partition(&there)?;
        let filter = format!("--partition={}", partition.name);
        let argv = ["sinfo", "-h", "-N", &filter, "-o", nodes::NODES];
        let nodes = nodes::nodes(&self.shell.run(&argv).ok()?);
        if !nodes.iter().any(|node| node.fits(needs)) {
            return None;
        }
        let name = &partition.name;
        Some(if partition.cpus_away > 0 {
            format!(
                "{} of {} CPUs of partition `{name}` are down or drained: the jobs will wait until nodes that fit come back",
                partition.cpus_away,
                partition.cpus + partition.cpus_away,
            )
        } else {
            // Nodes that just came back count as there before the rehearsal takes them.
            format!(
                "Slurm cannot use the nodes of partition `{name}` yet: the jobs will wait for them"
            )
        })
    }

    /// What to say of a refusal: Slurm's words, and what there is in their place.
    pub(super) fn refused(&self, words: &str) -> PlaceError {
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

    /// A job whose notice takes all its time would do nothing but save.
    fn check_notice(&self, needs: &JobNeeds) -> Result<(), PlaceError> {
        let (Some(minutes), Some(notice)) = (self.minutes(needs), needs.notice_s) else {
            return Ok(());
        };
        let warning = warning_s(Some(minutes), Some(notice));
        if warning < minutes * 60 {
            return Ok(());
        }
        Err(PlaceError::Refused {
            engine: NAME,
            message: format!(
                "a job would ask for {minutes} min, and hear of its end {warning} s before that for `checkpoint.notice`: \
                 nothing is left for its work; raise `engine.slurm.time` or `timeout`, or lower `notice`"
            ),
        })
    }

    /// Slurm takes a job whose time is above its partition's and lets it wait for ever, unless told otherwise.
    pub(super) fn check_time(&self, needs: &JobNeeds) -> Result<(), PlaceError> {
        self.check_notice(needs)?;
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
}
