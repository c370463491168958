//! What can speak against a verdict, and what that does to it.
//!
//! Objections are data: which sentence a reader gets is the report's to say, in one place.

use crate::compare::data::definition::DefinitionChange;
use crate::compare::data::dropped::MissingKind;
use crate::compare::word::Word;
use crate::ran_code::CodeMixture;
use fairtrial_stats::Undefined;
use serde::Serialize;

/// What an objection does to a verdict, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectionEffect {
    /// There is nothing to say: `insufficient`.
    Withholds,
    /// Nothing is concluded from the numbers: never better than `inconclusive`.
    Caps,
    /// The verdict stands, and a reader must know this before trusting it.
    Noted,
}

/// Something that speaks against a verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Objection {
    /// What it does.
    pub effect: ObjectionEffect,
    /// What it is.
    #[serde(flatten)]
    pub kind: ObjectionKind,
}

impl Objection {
    pub(crate) fn withholds(kind: ObjectionKind) -> Self {
        let effect = ObjectionEffect::Withholds;
        Self { effect, kind }
    }

    pub(crate) fn caps(kind: ObjectionKind) -> Self {
        let effect = ObjectionEffect::Caps;
        Self { effect, kind }
    }

    pub(crate) fn noted(kind: ObjectionKind) -> Self {
        let effect = ObjectionEffect::Noted;
        Self { effect, kind }
    }

    /// Whether it holds the verdict back.
    pub fn holds_back(&self) -> bool {
        self.effect != ObjectionEffect::Noted
    }

    /// Whether the numbers mean nothing, so that none are shown.
    pub(crate) fn hides_numbers(&self) -> bool {
        matches!(
            self.kind,
            ObjectionKind::OtherDefinition { .. } | ObjectionKind::StoppedEarly
        )
    }
}

