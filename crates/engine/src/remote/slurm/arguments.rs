//! How jobs are asked for: the script of an array, and what `sbatch` is told.

use super::Slurm;
use crate::remote::contract::{Batch, JobNeeds};
use crate::remote::script::Script;
use fairtrial_spec::SlurmOptions;
use std::path::Path;

/// Most seconds before its time limit at which a job hears that time runs out.
const WARNING_S: u64 = 60;

/// Seconds that a job needs around a notice, to pass it on and to write down what came of it.
const AROUND_NOTICE_S: f64 = 10.0;

/// The same for a job of so many minutes: a short one needs most of its time for work, and what saves its state needs
/// its notice.
pub(super) fn warning_s(minutes: Option<u64>, notice_s: Option<f64>) -> u64 {
    let usual = minutes.map_or(WARNING_S, |minutes| (minutes * 15).min(WARNING_S));
    let noticed = notice_s.map_or(0, |notice| (notice + AROUND_NOTICE_S).ceil() as u64);
    usual.max(noticed)
}

impl Slurm {
    /// The minutes that a job asks for.
    pub(super) fn minutes(&self, needs: &JobNeeds) -> Option<u64> {
        let seconds = self.options.time_s.or(needs.time_s)?;
        Some((seconds / 60.0).ceil().max(1.0) as u64)
    }

    pub(super) fn script(&self) -> Script<'_> {
        Script {
            program: &self.program,
            element: "$SLURM_ARRAY_TASK_ID",
            first: 0,
            setup: self.options.setup.as_deref(),
            log: None,
        }
    }

    pub(super) fn arguments(&self, batch: &Batch, script: &Path) -> Vec<String> {
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
            // A site may give jobs names of its own.
            format!("--comment={}", batch.key),
            format!("--array=0-{}{throttle}", batch.len() - 1),
            format!("--output={}", log.display()),
            "--open-mode=append".to_owned(),
            format!("--chdir={}", batch.workdir.display()),
            format!(
                "--signal=B:USR1@{}",
                warning_s(self.minutes(&batch.needs), batch.needs.notice_s)
            ),
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
