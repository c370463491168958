//! The nouns that every part of Fairtrial shares: outcome, record, metric, parameter, trial identity.
//!
//! Versioned serde types with no logic beyond their own invariants. This crate knows no file, no process and no
//! screen, so that every other crate can depend on it.
#![forbid(unsafe_code)]

mod access;
mod capped;
mod case;
mod checkpoint;
mod clock;
mod code;
mod counter;
mod direction;
mod episode;
mod hex;
mod judge_verdict;
mod leaves;
mod method;
mod metric;
mod number;
mod outcome;
mod own_word;
mod packed;
mod params;
mod parts;
mod record;
mod reference;
mod resources;
pub mod secret;
mod seeds;
mod sha256;
mod step;
mod timed;
mod tolerance;
mod trial;
mod unit;
mod worker_clock;

pub use access::Access;
pub use capped::Capped;
pub use case::{ends_in_time_unit, is_cases, is_time_name, without_case};
pub use checkpoint::{Checkpoint, NoticeSignal, Part, Saved};
pub use clock::{Stamp, StampError, TimeError, UtcTime};
pub use code::Code;
pub use counter::HardwareCounter;
pub use direction::Direction;
pub use episode::{
    Condition, EpisodeFile, EpisodeValue, Grouping, Measure, MeasureKind, Reduce, Test,
};
pub use hex::hex;
pub use judge_verdict::{JUDGES_FACT, JudgeVerdict};
pub use leaves::{Leaf, each_leaf};
pub use method::Method;
pub use metric::{
    Beyond, Margin, MetricDeclaration, MetricSource, SeriesSummary, SummaryKind, TrackerKind,
};
pub use number::Number;
pub use outcome::{Cause, Exit, Outcome};
pub use own_word::{BROKEN_FACT, CAUSE_FACT, INFRA_FACT, NOTES_FACT, OOM_FACT, OWN_WORD};
pub use packed::{Packed, PackedLine};
pub use params::{ParamValue, Params};
pub use record::{RECORD_SCHEMA, Record, SeriesInfo};
pub use reference::{Points, Reference};
pub use resources::{LimitBackend, MemorySource, Resources};
pub use seeds::{DOCUMENTED_SEEDS, documented_seeds};
pub use sha256::Sha256;
pub use step::{LinePlace, STEP_NAMES, StepSearch, is_plain_step};
pub use timed::{Accepts, Quiet, Timed, TimedOutput};
pub use tolerance::{EqualRule, Tolerance};
pub use trial::{IDENTITY_VERSION, Identity, TrialId, TrialKey, TrialLabel};
pub use unit::{Conversion, ConversionError};
pub use worker_clock::{CPU, DURATION, PACED, WORKER_CLOCKS};