/// What speaks against a verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "objection", rename_all = "snake_case")]
pub enum ObjectionKind {
    /// There are no values to compare.
    NoValue {
        /// Whose are missing.
        whose: WithoutValue,
        /// What the units are, where groups could be compared without pairs.
        groups: Groups,
    },
    /// One value on a side has no spread.
    OneValue,
    /// The method has no answer for these values.
    NoInterval {
        /// Why.
        why: Undefined,
    },
    /// Nothing varies, and the sides differ: chance has no measure.
    ConstantDifference(ConstantDifference),
    /// Too many pairs have a side missing.
    MissingPairs {
        /// Those.
        broken: usize,
        /// All of them.
        of: usize,
        /// What the units are, where groups could be compared without pairs.
        groups: Groups,
    },
    /// The sides ran on different machines, which changes timings.
    OtherMachine {
        /// In what the machines differ.
        name: String,
        /// On the control's side.
        control: Option<String>,
        /// On the candidate's side.
        candidate: Option<String>,
    },
    /// The times of two runs differ, those of a steadier clock do not, and other programs were at work.
    BusyMachine {
        /// How often a trial had to give its CPU to them, for each second of CPU time.
        per_second: f64,
        /// The steadier clock: a metric.
        clock: &'static str,
        /// The change that it shows, as a share.
        change: f64,
    },
    /// The sides are two programs that have an experiment of the same name.
    OtherImplementation {
        /// Whose the control's is.
        control: String,
        /// Whose the candidate's is.
        candidate: String,
    },
    /// The numbers are made differently on the two sides.
    OtherDefinition {
        /// In what.
        changes: Vec<DefinitionChange>,
    },
    /// Up to the last step of a trial that did not reach the threshold, there is no difference to see.
    NothingReached,
    /// Too few trials of a side count.
    TooFewCount {
        /// The side.
        side: String,
        /// Trials that count.
        counted: usize,
        /// All trials.
        trials: usize,
        /// The share that must count.
        share: f64,
        /// Whether what is missing can be run again.
        can_resume: bool,
    },
    /// Records that stand on both sides.
    SameRecords {
        /// How many.
        shared: usize,
        /// Of the smaller side.
        of: usize,
    },
    /// Trials that belong together ran different versions of the code.
    MixedCode(CodeMixture),
    /// The run stopped by looking at this metric: an interval that looks once does not hold.
    StoppedEarly,
    /// What is missing could have turned the verdict.
    MissingData {
        /// What is missing.
        missing: MissingKind,
        /// The verdict without it; absent where the values that are there are all the same.
        #[serde(skip_serializing_if = "Option::is_none")]
        turned: Option<Turned>,
    },
    /// The numbers of the two sides are about different parts of their curves.
    OtherParts {
        /// The first and the last step of the control's, on average.
        control: [f64; 2],
        /// The same of the candidate's.
        candidate: [f64; 2],
    },
    /// A summary of a series is declared, and so many trials gave one final value instead of a series.
    OnlyFinalValues {
        /// Of the control.
        control: usize,
        /// Of the candidate.
        candidate: usize,
        /// Trials of both that have a value.
        of: usize,
    },
    /// The units are iterations of one process per side.
    OneProcess,
    /// The first timings of a side are far from the later ones.
    WarmUp {
        /// Whether it is the candidate's side.
        candidate: bool,
        /// How many.
        first: usize,
        /// All its timings.
        of: usize,
    },
    /// The timings of a side rise or fall while they are measured.
    Drift {
        /// Whether it is the candidate's side.
        candidate: bool,
        /// By which share, from the first to the last.
        change: f64,
        /// All its timings.
        of: usize,
    },
    /// Neighbouring timings of a side resemble each other.
    Autocorrelated {
        /// Whether it is the candidate's side.
        candidate: bool,
        /// The correlation of neighbours.
        lag1: f64,
        /// How many independent timings they are worth.
        worth: f64,
        /// All its timings.
        of: usize,
    },
    /// One unit carries the verdict.
    Fragile {
        /// Which.
        unit: String,
        /// What the verdict is without it.
        becomes: Word,
    },
    /// The distribution-free test disagrees with the verdict's method.
    ShapeSensitive {
        /// Its p value.
        sign_flip_p: f64,
    },
    /// The t test disagrees with the sign-flip test, which decides.
    TDisagrees {
        /// Its p value.
        t_p: f64,
    },
    /// The permutation test of two groups does not rule out what the verdict rules out.
    LabelsDisagree {
        /// Its p value.
        p: f64,
        /// What it had to be at most.
        needed: f64,
    },
    /// The sign-flip test of pairs does not rule out what a bootstrap interval rules out.
    SignsDisagree {
        /// Its p value.
        p: f64,
        /// What it had to be at most.
        needed: f64,
    },
    /// A bootstrap of too few units.
    FewResampled {
        /// Units on the smaller side.
        units: usize,
        /// How many are enough.
        enough: usize,
    },
    /// A unit of a metric that is declared deterministic reports two values.
    Contradiction {
        /// Which.
        unit: String,
        /// Two of its values.
        values: [f64; 2],
    },
    /// A metric that is declared deterministic differs between seeds, which are a sample.
    VariesBySeed,
    /// Too many units of a side have no value.
    MissingUnits {
        /// Those.
        broken: usize,
        /// All of them.
        of: usize,
        /// Whether it is the candidate's side.
        candidate: bool,
    },
    /// Two units on a side.
    TwoUnits,
    /// Three to five units on a side.
    FewUnits,
    /// The sides share no seed, so that nothing can be paired.
    NoSharedUnits,
    /// Which way is better is not known.
    NoDirection,
    /// The spec does not declare the metric.
    Undeclared,
    /// Tasks without values that can be compared, on a side or on both: the numbers are about the others.
    TasksLeftOut {
        /// Which.
        tasks: Vec<String>,
    },
    /// Fixed tasks were asked for or usual, and each of them is one unit instead.
    TasksAsUnits {
        /// Those with one unit on a side.
        tasks: Vec<String>,
    },
    /// The sides are not alike in what the spec asks them to share.
    Unfair {
        /// In what.
        keys: Vec<UnfairKey>,
    },
    /// Whole numbers so large that their last digits cannot be kept.
    RoundedIntegers,
    /// Trials that did not reach their threshold, so that steps are counted up to the first of their ends.
    NotReached {
        /// Of the control.
        control: usize,
        /// Of the candidate.
        candidate: usize,
    },
    /// Skewed to the right and above zero: a log scale would fit better.
    Skewed,
}

