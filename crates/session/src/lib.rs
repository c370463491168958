#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod absent;
mod agent_tasks;
mod archiving;
mod bench;
mod bisect;
mod bundle;
mod caller;
mod check;
mod checkout;
mod compare;
mod curves;
mod data_root;
mod doctor;
mod error;
mod evaluate;
mod events;
mod export;
pub mod feature;
mod find;
mod flaws;
mod foreign;
mod gate;
mod history;
pub mod inside;
mod kept_hash;
mod leftovers;
mod logs;
mod new_task;
mod no_log;
mod node;
mod notice;
mod picture;
mod planning;
mod power;
mod refusals;
mod registration;
mod remeasure;
mod report_data;
mod report_files;
mod reproduce;
mod retention;
mod revision;
mod run;
mod run_names;
mod runs;
mod session;
mod source;
mod spec_file;
mod sql;
mod summary;
mod sweep;
pub mod tables;
mod task_check;
mod task_finding;
mod tuning;
mod unpack;
mod unusable_root;
mod verify;
mod version;
mod view;

pub use absent::{Absent, Near};
pub use bench::{
    BENCH, BenchCommand, BenchFailure, BenchMetric, BenchParameter, BenchQuestion, Benched,
    Counter, PreparedBench, Runs, ShellChoice, Warmth, quiet_cpu,
};
pub use bisect::{BisectCommit, BisectQuestion, Bisected, PreparedBisect};
pub use caller::Caller;
pub use check::{Checked, NotHere};
pub use compare::{CompareQuestion, Compared};
pub use data_root::{DATA_VARIABLE, FoundRoot};
pub use doctor::{Ability, Examination, tuned_words};
pub use error::{Blame, RunLabel, SessionError};
pub use evaluate::{Evaluated, ScoredBy};
pub use events::{BisectEvent, Event, Listener};
pub use export::ExportQuestion;
pub use export::exported::Exported;
pub use find::RunChoice;
pub use foreign::{ImportQuestion, Imported};
pub use gate::{GateQuestion, Recorded, SavedBaseline, SettledOption};
pub use history::{HistoryOrder, HistoryQuestion};
pub use leftovers::{Checkpoints, Images, Leftovers};
pub use logs::{LogKind, TrialLog};
pub use new_task::NewTask;
pub use no_log::NoLog;
pub use node::{Chunk, StoredChunk};
pub use notice::Notice;
pub use picture::Picture;
pub use planning::{Earlier, Estimate};
pub use power::PilotRun;
pub use registration::Registered;
pub use remeasure::RunRemeasured;
pub use report_files::{ReportFiles, html_page, markdown_page, page_template, write_charts};
pub use reproduce::{
    MetricAgain, OtherOutcome, OtherValue, ReproduceQuestion, Reproduced, SourceAgain,
};
pub use retention::{Keep, OldRun, OldRuns, StayingRun};
pub use run::{
    CancelWait, Cancelled, ConfirmedBy, Glance, KeptTrials, Looks, PreparedRun, ResumeSpec, RunEnd,
    RunOptions, RunPreview, RunResult, RunStanding, StartFrom, Until,
};
pub use run_names::{near_run, run_names};
pub use session::Session;
pub use source::{TrialSource, Trials};
pub use spec_file::{SpecFile, catalogue};
pub use sql::Answered;
pub use sweep::{SweepFound, SweepQuestion};
pub use task_check::{Soundness, SoundnessQuestion, TaskSoundness};
pub use task_finding::TaskFinding;
pub use unpack::Unpacked;
pub use unusable_root::{RootReason, UnusableRoot};
pub use verify::{Check, RunVerified, VerifyOptions};
pub use version::VERSION;
pub use view::{
    FileEntry, FilePart, Flight, MetricFact, RowOrder, RowQuery, RowsPage, RunOverview, RunView,
    SeriesPoints, Snapshot, TrialDetail, TrialRow, Waiting,
};

// What the calls above take and give, so that a caller needs no other crate for a plain run.
pub use fairtrial_engine::{Controls, RunEvent};
pub use fairtrial_interop::{FORMATS, Form, Given, Mapping, Recognised, Shape};
pub use fairtrial_journal::{ArchiveOptions, Archived};
pub use fairtrial_spec::FileCheck;
pub use tuning::{Restored, Tuned, TunedSetting, Tuning};
