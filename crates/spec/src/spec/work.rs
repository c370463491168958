//! What a task runs.

use crate::rollout::RolloutOptions;
use fairtrial_experiment::Origin;
use fairtrial_model::Params;
use serde::{Deserialize, Serialize};

/// What a task runs: exactly one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Work {
    /// Any program.
    Command {
        /// Program and arguments, each possibly with placeholders. With `shell`, one element: the script.
        argv: Vec<String>,
        /// Whether `/bin/sh -c` runs it.
        shell: bool,
    },
    /// A registered experiment.
    Experiment {
        /// Its slug.
        slug: String,
        /// Executed and not measured; absent where that goes on until the times are stable.
        warmup: Option<u32>,
        /// Measured iterations; absent where `min_time_s` decides.
        measured: Option<u32>,
        /// What observes it.
        instruments: Vec<Instrument>,
        /// Where it comes from; absent where the spec was read without a catalogue of experiments.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<Origin>,
        /// About how many seconds a process measures for; only where `measured` is absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min_time_s: Option<f64>,
    },
    /// Nothing: its trials are what another tool recorded. Only an import makes it, no spec can say it.
    Imported {
        /// The tool's format.
        format: String,
        /// Whether its trials are answers to tasks, of which a failed one counts as 0.
        answers: bool,
        /// Whether the same seed on two sides is a pair; otherwise it is only the number of a process.
        pairs: bool,
    },
    /// An agent task.
    Prepared {
        /// The prepared directory, as written.
        dir: String,
        /// The model.
        model: String,
        /// Whether overrides apply.
        apply_overrides: bool,
        /// The overrides file.
        overrides: Option<String>,
        /// How its rollouts are run and scored.
        options: Box<RolloutOptions>,
        /// Hash of the task with its overrides; absent where nobody looked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<String>,
    },
}

/// About how many seconds a process of an experiment measures for, where nothing else is said.
pub const DEFAULT_MIN_TIME_S: f64 = 1.0;

/// Programs whose `-c` takes a script, in which `${NAME}` is theirs.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "ash"];

impl Work {
    /// Whether its trials are answers of an agent or a model to a task, which is then the unit, and of which a failed one
    /// counts as 0.
    pub const fn is_answered(&self) -> bool {
        matches!(
            self,
            Self::Prepared { .. } | Self::Imported { answers: true, .. }
        )
    }

    /// How often an experiment runs in one process, in words; nothing for other work.
    pub fn iterations(&self) -> Option<String> {
        let Self::Experiment {
            warmup,
            measured,
            min_time_s,
            ..
        } = self
        else {
            return None;
        };
        let warmup = warmup.map_or_else(
            || "warm-up until stable".to_owned(),
            |count| format!("{count} warm-up"),
        );
        let measured = measured.map_or_else(
            || {
                format!(
                    "measured for {} s",
                    min_time_s.unwrap_or(DEFAULT_MIN_TIME_S)
                )
            },
            |count| format!("{count} measured"),
        );
        Some(format!("{warmup}, {measured}"))
    }

    /// The words in which `${NAME}` is a variable of the caller: those of a command that no shell reads.
    pub fn env_words(&self) -> &[String] {
        match self {
            Self::Command { argv, shell: false } if self.script().is_none() => argv,
            _ => &[],
        }
    }

    /// The script that a shell reads, by `shell` or as `sh -c SCRIPT`.
    pub fn script(&self) -> Option<&str> {
        let Self::Command { argv, shell } = self else {
            return None;
        };
        if *shell {
            return argv.first().map(String::as_str);
        }
        let program = argv.first()?.rsplit('/').next()?;
        let takes_script = |word: &String| word.starts_with('-') && word.ends_with('c');
        let place = argv.iter().position(takes_script)?;
        let script = argv.get(place + 1).map_or("", String::as_str);
        SHELLS.contains(&program).then_some(script)
    }
}

/// An instrument with its options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Instrument {
    /// Its name.
    pub name: String,
    /// Its options.
    pub options: Params,
}