impl ObjectionKind {
    /// The short name that tables show.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::NoValue { .. } => "no value",
            Self::OneValue => "one value",
            Self::NoInterval { .. } => "no interval",
            Self::ConstantDifference(_) => "constant",
            Self::MissingPairs { .. } => "missing pairs",
            Self::OtherMachine { .. } => "other machine",
            Self::BusyMachine { .. } => "busy machine",
            Self::OtherImplementation { .. } => "another implementation",
            Self::OtherDefinition { .. } => "other definition",
            Self::NothingReached => "nothing reached",
            Self::TooFewCount { .. } => "too few count",
            Self::SameRecords { .. } => "same records",
            Self::MixedCode(_) => "mixed code",
            Self::StoppedEarly => "stopped early",
            Self::MissingData { .. } => "missing data",
            Self::OtherParts { .. } => "other parts",
            Self::OnlyFinalValues { .. } => "final values",
            Self::OneProcess => "one process per side",
            Self::WarmUp { .. } => "warm-up",
            Self::Drift { .. } => "drift",
            Self::Autocorrelated { .. } => "autocorrelated",
            Self::Fragile { .. } => "fragile",
            Self::ShapeSensitive { .. } => "shape-sensitive",
            Self::TDisagrees { .. } => "t disagrees",
            Self::LabelsDisagree { .. } => "permutation test disagrees",
            Self::SignsDisagree { .. } => "sign-flip test disagrees",
            Self::FewResampled { .. } => "few resampled",
            Self::Contradiction { .. } => "contradicts itself",
            Self::VariesBySeed => "varies by seed",
            Self::MissingUnits { .. } => "missing units",
            Self::TwoUnits => "n=2",
            Self::FewUnits => "few units",
            Self::NoSharedUnits => "no shared seeds",
            Self::NoDirection => "no direction",
            Self::Undeclared => "undeclared",
            Self::TasksLeftOut { .. } => "tasks left out",
            Self::TasksAsUnits { .. } => "tasks as units",
            Self::Unfair { .. } => "unfair",
            Self::RoundedIntegers => "large whole numbers",
            Self::NotReached { .. } => "not reached",
            Self::Skewed => "skewed",
        }
    }
}

/// Whose values are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WithoutValue {
    /// Of both sides.
    Both,
    /// Of the control.
    Control,
    /// Of the candidate.
    Candidate,
    /// Both have some, but no unit has one on both sides.
    SharedUnit,
    /// Both have some, but no task has one on both sides.
    SharedTask,
}

/// Whether groups could be compared where pairs cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Groups {
    /// No: they would be other tasks, or there are no pairs.
    None,
    /// Those of the one task.
    OneTask,
    /// Those in the tasks that both sides have.
    SeveralTasks,
}

/// A verdict that would be another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Turned {
    /// What it is.
    pub from: Word,
    /// What it would become.
    pub becomes: Word,
}

/// A key in which the sides are not alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnfairKey {
    /// The key.
    pub key: String,
    /// Whether it is known on both sides.
    pub known: bool,
}

/// How the sides differ where nothing varies.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConstantDifference {
    /// The difference (candidate - control) or, on the ratio scale, candidate / control: of every unit, or by task.
    pub by_task: Vec<TaskDifference>,
    /// Whether it is a ratio.
    pub ratio: bool,
    /// Whether it is the same but for the rounding of numbers of this size.
    pub rounded: bool,
}

/// The difference in one task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskDifference {
    /// The task.
    pub task: String,
    /// The difference or the ratio.
    pub value: f64,
}
