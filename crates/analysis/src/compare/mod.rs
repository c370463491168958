//! `compare`: two sides, metric by metric, each ending in one verdict word with its evidence.
//!
//! The kind of data picks the method (`docs/guides/compare.md`): shared seeds are pairs, pass/fail goes by proportions
//! or by tasks, timings by ratio, the rest by t. One interval decides: against zero, and against the margin.
//!
//! Trials become units and samples in `data`, an estimate with an interval in `method`; what speaks against a verdict is
//! found in `objections`, what other methods say in `second_opinions`; `verdict` makes the word. `comparison` puts it
//! together.

pub(crate) mod advice;
pub(crate) mod comparison;
pub(crate) mod data;
pub(crate) mod failures;
pub(crate) mod judgement;
pub(crate) mod margin;
pub(crate) mod margin_text;
pub(crate) mod method;
pub(crate) mod objections;
pub(crate) mod options;
pub(crate) mod question;
pub(crate) mod ranged;
pub(crate) mod ranking;
pub(crate) mod result;
pub(crate) mod rule;
pub(crate) mod second_opinions;
pub(crate) mod tasks;
pub(crate) mod verdict;
pub(crate) mod word;

pub use advice::Advice;
pub use comparison::compare;
pub use data::definition::DefinitionChange;
pub use data::dropped::{DroppedUnit, MissingKind};
pub use data::mismatch::Mismatch;
pub use data::reference::{GivenPoints, parse_points};
pub use data::side::{Inputs, SideName};
pub use data::unit::{Pairing, TaskRole, UnitKind};
pub use failures::{FailureCount, Failures};
pub use fairtrial_model::Method;
pub use margin_text::parse_margin;
pub use method::choose::MethodNote;
pub use method::family::FamilyPlace;
pub use method::kind::{DataKind, Scale};
pub use method::relative::NoRelative;
pub use objections::fairness::Fairness;
pub use objections::objection::{
    ConstantDifference, Groups, Objection, ObjectionEffect, ObjectionKind, TaskDifference, Turned,
    UnfairKey, WithoutValue,
};
pub use options::{Beyond, CompareOptions, Deciding, Role};
pub use question::or_cases;
pub use ranged::Ranged;
pub use ranking::arms::{RankedArm, Ranking};
pub use ranking::standings::{AgainstBest, NotRanked, Standing};
pub use ranking::sweep::{
    ConfirmPlan, PointName, PointStanding, SweepChoice, choose, choose_declared, ranked_by,
};
pub use result::{
    COMPARISON_SCHEMA, Comparison, Contrast, Effect, MethodUsed, MetricComparison, TaskLine,
    UnitCount,
};
pub use second_opinions::leave_one_out::{Flip, LeaveOneOut};
pub use second_opinions::opinion::{Detectable, SecondOpinions, SignFlipOpinion, Standardised};
pub use second_opinions::suite::{NoScores, SuiteOpinion, SuiteScore};
pub use verdict::{Reason, Verdict};
pub use word::Word;
