//! How a program is timed as a whole: what its files are, what runs around it, and which of its ends count.

use serde::{Deserialize, Serialize};

/// How the trials of a task are timed as whole programs. They leave no folder of their own unless they fail: nothing but
/// the program itself touches the disk between two of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timed {
    /// What becomes of its standard output.
    pub output: TimedOutput,
    /// The file that its standard input is; absent for nothing to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Program and arguments of what runs before each trial, outside the measured time; empty for nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prepare: Vec<String>,
    /// The same after each trial.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conclude: Vec<String>,
    /// Which exit codes besides 0 count as well.
    #[serde(default)]
    pub accepts: Accepts,
    /// What makes it less disturbed.
    #[serde(default, skip_serializing_if = "Quiet::is_default")]
    pub quiet: Quiet,
}

/// What makes a timed program less disturbed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quiet {
    /// The CPU that it is kept on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<u32>,
    /// Its priority, from -20 (first) to 19 (last).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nice: Option<i32>,
    /// Whether its addresses are the same in every run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fixed_addresses: bool,
}

impl Quiet {
    /// Whether nothing is asked for.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What becomes of the standard output of a timed program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimedOutput {
    /// It is thrown away by the system; the program may see that and write less.
    #[default]
    Discard,
    /// It is read through a pipe and thrown away.
    Pipe,
    /// It is written to this file, which each trial begins anew.
    File(String),
}

/// Which exit codes besides 0 count as well.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Accepts {
    /// None.
    #[default]
    Success,
    /// These.
    Codes(Vec<i32>),
    /// All.
    Any,
}

impl Accepts {
    /// Whether a program that ended with this code did what it should.
    pub fn code(&self, code: i32) -> bool {
        match self {
            Self::Success => code == 0,
            Self::Codes(codes) => code == 0 || codes.contains(&code),
            Self::Any => true,
        }
    }
}
